/* Grids over three coordinates: walks and the nearest entities, compared with brute force. */
#include "points_sim.h"

#include <stdlib.h>

enum { ENTITIES_MAX = 900, POINTS = 24, EVERYWHERE = 1 << 20 };

/* The spawned entities; the setup and the systems share them. */
static struct {
    uint32_t count;
    uint32_t extent; /* 0: coordinates use all 32 bits */
    ls_neighbour all[ENTITIES_MAX];
    bool has_tag[ENTITIES_MAX];
    uint64_t random;
    uint64_t checks, found, ties;
} seen;

static ls_fix3 random_point(uint32_t extent)
{
    ls_fix x = harness_coordinate(&seen.random, extent);
    ls_fix y = harness_coordinate(&seen.random, extent);
    return ls_fix3_make(x, y, harness_coordinate(&seen.random, extent));
}

static void populate(ls_context *context, const ls_entity *unused)
{
    for (uint32_t i = 0; i < seen.count; i++) {
        ls_entity entity = ls_spawn(context, test_below(&seen.random, 2));
        const place cell = {.order = i, .at = random_point(seen.extent)};
        const cargo load = cargo_of(i);
        seen.has_tag[i] = test_below(&seen.random, 3) == 0;
        ls_cell_attach(context, 0, entity, &cell);
        ls_cell_attach(context, 1, entity, &(mass){i, ls_entity_slot(entity)});
        ls_cell_attach(context, 2, entity, &load);
        if (seen.has_tag[i])
            ls_cell_attach(context, 3, entity, NULL);
        seen.all[i] = (ls_neighbour){entity, cell.at.x, cell.at.y, cell.at.z, 0};
    }
}

#define run(system_table, ticks, executor)                                                         \
    run_sim((ls_sim)HARNESS_SIM(components, lanes, system_table), ticks, executor)

static void run_sim(ls_sim sim, uint32_t ticks, ls_executor *executor)
{
    harness self;
    sim.setup = &setup;
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < ticks; tick++)
        harness_tick(self.world, executor);
    harness_end(&self);
}

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
    uint32_t slot = (uint32_t)one->at.entity, other_slot = (uint32_t)other->at.entity;
    return slot < other_slot ? -1 : 1;
}

/* All entities of the ball, the nearest first. */
static uint32_t sort_ball(bool of_tagged, ls_fix3 from, ls_fix radius, candidate *sorted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        __int128 dx = (__int128)seen.all[i].x - from.x, dy = (__int128)seen.all[i].y - from.y;
        __int128 dz = (__int128)seen.all[i].z - from.z, sum = dx * dx + dy * dy + dz * dz;
        if (radius >= 0 && sum <= (__int128)radius * radius && (!of_tagged || seen.has_tag[i]))
            sorted[count++] = (candidate){(unsigned __int128)sum, seen.all[i]};
    }
    qsort(sorted, count, sizeof *sorted, compare_candidates);
    return count;
}

static bool is_same(const ls_neighbour *a, const ls_neighbour *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void compare_walk(const ls_context *context, uint32_t grid, ls_fix3 at, ls_fix radius,
                         const candidate *sorted, uint32_t count)
{
    bool met[ENTITIES_MAX] = {false};
    uint32_t found = 0;
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin_3d(context, grid, at, radius, &walk);
    for (; ls_grid_next(&walk, &near); found++) {
        uint32_t i = 0;
        while (i < count && !is_same(&sorted[i].at, &near))
            i++;
        if (i == count || met[i])
            fail_msg("found %llx of (%d, %d, %d) within %d", (unsigned long long)near.entity, at.x,
                     at.y, at.z, radius);
        met[i] = true;
    }
    if (found != count)
        fail_msg("%u found instead of %u around (%d, %d, %d) within %d", found, count, at.x, at.y,
                 at.z, radius);
    assert_false(ls_grid_next(&walk, &near));
}

static void compare_nearest(const ls_context *context, uint32_t grid, ls_fix3 at, ls_fix radius,
                            const candidate *sorted, uint32_t all)
{
    static const uint32_t counts[] = {0, 1, 2, 7, 60, ENTITIES_MAX};
    static ls_neighbour found[ENTITIES_MAX + 1];
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++) {
        uint32_t expected = counts[i] < all ? counts[i] : all;
        memset(found, 0x5a, sizeof found);
        uint32_t count = ls_grid_nearest_3d(context, grid, at, radius, counts[i], found);
        assert_int_equal(count, expected);
        for (uint32_t k = 0; k < count; k++) {
            if (!is_same(&found[k], &sorted[k].at))
                fail_msg("number %u of %u around (%d, %d, %d) within %d: %llx instead of %llx", k,
                         counts[i], at.x, at.y, at.z, radius, (unsigned long long)found[k].entity,
                         (unsigned long long)sorted[k].at.entity);
            seen.ties += k && sorted[k].distance_squared == sorted[k - 1].distance_squared;
        }
        assert_int_equal(found[count].x, 0x5a5a5a5a);
        seen.found += count;
        seen.checks++;
    }
}

static void compare(const ls_context *context, uint32_t grid, ls_fix3 at, ls_fix radius)
{
    static candidate sorted[ENTITIES_MAX];
    uint32_t count = sort_ball(grid == 1, at, radius, sorted);
    compare_walk(context, grid, at, radius, sorted, count);
    compare_nearest(context, grid, at, radius, sorted, count);
}

static void compare_all(ls_context *context, const ls_entity *unused)
{
    static const ls_fix radii[] = {0, 3, 40, 65536, INT32_MAX, -1, INT32_MIN};
    for (uint32_t i = 0; i < POINTS; i++) {
        /* Anywhere among them; exactly at an entity; mostly far outside, by one number or all. */
        ls_fix3 at = random_point(i % 4 == 3 ? 0 : seen.extent), far = random_point(0);
        const ls_neighbour *chosen = &seen.all[test_below(&seen.random, seen.count + 1) / 2];
        if (seen.count && i % 4 == 1)
            at = ls_fix3_make(chosen->x, chosen->y, chosen->z);
        else if (i % 4 == 2)
            at = i % 3 == 0   ? ls_fix3_make(far.x, at.y, at.z)
                 : i % 3 == 1 ? ls_fix3_make(at.x, far.y, at.z)
                              : ls_fix3_make(at.x, at.y, far.z);
        for (uint32_t j = 0; j < LS_COUNT_OF(radii); j++)
            compare(context, i % 2, at, radii[j]);
        compare(context, (i + 1) % 2, at, (ls_fix)(test_random(&seen.random) >> 33));
        compare(context, 0, at, (ls_fix)test_below(&seen.random, seen.extent + 1));
    }
}

TEST(test_grid_3d_finds_what_brute_force_finds)
{
    static const uint32_t counts[] = {0, 1, 2, 17, ENTITIES_MAX};
    static const uint32_t extents[] = {0, 1, 2, 64, 5000, 1 << 22};
    static const ls_fix cells[] = {1, 16, 65536, INT32_MAX, 500};
    memset(&seen, 0, sizeof seen);
    seen.random = harness_seed("test_grid_3d_finds_what_brute_force_finds");
    for (uint32_t i = 0; i < LS_COUNT_OF(counts) * LS_COUNT_OF(extents); i++) {
        /* Shifted against the counts, so that each count meets several sizes of a cell. */
        ls_fix cell = cells[(i + i / LS_COUNT_OF(counts)) % LS_COUNT_OF(cells)];
        const ls_system systems[] = {{.name = "compare",
                                      .mode = LS_SEQUENTIAL,
                                      .match = compare_all,
                                      .grids = LS_GRIDS({SPACE(NULL, cell)}, {SPACE(&tag, cell)})}};
        seen.count = counts[i % LS_COUNT_OF(counts)];
        seen.extent = extents[i / LS_COUNT_OF(counts)];
        run(systems, 1, NULL);
    }
    assert_true(seen.checks > 10000);
    assert_true(seen.found > 10000);
    assert_true(seen.ties > 10000);
}

static void check_order(ls_context *context, const ls_entity *unused)
{
    ls_grid_walk walk;
    ls_neighbour near;
    int64_t least[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, last[4] = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < seen.count; i++) {
        const int64_t at[] = {seen.all[i].z, seen.all[i].y, seen.all[i].x};
        for (uint32_t k = 0; k < 3; k++)
            least[k] = at[k] < least[k] ? at[k] : least[k];
    }
    ls_grid_begin_3d(context, 0, ls_fix3_make(0, 0, 0), EVERYWHERE, &walk);
    for (; ls_grid_next(&walk, &near); seen.found++) {
        const int64_t key[] = {(near.z - least[0]) / 600, (near.y - least[1]) / 600,
                               (near.x - least[2]) / 600, (int64_t)(uint32_t)near.entity};
        uint32_t k = 0;
        while (k < 3 && key[k] == last[k])
            k++;
        assert_true(key[k] > last[k]);
        memcpy(last, key, sizeof last);
    }
}

/* By cell layer, cell row, cell column, lane, slot; the box starts at the lowest coordinates. */
TEST(test_grid_3d_walks_in_an_order_of_the_state)
{
    const ls_system systems[] = {{.name = "check",
                                  .mode = LS_SEQUENTIAL,
                                  .match = check_order,
                                  .grids = LS_GRIDS({SPACE(NULL, 600)})}};
    memset(&seen, 0, sizeof seen);
    seen.count = ENTITIES_MAX;
    seen.extent = 3000;
    run(systems, 1, NULL);
    assert_int_equal(seen.found, ENTITIES_MAX);
}

/* Term i is of the component whose values grid i has. */
static void compare_values(ls_context *context, const ls_entity *unused)
{
    static const size_t bytes[] = {sizeof(mass), sizeof(cargo)};
    for (uint32_t i = 0; i < LS_COUNT_OF(bytes); i++) {
        ls_grid_walk walk;
        ls_neighbour near;
        ls_grid_begin_3d(context, i, ls_fix3_make(0, 0, 0), EVERYWHERE, &walk);
        for (const void *value; (value = ls_grid_next_with(&walk, &near)); seen.found++) {
            const place *at = ls_cell_find(context, 2, near.entity);
            assert_memory_equal(value, ls_cell_find(context, i, near.entity), bytes[i]);
            assert_true(at->at.x == near.x && at->at.y == near.y && at->at.z == near.z);
        }
    }
}

TEST(test_grid_3d_has_values_of_all_sizes)
{
    const ls_system systems[] = {
        {.name = "compare",
         .mode = LS_SEQUENTIAL,
         .match = compare_values,
         .terms =
             LS_TERM_LIST(LS_OTHERS_READ(masses), LS_OTHERS_READ(cargoes), LS_OTHERS_READ(places)),
         .grids = LS_GRIDS({SPACE(&masses, 100)}, {SPACE(&cargoes, 700)})}};
    memset(&seen, 0, sizeof seen);
    seen.count = ENTITIES_MAX;
    seen.extent = 3000;
    run(systems, 1, NULL);
    assert_int_equal(seen.found, 2 * ENTITIES_MAX);
}

/* A concurrent system moves by what it finds in space and, the same two coordinates, in a plane.
 * The plane's neighbours have no z. */
static void flock(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_fix3 at = cells[i].at;
        ls_grid_walk walk;
        ls_neighbour near, nearest[3];
        int32_t in_space = 0, in_plane = 0;
        ls_grid_begin_3d(context, 0, at, 400, &walk);
        for (; ls_grid_next(&walk, &near); in_space++)
            cells[i].order = cells[i].order * 31 + (uint32_t)near.z;
        ls_grid_begin(context, 1, at.x, at.y, 400, &walk);
        for (; ls_grid_next(&walk, &near); in_plane++)
            assert_int_equal(near.z, 0);
        assert_true(in_space <= in_plane);
        uint32_t count = ls_grid_nearest_3d(context, 0, at, 900, 3, nearest);
        cells[i].at.x -= (nearest[count - 1].x - at.x) / 4;
        cells[i].at.z += (nearest[count - 1].z - at.z) / 2 + in_plane - in_space;
        assert_int_equal(ls_grid_nearest(context, 1, at.x, at.y, 900, 1, nearest), 1);
        assert_int_equal(nearest[0].z, 0);
    }
}

static uint64_t roots_of(ls_executor *executor, ls_sim *sim)
{
    harness self;
    uint64_t roots = 0;
    memset(&seen, 0, sizeof seen);
    seen.count = ENTITIES_MAX;
    seen.extent = 3000;
    harness_begin(&self, sim, 1);
    for (uint32_t tick = 0; tick < 12; tick++) {
        harness_tick(self.world, executor);
        uint64_t root = ls_world_root(self.world);
        ls_snapshot *snapshot = ls_world_snapshot(self.world);
        harness_tick(self.world, executor);
        uint64_t next = ls_world_root(self.world);
        ls_world_restore(self.world, snapshot);
        assert_int_equal(ls_world_root(self.world), root);
        harness_tick(self.world, executor);
        assert_int_equal(ls_world_root(self.world), next);
        ls_world_restore(self.world, snapshot);
        ls_snapshot_destroy(snapshot);
        roots = roots * 31 + root;
    }
    harness_end(&self);
    return roots;
}

TEST(test_grid_3d_is_the_same_after_rollbacks_and_on_threads)
{
    const ls_system systems[] = {
        {.name = "flock",
         .span = flock,
         .terms = LS_TERM_LIST(LS_WRITES(places)),
         .grids = LS_GRIDS({SPACE(NULL, 300), .start = true}, {PLANE(NULL, 300), .start = true})}};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    uint64_t expected = roots_of(NULL, &sim);
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            ls_executor *executor = harness_executor(threads, seed);
            assert_int_equal(roots_of(executor, &sim), expected);
            ls_executor_destroy(executor);
        }
    }
    ls_executor *checker = harness_checker();
    assert_int_equal(roots_of(checker, &sim), expected);
    ls_executor_destroy(checker);
}

static void begin_plane(ls_context *context, const ls_entity *unused)
{
    ls_grid_walk walk;
    ls_grid_begin(context, 0, 0, 0, 1, &walk);
}

static void begin_space(ls_context *context, const ls_entity *unused)
{
    ls_grid_walk walk;
    ls_grid_begin_3d(context, 1, ls_fix3_make(0, 0, 0), 1, &walk);
}

static void nearest_in_plane(ls_context *context, const ls_entity *unused)
{
    ls_neighbour found;
    (void)ls_grid_nearest(context, 0, 0, 0, 1, 1, &found);
}

static void nearest_in_space(ls_context *context, const ls_entity *unused)
{
    ls_neighbour found;
    (void)ls_grid_nearest_3d(context, 1, ls_fix3_make(0, 0, 0), 1, 1, &found);
}

static void run_wrong(void *match)
{
    const ls_system systems[] = {{.name = "wrong",
                                  .mode = LS_SEQUENTIAL,
                                  .match = *(ls_match_function **)match,
                                  .grids = LS_GRIDS({SPACE(NULL, 100)}, {PLANE(NULL, 100)})}};
    run(systems, 1, NULL);
}

TEST(test_grid_3d_stops_a_call_of_the_other_dimensions)
{
    ls_match_function *flat[] = {begin_plane, nearest_in_plane};
    ls_match_function *deep[] = {begin_space, nearest_in_space};
    memset(&seen, 0, sizeof seen);
    seen.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        assert_dies(run_wrong, &flat[i], "\"wrong\"", "tick 0", "grid 0", "it has z",
                    "ls_grid_begin_3d() or ls_grid_nearest_3d()");
        assert_dies(run_wrong, &deep[i], "\"wrong\"", "tick 0", "grid 1", "it has no z",
                    "ls_grid_begin() or ls_grid_nearest()", "LS_POSITION(T, x, y, z)");
    }
}
