/* Cells of new entities that a system writes before the entities have numbers, because it runs
 * without another: which cells these are, that the rest of the run does not see them, and that
 * every executor reaches the same state. */
#include "mutation_sim.h"

#include "core/run/invocation.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"

enum { OWN, BORN_EXTRA, BORN_MARK, BORN_COUNT, OTHERS_COUNT };

/* Where the slot of the lane has a cell, whether or not an entity lives there. */
static bool has_cell(const ls_context *context, uint32_t term, uint32_t slot)
{
    const ls_page *page = ls_world_page(context->world, context->plan->terms[term].column, LANE_B,
                                        slot / LS_PAGE_SLOTS);
    return page && ls_page_has(page, slot);
}

static _Atomic uint32_t expected; /* the number of cells that are written at once */

/* Entities of one lane get the slots 0, 1, 2, ... of generation 1. */
static void bear_one(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    ls_entity born = ls_spawn(context, 0), guess = ls_entity_make(LANE_B, slot, 1);
    assert_true(ls_cell_attach(context, BORN_EXTRA, born, &(tally){slot}));
    assert_true(ls_cell_attach(context, BORN_MARK, born, NULL));
    assert_true(ls_cell_attach(context, BORN_COUNT, born, &(tally){slot}));
    expected += has_cell(context, BORN_EXTRA, slot) + has_cell(context, BORN_MARK, slot);
    assert_false(has_cell(context, BORN_COUNT, slot)); /* the system finds others by it */
    assert_null(ls_cell_find(context, OTHERS_COUNT, guess));
    assert_false(ls_is_alive(context, guess));
    assert_false(ls_cell_attach(context, BORN_EXTRA, guess, &(tally){1}));
    assert_false(ls_cell_attach(context, BORN_EXTRA, born + 1, &(tally){1}));
    ls_despawn(context, guess);
}

static const ls_system bearing[] = {
    {.name = "bear",
     .match = bear_one,
     .terms =
         LS_TERM_LIST([OWN] = LS_READS(counts), [BORN_EXTRA] = LS_SPAWNS_WITH(extras),
                      [BORN_MARK] = LS_SPAWNS_WITH(marks), [BORN_COUNT] = LS_SPAWNS_WITH(counts),
                      [OTHERS_COUNT] = LS_OTHERS_READ(counts), LS_IN_LANE("a")),
     .lanes = "b"}};

static void check_all(ls_world *world)
{
    assert_int_equal(ls_world_entity_count(world), 2 * population.count);
    for (uint32_t i = 0; i < population.count; i++) {
        ls_entity born = ls_entity_make(LANE_B, i, 1);
        assert_int_equal(((const tally *)ls_world_cell(world, &extras, born))->value, i);
        assert_int_equal(((const tally *)ls_world_cell(world, &counts, born))->value, i);
        assert_non_null(ls_world_cell(world, &marks, born));
    }
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_spawn_ahead_writes_what_the_rest_of_the_run_does_not_see)
{
    population.count = 700;
    harness self;
    harness_begin(&self, mutation_sim(bearing, 1), 1);
    expected = 0;
    harness_tick(self.world, NULL);
    assert_int_equal(expected, 2 * population.count);
    check_all(self.world);
    harness_end(&self);
}

TEST(test_spawn_ahead_is_left_out_where_someone_looks)
{
    population.count = 300;
    ls_executor *executors[] = {harness_executor(1, 5), harness_checker()};
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        harness self;
        harness_begin(&self, mutation_sim(bearing, 1), 1);
        expected = 0;
        harness_tick(self.world, executors[i]);
        assert_int_equal(expected, 0);
        check_all(self.world);
        harness_end(&self);
        ls_executor_destroy(executors[i]);
    }
}

TEST(test_spawn_ahead_agrees_with_every_executor)
{
    population.count = PARALLEL_POPULATION;
    mutations_agree(bearing, 1, check_all);
}

/* Each match spawns up to five: a page spawns for several pages. Attaches again to entities of an
 * earlier page and of this one, and to one in two without a value. */
static void bear_some(ls_context *context, const ls_span *span)
{
    ls_entity first = LS_ENTITY_NULL, before = LS_ENTITY_NULL;
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity self = ls_span_entity(span, i);
        uint32_t slot = ls_entity_slot(self), draw = (uint32_t)ls_random(context, self, 0) % 6;
        for (uint32_t k = 0; k < draw; k++) {
            ls_entity born = ls_spawn(context, 0);
            tally value = {slot * 8 + k};
            if (k != 3)
                assert_true(ls_cell_attach(context, 1, born, k % 2 ? &value : NULL));
            if (k != 1)
                assert_true(ls_cell_attach(context, 2, born, NULL));
            first = first ? first : born;
            if (before && slot % 3 == 0)
                assert_true(ls_cell_attach(context, 1, before, &(tally){slot}));
            if (slot % 16 == 7)
                assert_true(ls_cell_attach(context, 1, first, &(tally){slot}));
            before = born;
        }
    }
}

static void cull(ls_context *context, const ls_entity *entities)
{
    const tally *extra = ls_cell_find(context, 0, entities[0]);
    if (ls_random(context, entities[0], 0) % 3 || (extra->value / 1024) % 3 == ls_tick(context) % 3)
        ls_despawn(context, entities[0]);
}

static const ls_system holes[] = {
    {.name = "bear",
     .span = bear_some,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(extras), LS_SPAWNS_WITH(marks)),
     .lanes = "b"},
    {.name = "cull",
     .match = cull,
     .terms = LS_TERM_LIST(LS_READS(extras), LS_IN_LANE("b")),
     .after = "bear"}};

TEST(test_spawn_ahead_fills_the_holes_of_pages_in_order)
{
    population.count = PARALLEL_POPULATION;
    mutations_agree(holes, 6, NULL);
}

/* More new entities than a directory has slots, beside a few that are alive, so that they begin
 * within a page. Several threads attach what was recorded. */
TEST(test_spawn_ahead_and_helpers_fill_directories_alike)
{
    static const uint32_t threads[] = {1, 2, 4};
    uint64_t roots[LS_COUNT_OF(threads)];
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        harness self;
        population.count = 60000;
        harness_begin(&self, mutation_sim(holes, 1), 1);
        ls_executor *executor = harness_executor(threads[i], 0);
        ls_store_own(self.world, ls_liveness(self.world));
        for (uint32_t k = 0; k < 300; k++)
            ls_store_spawn(self.world, LANE_B);
        ls_world_state_changed(self.world);
        harness_tick(self.world, executor);
        assert_true(ls_world_entity_count(self.world) > 60000 + 2 * 256 * LS_PAGE_SLOTS);
        roots[i] = ls_world_root(self.world);
        assert_int_equal(roots[i], roots[0]);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

/* A world that was advanced by one thread, and then by several. */
TEST(test_spawn_ahead_ends_with_the_run)
{
    uint64_t roots[2];
    population.count = PARALLEL_POPULATION;
    for (uint32_t i = 0; i < LS_COUNT_OF(roots); i++) {
        harness self;
        harness_begin(&self, mutation_sim(holes, 1), 1);
        ls_executor *executor = harness_executor(2, 0);
        for (uint32_t tick = 0; tick < 6; tick++)
            harness_tick(self.world, i && tick % 2 ? executor : NULL);
        roots[i] = ls_world_root(self.world);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
    assert_int_equal(roots[0], roots[1]);
}

/* Twins that refer to each other: values with references wait for the numbers. */
static void bear_twins(ls_context *context, const ls_entity *entities)
{
    ls_entity one = ls_spawn(context, 0), two = ls_spawn(context, 0);
    assert_true(ls_cell_attach(context, 1, one, &(link){{two, entities[0]}}));
    assert_true(ls_cell_attach(context, 1, two, &(link){{one, entities[0]}}));
}

static const ls_system twins[] = {{.name = "twins",
                                   .match = bear_twins,
                                   .terms = LS_TERM_LIST(LS_READS(counts), LS_SPAWNS_WITH(links)),
                                   .lanes = "b"}};

static void check_twins(ls_world *world)
{
    for (uint32_t i = 0; i < 2 * population.count; i++) {
        const link *cell = ls_world_cell(world, &links, ls_entity_make(LANE_B, i, 1));
        assert_int_equal(cell->to[0], ls_entity_make(LANE_B, i ^ 1, 1));
        assert_int_equal(cell->to[1], mutation_entity(i / 2));
    }
}

TEST(test_spawn_ahead_leaves_references_to_the_merge)
{
    population.count = 700;
    mutations_agree(twins, 1, check_twins);
}

/* Slots that can never be used again, alone and as a whole word and page. */
static void retire(ls_world *world)
{
    ls_store_own(world, ls_liveness(world));
    for (uint32_t i = 0; i < 4 * LS_PAGE_SLOTS; i++) {
        bool is_retired = i % 7 == 0 || i / 64 == 1 || i / LS_PAGE_SLOTS == 2;
        ls_page *page = ls_table_write(world->state.lives[LANE_B], i / LS_PAGE_SLOTS,
                                       &world->sources[ls_liveness(world)]);
        if (is_retired)
            ls_page_generations_write(page)[i % LS_PAGE_SLOTS] = LS_GENERATION_RETIRED;
    }
    ls_world_state_changed(world);
}

TEST(test_spawn_ahead_leaves_out_retired_slots)
{
    static const uint32_t threads[] = {1, 2};
    uint64_t roots[LS_COUNT_OF(threads)];
    population.count = 700;
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        harness self;
        harness_begin(&self, mutation_sim(holes, 1), 1);
        ls_executor *executor = harness_executor(threads[i], 0);
        retire(self.world);
        harness_tick(self.world, executor);
        roots[i] = ls_world_root(self.world);
        assert_null(ls_world_page(self.world, 1, LANE_B, 2));
        ls_executor_destroy(executor);
        harness_end(&self);
    }
    assert_int_equal(roots[0], roots[1]);
}
