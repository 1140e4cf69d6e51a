/* Sequential systems: what a roll visits, in which order, and what it sees meanwhile. */
#include "run_sim.h"

/* The matches that the systems saw, and the calls that a test makes them do. */
static struct {
    uint32_t match_count, looks;
    ls_entity matches[4096][2];
    void (*act)(ls_context *context, const ls_entity *entities);
} seen;

static int forget(void **state)
{
    (void)state;
    memset(&population, 0, sizeof population);
    memset(&seen, 0, sizeof seen);
    return 0;
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

static void test_roll_visits_in_canonical_order(void **state)
{
    (void)state;
    population.counts[0] = 300;
    population.counts[1] = 2;
    population.has_number = every_other;
    harness self;
    run_begin(&self, &roll_numbers);
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

static void test_roll_drops_lost_matches_and_sees_values_anew(void **state)
{
    (void)state;
    population.counts[0] = 9;
    seen.act = detach_next;
    harness self;
    run_begin(&self, &roll_numbers);
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

static void test_roll_skips_gained_matches_and_newborns(void **state)
{
    (void)state;
    population.counts[0] = 10;
    population.has_number = every_other;
    seen.act = gain_and_bear;
    harness self;
    run_begin(&self, &roll_numbers);
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

static void test_roll_visits_what_lost_and_regained(void **state)
{
    (void)state;
    population.counts[0] = 5;
    seen.act = lose_and_regain;
    harness self;
    run_begin(&self, &roll_numbers);
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

static void test_roll_despawn_shows_to_its_own_roll_at_once(void **state)
{
    (void)state;
    population.counts[0] = 7;
    seen.act = despawn_neighbours;
    harness self;
    run_begin(&self, &roll_numbers);
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
    assert_true(ls_entity_slot(born) >=
                population.counts[0]); /* no slot returns within the stage */
    seen.looks++;
}

static void test_roll_despawn_shows_to_others_after_the_sync_point(void **state)
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
    ls_sim sim = HARNESS_SIM(run_components, run_lanes, systems);
    sim.setup = &run_setup;
    population.counts[0] = 6;
    seen.act = despawn_self;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 6);
    assert_int_equal(seen.looks, 6);
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

static void test_roll_over_a_query_vector_is_the_product(void **state)
{
    (void)state;
    population.counts[0] = 258;
    population.counts[1] = 2;
    population.has_left = last_of_page;
    harness self;
    run_begin(&self, &roll_pairs);
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

static void test_roll_over_a_query_vector_checks_each_pair_again(void **state)
{
    (void)state;
    population.counts[0] = 5;
    population.has_left = few;
    seen.act = change_pair;
    harness self;
    run_begin(&self, &roll_pairs);
    harness_tick(self.world, NULL);
    static const uint8_t expected[][2] = {{0, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}};
    assert_int_equal(seen.match_count, LS_COUNT_OF(expected));
    for (uint32_t i = 0; i < LS_COUNT_OF(expected); i++) {
        assert_int_equal(ls_entity_slot(seen.matches[i][0]), expected[i][0]);
        assert_int_equal(ls_entity_slot(seen.matches[i][1]), expected[i][1]);
    }
    harness_end(&self);
}

static void despawn_first(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) == 1)
        ls_despawn(context, entities[0]);
}

static void test_roll_over_a_query_vector_leaves_out_the_despawned(void **state)
{
    (void)state;
    population.counts[0] = 3;
    population.has_left = few;
    seen.act = despawn_first;
    harness self;
    run_begin(&self, &roll_pairs);
    harness_tick(self.world, NULL);
    static const uint8_t expected[][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0}, {2, 2}};
    assert_int_equal(seen.match_count, LS_COUNT_OF(expected));
    for (uint32_t i = 0; i < LS_COUNT_OF(expected); i++) {
        assert_int_equal(ls_entity_slot(seen.matches[i][0]), expected[i][0]);
        assert_int_equal(ls_entity_slot(seen.matches[i][1]), expected[i][1]);
    }
    harness_end(&self);
}

static void test_roll_system_without_a_query_runs_once(void **state)
{
    (void)state;
    static const ls_system system = {
        .name = "once", .mode = LS_SEQUENTIAL, .match = note_match, .terms = {{0}}};
    harness self;
    run_begin(&self, &system);
    for (uint32_t i = 1; i <= 3; i++) {
        harness_tick(self.world, NULL);
        assert_int_equal(seen.match_count, i);
        assert_int_equal(seen.matches[i - 1][0], LS_ENTITY_NULL);
    }
    harness_end(&self);
}

static void test_roll_query_without_an_include_matches_every_life(void **state)
{
    (void)state;
    static const ls_system system = {
        .name = "all", .mode = LS_SEQUENTIAL, .match = note_match, .terms = {LS_WITHOUT(left)}};
    population.counts[0] = 300;
    population.has_number = every_other;
    population.has_left = last_of_page;
    harness self;
    run_begin(&self, &system);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 299);
    harness_end(&self);
}

#define RUN_TEST(name) cmocka_unit_test_setup(name, forget)

/* The page of the extras is created between two looks at it. */
static void look_and_attach(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 3; i++)
        assert_false(ls_cell_has(context, 1, entities[0]));
    assert_true(ls_cell_attach(context, 1, entities[0], NULL));
    assert_true(ls_cell_has(context, 1, entities[0]));
    assert_non_null(ls_cell_find(context, 1, entities[0]));
}

static void test_roll_sees_at_once_what_it_attaches(void **state)
{
    (void)state;
    population.counts[0] = 3;
    seen.act = look_and_attach;
    harness self;
    run_begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 3);
    harness_end(&self);
}

/* Pairs of equal numbers. */
static const ls_system roll_over_join = {
    .name = "roll",
    .mode = LS_SEQUENTIAL,
    .match = note_match,
    .terms = {{&numbers, LS_INCLUDE, LS_WRITE, 0}, {&numbers, LS_INCLUDE, LS_READ, 1}},
    .joins = {{.component = &numbers, .query = 1, .from = &numbers}}};

static void halve_own(ls_context *context, const ls_entity *entities)
{
    number *own = ls_cell_write(context, 0, entities[0]);
    own->value = (int32_t)ls_entity_slot(entities[0]) / 2;
}

static void move_second_to_the_others(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    if (seen.match_count == 1)
        *(number *)ls_cell_write(context, 0, ls_entity_make(1, 1, 1)) = (number){1};
}

/* Pairs are joined by the keys at the start; a pair whose keys differ by now is left out. */
static void test_roll_over_a_join_meets_by_the_first_keys(void **state)
{
    (void)state;
    static const uint32_t expected[][2] = {{0, 0}, {1, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}};
    population.counts[0] = 4;
    seen.act = halve_own;
    harness self;
    run_begin(&self, &roll_over_join);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 4); /* all are different: each with itself */
    seen.match_count = 0;
    seen.act = move_second_to_the_others;
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, LS_COUNT_OF(expected));
    for (uint32_t i = 0; i < LS_COUNT_OF(expected); i++) {
        assert_int_equal(ls_entity_slot(seen.matches[i][0]), expected[i][0]);
        assert_int_equal(ls_entity_slot(seen.matches[i][1]), expected[i][1]);
    }
    harness_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_roll_visits_in_canonical_order),
        RUN_TEST(test_roll_drops_lost_matches_and_sees_values_anew),
        RUN_TEST(test_roll_skips_gained_matches_and_newborns),
        RUN_TEST(test_roll_visits_what_lost_and_regained),
        RUN_TEST(test_roll_despawn_shows_to_its_own_roll_at_once),
        RUN_TEST(test_roll_despawn_shows_to_others_after_the_sync_point),
        RUN_TEST(test_roll_over_a_query_vector_is_the_product),
        RUN_TEST(test_roll_over_a_query_vector_checks_each_pair_again),
        RUN_TEST(test_roll_over_a_query_vector_leaves_out_the_despawned),
        RUN_TEST(test_roll_sees_at_once_what_it_attaches),
        RUN_TEST(test_roll_over_a_join_meets_by_the_first_keys),
        RUN_TEST(test_roll_system_without_a_query_runs_once),
        RUN_TEST(test_roll_query_without_an_include_matches_every_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
