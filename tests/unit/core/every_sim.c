#include "every_sim.h"

#include "core/run/despawn.h"
#include "core/schedule/resolve_join.h"
#include "core/schema/codec.h"
#include "core/state/store.h"

#include <string.h>

static const char *const moods[] = {"calm", "ang\"ry", "gone\n"};

static const ls_field mixed_fields[] = {
    LS_FIELD(every_mixed, u64, LS_TYPE_U64),
    LS_FIELD(every_mixed, i64, LS_TYPE_I64),
    LS_FIELD_ENTITY(every_mixed, target, LS_NULL),
    LS_FIELD_ITEMS(every_mixed, friends, LS_TYPE_ENTITY, friend_count, LS_NULL),
    LS_FIELD(every_mixed, u32, LS_TYPE_U32),
    LS_FIELD(every_mixed, i32, LS_TYPE_I32),
    LS_FIELD(every_mixed, fix, LS_TYPE_FIX),
    LS_FIELD(every_mixed, place, LS_TYPE_FIX2),
    LS_FIELD_ITEMS(every_mixed, steps, LS_TYPE_FIX2, step_count, LS_KEEP),
    LS_FIELD(every_mixed, u16, LS_TYPE_U16),
    LS_FIELD(every_mixed, i16, LS_TYPE_I16),
    LS_FIELD(every_mixed, angle, LS_TYPE_ANGLE),
    LS_FIELD_UP_TO(every_mixed, friend_count, LS_TYPE_U16, EVERY_FRIENDS),
    LS_FIELD_UP_TO(every_mixed, step_count, LS_TYPE_U16, EVERY_STEPS),
    LS_FIELD_UP_TO(every_mixed, u8, LS_TYPE_U8, 200),
    LS_FIELD(every_mixed, i8, LS_TYPE_I8),
    LS_FIELD(every_mixed, flag, LS_TYPE_BOOL),
    LS_FIELD_ENUM(every_mixed, mood, moods),
    LS_FIELD(every_mixed, list, LS_TYPE_U8),
};
static const ls_field number_fields[] = {LS_FIELD(every_number, value, LS_TYPE_I32)};
static const ls_field parent_fields[] = {LS_FIELD_ENTITY(every_parent, of, LS_CASCADE)};

const ls_component every_mixeds = LS_COMPONENT_TABLE(every_mixed, "mixed", mixed_fields);
const ls_component every_numbers = LS_COMPONENT_TABLE(every_number, "number", number_fields);
const ls_component every_parents = LS_COMPONENT_TABLE(every_parent, "parent", parent_fields);
const ls_component every_tags = LS_TAG_TABLE("tag");
const ls_component every_score = LS_SINGLETON_TABLE(every_mixed, "score", mixed_fields);
const ls_component every_noise = LS_EVENT_TABLE(every_number, "noise", number_fields);

static const ls_component *const components[] = {&every_tags,    &every_score, &every_parents,
                                                 &every_numbers, &every_noise, &every_mixeds};
static const char *const lanes[] = {"glow/\"2\"", "beasts"};
static const ls_option options[] = {{"size", "changes nothing", 0, 9, 3}};

const ls_sim every_sim = {.abi = LS_SIM_ABI,
                          .name = "every",
                          .version = "1",
                          .tick_rate = 10,
                          .player_count = 2,
                          .options = options,
                          .option_count = LS_COUNT_OF(options),
                          .components = components,
                          .component_count = LS_COUNT_OF(components),
                          .lanes = lanes,
                          .lane_count = LS_COUNT_OF(lanes)};

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Draws handles of all kinds: null, alive, dead, of a missing lane. */
static ls_entity draw_entity(uint64_t *state)
{
    switch (draw(state) % 4) {
    case 0:
        return LS_ENTITY_NULL;
    case 1:
        return draw(state);
    default:
        return ls_entity_make((uint32_t)(draw(state) % 3), (uint32_t)(draw(state) % 20),
                              (uint32_t)(draw(state) % 4));
    }
}

static every_mixed draw_mixed(uint64_t *state)
{
    every_mixed cell;
    uint64_t *words = (uint64_t *)(void *)&cell;
    for (size_t i = 0; i < sizeof cell / 8; i++)
        words[i] = draw(state) >> draw(state) % 64;
    cell.target = draw_entity(state);
    cell.friend_count = cell.step_count = 0;
    memset(cell.friends, 0, sizeof cell.friends);
    memset(cell.steps, 0, sizeof cell.steps);
    for (uint64_t i = draw(state) % (EVERY_FRIENDS + 1); i > 0; i--) {
        ls_entity entity = draw_entity(state);
        LS_ASSERT(ls_items_push(LS_ITEMS(&cell, friends, friend_count), &entity));
    }
    for (uint64_t i = draw(state) % (EVERY_STEPS + 1); i > 0; i--) {
        ls_fix2 step = {(ls_fix)draw(state), (ls_fix)(draw(state) % 3)};
        LS_ASSERT(ls_items_push(LS_ITEMS(&cell, steps, step_count), &step));
    }
    cell.u8 = (uint8_t)(draw(state) % 201);
    cell.flag = draw(state) % 2;
    cell.mood = (uint8_t)(draw(state) % LS_COUNT_OF(moods));
    memcpy(cell.list, words, sizeof cell.list);
    return cell;
}

static void change_entity(ls_world *world, ls_entity entity, uint64_t *state)
{
    const ls_component *const kinds[] = {&every_mixeds, &every_numbers, &every_parents,
                                         &every_tags};
    const ls_component *component = kinds[draw(state) % LS_COUNT_OF(kinds)];
    uint32_t column = ls_program_find_column(world->program, component);
    every_mixed mixed = draw_mixed(state);
    every_number number = {(int32_t)draw(state)};
    every_parent parent = {draw_entity(state)};
    if (draw(state) % 4 == 0)
        ls_store_detach(world, column, entity);
    else
        ls_store_attach(world, column, entity,
                        component == &every_mixeds    ? (const void *)&mixed
                        : component == &every_numbers ? (const void *)&number
                                                      : (const void *)&parent);
}

/* The living entity of the slot, or a dead handle. */
static ls_entity entity_at(const ls_world *world, uint32_t lane, uint32_t slot)
{
    ls_page *page = ls_world_page(world, ls_liveness(world), lane, slot / LS_PAGE_SLOTS);
    const uint32_t *generations = page ? (const uint32_t *)(void *)ls_page_cells(page) : NULL;
    return ls_entity_make(lane, slot, page ? generations[slot % LS_PAGE_SLOTS] : 0);
}

static void note_changes(ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        world->versions[column]++;
        world->presences[column]++;
    }
}

void every_fill(ls_world *world, uint64_t seed, uint32_t changes)
{
    uint64_t state = seed;
    uint32_t score = ls_program_find_column(world->program, &every_score);
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    note_changes(world);
    ls_page *page = ls_table_write(*ls_world_table(world, score, 0), 0, &world->sources[score]);
    every_mixed mixed = draw_mixed(&state);
    memcpy(ls_page_cells(page), &mixed, sizeof mixed);
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t lane = (uint32_t)(1 + draw(&state) % 2);
        ls_entity entity = entity_at(world, lane, (uint32_t)(draw(&state) % (changes / 8 + 1)));
        switch (draw(&state) % 8) {
        case 0:
        case 1:
            ls_store_spawn(world, lane);
            break;
        case 2:
            ls_despawn_marks_add(&world->scratch->marks[0], entity);
            ls_despawn_sweep(world);
            break;
        default:
            change_entity(world, entity, &state);
            note_changes(world); /* written without a system, so the versions that indexes rely on
                                    must be raised here */
        }
    }
    world->state.tick += draw(&state) % 1000;
    world->state.refused_spawns[1] += draw(&state) % 3;
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        world->state.dropped[i] += draw(&state) % 3;
}
