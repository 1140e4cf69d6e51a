/* Spans and rolls: what one system visits, in which order, and what it sees meanwhile. */
#include "harness.h"

typedef struct number {
    int32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_I32)};
static const ls_component numbers = LS_COMPONENT(number, "number", number_fields);
static const ls_component extras = LS_COMPONENT(number, "extra", number_fields);
static const ls_component left = LS_TAG("left");
static const ls_component right = LS_TAG("right");
static const ls_component *const components[] = {&numbers, &extras, &left, &right};
static const char *const lanes[] = {"a", "b"};

/* What the systems saw, and what a test makes them do. */
static struct {
    uint32_t counts[2]; /* entities in each lane at the start */
    bool (*has_number)(uint32_t lane, uint32_t i);
    bool (*has_extra)(uint32_t lane, uint32_t i);
    bool (*has_left)(uint32_t lane, uint32_t i);
    uint32_t span_count;
    struct {
        uint32_t lane, first, count;
        bool has_extra;
    } spans[2048];
    uint32_t match_count;
    ls_entity matches[4096][2];
    void (*act)(ls_context *context, const ls_entity *entities);
} seen;

static bool always(uint32_t lane, uint32_t i)
{
    (void)lane;
    (void)i;
    return true;
}

static bool every_other(uint32_t lane, uint32_t i)
{
    return (lane + i) % 2 == 0;
}

static bool first_five(uint32_t lane, uint32_t i)
{
    return lane == 1 && i < 5;
}

static bool last_of_page(uint32_t lane, uint32_t i)
{
    return lane == 1 && i % 256 == 255;
}

static void populate(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (uint32_t lane = 0; lane < 2; lane++) {
        for (uint32_t i = 0; i < seen.counts[lane]; i++) {
            ls_entity entity = ls_spawn(context, lane);
            number cell = {(int32_t)(lane * 1000 + i)};
            if (!seen.has_number || seen.has_number(lane + 1, i))
                ls_cell_attach(context, 0, entity, &cell);
            if (seen.has_extra && seen.has_extra(lane + 1, i))
                ls_cell_attach(context, 1, entity, &cell);
            if (seen.has_left && seen.has_left(lane + 1, i))
                ls_cell_attach(context, 2, entity, NULL);
        }
    }
}

static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = {LS_OTHERS_STRUCTURE(numbers), LS_OTHERS_STRUCTURE(extras), LS_OTHERS_STRUCTURE(left)},
    .lanes = {"a", "b"}};

static void begin(harness *self, const ls_system *system)
{
    static ls_sim sim;
    sim = (ls_sim){.abi = LS_SIM_ABI,
                   .name = "run",
                   .version = "1",
                   .tick_rate = 1,
                   .player_count = 1,
                   .components = components,
                   .component_count = LS_COUNT_OF(components),
                   .lanes = lanes,
                   .lane_count = LS_COUNT_OF(lanes),
                   .systems = system,
                   .system_count = 1,
                   .setup = &setup};
    harness_begin(self, &sim, 1);
}

static int forget(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    return 0;
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
    .terms = {LS_WRITES(numbers), LS_OPTIONALLY_READS(extras), LS_WITHOUT(left)}};

static void expect_span(uint32_t i, uint32_t lane, uint32_t first, uint32_t count)
{
    assert_true(i < seen.span_count);
    assert_int_equal(seen.spans[i].lane, lane);
    assert_int_equal(seen.spans[i].first, first);
    assert_int_equal(seen.spans[i].count, count);
}

static void test_run_spans_end_at_pages_and_lanes(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 255, 256, 257, 512, 600};
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++) {
        forget(NULL);
        seen.counts[0] = counts[i];
        seen.counts[1] = 3;
        harness self;
        begin(&self, &spans_of_numbers);
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
    (void)state;
    seen.counts[0] = 300;
    seen.has_number = every_other;
    harness self;
    begin(&self, &spans_of_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 150);
    for (uint32_t i = 0; i < 150; i++)
        expect_span(i, 1, 2 * i + 1, 1);
    harness_end(&self);
}

static void test_run_spans_are_broken_by_excluded_terms(void **state)
{
    (void)state;
    seen.counts[0] = 600;
    seen.has_left = last_of_page;
    harness self;
    begin(&self, &spans_of_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.span_count, 3);
    expect_span(0, 1, 0, 255);
    expect_span(1, 1, 256, 255);
    expect_span(2, 1, 512, 88);
    harness_end(&self);
}

static void test_run_spans_agree_on_optional_terms(void **state)
{
    (void)state;
    seen.counts[0] = 258;
    seen.counts[1] = 2;
    seen.has_extra = first_five;
    harness self;
    begin(&self, &spans_of_numbers);
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

/* Attaching and detaching ahead within the page shows in the optional terms of later spans, not in
 * the matches. */
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
    (void)state;
    seen.counts[0] = 600;
    seen.has_extra = every_other;
    static const ls_system system = {
        .name = "toggle", .span = toggle, .terms = {LS_DETACHES(numbers), LS_ATTACHES(extras)}};
    harness self;
    begin(&self, &system);
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

static void note_match(ls_context *context, const ls_entity *entities)
{
    assert_true(seen.match_count < LS_COUNT_OF(seen.matches));
    memcpy(seen.matches[seen.match_count++], entities, sizeof seen.matches[0]);
    if (seen.act)
        seen.act(context, entities);
}

static const ls_system roll_numbers = {.name = "roll",
                                       .mode = LS_SEQUENTIAL,
                                       .match = note_match,
                                       .terms = {LS_DETACHES(numbers), LS_OTHERS_STRUCTURE(extras)},
                                       .lanes = {"a"}};

static void test_run_roll_visits_in_canonical_order(void **state)
{
    (void)state;
    seen.counts[0] = 300;
    seen.counts[1] = 2;
    seen.has_number = every_other;
    harness self;
    begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 151);
    for (uint32_t i = 0; i < 150; i++)
        assert_int_equal(seen.matches[i][0], ls_entity_make(1, 2 * i + 1, 1));
    assert_int_equal(seen.matches[150][0], ls_entity_make(2, 0, 1));
    harness_end(&self);
}

static void detach_next(ls_context *context, const ls_entity *entities)
{
    ls_cell_detach(context, 0, entities[0] + 1);
    ls_cell_attach(context, 0, entities[0] + 2, &(number){-5});
}

static void test_run_roll_drops_lost_matches_and_sees_values_anew(void **state)
{
    (void)state;
    seen.counts[0] = 9;
    seen.act = detach_next;
    harness self;
    begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(ls_entity_slot(seen.matches[i][0]), 2 * i);
    harness_end(&self);
}

static void gain_and_bear(ls_context *context, const ls_entity *entities)
{
    ls_cell_attach(context, 0, ls_entity_make(1, ls_entity_slot(entities[0]) + 1, 1), &(number){1});
    ls_entity newborn = ls_spawn(context, 0);
    assert_true(ls_is_alive(context, newborn));
    assert_true(ls_cell_attach(context, 0, newborn, &(number){2}));
    assert_non_null(ls_cell_find(context, 0, newborn));
}

static void test_run_roll_skips_gained_matches_and_newborns(void **state)
{
    (void)state;
    seen.counts[0] = 10;
    seen.has_number = every_other;
    seen.act = gain_and_bear;
    harness self;
    begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 5);
    seen.match_count = 0;
    seen.act = NULL;
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 14); /* 1..9, then the five newborns */
    harness_end(&self);
}

static void lose_and_regain(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) != 0)
        return;
    ls_cell_detach(context, 0, entities[0] + 3);
    ls_cell_attach(context, 0, entities[0] + 3, &(number){4});
}

static void test_run_roll_visits_what_lost_and_regained(void **state)
{
    (void)state;
    seen.counts[0] = 5;
    seen.act = lose_and_regain;
    harness self;
    begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 5);
    harness_end(&self);
}

static void despawn_neighbours(ls_context *context, const ls_entity *entities)
{
    ls_despawn(context, entities[0] + 1);
    ls_despawn(context, entities[0] + 1);
    ls_despawn(context, entities[0] + ((ls_entity)2 << 32)); /* another life: nothing */
    ls_despawn(context, LS_ENTITY_NULL);
    assert_true(ls_is_alive(context, entities[0] + 1) || ls_entity_slot(entities[0]) == 6);
    if (ls_entity_slot(entities[0]) < 6)
        assert_non_null(ls_cell_find(context, 0, entities[0] + 1));
}

static void test_run_despawn_shows_to_its_own_roll_at_once(void **state)
{
    (void)state;
    seen.counts[0] = 7;
    seen.act = despawn_neighbours;
    harness self;
    begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 4); /* 0 2 4 6 */
    assert_int_equal(ls_world_entity_count(self.world), 4);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(ls_world_is_alive(self.world, ls_entity_make(1, i, 1)), i % 2 == 0);
    harness_end(&self);
}

static void despawn_self(ls_context *context, const ls_entity *entities)
{
    ls_despawn(context, entities[0]);
}

static void count_more(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_is_alive(context, entities[0]));
    assert_non_null(ls_cell_find(context, 0, entities[0]));
    ls_entity born = ls_spawn(context, 0);
    assert_true(ls_entity_slot(born) >= seen.counts[0]); /* no slot returns within the stage */
    seen.span_count++;
}

static void test_run_despawn_shows_to_others_after_the_sync_point(void **state)
{
    (void)state;
    static const ls_system systems[] = {
        {.name = "kill", .mode = LS_SEQUENTIAL, .match = note_match, .terms = {LS_READS(numbers)}},
        {.name = "look",
         .mode = LS_SEQUENTIAL,
         .match = count_more,
         .terms = {LS_READS(numbers)},
         .lanes = {"a"},
         .after = {"kill"}},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    seen.counts[0] = 6;
    seen.act = despawn_self;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 6);
    assert_int_equal(seen.span_count, 6);
    assert_int_equal(ls_world_entity_count(self.world), 6);
    assert_false(ls_world_is_alive(self.world, ls_entity_make(1, 0, 1)));
    assert_true(ls_world_is_alive(self.world, ls_entity_make(1, 11, 1)));
    harness_end(&self);
}

static const ls_system roll_pairs = {.name = "pairs",
                                     .mode = LS_SEQUENTIAL,
                                     .match = note_match,
                                     .terms = {LS_TERM(0, LS_INCLUDE, LS_STRUCTURE, numbers),
                                               LS_TERM(1, LS_INCLUDE, LS_STRUCTURE, left),
                                               LS_TERM(1, LS_INCLUDE, LS_PRESENCE, numbers)}};

static void test_run_roll_over_a_query_vector_is_the_product(void **state)
{
    (void)state;
    seen.counts[0] = 258;
    seen.counts[1] = 2;
    seen.has_left = last_of_page;
    seen.has_number = always;
    harness self;
    begin(&self, &roll_pairs);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 260);
    for (uint32_t i = 0; i < 260; i++) {
        assert_int_equal(seen.matches[i][0],
                         i < 258 ? ls_entity_make(1, i, 1) : ls_entity_make(2, i - 258, 1));
        assert_int_equal(seen.matches[i][1], ls_entity_make(1, 255, 1));
    }
    harness_end(&self);
}

static bool few(uint32_t lane, uint32_t i)
{
    return lane == 1 && i < 3;
}

static void change_pair(ls_context *context, const ls_entity *entities)
{
    uint32_t first = ls_entity_slot(entities[0]), second = ls_entity_slot(entities[1]);
    if (first == 0 && second == 1)
        ls_cell_detach(context, 0, entities[0]); /* takes it out of both queries */
    if (first == 1 && second == 1)
        ls_cell_detach(context, 1, ls_entity_make(1, 2, 1));
    if (first == 3 && second == 1)
        ls_despawn(context, entities[1]);
}

static void test_run_roll_over_a_query_vector_checks_each_pair_again(void **state)
{
    (void)state;
    seen.counts[0] = 5;
    seen.has_left = few;
    seen.act = change_pair;
    harness self;
    begin(&self, &roll_pairs);
    harness_tick(self.world, NULL);
    static const uint8_t expected[][2] = {{0, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}};
    assert_int_equal(seen.match_count, LS_COUNT_OF(expected));
    for (uint32_t i = 0; i < LS_COUNT_OF(expected); i++) {
        assert_int_equal(ls_entity_slot(seen.matches[i][0]), expected[i][0]);
        assert_int_equal(ls_entity_slot(seen.matches[i][1]), expected[i][1]);
    }
    harness_end(&self);
}

static void test_run_system_without_a_query_runs_once(void **state)
{
    (void)state;
    static const ls_system system = {
        .name = "once", .mode = LS_SEQUENTIAL, .match = note_match, .terms = {{0}}};
    harness self;
    begin(&self, &system);
    for (uint32_t i = 1; i <= 3; i++) {
        harness_tick(self.world, NULL);
        assert_int_equal(seen.match_count, i);
        assert_int_equal(seen.matches[i - 1][0], LS_ENTITY_NULL);
    }
    harness_end(&self);
}

static void test_run_query_without_an_include_matches_every_life(void **state)
{
    (void)state;
    static const ls_system system = {
        .name = "all", .mode = LS_SEQUENTIAL, .match = note_match, .terms = {LS_WITHOUT(left)}};
    seen.counts[0] = 300;
    seen.has_number = every_other;
    seen.has_left = last_of_page;
    harness self;
    begin(&self, &system);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 299);
    harness_end(&self);
}

/* One system asks who has a component while another, without an order, writes its values into pages
 * that a snapshot shares; a third one bears entities whose handles the first one guesses. */
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
    (void)entities;
    for (uint32_t i = 0; i < 30; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), NULL);
}

static const ls_system racing[] = {
    {.name = "write", .span = write_all, .terms = {LS_WRITES(numbers)}},
    {.name = "count", .span = count_present, .terms = {LS_WRITES(extras), LS_WITH(numbers)}},
    {.name = "bear",
     .mode = LS_SEQUENTIAL,
     .match = bear_all,
     .terms = {LS_OTHERS_STRUCTURE(right)},
     .lanes = {"b"}},
};

static void test_run_what_has_no_order_does_not_show(void **state)
{
    (void)state;
    ls_sim sim = HARNESS_SIM(components, lanes, racing);
    sim.setup = &setup;
    seen.counts[0] = 3000;
    seen.has_extra = every_other;
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
        RUN_TEST(test_run_spans_agree_on_optional_terms),
        RUN_TEST(test_run_concurrent_systems_change_their_own_at_once),
        RUN_TEST(test_run_roll_visits_in_canonical_order),
        RUN_TEST(test_run_roll_drops_lost_matches_and_sees_values_anew),
        RUN_TEST(test_run_roll_skips_gained_matches_and_newborns),
        RUN_TEST(test_run_roll_visits_what_lost_and_regained),
        RUN_TEST(test_run_despawn_shows_to_its_own_roll_at_once),
        RUN_TEST(test_run_despawn_shows_to_others_after_the_sync_point),
        RUN_TEST(test_run_roll_over_a_query_vector_is_the_product),
        RUN_TEST(test_run_roll_over_a_query_vector_checks_each_pair_again),
        RUN_TEST(test_run_system_without_a_query_runs_once),
        RUN_TEST(test_run_query_without_an_include_matches_every_life),
        RUN_TEST(test_run_what_has_no_order_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
