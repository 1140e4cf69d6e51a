/* What is right but worth a look: whatever is ordered by a sync point alone, and commands that meet
 * in one. */
#include "core/conflict.h"
#include "core/schedule_report_internal.h"

static const char *stage_name(const ls_program *program, uint32_t position)
{
    return program->stages[ls_program_stage_of(program, position)].stage->name;
}

static void hint_commands(const ls_program *program, uint32_t i, uint32_t j,
                          ls_schedule_report *report)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    for (uint32_t column = 0; column < program->column_count; column++) {
        if (!(a->touches[column] & b->touches[column] & LS_TOUCH_COMMAND))
            continue;
        ls_schedule_report_add(report, LS_FINDING_HINT, a->system->name, b->system->name,
                               "\"%s\" and \"%s\" both give commands for \"%s\"; at the sync point "
                               "of stage \"%s\" those of \"%s\" come first",
                               a->system->name, b->system->name, program->components[column]->name,
                               stage_name(program, i), a->system->name);
        return;
    }
}

static void hint_sync_point(const ls_program *program, uint32_t i, uint32_t j,
                            ls_schedule_report *report)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    ls_conflict conflict = {LS_CONFLICT_COLUMN, 0};
    uint32_t at = 0;
    if (!ls_conflict_next(program, a, b, &at, &conflict))
        return;
    char text[256];
    ls_conflict_print(program, a, b, &conflict, text, sizeof text);
    ls_schedule_report_add(report, LS_FINDING_HINT, a->system->name, b->system->name,
                           "only their stages \"%s\" and \"%s\" order \"%s\" before \"%s\": %s",
                           stage_name(program, i), stage_name(program, j), a->system->name,
                           b->system->name, text);
}

void ls_hints_find(const ls_program *program, ls_schedule_report *report)
{
    ls_graph conflicts;
    ls_graph_init(&conflicts, program->system_count);
    ls_conflicts_find(program, &conflicts);
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = i + 1; j < program->system_count; j++) {
            bool is_one_stage = ls_program_stage_of(program, i) == ls_program_stage_of(program, j);
            if (program->systems[i].step || program->systems[j].step)
                continue;
            if (is_one_stage)
                hint_commands(program, i, j, report);
            else if (ls_graph_has(&conflicts, i, j))
                hint_sync_point(program, i, j, report);
        }
    }
    ls_graph_reset(&conflicts);
}
