/* Spans of concurrent systems: where they begin and end, and the effect of systems that run at the
 * same time. */
#include "run_sim.h"

/* The spans that the system saw. */
static struct {
    uint32_t span_count;
    struct {
        uint32_t lane, first, count;
        bool has_extra;
    } spans[2048];
} seen;

static int forget(void **state)
{
    memset(&population, 0, sizeof population);
    memset(&seen, 0, sizeof seen);
    return 0;
}

static bool first_five(uint32_t lane, uint32_t i)
{
    return lane == 1 && i < 5;
}

static void note_span(ls_context *context, const ls_span *span)
{
    assert_true(seen.span_count < LS_COUNT_OF(seen.spans));
    number *cells = ls_span_write(context, span, 0);
    const number *extra = ls_span_read(context, span, 1);
    seen.spans[seen.span_count].lane = span->lane;
    seen.spans[seen.span_count].first = span->first_slot;
    seen.spans[seen.span_count].count = span->count;
    seen.spans[seen.span_count++].has_extra = extra != NULL;
    for (uint32_t i = 0; i < span->count; i++) {
        assert_int_equal(ls_span_entity(span, i),
                         ls_entity_make(span->lane, span->first_slot + i, 1));
        assert_int_equal(cells[i].value, (span->lane - 1) * 1000 + span->first_slot + i);
        if (extra)
            assert_int_equal(extra[i].value, cells[i].value);
        cells[i].value++;
    }
}

static const ls_system spans_of_numbers = {
    .name = "note",
    .span = note_span,
    .terms = LS_TERM_LIST(LS_WRITES(numbers), LS_OPTIONALLY_READS(extras), LS_WITHOUT(left))};

static void expect_span(uint32_t i, uint32_t lane, uint32_t first, uint32_t count)
{
    assert_true(i < seen.span_count);
    assert_int_equal(seen.spans[i].lane, lane);
    assert_int_equal(seen.spans[i].first, first);
    assert_int_equal(seen.spans[i].count, count);
}

static void test_run_spans_end_at_pages_and_lanes(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 255, 256, 257, 512, 600};
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++) {
        forget(NULL);
        population.counts[0] = counts[i];
        population.counts[1] = 3;
        harness self;
        run_begin(&self, &spans_of_numbers);
        harness_tick(self.world, NULL);
        uint32_t expected = 0;
        for (uint32_t first = 0; first < counts[i]; first += 256, expected++)
            expect_span(expected, 1, first, counts[i] - first < 256 ? counts[i] - first : 256);
        expect_span(expected, 2, 0, 3);
        assert_int_equal(seen.span_count, expected + 1);
        harness_end(&self);
    }
}

static void test_run_spans_are_broken_by_presence(void **state)
{
    population.counts[0] = 300;
    population.has_number = every_other;
    harness self;
    run_begin(&self, &spans_of_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 150);
    for (uint32_t i = 0; i < 150; i++)
        expect_span(i, 1, 2 * i + 1, 1);
    harness_end(&self);
}

static void test_run_spans_are_broken_by_excluded_terms(void **state)
{
    population.counts[0] = 600;
    population.has_left = last_of_page;
    harness self;
    run_begin(&self, &spans_of_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 3);
    expect_span(0, 1, 0, 255);
    expect_span(1, 1, 256, 255);
    expect_span(2, 1, 512, 88);
    harness_end(&self);
}

static void test_run_spans_need_every_include(void **state)
{
    const ls_system system = {
        .name = "note",
        .span = note_span,
        .terms = LS_TERM_LIST(LS_WRITES(numbers), LS_OPTIONALLY_READS(extras), LS_WITH(left))};
    population.counts[0] = 600; /* `left` has no page after the first */
    population.counts[1] = 10;
    population.has_left = first_five;
    harness self;
    run_begin(&self, &system);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 1);
    expect_span(0, 1, 0, 5);
    harness_end(&self);
}

static void test_run_spans_agree_on_optional_terms(void **state)
{
    population.counts[0] = 258;
    population.counts[1] = 2;
    population.has_extra = first_five;
    harness self;
    run_begin(&self, &spans_of_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 4);
    expect_span(0, 1, 0, 5);
    expect_span(1, 1, 5, 251);
    expect_span(2, 1, 256, 2);
    expect_span(3, 2, 0, 2);
    assert_true(seen.spans[0].has_extra);
    assert_false(seen.spans[1].has_extra || seen.spans[2].has_extra || seen.spans[3].has_extra);
    harness_end(&self);
}

/* Attaches and detaches ahead within the page: this changes the optional terms of later spans, but
 * not the matches. */
static void toggle(ls_context *context, const ls_span *span)
{
    const number *extra = ls_span_read(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity entity = ls_span_entity(span, i);
        if (extra)
            ls_cell_detach(context, 1, entity);
        else
            ls_cell_attach(context, 1, entity, &(number){9});
        ls_cell_detach(context, 0, entity);
    }
    seen.span_count++;
}

static void test_run_concurrent_systems_change_their_own_at_once(void **state)
{
    population.counts[0] = 600;
    population.has_extra = every_other;
    const ls_system system = {.name = "toggle",
                              .span = toggle,
                              .terms = LS_TERM_LIST(LS_DETACHES(numbers), LS_ATTACHES(extras))};
    harness self;
    run_begin(&self, &system);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 600);
    for (uint32_t i = 0; i < 600; i++) {
        ls_entity entity = ls_entity_make(1, i, 1);
        assert_null(ls_world_cell(self.world, &numbers, entity));
        const number *extra = ls_world_cell(self.world, &extras, entity);
        assert_int_equal(extra != NULL, !every_other(1, i));
        if (extra)
            assert_int_equal(extra->value, 9);
    }
    harness_end(&self);
}

/* One system reads presence while an unordered one writes values of the same component, in pages
 * that a snapshot shares. A third one spawns entities, and the first one guesses their handles. */
static void write_all(ls_context *context, const ls_span *span)
{
    number *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value++;
}

static void count_present(ls_context *context, const ls_span *span)
{
    number *extra = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity entity = ls_span_entity(span, i);
        for (uint32_t ahead = 0; ahead < 40; ahead++) {
            ls_entity guess = ls_entity_make(2, (uint32_t)ls_tick(context) * 30 + ahead, 1);
            extra[i].value = (int32_t)((uint32_t)extra[i].value * 3 + ls_is_alive(context, guess));
            if (ahead == 35 && i == 0)
                ls_despawn(context, guess);
        }
        extra[i].value ^= ls_cell_has(context, 1, entity);
    }
}

static void bear_all(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 30; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), NULL);
}

static const ls_system racing[] = {
    {.name = "write", .span = write_all, .terms = LS_TERM_LIST(LS_WRITES(numbers))},
    {.name = "count",
     .span = count_present,
     .terms = LS_TERM_LIST(LS_WRITES(extras), LS_WITH(numbers))},
    {.name = "bear",
     .mode = LS_SEQUENTIAL,
     .match = bear_all,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(right)),
     .lanes = "b"},
};

static void test_run_what_has_no_order_does_not_show(void **state)
{
    ls_sim sim = HARNESS_SIM(run_components, run_lanes, racing);
    sim.setup = &run_setup;
    population.counts[0] = 3000;
    population.has_extra = every_other;
    harness self;
    harness_begin(&self, &sim, 1);
    enum { WORLDS = 6 };
    ls_world *worlds[WORLDS] = {self.world};
    ls_executor *executors[WORLDS] = {NULL};
    ls_snapshot *kept[WORLDS] = {NULL};
    for (uint32_t i = 1; i < WORLDS; i++) {
        worlds[i] = harness_world(&self);
        executors[i] = i == 1 ? harness_executor(4, 0) : harness_executor(1, i);
    }
    for (uint32_t tick = 0; tick < 60; tick++) {
        for (uint32_t i = 0; i < WORLDS; i++) {
            ls_snapshot_destroy(kept[i]);
            kept[i] = ls_world_snapshot(worlds[i]);
            harness_tick(worlds[i], executors[i]);
            assert_int_equal(ls_world_root(worlds[i]), ls_world_root(worlds[0]));
        }
    }
    for (uint32_t i = 0; i < WORLDS; i++) {
        ls_snapshot_destroy(kept[i]);
        ls_executor_destroy(executors[i]);
        if (i)
            ls_world_destroy(worlds[i]);
    }
    harness_end(&self);
}

#define RUN_TEST(name) cmocka_unit_test_setup(name, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_run_spans_end_at_pages_and_lanes),
        RUN_TEST(test_run_spans_are_broken_by_presence),
        RUN_TEST(test_run_spans_are_broken_by_excluded_terms),
        RUN_TEST(test_run_spans_need_every_include),
        RUN_TEST(test_run_spans_agree_on_optional_terms),
        RUN_TEST(test_run_concurrent_systems_change_their_own_at_once),
        RUN_TEST(test_run_what_has_no_order_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
