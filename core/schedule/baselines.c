#include "core/schedule/baselines.h"

/* The state column of the system's baseline of `column`; adds the pair if it is new. No later
 * system has baselines yet. */
static uint32_t baseline_of(ls_program *program, ls_plan_system *plan, uint32_t position,
                            uint32_t column)
{
    for (uint32_t i = plan->baseline_first; i < program->baseline_count; i += 2) {
        if (program->baselines[i].column == column)
            return ls_program_baseline_column(program, i);
    }
    uint32_t first = program->baseline_count;
    program->baseline_count += 2;
    program->baselines =
        ls_realloc(program->baselines, sizeof *program->baselines * program->baseline_count);
    program->baselines[first] = (ls_plan_baseline){.column = column, .position = position};
    program->baselines[first + 1] =
        (ls_plan_baseline){.column = program->column_count, .position = position};
    return ls_program_baseline_column(program, first);
}

void ls_baselines_assign(ls_program *program)
{
    for (uint32_t position = 0; position < program->system_count; position++) {
        ls_plan_system *plan = &program->systems[position];
        plan->baseline_first = program->baseline_count;
        for (uint32_t i = 0; i < plan->term_count; i++) {
            if (ls_filter_compares(plan->terms[i].filter))
                plan->terms[i].baseline =
                    baseline_of(program, plan, position, plan->terms[i].column);
        }
        plan->baseline_count = program->baseline_count - plan->baseline_first;
    }
}
