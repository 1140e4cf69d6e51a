/* The nearest entities by a grid, compared with sorting all entities by distance. */
#include "harness.h"

#include <stdlib.h>

LS_COMPONENT(place, I32(kind), FIX(x), FIX(y));

static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&place_component, &tag};
static const char *const lanes[] = {"a", "b"};

enum { ENTITIES_MAX = 700, POINTS = 24 };

#define PLACE_GRID(with, cell)                                                                     \
    {                                                                                              \
        &place_component, with, offsetof(place, x), offsetof(place, y), cell, false                \
    }

/* The spawned entities; the setup and the systems share them. */
static struct {
    uint32_t count;
    uint32_t extent; /* 0: coordinates use all 32 bits */
    ls_neighbour all[ENTITIES_MAX];
    bool has_tag[ENTITIES_MAX];
    const place *fixed; /* not NULL: these places instead of random ones */
    uint64_t random;
    uint64_t checks, found, ties;
} seen;

static void populate(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < seen.count; i++) {
        place cell = {.kind = (int32_t)i,
                      .x = harness_coordinate(&seen.random, seen.extent),
                      .y = harness_coordinate(&seen.random, seen.extent)};
        if (seen.fixed)
            cell = seen.fixed[i];
        ls_entity entity = ls_spawn(context, seen.fixed ? 0 : test_below(&seen.random, 2));
        seen.has_tag[i] = test_below(&seen.random, 3) == 0;
        ls_cell_attach(context, 0, entity, &cell);
        if (seen.has_tag[i])
            ls_cell_attach(context, 1, entity, NULL);
        seen.all[i] = (ls_neighbour){.entity = entity, .x = cell.x, .y = cell.y};
    }
}

static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(place_component), LS_OTHERS_STRUCTURE(tag)),
    .lanes = "a, b"};

/* An entity with its distance, in more bits than the engine uses. */
typedef struct candidate {
    unsigned __int128 distance_squared;
    ls_neighbour at;
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *one = a, *other = b;
    if (one->distance_squared != other->distance_squared)
        return one->distance_squared < other->distance_squared ? -1 : 1;
    uint32_t lane = ls_entity_lane(one->at.entity), other_lane = ls_entity_lane(other->at.entity);
    if (lane != other_lane)
        return lane < other_lane ? -1 : 1;
    return ls_entity_slot(one->at.entity) < ls_entity_slot(other->at.entity) ? -1 : 1;
}

static uint32_t sort_all(bool of_tagged, ls_fix x, ls_fix y, ls_fix radius, candidate *sorted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        __int128 dx = (__int128)seen.all[i].x - x, dy = (__int128)seen.all[i].y - y;
        if (radius < 0 || dx * dx + dy * dy > (__int128)radius * radius ||
            (of_tagged && !seen.has_tag[i]))
            continue;
        sorted[count++] = (candidate){(unsigned __int128)(dx * dx + dy * dy), seen.all[i]};
    }
    qsort(sorted, count, sizeof *sorted, compare_candidates);
    return count;
}

/* Compares the results for several counts, each with the head of one sorted list. */
static void compare(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y, ls_fix radius)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 8, 33, 500, ENTITIES_MAX, 1u << 20};
    static candidate sorted[ENTITIES_MAX];
    static ls_neighbour found[ENTITIES_MAX + 1];
    uint32_t all = sort_all(grid == 1, x, y, radius, sorted);
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++) {
        uint32_t expected = counts[i] < all ? counts[i] : all;
        memset(found, 0x5a, sizeof found);
        uint32_t count = ls_grid_nearest(context, grid, x, y, radius, counts[i], found);
        if (count != expected)
            fail_msg("%u instead of %u around (%d, %d) within %d", count, expected, x, y, radius);
        for (uint32_t k = 0; k < count; k++) {
            if (memcmp(&found[k], &sorted[k].at, sizeof found[k]))
                fail_msg("number %u of %u around (%d, %d) within %d: %llx instead of %llx", k,
                         counts[i], x, y, radius, (unsigned long long)found[k].entity,
                         (unsigned long long)sorted[k].at.entity);
            seen.ties += k && sorted[k].distance_squared == sorted[k - 1].distance_squared;
        }
        assert_int_equal(found[count].x, 0x5a5a5a5a);
        seen.found += count;
        seen.checks++;
    }
}

static void compare_all(ls_context *context, const ls_entity *entities)
{
    static const ls_fix radii[] = {0, 3, 65536, INT32_MAX, -1, INT32_MIN};
    for (uint32_t i = 0; i < POINTS; i++) {
        ls_fix x = harness_coordinate(&seen.random, seen.extent),
               y = harness_coordinate(&seen.random, seen.extent);
        uint32_t extent = seen.extent;
        if (seen.count && i % 3 == 1) { /* exactly at an entity */
            uint32_t chosen = test_below(&seen.random, seen.count);
            x = seen.all[chosen].x;
            y = seen.all[chosen].y;
        } else if (i % 3 == 2) { /* anywhere, mostly far outside */
            seen.extent = 0;
            x = harness_coordinate(&seen.random, seen.extent);
            y = i % 2 ? y : harness_coordinate(&seen.random, seen.extent);
            seen.extent = extent;
        }
        for (uint32_t j = 0; j < LS_COUNT_OF(radii); j++)
            compare(context, i % 2, x, y, radii[j]);
        compare(context, (i + 1) % 2, x, y, (ls_fix)(test_random(&seen.random) >> 33));
        compare(context, 0, x, y, (ls_fix)test_below(&seen.random, seen.extent + 1));
    }
}

static void run(const ls_system *system, uint64_t seed)
{
    const ls_system systems[] = {*system};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    harness self;
    sim.setup = &setup;
    harness_begin(&self, &sim, seed);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_grid_nearest_finds_what_sorting_finds)
{
    static const uint32_t counts[] = {0, 1, 2, 17, ENTITIES_MAX};
    static const uint32_t extents[] = {0, 1, 2, 64, 5000, 1 << 22};
    static const ls_fix cells[] = {1, 16, 65536, INT32_MAX, 500};
    memset(&seen, 0, sizeof seen);
    seen.random = harness_seed("test_grid_nearest_finds_what_sorting_finds");
    for (uint32_t i = 0; i < LS_COUNT_OF(counts) * LS_COUNT_OF(extents); i++) {
        /* Shifted against the counts, so that each count meets several sizes of a cell. */
        ls_fix cell = cells[(i + i / LS_COUNT_OF(counts)) % LS_COUNT_OF(cells)];
        const ls_system compare_system = {
            .name = "compare",
            .mode = LS_SEQUENTIAL,
            .match = compare_all,
            .grids = LS_GRIDS(PLACE_GRID(NULL, cell), PLACE_GRID(&tag, cell))};
        seen.count = counts[i % LS_COUNT_OF(counts)];
        seen.extent = extents[i / LS_COUNT_OF(counts)];
        run(&compare_system, i);
    }
    assert_true(seen.checks > 10000);
    assert_true(seen.found > 10000);
    assert_true(seen.ties > 10000);
}

/* Cells have the width 100 and begin at 0. The entity at 200 is as far from 150 as that at 100, in
 * the next cell, and has the lower slot. */
static void look_beyond(ls_context *context, const ls_entity *entities)
{
    ls_neighbour found[3];
    assert_int_equal(ls_grid_nearest(context, 0, 150, 0, 1000, 1, found), 1);
    assert_int_equal(found[0].entity, seen.all[0].entity);
    assert_int_equal(ls_grid_nearest(context, 0, 150, 0, 1000, 2, found), 2);
    assert_int_equal(found[1].entity, seen.all[1].entity);
    assert_int_equal(ls_grid_nearest(context, 0, 150, 0, 50, 3, found), 2);
    assert_int_equal(ls_grid_nearest(context, 0, 150, 0, 49, 3, found), 0);
    assert_int_equal(ls_grid_nearest(context, 0, 150, 0, 1000, 0, NULL), 0);
    seen.checks++;
}

TEST(test_grid_nearest_takes_the_lower_slot_of_the_next_cell)
{
    static const place fixed[] = {{0, 200, 0}, {1, 100, 0}, {2, 0, 0}, {3, 900, 0}};
    const ls_system system = {.name = "look",
                              .mode = LS_SEQUENTIAL,
                              .match = look_beyond,
                              .grids = LS_GRIDS(PLACE_GRID(NULL, 100))};
    memset(&seen, 0, sizeof seen);
    seen.count = LS_COUNT_OF(fixed);
    seen.fixed = fixed;
    run(&system, 1);
    assert_int_equal(seen.checks, 1);
}

static void ask_no_grid(ls_context *context, const ls_entity *entities)
{
    ls_neighbour found;
    (void)ls_grid_nearest(context, 1, 0, 0, 1, 1, &found);
}

static void run_system(void *system)
{
    run(system, 1);
}

TEST(test_grid_nearest_stops_a_system_that_does_not_list_it)
{
    ls_system system = {.name = "wrong",
                        .mode = LS_SEQUENTIAL,
                        .match = ask_no_grid,
                        .grids = LS_GRIDS(PLACE_GRID(NULL, 100))};
    memset(&seen, 0, sizeof seen);
    assert_dies(run_system, &system, "\"wrong\"", "tick 0", "grid 1", "does not list");
}
