/* The reads of a random schedule's bodies: each is mixed into the body's number. */
#include "tests/schedule/build.h"

#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/states.h>
#include <lockstep/whole_world.h>
#include <lockstep/world.h>

#include <string.h>

enum { GAME_WORDS = 3 }; /* of the cell of LS_STATES() */

static uint64_t see_grid(const ls_context *context, uint32_t grid, uint64_t number)
{
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin(context, grid, 30, 30, 40, &walk);
    while (ls_grid_next(&walk, &near))
        number = mix(mix(number, near.entity), (uint64_t)near.x << 32 ^ (uint32_t)near.y);
    return number;
}

static uint64_t see_values(const ls_context *context, uint32_t grid, uint64_t number)
{
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin(context, grid, 30, 30, 40, &walk);
    for (const quad *value; (value = ls_grid_next_with(&walk, &near));)
        number = fold(mix(number, near.entity), value);
    return number;
}

static uint64_t see_nearest(const ls_context *context, uint32_t grid, uint64_t number)
{
    ls_neighbour near[3];
    uint32_t count = ls_grid_nearest(context, grid, 30, 30, 40, LS_COUNT_OF(near), near);
    for (uint32_t i = 0; i < count; i++)
        number = mix(mix(number, near[i].entity), (uint64_t)near[i].x << 32 ^ (uint32_t)near[i].y);
    return number;
}

static uint64_t see_counts(const ls_context *context, uint32_t join, uint64_t number)
{
    for (uint32_t key = 0; key < 4; key++)
        number = mix(number, ls_join_count(context, join, key));
    return number;
}

/* Those that refer to an entity of the roster, or to one to come. */
static uint64_t see_referring(const ls_context *context, const built_system *self, uint32_t join,
                              uint64_t number)
{
    const roster *known = ls_singleton_read(context, self->roster_term);
    for (uint32_t i = 0; i < ROSTER + 4; i++) {
        ls_join_walk walk;
        ls_entity found;
        ls_join_begin(context, join, i < ROSTER ? known->entities[i] : unborn(i - ROSTER), &walk);
        while (ls_join_next(&walk, &found))
            number = mix(number, found + i);
    }
    return number;
}

static uint64_t see_game(const void *cell, uint64_t number)
{
    uint64_t words[GAME_WORDS];
    memcpy(words, cell, sizeof words);
    for (uint32_t i = 0; i < LS_COUNT_OF(words); i++)
        number = mix(number, words[i]);
    return number;
}

/* All columns of the entities with a handle, the singletons, and which entities live. */
static uint64_t see_world(const ls_context *context, const built_system *self, uint32_t index,
                          uint64_t number)
{
    const roster *known = ls_singleton_read(context, self->roster_term);
    LS_EACH_MATCH(context, 2 + index, entity)
    number = mix(number, entity);
    for (uint32_t column = 0; column < COLUMN_COUNT; column++) {
        if (column == COLUMN_E || column == COLUMN_F)
            continue;
        uint32_t term = ls_world_term(context, self->built->columns[column]);
        if (column == COLUMN_S)
            number = fold(number, ls_singleton_read(context, term));
        else if (column == COLUMN_G)
            number = see_game(ls_singleton_read(context, term), number);
        for (uint32_t i = 0; column != COLUMN_S && column != COLUMN_G && i < ROSTER + 4; i++) {
            ls_entity entity = i < ROSTER ? known->entities[i] : unborn(i - ROSTER);
            number = column == COLUMN_T || column == COLUMN_U
                         ? mix(number, ls_cell_has(context, term, entity))
                         : fold(number, ls_cell_find(context, term, entity));
        }
    }
    return number;
}

static uint64_t see_join(const ls_context *context, uint32_t join, uint64_t number)
{
    for (uint32_t key = 0; key < 4; key++) {
        ls_join_walk walk;
        ls_entity found;
        ls_join_begin(context, join, key, &walk);
        while (ls_join_next(&walk, &found))
            number = mix(number, found + key);
    }
    return number;
}

static uint64_t see_walk(const ls_context *context, uint32_t index, uint32_t term, uint64_t number)
{
    LS_EACH_MATCH(context, 2 + index, entity)
    number = fold(mix(number, entity), ls_cell_find(context, term, entity));
    return number;
}

static uint64_t see_changes(const ls_context *context, uint32_t term, bool is_tag, uint64_t number)
{
    ls_cell_change_walk walk;
    ls_cell_change_begin(context, term, &walk);
    for (const ls_cell_change *change; (change = ls_cell_change_next(&walk));) {
        number = mix(mix(number, change->entity), (uint64_t)change->kind);
        if (!is_tag)
            number = fold(fold(number, change->before), change->now);
    }
    return number;
}

static uint64_t see_events(const ls_context *context, uint32_t term, uint64_t number)
{
    ls_event_walk walk;
    ls_event_begin(context, term, &walk);
    for (const void *event; (event = ls_event_next(&walk));)
        number = fold(number, event);
    return number;
}

static uint64_t see_unborn(const ls_context *context, uint64_t number)
{
    for (uint32_t i = 0; i < 8; i++)
        number = mix(number, ls_is_alive(context, unborn(i)));
    return number;
}

static uint64_t see_others(const ls_context *context, const built_system *self, uint32_t index,
                           uint64_t number)
{
    const roster *known = ls_singleton_read(context, self->roster_term);
    uint32_t term = self->term_of[index], column = self->plan->ops[index].column;
    bool asks =
        self->plan->ops[index].kind == OP_OTHERS_ASK || column == COLUMN_T || column == COLUMN_U;
    if (column == COLUMN_S)
        return fold(number, ls_singleton_read(context, term));
    for (uint32_t i = 0; i < ROSTER + 4; i++) {
        ls_entity entity = i < ROSTER ? known->entities[i] : unborn(i - ROSTER);
        number = asks ? mix(number, ls_cell_has(context, term, entity))
                      : fold(number, ls_cell_find(context, term, entity));
    }
    return number;
}

uint64_t body_see(const ls_context *context, const built_system *self, uint32_t index,
                  const ls_entity *entities, uint64_t number)
{
    const op *done = &self->plan->ops[index];
    uint32_t term = self->term_of[index];
    bool is_tag = done->column == COLUMN_T || done->column == COLUMN_U;
    switch (done->kind) {
    case OP_ANY_OF:
        number = mix(number, ls_cell_has(context, term + 1, entities[0]));
        return mix(number, ls_cell_has(context, term, entities[0]));
    case OP_MAYBE:
        return mix(number, ls_cell_has(context, term, entities[0]));
    case OP_READ:
    case OP_CHANGED:
    case OP_ADDED:
    case OP_MAYBE_READ:
    case OP_WRITE:
    case OP_ATTACH:
    case OP_DETACH:
        return is_tag ? mix(number, ls_cell_has(context, term, entities[0]))
                      : fold(number, ls_cell_find(context, term, entities[0]));
    case OP_PAIR_READ:
    case OP_PAIR_JOINED:
    case OP_PAIR_REFERS:
        return fold(mix(number, entities[1]), ls_cell_find(context, term, entities[1]));
    case OP_PAIR_ALL:
        return mix(mix(number, entities[1]), ls_cell_has(context, term, entities[1]));
    case OP_OTHERS_ASK:
    case OP_OTHERS_READ:
    case OP_OTHERS_WRITE:
    case OP_OTHERS_CHANGE:
    case OP_START:
        return see_others(context, self, index, number);
    case OP_GRID:
    case OP_GRID_WITH:
    case OP_GRID_START:
        return see_grid(context, self->grid_of[index], number);
    case OP_GRID_VALUES:
        return see_values(context, self->grid_of[index], number);
    case OP_GRID_NEAREST:
        return see_nearest(context, self->grid_of[index], number);
    case OP_JOIN_COUNT:
        return see_counts(context, self->grid_of[index], number);
    case OP_JOIN_REFERENCE:
        return see_referring(context, self, self->grid_of[index], number);
    case OP_STATE:
        return mix(number, ls_states_now_(ls_singleton_read(context, term), ls_tick(context)));
    case OP_READS_WORLD:
    case OP_WRITES_WORLD:
        return see_world(context, self, index, number);
    case OP_JOIN:
    case OP_JOIN_START:
        return see_join(context, self->grid_of[index], number);
    case OP_WALK:
        return see_walk(context, index, term, number);
    case OP_OBSERVE:
        return see_changes(context, term, is_tag, number);
    case OP_RECEIVE:
        return see_events(context, term, number);
    case OP_GUESS:
        return see_unborn(context, number);
    case OP_RANDOM:
        return mix(number, ls_random(context, self->has_query ? entities[0] : LS_ENTITY_NULL, 1));
    default:
        return number;
    }
}
