#include "tests/schedule/columns.h"

#include <lockstep/states.h>

#include <stddef.h>
#include <string.h>

LS_STATES(game, LOBBY, PLAYING, OVER);

static const ls_field cell_fields[] = {
    LS_FIELD(quad, value, LS_TYPE_U32), LS_FIELD(quad, key, LS_TYPE_U32),
    LS_FIELD(quad, x, LS_TYPE_FIX), LS_FIELD(quad, y, LS_TYPE_FIX)};
static const ls_field reference_fields[] = {LS_FIELD(reference, value, LS_TYPE_U32),
                                            LS_FIELD(reference, key, LS_TYPE_U32),
                                            LS_FIELD(reference, entity, LS_TYPE_ENTITY)};
static const ls_field roster_fields[] = {LS_FIELD(roster, entities, LS_TYPE_ENTITY)};
static const ls_field sink_fields[] = {LS_FIELD(sink, sum, LS_TYPE_U64)};

static const ls_component as = LS_COMPONENT_TABLE(quad, "A", cell_fields);
static const ls_component bs = LS_COMPONENT_TABLE(quad, "B", cell_fields);
static const ls_component cs = LS_COMPONENT_TABLE(quad, "C", cell_fields);
static const ls_component ts = LS_TAG_TABLE("T");
static const ls_component us = LS_TAG_TABLE("U");
static const ls_component single = LS_SINGLETON_TABLE(quad, "S", cell_fields);
static const ls_component es = {.name = "E", /* for two ticks */
                                .bytes = sizeof(quad),
                                .field_count = LS_COUNT_OF(cell_fields),
                                .fields = cell_fields,
                                .event_ticks = 2};
static const ls_component fs = LS_EVENT_TABLE(quad, "F", cell_fields);
static const ls_component ps = LS_COMPONENT_TABLE(reference, "P", reference_fields);
const ls_component body_roster = LS_SINGLETON_TABLE(roster, "roster", roster_fields);
const ls_component body_sink = LS_SINGLETON_TABLE(sink, "sink", sink_fields);
const ls_component body_shout = {.name = "shout",
                                 .bytes = sizeof(sink),
                                 .field_count = LS_COUNT_OF(sink_fields),
                                 .fields = sink_fields,
                                 .event_ticks = 2};
#define ALL_STATES(use)                                                                            \
    {                                                                                              \
        &game_##use##_LOBBY, &game_##use##_PLAYING, &game_##use##_OVER                             \
    }
const ls_system *const body_states[STATES][STATES] = {[LS_STATES_IN_] = ALL_STATES(in),
                                                      [LS_STATES_ENTER_] = ALL_STATES(enter),
                                                      [LS_STATES_EXIT_] = ALL_STATES(exit)};
const ls_component *const body_components[COLUMN_COUNT] = {&as,     &bs, &cs, &ts, &us,
                                                           &single, &es, &fs, &ps, &game_component};

static void combine(void *value, const void *other)
{
    quad *to = value;
    const quad *from = other;
    to->value += from->value + to->value * from->value;
    to->key ^= from->key;
    to->x = to->x < from->x ? to->x : from->x;
    to->y = to->y > from->y ? to->y : from->y;
}

const ls_operation body_operations[COLUMNS_OPERATIONS] = {{&as, "both", combine},
                                                          {&bs, "both", combine},
                                                          {&cs, "both", combine},
                                                          {&single, "both", combine}};

quad cell_of(uint64_t number)
{
    uint32_t value = (uint32_t)mix(number, 7);
    return (quad){value, value % 4, (ls_fix)(value >> 8 & 63), (ls_fix)(value >> 16 & 63)};
}

ls_entity unborn(uint32_t index)
{
    return ls_entity_make(1 + index % LANES, index / LANES, 1);
}

quad cell_in(uint32_t column, uint64_t number)
{
    quad made = cell_of(number);
    uint32_t slot = (uint32_t)(number >> 12) % 16;
    ls_entity to = number % 8 ? ls_entity_make(0, slot, 1) : unborn(slot % 4);
    if (column == COLUMN_P)
        memcpy((char *)&made + offsetof(reference, entity), &to, sizeof to);
    return made;
}

uint64_t fold(uint64_t number, const quad *seen)
{
    if (!seen)
        return mix(number, 0);
    return mix(mix(number, seen->value),
               (uint64_t)seen->key << 32 ^ (uint64_t)(uint32_t)seen->x << 16 ^ (uint32_t)seen->y);
}
