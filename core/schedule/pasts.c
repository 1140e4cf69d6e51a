#include "core/schedule/pasts.h"

/* The column of the past of this column for the system, which is the last one so far that has
 * any. */
static uint32_t past_of(ls_program *program, ls_plan_system *plan, uint32_t position,
                        uint32_t column)
{
    for (uint32_t i = plan->past_first; i < program->past_count; i += 2) {
        if (program->pasts[i].column == column)
            return ls_program_past_column(program, i);
    }
    uint32_t first = program->past_count;
    program->past_count += 2;
    program->pasts = ls_realloc(program->pasts, sizeof *program->pasts * program->past_count);
    program->pasts[first] = (ls_plan_past){.column = column, .position = position};
    program->pasts[first + 1] =
        (ls_plan_past){.column = program->column_count, .position = position};
    return ls_program_past_column(program, first);
}

void ls_pasts_assign(ls_program *program)
{
    for (uint32_t position = 0; position < program->system_count; position++) {
        ls_plan_system *plan = &program->systems[position];
        plan->past_first = program->past_count;
        for (uint32_t i = 0; i < plan->term_count; i++) {
            if (ls_filter_compares(plan->terms[i].filter))
                plan->terms[i].past = past_of(program, plan, position, plan->terms[i].column);
        }
        plan->past_count = program->past_count - plan->past_first;
    }
}
