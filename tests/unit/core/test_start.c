/* LS_START: a system reads other entities, and its own, as they were when it began, while it writes
 * them. */
#include "mutation_sim.h"

#include "core/run/run.h"

enum { OWN, BEFORE, OWN_MARK, MARK_BEFORE };

/* The next value of an entity depends on the old values of itself, of a neighbour in the same page
 * and of one some pages away, even if these have been written already. */
static uint32_t mix(uint32_t own, uint32_t near, uint32_t far)
{
    return own * 3 + near * 5 + far * 7 + 1;
}

static const tally *before(const ls_context *context, uint32_t slot)
{
    return ls_cell_find(context, BEFORE, mutation_entity(slot % population.count));
}

static void step(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, OWN);
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t slot = span->first_slot + i;
        const tally *mine = before(context, slot);
        assert_int_equal(mine->value, own[i].value);
        own[i].value =
            mix(mine->value, before(context, slot + 1)->value, before(context, slot + 700)->value);
        assert_ptr_not_equal(mine, &own[i]);
    }
}

static const ls_system stepping[] = {
    {.name = "step",
     .span = step,
     .terms = LS_TERM_LIST([OWN] = LS_WRITES(counts), [BEFORE] = LS_OTHERS_START(counts))}};

static void model_step(uint32_t *values, uint32_t ticks)
{
    uint32_t n = population.count;
    for (uint32_t tick = 0; tick < ticks; tick++) {
        uint32_t *old = malloc(sizeof *old * n);
        memcpy(old, values, sizeof *old * n);
        for (uint32_t i = 0; i < n; i++)
            values[i] = mix(old[i], old[(i + 1) % n], old[(i + 700) % n]);
        free(old);
    }
}

static void check_steps(ls_world *world)
{
    uint32_t *values = malloc(sizeof *values * population.count);
    for (uint32_t i = 0; i < population.count; i++)
        values[i] = i;
    model_step(values, (uint32_t)ls_world_tick(world));
    for (uint32_t i = 0; i < population.count; i++)
        assert_int_equal(((const tally *)mutation_cell(world, &counts, i))->value, values[i]);
    free(values);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_start_reads_what_was_there_across_pages)
{
    population.count = PARALLEL_POPULATION;
    mutations_agree(stepping, 4, check_steps);
}

TEST(test_start_is_the_same_with_snapshots_alive)
{
    population.count = 1500;
    harness self;
    harness_begin(&self, mutation_sim(stepping, 1), 7);
    ls_executor *executor = harness_executor(2, 0);
    ls_snapshot *snapshots[4];
    uint64_t roots[4];
    for (uint32_t tick = 0; tick < 4; tick++) {
        snapshots[tick] = ls_world_snapshot(self.world);
        roots[tick] = ls_world_root(self.world);
        harness_tick(self.world, executor);
        check_steps(self.world);
    }
    for (uint32_t tick = 4; tick-- > 0;) {
        ls_world_restore(self.world, snapshots[tick]);
        assert_int_equal(ls_world_root(self.world), roots[tick]);
        check_steps(self.world);
        harness_tick(self.world, executor);
        check_steps(self.world);
        ls_snapshot_destroy(snapshots[tick]);
    }
    ls_executor_destroy(executor);
    harness_end(&self);
}

/* Presence too: each page's mark moves on by one entity, and the old presence stays visible. */
static void hop(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0];
    uint32_t slot = ls_entity_slot(self), n = population.count;
    bool had = ls_cell_has(context, MARK_BEFORE, self);
    bool gets = ls_cell_has(context, MARK_BEFORE, mutation_entity((slot + n - 1) % n));
    assert_int_equal(had, ls_cell_has(context, OWN_MARK, self));
    if (gets && !had)
        ls_cell_attach(context, OWN_MARK, self, NULL);
    if (had && !gets)
        ls_cell_detach(context, OWN_MARK, self);
    assert_int_equal(had, ls_cell_has(context, MARK_BEFORE, self));
    assert_int_equal(gets, ls_cell_has(context, OWN_MARK, self));
}

static const ls_system hopping[] = {
    {.name = "hop",
     .match = hop,
     .terms = LS_TERM_LIST([OWN] = LS_READS(counts), [BEFORE] = LS_OTHERS_START(counts),
                           [OWN_MARK] = LS_ATTACHES(marks),
                           [MARK_BEFORE] = LS_TERM(0, LS_START, LS_ACCESS_PRESENCE, marks))}};

static void mark_some(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (i % 3 == 0 || i / 100 == 2)
        ls_cell_attach(context, 3, entity, NULL);
}

static void check_hops(ls_world *world)
{
    uint32_t n = population.count, ticks = (uint32_t)ls_world_tick(world);
    for (uint32_t slot = 0; slot < n; slot++) {
        uint32_t origin = (slot + n - ticks) % n;
        bool is_marked = ls_world_cell(world, &marks, mutation_entity(slot));
        assert_int_equal(is_marked, origin % 3 == 0 || origin / 100 == 2);
    }
}

TEST(test_start_knows_who_had_a_component)
{
    population.count = 1200;
    population.with = mark_some;
    mutations_agree(hopping, 5, check_hops);
}

/* A system that reads presence needs no order with one that writes values. It must find the pages
 * in place and unchanged while the writer clones them. */
static void count_all(ls_context *context, const ls_entity *entities)
{
    uint32_t found = 0;
    for (uint32_t slot = 0; slot < population.count; slot++)
        found += ls_cell_has(context, 0, mutation_entity(slot));
    assert_int_equal(found, population.count);
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(total){.few = found});
}

static const ls_system watched[] = {
    {.name = "step",
     .span = step,
     .terms = LS_TERM_LIST([OWN] = LS_WRITES(counts), [BEFORE] = LS_OTHERS_START(counts))},
    {.name = "ask", /* first by name, so it is running when the others start */
     .match = count_all,
     .terms = LS_TERM_LIST(LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, counts),
                           LS_ACCUMULATES(totals, LS_ADD), LS_WITH(marks))},
    {.name = "again",
     .span = step,
     .terms = LS_TERM_LIST(LS_WRITES(counts), LS_OTHERS_START(counts)),
     .after = "step"},
};

static void mark_few(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (i / 256 == 9) /* one long chunk, the last one */
        ls_cell_attach(context, 3, entity, NULL);
}

static void check_watched(ls_world *world)
{
    uint32_t *values = malloc(sizeof *values * population.count);
    for (uint32_t i = 0; i < population.count; i++)
        values[i] = i;
    model_step(values, 2 * (uint32_t)ls_world_tick(world));
    for (uint32_t i = 0; i < population.count; i++)
        assert_int_equal(((const tally *)mutation_cell(world, &counts, i))->value, values[i]);
    free(values);
}

TEST(test_start_hides_from_systems_that_ask_for_presence)
{
    population.count = 2500;
    population.with = mark_few;
    mutations_agree(watched, 20, check_watched);
}

/* The pages that a system cloned are kept until the sync point, because a reader may hold them at
 * any time. */
TEST(test_start_is_kept_until_the_sync_point)
{
    population.count = 600;
    harness self;
    harness_begin(&self, mutation_sim(watched, 1), 1);
    const ls_frame frame = {0};
    const ls_tick_job job = {.world = self.world, .frame = &frame};
    ls_table *live = *ls_world_table(self.world, 0, LANE_A);
    ls_page *before = ls_table_page(live, 1);
    ls_store_own_written(self.world);
    ls_run_begin(&job, 0);
    ls_run_chunk(&job, 0, 0, self.world->scratch->runs[0].chunks, &(ls_run_by){0});
    ls_run_end(&job, 0);
    ls_table *kept =
        self.world->scratch->runs[0].start[BEFORE * self.world->program->lane_count + LANE_A];
    assert_non_null(kept);
    assert_ptr_equal(ls_table_page(kept, 1), before);
    assert_ptr_not_equal(ls_table_page(live, 1), before);
    ls_run_release_start(self.world, 0);
    harness_end(&self);
}

/* Works for sequential systems too, and writes to other entities do not change what is read. */
static void overwrite(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    ls_entity next = mutation_entity((slot + 1) % population.count);
    const tally *old = ls_cell_find(context, 1, next);
    assert_int_equal(old->value, ls_entity_slot(next));
    ((tally *)ls_cell_write(context, 0, next))->value = 1000;
    assert_int_equal(old->value, ls_entity_slot(next));
    ls_entity born = ls_spawn(context, 0);
    ls_cell_attach(context, 0, born, &(tally){5});
    assert_null(ls_cell_find(context, 1, born));
    assert_null(ls_cell_find(context, 1, LS_ENTITY_NULL));
    assert_null(ls_cell_find(context, 1, UINT64_MAX));
    assert_false(ls_cell_has(context, 1, entities[0] + ((ls_entity)2 << 32)));
}

static const ls_system overwriting[] = {
    {.name = "overwrite",
     .mode = LS_SEQUENTIAL,
     .match = overwrite,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(counts), LS_OTHERS_START(counts), LS_WITH(counts)),
     .lanes = "b"}};

TEST(test_start_works_in_a_roll)
{
    population.count = 300;
    mutations_agree(overwriting, 1, NULL);
}

/* Columns that the system does not write are read in place: no page is copied for them. */
static void look(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity other = mutation_entity((span->first_slot + i + 1) % population.count);
        own[i].value = ((const tally *)ls_cell_find(context, 1, other))->value;
    }
}

static void both_counts(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    ls_cell_attach(context, 1, entity, &(tally){i});
}

static const ls_system looking[] = {
    {.name = "look",
     .span = look,
     .terms = LS_TERM_LIST(LS_WRITES(extras), LS_OTHERS_START(counts))}};

static void check_looks(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++)
        assert_int_equal(((const tally *)mutation_cell(world, &extras, i))->value,
                         (i + 1) % population.count);
}

TEST(test_start_of_a_column_that_nobody_writes)
{
    population.count = 1000;
    population.with = both_counts;
    mutations_agree(looking, 2, check_looks);
}
