/* Stages within stages, and stages that run on a condition or several times. */
#include "diary_sim.h"

#define WITH_STAGES(sim, given)                                                                    \
    do {                                                                                           \
        (sim).stages = (given);                                                                    \
        (sim).stage_count = LS_COUNT_OF(given);                                                    \
    } while (0)

TEST(test_nested_stages_come_behind_the_systems_around_them)
{
    const ls_stage stages[] = {{.name = "main"},
                               {.name = "solve", .within = "physics"},
                               {.name = "physics"},
                               {.name = "paint"},
                               {.name = "broad", .within = "physics", .before = "solve"},
                               {.name = "fine", .within = "solve"}};
    const ls_system systems[] = {WRITER("p", .stage = "paint"),   WRITER("f", .stage = "fine"),
                                 WRITER("s", .stage = "solve"),   WRITER("b", .stage = "broad"),
                                 WRITER("y", .stage = "physics"), WRITER("m")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH_STAGES(sim, stages);
    assert_writes(&sim, 2, "mybsfpmybsfp");
}

TEST(test_nested_stages_run_again_with_all_within)
{
    const ls_system three = TIMES("three", "3"), two = TIMES("two", "2");
    const ls_stage stages[] = {
        {.name = "main"},
        {.name = "physics", .when = {.criterion = &three, .iterations_max = 3}},
        {.name = "solve", .within = "physics", .when = {.criterion = &two, .iterations_max = 8}},
        {.name = "last", .within = "physics"}};
    const ls_system systems[] = {WRITER("m"), WRITER("p", .stage = "physics"),
                                 WRITER("s", .stage = "solve"), WRITER("l", .stage = "last")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH_STAGES(sim, stages);
    assert_writes(&sim, 1, "mpsslpsslpssl");
}

TEST(test_nested_stages_have_a_sync_point_each_time)
{
    const ls_system three = TIMES("three", "3");
    const ls_stage stages[] = {{.name = "grow", .when = {.criterion = &three, .iterations_max = 3}},
                               {.name = "count", .within = "grow"}};
    const ls_system systems[] = {COMMANDER(.stage = "grow"),
                                 FOR_EACH("1", diary_write, .stage = "count")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH_STAGES(sim, stages);
    assert_writes(&sim, 1, "c1c11c111");
}

TEST(test_nested_run_when_their_criterion_says_so)
{
    const ls_system ask = CRITERION("ask", "yyynnnnnyyy");
    const ls_stage stages[] = {{.name = "main"},
                               {.name = "some", .when = {.criterion = &ask}},
                               {.name = "within", .within = "some"},
                               {.name = "third", .when = {.every = 3, .phase = 2}}};
    const ls_system systems[] = {
        WRITER("m"), WRITER("s", .stage = "some"), WRITER("w", .stage = "within"),
        WRITER("n", .needs = "w", .stage = "third"), WRITER("t", .stage = "third", .after = "n")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH_STAGES(sim, stages);
    /* 1 letter: yes; 4: no; 5: no, so "w" does not run, nor does "n", which needs it. */
    assert_writes(&sim, 3, "mswmmt");
}

TEST(test_nested_that_do_not_run_leave_no_events)
{
    const ls_stage stages[] = {{.name = "even", .when = {.every = 2}}, {.name = "main"}};
    const ls_system systems[] = {SENDER(.stage = "even"), RECEIVER(.stage = "main")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    diary_add_pings(&sim);
    WITH_STAGES(sim, stages);
    assert_writes(&sim, 4, "e..e..");
}

/* A loop inside a loop: every run draws other random numbers, and each loop counts its own
 * iterations. */
TEST(test_nested_stages_draw_other_numbers_in_each_run)
{
    const ls_system two = TIMES("two", "2"), three = TIMES("three", "3");
    const ls_stage stages[] = {
        {.name = "outer", .when = {.criterion = &two, .iterations_max = 2}},
        {.name = "inner", .within = "outer", .when = {.criterion = &three, .iterations_max = 3}}};
    const ls_system systems[] = {{.name = "draw",
                                  .mode = LS_SEQUENTIAL,
                                  .match = diary_draw,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries)),
                                  .stage = "inner"}};
    ls_sim sim = diary_sim(systems, 1);
    WITH_STAGES(sim, stages);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    const diary *all = ls_world_singleton(self.world, &diaries);
    assert_int_equal(all->count, 12);
    uint32_t different = 0;
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(all->letters[2 * i + 1], '0' + i % 3);
        different += i >= 3 && all->letters[2 * i] != all->letters[2 * i - 6];
    }
    assert_true(different >= 2);
    harness_end(&self);
}

TEST(test_nested_that_loop_for_ever_fail_the_tick)
{
    const ls_system again = CRITERION("again", "Y"), wait = CRITERION("wait", "N");
    const ls_system *const criteria[] = {&again, &wait};
    const ls_system systems[] = {WRITER("a")};
    for (uint32_t i = 0; i < LS_COUNT_OF(criteria); i++) {
        const ls_stage stages[] = {
            {.name = "loop", .when = {.criterion = criteria[i], .iterations_max = 5}}};
        ls_sim sim = diary_sim(systems, 1);
        WITH_STAGES(sim, stages);
        harness self;
        ls_error error;
        harness_begin(&self, &sim, 1);
        const ls_frame frame = {.tick = 0};
        assert_int_equal(ls_world_advance(self.world, &frame, NULL, &error), LS_ERROR_LIMIT);
        assert_non_null(strstr(error.text, "stage \"loop\" to run again after 5"));
        assert_diary(self.world, "", "a failed tick");
        harness_end(&self);
    }
}

TEST(test_nested_stages_refuse_places_that_cannot_be)
{
    const ls_system systems[] = {WRITER("a")};
    ls_sim sim = diary_sim(systems, 1);
    const ls_stage unknown[] = {{.name = "x", .within = "y"}};
    const ls_stage self[] = {{.name = "x", .within = "x"}};
    const ls_stage circle[] = {{.name = "x", .within = "y"}, {.name = "y", .within = "x"}};
    const ls_stage apart[] = {
        {.name = "x"}, {.name = "y", .within = "x"}, {.name = "z", .after = "y"}};
    const ls_stage phase[] = {{.name = "x", .when = {.every = 2, .phase = 2}}};
    const ls_system writer = WRITER("w");
    const ls_stage impure[] = {{.name = "x", .when = {.criterion = &writer}}};
    WITH_STAGES(sim, unknown);
    assert_refused(&sim, LS_ERROR_USAGE, "within stage \"y\", which the simulation does not list");
    WITH_STAGES(sim, self);
    assert_refused(&sim, LS_ERROR_REFUSED, "the place of stage \"x\" depends on itself");
    WITH_STAGES(sim, circle);
    assert_refused(&sim, LS_ERROR_REFUSED, "the place of stage \"x\" depends on itself", ".within");
    WITH_STAGES(sim, apart);
    assert_refused(&sim, LS_ERROR_REFUSED, "stage \"z\" is to come after stage \"y\"",
                   "the same .within");
    WITH_STAGES(sim, phase);
    assert_refused(&sim, LS_ERROR_USAGE, "stage \"x\" runs every 2 ticks in phase 2");
    WITH_STAGES(sim, impure);
    assert_refused(&sim, LS_ERROR_USAGE, "criterion \"w\" of stage \"x\"", "change nothing");
}
