/* The mapping of entities to cells of the terminal. */
#include "cli/watch/watch_map.h"

#include "sims/skirmish/skirmish.h"
#include "sims/toyphys/toyphys.h"
#include "test.h"
#include <lockstep/define.h>

enum { COLUMNS = 49, ROWS = 19 };

static ls_program *build(const ls_sim *sim)
{
    ls_program *program;
    assert_ok(ls_program_create(sim, &program, NULL));
    return program;
}

TEST(test_watch_map_finds_the_component_that_is_a_place)
{
    ls_watch_map map;
    ls_program *program = build(&ls_skirmish_sim);
    assert_true(ls_watch_map_find(program, &map)); /* ignores Velocity and Shot */
    assert_string_equal(map.component->name, "Position");
    assert_int_equal(map.x_offset, 0);
    assert_int_equal(map.y_offset, sizeof(ls_fix));
    assert_false(map.has_any);
    ls_program_destroy(program);
    program = build(&ls_toyphys_sim);
    assert_false(ls_watch_map_find(program, &map)); /* positions on a line have no y */
    ls_program_destroy(program);
}

LS_COMPONENT(hull, I32(strength), FIX3(at));
LS_COMPONENTS(hulls, hull);

TEST(test_watch_map_finds_a_vector)
{
    static const char *const lanes[] = {"a"};
    static const ls_sim sim = {.abi = LS_SIM_ABI,
                               .name = "hulls",
                               .version = "1",
                               .tick_rate = 10,
                               .player_count = 1,
                               .components = hulls,
                               .component_count = LS_COUNT_OF(hulls),
                               .lanes = lanes,
                               .lane_count = LS_COUNT_OF(lanes)};
    ls_watch_map map;
    ls_program *program = build(&sim);
    assert_true(ls_watch_map_find(program, &map));
    assert_ptr_equal(map.component, &hull_component);
    assert_int_equal(map.x_offset, offsetof(hull, at.x));
    assert_int_equal(map.y_offset, offsetof(hull, at.y));
    ls_program_destroy(program);
}

static ls_watch_spot spot_of(const ls_watch_map *map, ls_fix x, ls_fix y)
{
    const ls_fix cell[2] = {x, y};
    return ls_watch_map_spot(map, cell, COLUMNS, ROWS);
}

TEST(test_watch_map_puts_the_borders_at_the_edges)
{
    ls_watch_map map = {.y_offset = sizeof(ls_fix),
                        .left = INT32_MIN,
                        .right = INT32_MAX,
                        .top = -LS_FIX_ONE,
                        .bottom = LS_FIX_ONE,
                        .has_any = true};
    ls_watch_spot low = spot_of(&map, INT32_MIN, -LS_FIX_ONE);
    ls_watch_spot high = spot_of(&map, INT32_MAX, LS_FIX_ONE);
    ls_watch_spot middle = spot_of(&map, 0, 0);
    assert_true(low.column == 0 && low.row == 0);
    assert_true(high.column == COLUMNS - 1 && high.row == ROWS - 1);
    assert_true(middle.column == COLUMNS / 2 && middle.row == ROWS / 2);
    /* Positions outside the borders are clamped to them. */
    ls_watch_spot outside = spot_of(&map, 0, 5 * LS_FIX_ONE);
    assert_int_equal(outside.row, ROWS - 1);
    map.left = map.right = map.top = map.bottom = 7; /* one entity */
    ls_watch_spot only = spot_of(&map, 7, 7);
    assert_true(only.column == 0 && only.row == 0);
}

TEST(test_watch_map_covers_every_seen_position)
{
    ls_watch_map map;
    ls_world *world;
    ls_program *program = build(&ls_skirmish_sim);
    ls_match match = ls_program_match(program, 3);
    assert_ok(ls_world_create(program, &match, &world, NULL));
    assert_true(ls_watch_map_find(program, &map));
    ls_watch_map_cover(&map, world);
    assert_true(map.has_any && map.left < map.right && map.top < map.bottom);
    const ls_term terms[2] = {{map.component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    bool is_at[4] = {false};
    ls_world_walk walk;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const ls_fix2 *places = walk.span.const_cells[0];
        for (uint32_t i = 0; i < walk.span.count; i++) {
            assert_true(places[i].x >= map.left && places[i].x <= map.right);
            assert_true(places[i].y >= map.top && places[i].y <= map.bottom);
            is_at[0] |= places[i].x == map.left;
            is_at[1] |= places[i].x == map.right;
            is_at[2] |= places[i].y == map.top;
            is_at[3] |= places[i].y == map.bottom;
        }
    }
    assert_true(is_at[0] && is_at[1] && is_at[2] && is_at[3]);
    /* The map never shrinks. */
    map.left = INT32_MIN;
    ls_watch_map_cover(&map, world);
    assert_int_equal(map.left, INT32_MIN);
    ls_world_destroy(world);
    ls_program_destroy(program);
}
