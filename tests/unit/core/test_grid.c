/* The grid join (by distance), compared with brute force, and the maintenance of its index. */
#include "harness.h"

#include "core/state/world_state.h"

LS_COMPONENT(place, I32(kind), FIX(x), FIX(y));

/* The same position as two members of a vector: x and y of two, x and z of three. */
LS_COMPONENT(spot, I32(kind), FIX2(at), FIX3(over));

static const ls_field mass_fields[] = {{"grams", LS_TYPE_I32, 0, 4, 0}};
static const ls_component masses = LS_COMPONENT_TABLE(int32_t, "mass", mass_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&place_component, &masses, &tag, &spot_component};
static const char *const lanes[] = {"a", "b"};

#define PLACE_GRID(with, cell)                                                                     \
    {                                                                                              \
        &place_component, with, offsetof(place, x), offsetof(place, y), cell                       \
    }

/* The spawned entities, and counts of the tests: the setup and the systems share them. */
static struct {
    uint32_t count;
    struct {
        ls_entity entity;
        ls_fix x, y;
        bool has_tag;
    } all[1200];
    uint64_t random;
    uint32_t extent; /* 0: coordinates use all 32 bits */
    uint64_t checks, found;
} seen;

static void populate(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < seen.count; i++) {
        place cell = {.kind = (int32_t)i,
                      .x = harness_coordinate(&seen.random, seen.extent),
                      .y = harness_coordinate(&seen.random, seen.extent)};
        ls_entity entity = ls_spawn(context, test_below(&seen.random, 2));
        bool has_tag = test_below(&seen.random, 3) == 0;
        ls_cell_attach(context, 0, entity, &cell);
        ls_cell_attach(context, 3, entity,
                       &(spot){cell.kind, {cell.x, cell.y}, {cell.x, LS_FIX(3), cell.y}});
        if (has_tag)
            ls_cell_attach(context, 1, entity, NULL);
        ls_cell_attach(context, 2, entity, NULL);
        seen.all[i].entity = entity;
        seen.all[i].x = cell.x;
        seen.all[i].y = cell.y;
        seen.all[i].has_tag = has_tag;
    }
}

static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(place_component), LS_OTHERS_STRUCTURE(tag),
                          LS_OTHERS_STRUCTURE(masses), LS_OTHERS_STRUCTURE(spot_component)),
    .lanes = "a, b"};

/* A world of `count` entities, whose systems are an array. */
#define begin(self, system_table, count, extent)                                                   \
    begin_sim(self, (ls_sim)HARNESS_SIM(components, lanes, system_table), count, extent)

static void begin_sim(harness *self, ls_sim of, uint32_t count, uint32_t extent)
{
    static ls_sim sim; /* outlives the program */
    sim = of;
    sim.setup = &setup;
    memset(&seen, 0, sizeof seen);
    seen.count = count;
    seen.extent = extent;
    harness_begin(self, &sim, 1);
}

static bool is_within(uint32_t i, ls_fix x, ls_fix y, ls_fix radius)
{
    __int128 dx = (__int128)seen.all[i].x - x, dy = (__int128)seen.all[i].y - y;
    return radius >= 0 && dx * dx + dy * dy <= (__int128)radius * radius;
}

static void compare(ls_context *context, uint32_t grid, ls_fix x, ls_fix y, ls_fix radius)
{
    bool met[LS_COUNT_OF(seen.all)] = {false};
    uint32_t expected = 0, found = 0;
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin(context, grid, x, y, radius, &walk);
    while (ls_grid_next(&walk, &near)) {
        uint32_t i = 0;
        while (i < seen.count && seen.all[i].entity != near.entity)
            i++;
        if (i == seen.count || met[i] || !is_within(i, x, y, radius))
            fail_msg("found %llx of (%d, %d) within %d", (unsigned long long)near.entity, x, y,
                     radius);
        assert_int_equal(near.x, seen.all[i].x);
        assert_int_equal(near.y, seen.all[i].y);
        met[i] = true;
        found++;
    }
    for (uint32_t i = 0; i < seen.count; i++)
        expected += is_within(i, x, y, radius) && (grid == 0 || seen.all[i].has_tag);
    if (expected != found)
        fail_msg("%u found instead of %u around (%d, %d) within %d", found, expected, x, y, radius);
    assert_false(ls_grid_next(&walk, &near));
    seen.checks++;
    seen.found += found;
}

static void compare_all(ls_context *context, const ls_entity *entities)
{
    static const ls_fix radii[] = {0, 1, 3, 40, 65536, 1 << 20, INT32_MAX, -1, INT32_MIN};
    for (uint32_t i = 0; i < 60; i++) {
        ls_fix x = harness_coordinate(&seen.random, seen.extent),
               y = harness_coordinate(&seen.random, seen.extent);
        if (seen.count && i % 2) { /* a query exactly at an entity */
            uint32_t chosen = test_below(&seen.random, seen.count);
            x = seen.all[chosen].x;
            y = seen.all[chosen].y;
        }
        for (uint32_t j = 0; j < LS_COUNT_OF(radii); j++)
            compare(context, i % 2, x, y, radii[j]);
        compare(context, i % 3 == 0, x, y, (ls_fix)(test_random(&seen.random) >> 33));
    }
}

static void find_by_brute_force(bool is_vector, const char *name)
{
    static const uint32_t counts[] = {0, 1, 2, 17, 300, 1200};
    static const uint32_t extents[] = {0, 2, 64, 5000, 1 << 22};
    static const ls_fix cells[] = {1, 16, 65536, INT32_MAX};
    memset(&seen, 0, sizeof seen);
    seen.random = harness_seed(name);
    for (uint32_t i = 0; i < LS_COUNT_OF(counts) * LS_COUNT_OF(extents); i++) {
        ls_fix cell = cells[i % LS_COUNT_OF(cells)];
        ls_grid grids[] = {PLACE_GRID(NULL, cell), PLACE_GRID(&tag, cell), {0}};
        if (is_vector) {
            grids[0] = (ls_grid){.component = &spot_component,
                                 .offset_x = offsetof(spot, at.x),
                                 .offset_y = offsetof(spot, at.y),
                                 .cell = cell};
            grids[1] = (ls_grid){.component = &spot_component,
                                 .with = &tag,
                                 .offset_x = offsetof(spot, over.x),
                                 .offset_y = offsetof(spot, over.z),
                                 .cell = cell};
        }
        ls_system systems[1] = {
            {.name = "compare", .mode = LS_SEQUENTIAL, .match = compare_all, .grids = grids}};
        ls_sim sim = HARNESS_SIM(components, lanes, systems);
        sim.setup = &setup;
        seen.count = counts[i / LS_COUNT_OF(extents)];
        seen.extent = extents[i % LS_COUNT_OF(extents)];
        harness self;
        harness_begin(&self, &sim, i);
        harness_tick(self.world, NULL);
        harness_end(&self);
    }
    assert_true(seen.checks > 10000);
    assert_true(seen.found > 10000);
}

TEST(test_grid_finds_what_brute_force_finds)
{
    find_by_brute_force(false, "test_grid_finds_what_brute_force_finds");
}

TEST(test_grid_over_a_vector_finds_the_same)
{
    find_by_brute_force(true, "test_grid_over_a_vector_finds_the_same");
}

/* Asserts the order: cell row, cell column, lane, slot; the box starts at the lowest
 * coordinates. */
static void check_order(ls_context *context, const ls_entity *entities)
{
    ls_grid_walk walk;
    ls_neighbour near, last = {0};
    uint32_t count = 0;
    int64_t min_x = INT32_MAX, min_y = INT32_MAX;
    for (uint32_t i = 0; i < seen.count; i++) {
        min_x = seen.all[i].x < min_x ? seen.all[i].x : min_x;
        min_y = seen.all[i].y < min_y ? seen.all[i].y : min_y;
    }
    ls_grid_begin(context, 0, 0, 0, 1 << 20, &walk);
    for (; ls_grid_next(&walk, &near); last = near, count++) {
        int64_t row = (near.y - min_y) / 100, last_row = (last.y - min_y) / 100;
        int64_t column = (near.x - min_x) / 100, last_column = (last.x - min_x) / 100;
        if (count == 0)
            continue;
        assert_true(row >= last_row);
        assert_true(row > last_row || column >= last_column);
        assert_true(row > last_row || column > last_column ||
                    (near.entity & UINT32_MAX) > (last.entity & UINT32_MAX));
    }
    assert_int_equal(count, seen.count);
}

TEST(test_grid_walks_in_an_order_of_the_state)
{
    const ls_system systems[] = {{.name = "check",
                                  .mode = LS_SEQUENTIAL,
                                  .match = check_order,
                                  .grids = LS_GRIDS(PLACE_GRID(NULL, 100))}};
    harness self;
    begin(&self, systems, 900, 3000);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

/* A sequential system moves entities of its own grid. The next system must find each at its new
 * place, whether the world continued or was restored from a snapshot. */
static void shift(ls_context *context, const ls_entity *entities)
{
    place *cell = ls_cell_write(context, 0, entities[0]);
    cell->x += 1000;
}

static void look(ls_context *context, const ls_entity *entities)
{
    const place *cell = ls_cell_find(context, 0, entities[0]);
    ls_grid_walk walk;
    ls_neighbour near;
    bool is_met = false;
    ls_grid_begin(context, 0, cell->x, cell->y, 0, &walk);
    while (ls_grid_next(&walk, &near))
        is_met |= near.entity == entities[0];
    assert_true(is_met);
    seen.found++;
}

TEST(test_grid_follows_a_system_that_writes_what_it_joins)
{
    const ls_system systems[] = {
        {.name = "shift",
         .mode = LS_SEQUENTIAL,
         .match = shift,
         .terms = LS_TERM_LIST(LS_WRITES(place_component)),
         .grids = LS_GRIDS(PLACE_GRID(NULL, 100))},
        {.name = "look",
         .mode = LS_SEQUENTIAL,
         .match = look,
         .terms = LS_TERM_LIST(LS_READS(place_component)),
         .grids = LS_GRIDS(PLACE_GRID(NULL, 100)),
         .after = "shift"},
    };
    harness self;
    begin(&self, systems, 20, 3000);
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, NULL);
    assert_int_equal(seen.found, 60);
    harness_end(&self);
}

/* The same for the grid's filter: a concurrent system attaches and detaches the component that its
 * own grid filters by. */
static void toggle(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        if (ls_cell_has(context, 1, ls_span_entity(span, i)))
            ls_cell_detach(context, 1, ls_span_entity(span, i));
        else
            ls_cell_attach(context, 1, ls_span_entity(span, i), NULL);
    }
}

static void look_tagged(ls_context *context, const ls_entity *entities)
{
    const place *cell = ls_cell_find(context, 0, entities[0]);
    ls_grid_walk walk;
    ls_neighbour near;
    bool is_met = false;
    ls_grid_begin(context, 0, cell->x, cell->y, 0, &walk);
    while (ls_grid_next(&walk, &near))
        is_met |= near.entity == entities[0];
    assert_int_equal(is_met, ls_cell_has(context, 1, entities[0]));
    seen.found++;
}

TEST(test_grid_follows_a_system_that_changes_its_filter)
{
    const ls_system systems[] = {
        {.name = "toggle",
         .span = toggle,
         .terms = LS_TERM_LIST(LS_READS(place_component), LS_ATTACHES(tag)),
         .grids = LS_GRIDS({.component = &place_component,
                            .with = &tag,
                            .offset_x = offsetof(place, x),
                            .offset_y = offsetof(place, y),
                            .cell = 100,
                            .start = true})},
        {.name = "look",
         .mode = LS_SEQUENTIAL,
         .match = look_tagged,
         .terms = LS_TERM_LIST(LS_READS(place_component),
                               LS_TERM(0, LS_OPTIONAL, LS_ACCESS_PRESENCE, tag)),
         .grids = LS_GRIDS(PLACE_GRID(&tag, 100)),
         .after = "toggle"},
    };
    harness self;
    begin(&self, systems, 300, 3000);
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, NULL);
    assert_int_equal(seen.found, 900);
    harness_end(&self);
}

/* A concurrent system moves entities of its own grid, which has `start`: an entity that has already
 * moved is still found at its old place. */
static void drift(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_grid_walk walk;
        ls_neighbour near;
        uint32_t met = 0;
        ls_grid_begin(context, 0, cells[0].x - (i ? 5000 : 0), cells[0].y, 0, &walk);
        while (ls_grid_next(&walk, &near))
            met += near.entity == ls_span_entity(span, 0);
        if (met != 1)
            fail_msg("met %u times", met);
        cells[i].x += 5000;
    }
}

TEST(test_grid_of_the_start_stands_still)
{
    const ls_system systems[] = {{.name = "drift",
                                  .span = drift,
                                  .terms = LS_TERM_LIST(LS_WRITES(place_component)),
                                  .grids = LS_GRIDS({.component = &place_component,
                                                     .offset_x = offsetof(place, x),
                                                     .offset_y = offsetof(place, y),
                                                     .cell = 100,
                                                     .start = true})}};
    harness self;
    begin(&self, systems, 600, 3000);
    for (uint32_t tick = 0; tick < 5; tick++)
        harness_tick(self.world, NULL);
    harness_end(&self);
}

/* No system writes places here, so only despawns invalidate the index. */
static void cull(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) == ls_tick(context))
        ls_despawn(context, entities[0]);
}

static void count_living(ls_context *context, const ls_entity *entities)
{
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin(context, 0, 0, 0, 1 << 20, &walk);
    for (; ls_grid_next(&walk, &near); seen.found++)
        assert_true(ls_is_alive(context, near.entity));
}

TEST(test_grid_does_not_find_the_dead)
{
    const ls_system systems[] = {
        {.name = "cull",
         .mode = LS_SEQUENTIAL,
         .match = cull,
         .terms = LS_TERM_LIST(LS_WITH(place_component))},
        {.name = "count",
         .mode = LS_SEQUENTIAL,
         .match = count_living,
         .grids = LS_GRIDS(PLACE_GRID(NULL, 100))},
    };
    harness self;
    begin(&self, systems, 300, 3000);
    uint32_t living = (uint32_t)ls_world_entity_count(self.world);
    for (uint32_t tick = 0; tick < 3; tick++) {
        seen.found = 0;
        harness_tick(self.world, NULL);
        assert_int_equal(seen.found, living);
        living = (uint32_t)ls_world_entity_count(self.world);
    }
    assert_true(living < seen.count);
    harness_end(&self);
}

/* Two systems share a grid. A third one without an order writes values of the component that the
 * grid filters by: it must not cause a rebuild while the others use the index. */
static void gather(ls_context *context, const ls_span *span)
{
    const place *cells = ls_span_read(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t met = 0;
        ls_grid_walk walk;
        ls_neighbour near;
        ls_grid_begin(context, 0, cells[i].x, cells[i].y, 200, &walk);
        while (ls_grid_next(&walk, &near))
            met += near.entity == ls_span_entity(span, i);
        if (met != 1)
            fail_msg("met %u times", met);
    }
}

static void weigh(ls_context *context, const ls_span *span)
{
    int32_t *grams = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        grams[i]++;
}

static void push(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].x ^= 64;
}

TEST(test_grid_index_stays_while_it_is_used)
{
    const ls_system systems[] = {
        {.name = "first",
         .span = gather,
         .terms = LS_TERM_LIST(LS_READS(place_component)),
         .grids = LS_GRIDS(PLACE_GRID(&masses, 100))},
        {.name = "second",
         .span = gather,
         .terms = LS_TERM_LIST(LS_READS(place_component), LS_WITH(tag)),
         .grids = LS_GRIDS(PLACE_GRID(&masses, 100))},
        {.name = "weigh", .span = weigh, .terms = LS_TERM_LIST(LS_WRITES(masses))},
        {.name = "a pause",
         .span = weigh,
         .terms = LS_TERM_LIST(LS_WRITES(masses)),
         .after = "weigh"},
        {.name = "third",
         .span = gather,
         .terms = LS_TERM_LIST(LS_READS(place_component)),
         .grids = LS_GRIDS(PLACE_GRID(&masses, 100)),
         .after = "a pause"},
        {.name = "push",
         .span = push,
         .terms = LS_TERM_LIST(LS_WRITES(place_component)),
         .after = "first, second, third"},
    };
    harness self;
    begin(&self, systems, LS_COUNT_OF(seen.all), 20000);
    ls_executor *executor = harness_executor(4, 0);
    for (uint32_t tick = 0; tick < 100; tick++) {
        ls_snapshot *snapshot = ls_world_snapshot(self.world);
        harness_tick(self.world, executor);
        ls_snapshot_destroy(snapshot);
    }
    ls_executor_destroy(executor);
    harness_end(&self);
}
