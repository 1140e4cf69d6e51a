#include "core/stages.h"

#include "core/schedule_report_internal.h"

#include <string.h>

static const ls_stage only = {.name = "main"};

uint32_t ls_stages_find(const ls_program *program, const char *name)
{
    if (!name)
        name = program->sim->stage_count ? program->sim->stages[0].name : only.name;
    for (uint32_t i = 0; i < program->stage_count; i++) {
        if (strcmp(program->stages[i].stage->name, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

static void insert(ls_program *program, uint32_t at, const ls_stage *stage)
{
    memmove(&program->stages[at + 1], &program->stages[at],
            sizeof program->stages[0] * (program->stage_count - at));
    program->stages[at] = (ls_plan_stage){.stage = stage};
    program->stage_count++;
}

/* Places the stage if the one that it refers to has its place. */
static bool try_insert(ls_program *program, uint32_t index)
{
    const ls_stage *stage = &program->sim->stages[index];
    const char *target = stage->before ? stage->before : stage->after;
    if (!target) {
        insert(program,
               index ? ls_stages_find(program, program->sim->stages[index - 1].name) + 1 : 0,
               stage);
        return true;
    }
    uint32_t at = ls_stages_find(program, target);
    if (at == UINT32_MAX)
        return false;
    insert(program, stage->before ? at : at + 1, stage);
    return true;
}

static bool is_listed(const ls_sim *sim, const char *name)
{
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (strcmp(sim->stages[i].name, name) == 0)
            return true;
    }
    return false;
}

static void check_stage(const ls_sim *sim, uint32_t index, ls_schedule_report *report)
{
    const ls_stage *stage = &sim->stages[index];
    const char *target = stage->before ? stage->before : stage->after;
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(sim->stages[i].name, stage->name) == 0)
            ls_schedule_report_add(report, LS_FINDING_DUPLICATE, stage->name, NULL,
                                   "two stages are named \"%s\"; rename one", stage->name);
    }
    if (stage->before && stage->after)
        ls_schedule_report_add(
            report, LS_FINDING_CONTRADICTION, stage->name, NULL,
            "stage \"%s\" names a stage before it and one behind it; its place is next to "
            "one of them",
            stage->name);
    if (target && !is_listed(sim, target))
        ls_schedule_report_add(
            report, LS_FINDING_UNKNOWN, stage->name, target,
            "stage \"%s\" is to come %s stage \"%s\", which the simulation does not list",
            stage->name, stage->before ? "before" : "behind", target);
}

/* Each round places the first stage listed that can be, so that of two stages right behind a third
 * one the later listed is nearer to it. */
void ls_stages_order(ls_program *program, ls_schedule_report *report)
{
    const ls_sim *sim = program->sim;
    uint32_t findings = report->count;
    bool is_placed[LS_STAGES_MAX] = {false};
    program->stage_count = 0;
    for (uint32_t i = 0; i < sim->stage_count; i++)
        check_stage(sim, i, report);
    if (sim->stage_count == 0)
        insert(program, 0, &only);
    if (sim->stage_count == 0 || report->count > findings)
        return;
    for (uint32_t i = 0; i < sim->stage_count;) {
        bool needs_previous = !sim->stages[i].before && !sim->stages[i].after && i;
        if (!is_placed[i] && (!needs_previous || is_placed[i - 1]) && try_insert(program, i)) {
            is_placed[i] = true;
            i = 0;
        } else {
            i++;
        }
    }
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (!is_placed[i])
            ls_schedule_report_add(
                report, LS_FINDING_CYCLE, sim->stages[i].name, NULL,
                "the place of stage \"%s\" depends on itself: follow .before and .after "
                "from it, and give one of those stages another place",
                sim->stages[i].name);
    }
}
