/* Sequential systems: which matches a roll visits, and what they see. tests/model proves the order
 * of matches and the effect of changes during a roll. */
#include "run_sim.h"

/* The matches that the system saw, and a function of the test that it calls. */
static struct {
    uint32_t match_count;
    ls_entity matches[4096][2];
    void (*act)(ls_context *context, const ls_entity *entities);
} seen;

static int forget(void **state)
{
    memset(&run_entities, 0, sizeof run_entities);
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

static const ls_system roll_numbers = {
    .name = "roll",
    .mode = LS_SEQUENTIAL,
    .match = note_match,
    .terms = LS_TERM_LIST(LS_DETACHES(numbers), LS_OTHERS_STRUCTURE(run_extras)),
    .lanes = "a"};

TESTS_AROUND(forget, NULL);

TEST(test_match_loop_system_without_a_query_runs_once)
{
    static const ls_system system = {
        .name = "once", .mode = LS_SEQUENTIAL, .match = note_match, .terms = NULL};
    harness self;
    run_begin(&self, &system);
    for (uint32_t i = 1; i <= 3; i++) {
        harness_tick(self.world, NULL);
        assert_int_equal(seen.match_count, i);
        assert_int_equal(seen.matches[i - 1][0], LS_ENTITY_NULL);
    }
    harness_end(&self);
}

TEST(test_match_loop_query_without_an_include_matches_every_life)
{
    const ls_system system = {.name = "all",
                              .mode = LS_SEQUENTIAL,
                              .match = note_match,
                              .terms = LS_TERM_LIST(LS_WITHOUT(left))};
    run_entities.counts[0] = 300;
    run_entities.has_number = every_other;
    run_entities.has_left = last_of_page;
    harness self;
    run_begin(&self, &system);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 299);
    harness_end(&self);
}

/* The page of "extra" is created between two lookups. */
static void look_and_attach(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 3; i++)
        assert_false(ls_cell_has(context, 1, entities[0]));
    assert_true(ls_cell_attach(context, 1, entities[0], NULL));
    assert_true(ls_cell_has(context, 1, entities[0]));
    assert_non_null(ls_cell_find(context, 1, entities[0]));
}

TEST(test_match_loop_sees_at_once_what_it_attaches)
{
    run_entities.counts[0] = 3;
    seen.act = look_and_attach;
    harness self;
    run_begin(&self, &roll_numbers);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 3);
    harness_end(&self);
}

/* Pairs of entities with equal numbers. */
static const ls_system roll_over_join = {
    .name = "roll",
    .mode = LS_SEQUENTIAL,
    .match = note_match,
    .terms = LS_TERM_LIST({&numbers, LS_INCLUDE, LS_ACCESS_WRITE, 0},
                          {&numbers, LS_INCLUDE, LS_ACCESS_READ, 1}),
    .joins = LS_JOINS({.component = &numbers, .query = 1, .from = &numbers})};

static void halve_own(ls_context *context, const ls_entity *entities)
{
    number *own = ls_cell_write(context, 0, entities[0]);
    own->value = (int32_t)ls_entity_slot(entities[0]) / 2;
}

static void move_second_to_the_others(ls_context *context, const ls_entity *entities)
{
    if (seen.match_count == 1)
        *(number *)ls_cell_write(context, 0, ls_entity_make(1, 1, 1)) = (number){1};
}

/* Pairs are joined by the keys at the start of the roll; a pair is skipped if its keys now
 * differ. */
TEST(test_match_loop_over_a_join_meets_by_the_first_keys)
{
    static const uint32_t expected[][2] = {{0, 0}, {1, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}};
    run_entities.counts[0] = 4;
    seen.act = halve_own;
    harness self;
    run_begin(&self, &roll_over_join);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count,
                     4); /* all numbers differ, so each entity pairs only with itself */
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

static void take_numbers_away(ls_context *context, const ls_entity *entities)
{
    ls_entity next =
        ls_entity_make(ls_entity_lane(entities[0]), ls_entity_slot(entities[0]) + 1, 1);
    if (seen.match_count == 1)
        assert_true(ls_cell_detach(context, 2, next));
}

static const ls_term choose_terms[] = {
    LS_ANY_OF(numbers, run_extras), LS_OTHERS_STRUCTURE(numbers), {0}};

/* The second entity has nothing of the choice any more when its turn comes. */
TEST(test_match_loop_looks_at_choices_again)
{
    static const ls_system system = {
        .name = "choose", .mode = LS_SEQUENTIAL, .match = note_match, .terms = choose_terms};
    harness self;
    run_entities.counts[0] = 3;
    seen.act = take_numbers_away;
    run_begin(&self, &system);
    harness_tick(self.world, NULL);
    assert_int_equal(seen.match_count, 2);
    assert_int_equal(ls_entity_slot(seen.matches[1][0]), 2);
    harness_end(&self);
}
