/* Finds the systems of two sides of a par that changed one cell. */
#include "core/run/par_conflict.h"

#include "core/run/fork.h"
#include "core/run/tick.h"
#include "core/schedule/conflict.h"
#include "core/state/world_state.h"
#include <lockstep/snapshot.h>

#include <inttypes.h>
#include <stdio.h>

/* Prints why the par does not combine what the two systems accumulate; "" if they do not conflict
 * for that reason. */
static void print_third(const ls_program *program, const ls_cell_conflict *conflict, char *text,
                        size_t bytes)
{
    const char *verb;
    const ls_plan_system *third = ls_conflict_third(
        program, &program->pars[conflict->par], (uint32_t)(conflict->systems[0] - program->systems),
        (uint32_t)(conflict->systems[1] - program->systems), conflict->column, &verb);
    text[0] = 0;
    if (third)
        snprintf(text, bytes,
                 ", where their values would combine, but \"%.60s\" of the par %s it; take "
                 "\"%.60s\" out of the par,",
                 third->system->name, verb, third->system->name);
}

ls_status ls_fork_explain(const ls_tick_job *failed, ls_error *error)
{
    ls_world *world = failed->world;
    const ls_program *program = world->program;
    ls_cell_conflict conflict = world->views->conflict;
    const ls_tick_job job = {
        .world = world, .frame = failed->frame, .part = failed->part, .watch = &conflict};
    conflict.systems[0] = conflict.systems[1] = NULL;
    bool is_found =
        ls_tick_rerun(&job) == LS_ERROR_REFUSED && conflict.systems[0] && conflict.systems[1];
    const ls_component *component = program->components[conflict.column];
    char entity[96] = "the world";
    if (!component->is_singleton)
        snprintf(entity, sizeof entity, "entity %.60s/%" PRIu32, program->lanes[conflict.lane],
                 conflict.slot);
    const char *par = program->pars[conflict.par].name;
    if (!is_found)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "tick %" PRIu64 ": two sides of par \"%s\" both change component "
                            "\"%s\" of %s, but not when the tick is run again: a system depends on "
                            "what is not in the world; the check executor finds it",
                            world->state.tick, par, component->name, entity);
    char third[256];
    print_third(program, &conflict, third, sizeof third);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "tick %" PRIu64 ": systems \"%s\" and \"%s\", in two sides of par "
                        "\"%s\", both change component \"%s\" of %s%s order them outside of "
                        "the par, or let them change different cells",
                        world->state.tick, conflict.systems[0]->system->name,
                        conflict.systems[1]->system->name, par, component->name, entity,
                        third[0] ? third : ";");
}
