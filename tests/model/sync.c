/* The sync point: applies commands in the order of the mutation, then despawns. */
#include "tests/model/invocation.h"

#include <string.h>

static void settle_step(const model_schema *schema, model_births *births, model_step *step)
{
    const ls_component *component = schema->components[step->component];
    model_settle(births, &step->entity);
    for (uint32_t at = 0; at < component->bytes; at += sizeof(ls_entity)) {
        if (step->kind == MODEL_COMMAND_ATTACH && model_is_reference(component, at))
            model_settle(births, step->value + at);
    }
}

static void run_command(model_state *state, model_births *births, model_step step)
{
    if (step.kind == MODEL_COMMAND_NEW) {
        births->pending[births->count] = step.entity;
        step.kind = MODEL_NEW;
        step.entity = model_fresh(state, step.lane, 0);
        births->near = births->count;
        births->entities[births->count++] = step.entity;
        model_apply(state, &(model_mutation){.steps = &step, .count = 1});
        return;
    }
    settle_step(state->schema, births, &step);
    step.kind = step.kind == MODEL_COMMAND_ATTACH ? MODEL_ATTACH : MODEL_DETACH;
    if (model_is_alive(state, step.entity))
        model_apply(state, &(model_mutation){.steps = &step, .count = 1});
    else
        state->dropped_commands++;
}

static void run_commands(model_state *state)
{
    size_t bytes = sizeof(ls_entity) * (state->commands.count + 1);
    model_births births = {.pending = ls_alloc(bytes), .entities = ls_alloc(bytes)};
    for (uint32_t i = 0; i < state->commands.count; i++) {
        run_command(state, &births, state->commands.steps[i]);
        bool is_last = i + 1 == state->commands.count ||
                       state->commands.steps[i + 1].by != state->commands.steps[i].by;
        state->is_broken |= is_last && model_has_pair(state);
    }
    ls_free(births.pending);
    ls_free(births.entities);
}

static bool is_marked(const model_state *state, ls_entity entity)
{
    for (uint32_t i = 0; i < state->marks.count; i++) {
        if (state->marks.steps[i].entity == entity)
            return true;
    }
    return false;
}

/* Calls `visit` for every reference in the state to an entity that is about to die. */
static bool each_dying(model_state *state, ls_on_despawn on_despawn,
                       bool (*visit)(model_state *state, model_cell *cell, uint8_t *reference))
{
    bool changed = false;
    for (uint32_t i = 0; i < state->schema->component_count; i++) {
        const ls_component *component = state->schema->components[i];
        for (uint32_t j = 0; j < component->field_count; j++) {
            const ls_field *field = &component->fields[j];
            if (field->type != LS_TYPE_ENTITY || field->on_despawn != on_despawn)
                continue;
            for (uint32_t k = 0; k < state->maps[i].count * field->bytes / 8; k++) {
                model_cell *cell = &state->maps[i].cells[k / (field->bytes / 8)];
                uint8_t *at = cell->value + field->offset + k % (field->bytes / 8) * 8;
                ls_entity target;
                memcpy(&target, at, sizeof target);
                if (is_marked(state, target))
                    changed |= visit(state, cell, at);
            }
        }
    }
    return changed;
}

static bool mark_holder(model_state *state, model_cell *cell, uint8_t *reference)
{
    (void)reference;
    if (is_marked(state, cell->entity))
        return false;
    model_append(&state->marks, &(model_step){.kind = MODEL_MARK, .entity = cell->entity});
    return true;
}

static bool clear_reference(model_state *state, model_cell *cell, uint8_t *reference)
{
    (void)state, (void)cell;
    memset(reference, 0, sizeof(ls_entity));
    return true;
}

static void remove_entity(model_state *state, ls_entity entity)
{
    if (!model_is_alive(state, entity))
        return;
    model_mutation death = {0};
    for (uint32_t i = 0; i < state->schema->component_count; i++)
        model_append(&death, &(model_step){.kind = MODEL_DETACH, .component = i, .entity = entity});
    model_apply(state, &death);
    ls_free(death.steps);
    state->lanes[ls_entity_lane(entity)].generations[ls_entity_slot(entity)]++;
}

/* Despawn marks on dead entities have no effect and change no references. */
static void drop_dead_marks(model_state *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->marks.count; i++) {
        if (model_is_alive(state, state->marks.steps[i].entity))
            state->marks.steps[count++] = state->marks.steps[i];
    }
    state->marks.count = count;
}

/* Removes the events that have lived for all their ticks. */
static void age_events(model_state *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->events.count; i++) {
        model_step event = state->events.steps[i];
        if (++event.age < state->schema->components[event.component]->event_ticks)
            state->events.steps[count++] = event;
    }
    state->events.count = count;
}

/* live(c): an entity without a component ceases to be. */
static void mark_empty(model_state *state)
{
    for (uint32_t lane = 0; lane < state->schema->lane_count; lane++) {
        for (uint32_t slot = 0; slot < state->lanes[lane].count; slot++) {
            ls_entity entity = ls_entity_make(lane, slot, state->lanes[lane].generations[slot]);
            bool has_any = !model_is_alive(state, entity);
            for (uint32_t i = 0; i < state->schema->component_count; i++)
                has_any |= model_find(state, i, entity) != NULL;
            if (!has_any)
                model_append(&state->marks, &(model_step){.kind = MODEL_MARK, .entity = entity});
        }
    }
}

/* The index of the parent's cell; the count of cells if there is none. */
static uint32_t find_parent(const model_state *state, uint32_t component, const ls_field *field,
                            uint32_t index)
{
    const model_map *map = &state->maps[component];
    ls_entity parent;
    memcpy(&parent, map->cells[index].value + field->offset, sizeof parent);
    return model_find_index(state, component, parent);
}

/* Whether an entity is its own ancestor: a walk from child to parent comes back to an entity of the
 * same walk. */
static bool has_cycle(const model_state *state, uint32_t component, const ls_field *field)
{
    uint32_t count = state->maps[component].count;
    uint32_t *walks = ls_alloc(sizeof *walks * (count + 1));
    bool is_any = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at < count && !walks[at]; at = find_parent(state, component, field, at))
            walks[at] = i + 1;
        is_any |= at < count && walks[at] == i + 1;
    }
    ls_free(walks);
    return is_any;
}

static void check_parents(model_state *state)
{
    for (uint32_t i = 0; i < state->schema->component_count; i++) {
        const ls_component *component = state->schema->components[i];
        for (uint32_t j = 0; j < component->field_count; j++) {
            const ls_field *field = &component->fields[j];
            if (field->type != LS_TYPE_ENTITY || field->on_despawn != LS_PARENT ||
                !has_cycle(state, i, field))
                continue;
            state->is_broken = true;
            state->coverage |= MODEL_HAS_CYCLE;
        }
    }
}

void model_sync(model_state *state)
{
    run_commands(state);
    if (state->schema->despawns_empty)
        mark_empty(state);
    drop_dead_marks(state);
    while (each_dying(state, LS_CASCADE, mark_holder) ||
           each_dying(state, LS_PARENT, mark_holder)) {
    }
    if (state->marks.count)
        each_dying(state, LS_NULL, clear_reference);
    for (uint32_t i = 0; i < state->marks.count; i++)
        remove_entity(state, state->marks.steps[i].entity);
    state->commands.count = 0;
    state->marks.count = 0;
    age_events(state);
    check_parents(state);
}
