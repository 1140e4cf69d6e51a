#include "core/run/parent_cycle.h"

#include "core/run/tick.h"

#include <inttypes.h>
#include <stdio.h>

/* The point of the tick after which the entity has been in the cycle ever since; `at` is as in
 * ls_tick_hook.call. */
typedef struct search {
    const ls_parent_cycle *cycle;
    bool is_in_cycle;
    ls_tick_point point;
    uint32_t at;
    char text[512];
} search;

static void note_point(void *argument, ls_world *world, ls_tick_point point, uint32_t at)
{
    search *self = argument;
    if (point != LS_POINT_ENDED && point != LS_POINT_SYNCED)
        return;
    bool was_in_cycle = self->is_in_cycle;
    self->is_in_cycle = ls_parents_is_in_cycle(world->base, self->cycle);
    if (self->is_in_cycle)
        ls_parents_print(world->base, self->cycle, self->text, sizeof self->text);
    if (was_in_cycle)
        return;
    self->point = point;
    self->at = at;
}

static ls_status fail(const search *self, const ls_world *world, ls_error *error)
{
    const ls_program *program = world->program;
    if (self->point == LS_POINT_SYNCED)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "tick %" PRIu64 ": commands of stage \"%s\" make an entity its own "
                            "ancestor: %s; refuse such a parent before the command",
                            world->state.tick, program->stages[self->at].stage->name, self->text);
    const ls_plan_system *plan = &program->systems[self->at];
    const char *name = ls_plan_name(program, plan);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "tick %" PRIu64 ": %s \"%s\" makes an entity its own ancestor: %s; refuse "
                        "such a parent before it is written",
                        world->state.tick, ls_plan_word(plan), name, self->text);
}

ls_status ls_parent_cycle_explain(const ls_tick_job *failed, ls_error *error)
{
    ls_world *world = failed->world;
    const ls_parent_cycle cycle = world->scratch->cycle;
    search self = {.cycle = &cycle};
    const ls_tick_hook hook = {&self, note_point};
    const ls_tick_job job = {
        .world = world, .frame = failed->frame, .part = failed->part, .hook = &hook};
    if (ls_tick_rerun(&job) == LS_ERROR_REFUSED && self.is_in_cycle)
        return fail(&self, world, error);
    const ls_component *component = world->program->components[cycle.column];
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "tick %" PRIu64 ": entity %.60s/%" PRIu32 " becomes its own ancestor by "
                        "%s.%s, but not when the tick is run again: a system depends on what is "
                        "not in the world; the check executor finds it",
                        world->state.tick, world->program->lanes[ls_entity_lane(cycle.entity)],
                        ls_entity_slot(cycle.entity), component->name,
                        component->fields[cycle.field].name);
}

ls_status ls_parent_cycle_of_setup(const ls_world *world, uint32_t position, ls_error *error)
{
    char text[512];
    ls_parents_print(world, &world->scratch->cycle, text, sizeof text);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "setup \"%s\" makes an entity its own ancestor: %s; give it another parent",
                        ls_plan_at(world->program, position)->system->name, text);
}
