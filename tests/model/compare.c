#include "tests/model/compare.h"

#include "core/run/event_internal.h"
#include "core/schedule/resolve.h"
#include "core/state/world_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool differs(char *text, size_t bytes, const char *format, ...) LS_PRINTF(3, 4);

static bool differs(char *text, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, bytes, format, arguments);
    va_end(arguments);
    return false;
}

static const char *hex(const uint8_t *bytes, uint32_t count, char *text)
{
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

#define ENTITY_FORMAT   "lane %" PRIu32 " slot %" PRIu32 " generation %" PRIu32
#define ENTITY_PARTS(e) ls_entity_lane(e), ls_entity_slot(e), ls_entity_generation(e)

static bool compare_cell(const ls_component *component, const model_cell *cell, ls_entity entity,
                         const void *found, char *text, size_t bytes)
{
    char a[2 * MODEL_CELL_BYTES + 1], b[2 * MODEL_CELL_BYTES + 1];
    if (cell->entity != entity)
        return differs(text, bytes,
                       "component %s: next is " ENTITY_FORMAT " in the engine, " ENTITY_FORMAT
                       " in the model",
                       component->name, ENTITY_PARTS(entity), ENTITY_PARTS(cell->entity));
    if (component->bytes && memcmp(cell->value, found, component->bytes) != 0)
        return differs(text, bytes,
                       "component %s of " ENTITY_FORMAT ": %s in the engine, %s in the model",
                       component->name, ENTITY_PARTS(entity), hex(found, component->bytes, a),
                       hex(cell->value, component->bytes, b));
    return true;
}

static bool compare_column(const ls_world *world, const model_map *map,
                           const ls_component *component, char *text, size_t bytes)
{
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    uint32_t count = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, terms, &walk); ls_world_walk_next(&walk);) {
        for (uint32_t i = 0; i < walk.span.count; i++, count++) {
            ls_entity entity = ls_span_entity(&walk.span, i);
            const uint8_t *cells = walk.span.const_cells[0];
            if (count == map->count)
                return differs(text, bytes,
                               "component %s: " ENTITY_FORMAT " has it in the engine alone",
                               component->name, ENTITY_PARTS(entity));
            if (!compare_cell(component, &map->cells[count], entity,
                              cells ? cells + (size_t)component->bytes * i : NULL, text, bytes))
                return false;
            if (component->bytes &&
                ls_world_cell(world, component, entity) != cells + (size_t)component->bytes * i)
                return differs(text, bytes, "component %s: a walk and a look-up differ",
                               component->name);
        }
    }
    if (count < map->count)
        return differs(text, bytes, "component %s: " ENTITY_FORMAT " has it in the model alone",
                       component->name, ENTITY_PARTS(map->cells[count].entity));
    return true;
}

static bool compare_lives(const ls_world *world, const model_state *state, char *text, size_t bytes)
{
    for (uint32_t lane = 0; lane < state->schema->lane_count; lane++) {
        for (uint32_t slot = 0; slot < state->lanes[lane].count; slot++) {
            uint32_t generation = state->lanes[lane].generations[slot];
            ls_entity entity = ls_entity_make(lane, slot, generation | 1);
            if (ls_world_is_alive(world, entity) != (generation & 1))
                return differs(text, bytes, ENTITY_FORMAT " lives in the %s alone",
                               ENTITY_PARTS(entity), generation & 1 ? "model" : "engine");
        }
    }
    if (ls_world_entity_count(world) != model_live_count(state))
        return differs(text, bytes, "%" PRIu64 " entities in the engine, %" PRIu32 " in the model",
                       ls_world_entity_count(world), model_live_count(state));
    return true;
}

/* The events that live on into the next tick. */
static bool compare_events(const ls_world *world, const model_state *state, uint32_t index,
                           char *text, size_t bytes)
{
    const ls_component *component = state->schema->components[index];
    ls_event_walk walk;
    ls_events_walk(world, ls_program_find_event(world->program, component), 0, &walk);
    walk.age = component->event_ticks - 1u;
    for (uint32_t i = 0; i < state->events.count; i++) {
        const model_step *event = &state->events.steps[i];
        if (event->component != index)
            continue;
        const void *found = ls_event_next(&walk);
        if (!found || memcmp(found, event->value, component->bytes) != 0)
            return differs(text, bytes,
                           "event %s: number %" PRIu32 " of those that live on differs",
                           component->name, i);
    }
    return ls_event_next(&walk) == NULL ||
           differs(text, bytes, "event %s: more live on in the engine", component->name);
}

bool compare_world(const ls_world *world, const model_state *state, char *text, size_t bytes)
{
    if (!compare_lives(world, state, text, bytes))
        return false;
    for (uint32_t i = 0; i < state->schema->component_count; i++) {
        const ls_component *component = state->schema->components[i];
        const model_map *map = &state->maps[i];
        bool is_equal = component->event_ticks ? compare_events(world, state, i, text, bytes)
                        : component->is_singleton
                            ? compare_cell(component, &map->cells[0], MODEL_SINGLETON,
                                           ls_world_singleton(world, component), text, bytes)
                            : compare_column(world, map, component, text, bytes);
        if (!is_equal)
            return false;
    }
    uint64_t dropped = world->state.dropped[LS_DROPPED_COMMANDS];
    if (dropped != state->dropped_commands)
        return differs(text, bytes,
                       "%" PRIu64 " commands dropped in the engine, %" PRIu64 " in the model",
                       dropped, state->dropped_commands);
    dropped = world->state.dropped[LS_DROPPED_VALUES];
    if (dropped < state->dropped_values) /* the engine counts other dropped values, too */
        return differs(text, bytes,
                       "%" PRIu64 " matches lost their partner in the engine, %" PRIu64
                       " in the model",
                       dropped, state->dropped_values);
    return true;
}

bool compare_states(const model_state *a, const model_state *b, char *text, size_t bytes)
{
    for (uint32_t i = 0; i < a->schema->component_count; i++) {
        const model_map *x = &a->maps[i], *y = &b->maps[i];
        if (x->count != y->count ||
            (x->count && memcmp(x->cells, y->cells, sizeof *x->cells * x->count) != 0))
            return differs(text, bytes, "component %s differs", a->schema->components[i]->name);
    }
    for (uint32_t lane = 0; lane < a->schema->lane_count; lane++) {
        const model_lane *x = &a->lanes[lane], *y = &b->lanes[lane];
        if (x->count != y->count ||
            (x->count && memcmp(x->generations, y->generations, 4 * (size_t)x->count) != 0))
            return differs(text, bytes, "the lives of lane %" PRIu32 " differ", lane);
    }
    if (a->dropped_commands != b->dropped_commands)
        return differs(text, bytes, "the dropped commands differ");
    return true;
}
