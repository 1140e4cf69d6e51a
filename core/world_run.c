#include <lockstep/world_run.h>

#include "core/schedule/name_table.h"
#include "core/schedule/stages.h"
#include "core/state/world_state.h"
#include "core/world_internal.h"

#include <string.h>

/* The position of the system, setup or criterion; UINT32_MAX when none has the name. Steps of pars
 * are not found. */
static uint32_t find_position(const ls_program *program, const char *name)
{
    for (uint32_t i = 0; i < ls_plan_count(program); i++) {
        const ls_plan_system *plan = ls_plan_at(program, i);
        if (plan->system && !plan->step && strcmp(plan->system->name, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* The error for a name that nothing of this kind has; `names` has all names of the kind. */
static ls_status refuse(const char *kind, const char *name, const char *const *names,
                        uint32_t count, ls_error *error)
{
    const char *meant = ls_name_nearest(names, count, (ls_name_use){.name = name});
    if (meant)
        return ls_error_set(error, LS_ERROR_USAGE, "no %s is called \"%s\"; is \"%s\" meant?", kind,
                            name, meant);
    return ls_error_set(error, LS_ERROR_USAGE, "no %s is called \"%s\"", kind, name);
}

/* The error for a name that no system has. */
static ls_status refuse_system(const ls_program *program, const char *name, ls_error *error)
{
    if (ls_stages_find(program, name) != UINT32_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "\"%s\" is a stage, not a system; ls_world_run_stage() runs it", name);
    ls_name_table table;
    ls_name_table_init(&table, program, NULL);
    bool is_group = ls_name_table_find(&table, name) != NULL;
    ls_name_table_reset(&table);
    if (is_group)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "\"%s\" is a label, set or par, not a system; name a system that it "
                            "has",
                            name);
    const char *names[LS_SYSTEMS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (!program->systems[i].step)
            names[count++] = program->systems[i].system->name;
    }
    return refuse("system", name, names, count, error);
}

ls_status ls_world_run_system(ls_world *world, const char *name, const ls_frame *frame,
                              ls_executor *executor, ls_error *error)
{
    const ls_program *program = world->program;
    uint32_t position = find_position(program, name);
    if (position == UINT32_MAX)
        return refuse_system(program, name, error);
    if (position >= program->system_count)
        return ls_error_set(error, LS_ERROR_USAGE, "\"%s\" is a %s, not a system; %s", name,
                            position < ls_plan_first_gate(program) ? "setup" : "criterion",
                            position < ls_plan_first_gate(program)
                                ? "it runs when a world is created"
                                : "it runs before its set or stage does");
    uint32_t stage = 0;
    while (position >= program->stages[stage].first[LS_SLOT_COUNT])
        stage++;
    const ls_tick_part part = {.stage = stage, .position = position};
    return ls_world_run_part(world, &part, frame, executor, error);
}

ls_status ls_world_run_stage(ls_world *world, const char *name, const ls_frame *frame,
                             ls_executor *executor, ls_error *error)
{
    const ls_program *program = world->program;
    uint32_t stage = ls_stages_find(program, name);
    if (stage != UINT32_MAX) {
        const ls_tick_part part = {.stage = stage, .position = UINT32_MAX};
        return ls_world_run_part(world, &part, frame, executor, error);
    }
    if (find_position(program, name) < program->system_count)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "\"%s\" is a system, not a stage; ls_world_run_system() runs it", name);
    const char *names[LS_STAGES_MAX];
    for (uint32_t i = 0; i < program->stage_count; i++)
        names[i] = program->stages[i].stage->name;
    return refuse("stage", name, names, program->stage_count, error);
}
