#include "core/schedule/stages.h"

#include "core/schedule/schedule_report_internal.h"

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

bool ls_stages_has_place(const ls_program *program, const ls_system *system)
{
    return ls_stages_find(program, system->stage) != UINT32_MAX &&
           (uint32_t)system->slot < LS_SLOT_COUNT;
}

/* The stages within one parent that are already placed, in order. */
typedef struct siblings {
    uint32_t count;
    uint32_t indices[LS_STAGES_MAX]; /* indexes in the simulation's list */
} siblings;

static bool is_within(const ls_stage *stage, const char *around)
{
    return around ? stage->within && strcmp(stage->within, around) == 0 : !stage->within;
}

/* The position of the stage in `placed`; LS_STAGES_MAX when it is not there. */
static uint32_t place_of(const ls_sim *sim, const siblings *placed, const char *name)
{
    for (uint32_t i = 0; i < placed->count; i++) {
        if (strcmp(sim->stages[placed->indices[i]].name, name) == 0)
            return i;
    }
    return LS_STAGES_MAX;
}

static const ls_stage *previous_sibling(const ls_sim *sim, uint32_t index)
{
    for (uint32_t i = index; i-- > 0;) {
        if (is_within(&sim->stages[i], sim->stages[index].within))
            return &sim->stages[i];
    }
    return NULL;
}

/* Places the stage if the stage that it refers to is placed. */
static bool try_insert(const ls_sim *sim, siblings *placed, uint32_t index)
{
    const ls_stage *stage = &sim->stages[index], *previous = previous_sibling(sim, index);
    const char *target = stage->before ? stage->before : stage->after;
    if (!target && previous)
        target = previous->name;
    uint32_t at = target ? place_of(sim, placed, target) : 0;
    if (at == LS_STAGES_MAX)
        return false;
    at += target && !stage->before;
    memmove(&placed->indices[at + 1], &placed->indices[at],
            sizeof placed->indices[0] * (placed->count - at));
    placed->indices[at] = index;
    placed->count++;
    return true;
}

static const ls_stage *find_listed(const ls_sim *sim, const char *name)
{
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (strcmp(sim->stages[i].name, name) == 0)
            return &sim->stages[i];
    }
    return NULL;
}

/* Checks that the stages that `stage` refers to exist, and that the stage which it comes before or
 * after has the same parent. */
static void check_references(const ls_sim *sim, const ls_stage *stage, ls_schedule_report *report)
{
    const char *target = stage->before ? stage->before : stage->after;
    const ls_stage *found = target ? find_listed(sim, target) : NULL;
    if (target && !found)
        ls_schedule_report_add(
            report, LS_FINDING_UNKNOWN, stage->name, target,
            "stage \"%s\" is to come %s stage \"%s\", which the simulation does not list",
            stage->name, stage->before ? "before" : "after", target);
    if (stage->within && !find_listed(sim, stage->within))
        ls_schedule_report_add(
            report, LS_FINDING_UNKNOWN, stage->name, stage->within,
            "stage \"%s\" is to be within stage \"%s\", which the simulation does not list",
            stage->name, stage->within);
    if (found && !is_within(found, stage->within))
        ls_schedule_report_add(
            report, LS_FINDING_CONTRADICTION, stage->name, target,
            "stage \"%s\" is to come %s stage \"%s\", but is not within the same one; give both "
            "the same .within",
            stage->name, stage->before ? "before" : "after", target);
}

static void check_stage(const ls_sim *sim, uint32_t index, ls_schedule_report *report)
{
    const ls_stage *stage = &sim->stages[index];
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(sim->stages[i].name, stage->name) == 0)
            ls_schedule_report_add(report, LS_FINDING_DUPLICATE, stage->name, NULL,
                                   "two stages are named \"%s\"; rename one", stage->name);
    }
    if (stage->before && stage->after)
        ls_schedule_report_add(
            report, LS_FINDING_CONTRADICTION, stage->name, NULL,
            "stage \"%s\" names a stage before it and one after it; its place is next to "
            "one of them",
            stage->name);
    check_references(sim, stage, report);
}

/* Each round places the first listed stage that can be placed. So if two stages are placed directly
 * after a third one, the one listed later is nearer to it. */
static void order_siblings(const ls_sim *sim, const char *around, bool *is_placed, siblings *placed)
{
    for (uint32_t i = 0; i < sim->stage_count;) {
        if (!is_placed[i] && is_within(&sim->stages[i], around) && try_insert(sim, placed, i)) {
            is_placed[i] = true;
            i = 0;
        } else {
            i++;
        }
    }
}

/* Places the stages within `around` (NULL: the outermost stages), each followed by the stages
 * within it. The recursion ends, because each stage is placed once. */
static void place_within(ls_program *program, const char *around, bool *is_placed)
{
    const ls_sim *sim = program->sim;
    siblings placed = {0};
    order_siblings(sim, around, is_placed, &placed);
    for (uint32_t i = 0; i < placed.count; i++) {
        ls_plan_stage *stage = &program->stages[program->stage_count++];
        *stage = (ls_plan_stage){.stage = &sim->stages[placed.indices[i]], .gate = UINT32_MAX};
        place_within(program, stage->stage->name, is_placed);
        stage->end = program->stage_count;
    }
}

/* For stages with errors. Any order will do: it only lets the systems be checked. */
static void place_as_listed(ls_program *program)
{
    const ls_sim *sim = program->sim;
    for (uint32_t i = 0; i < sim->stage_count; i++)
        program->stages[i] =
            (ls_plan_stage){.stage = &sim->stages[i], .end = i + 1, .gate = UINT32_MAX};
    program->stage_count = sim->stage_count;
}

void ls_stages_order(ls_program *program, ls_schedule_report *report)
{
    const ls_sim *sim = program->sim;
    uint32_t findings = report->count;
    bool is_placed[LS_STAGES_MAX] = {false};
    program->stage_count = 0;
    for (uint32_t i = 0; i < sim->stage_count; i++)
        check_stage(sim, i, report);
    if (sim->stage_count == 0) {
        program->stages[0] = (ls_plan_stage){.stage = &only, .end = 1, .gate = UINT32_MAX};
        program->stage_count = 1;
        return;
    }
    bool is_clear = report->count == findings;
    if (is_clear)
        place_within(program, NULL, is_placed);
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (is_clear && !is_placed[i])
            ls_schedule_report_add(
                report, LS_FINDING_CYCLE, sim->stages[i].name, NULL,
                "the place of stage \"%s\" depends on itself: follow .before, .after and .within "
                "from it, and give one of those stages another place",
                sim->stages[i].name);
    }
    if (report->count > findings)
        place_as_listed(program);
}
