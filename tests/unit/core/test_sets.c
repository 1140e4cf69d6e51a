/* Sets: which systems run, how often, their shared orders, and contradictions. */
#include "diary_sim.h"

TEST(test_sets_share_what_is_said_of_them)
{
    const ls_set sets[] = {{.name = "inner", .labels = "outer", .before = "b"},
                           {.name = "outer", .after = "e"}};
    const ls_system systems[] = {WRITER("a", .labels = "outer", .after = "b"), WRITER("b"),
                                 WRITER("c", .labels = "inner", .after = "d"),
                                 WRITER("d", .labels = "inner"), WRITER("e")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 1, "edcba");
}

TEST(test_sets_run_when_their_criterion_says_so)
{
    const ls_system ask = CRITERION("ask", "yn-");
    const ls_set sets[] = {{.name = "some", .when = {.criterion = &ask}}};
    /* "b" keeps its place between "a" and "c" even if it does not run. */
    const ls_system systems[] = {WRITER("a"), WRITER("b", .labels = "some", .after = "a"),
                                 WRITER("c", .after = "b")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = 1;
    /* 0 letters: y; 3 letters: y; and so on. */
    assert_writes(&sim, 2, "abcabc");
    const ls_system other = CRITERION("ask", "yynnnyyy");
    const ls_set others[] = {{.name = "some", .when = {.criterion = &other}}};
    sim.sets = others;
    assert_writes(&sim, 4, "abcacabcabc");
}

TEST(test_sets_run_every_so_many_ticks)
{
    const ls_set sets[] = {{.name = "third", .when = {.every = 3, .phase = 1}},
                           {.name = "second", .when = {.every = 2}}};
    const ls_system systems[] = {
        WRITER("a", .labels = "third"), WRITER("b", .labels = "second", .after = "a"),
        WRITER("c", .labels = "second, third", .after = "b"), WRITER("-", .after = "c")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 7, "b-a-b--abc--b-");
}

TEST(test_sets_take_along_who_needs_them)
{
    const ls_stage stages[] = {{.name = "main"}, {.name = "late"}};
    const ls_set sets[] = {{.name = "odd", .when = {.every = 2, .phase = 1}}};
    const ls_system systems[] = {WRITER("a", .labels = "odd"), WRITER("b", .needs = "a"),
                                 WRITER("c", .needs = "b"), WRITER("d", .after = "c"),
                                 WRITER("e", .needs = "c", .stage = "late")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    sim.sets = sets;
    sim.set_count = 1;
    assert_writes(&sim, 4, "dabcdedabcde");
}

/* A `needs` is satisfied by a system that ran in an earlier iteration, although the criterion's
 * last answer is no. */
TEST(test_sets_that_looped_have_run_for_who_needs_them)
{
    const ls_stage stages[] = {{.name = "main"}, {.name = "late"}};
    const ls_system ask = CRITERION("ask", "YYYn"), never = CRITERION("never", "n");
    const ls_set sets[] = {{.name = "loop", .when = {.criterion = &ask, .iterations_max = 5}},
                           {.name = "none", .when = {.criterion = &never, .iterations_max = 5}}};
    const ls_system systems[] = {WRITER("a"),
                                 WRITER("b", .labels = "loop", .needs = "a"),
                                 WRITER("c", .labels = "none", .after = "b"),
                                 WRITER("d", .needs = "a", .stage = "late"),
                                 WRITER("e", .needs = "b", .stage = "late", .after = "d"),
                                 WRITER("f", .needs = "c", .stage = "late", .after = "e")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 1, "abbde");
}

TEST(test_sets_run_again_with_a_sync_point_each_time)
{
    const ls_system ask = CRITERION("ask", "YYYYYn");
    const ls_set sets[] = {{.name = "loop", .when = {.criterion = &ask, .iterations_max = 5}}};
    const ls_system systems[] = {
        WRITER("a"),
        COMMANDER(.labels = "loop", .after = "a"),
        FOR_EACH("1", diary_write, .labels = "loop", .after = "command"),
    };
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = 1;
    /* Each iteration adds an entity and writes c and one 1 per entity; at eleven letters the answer
     * is no. */
    assert_writes(&sim, 1, "acc1c11c111");
}

/* Runs each tick twice: a failed tick must leave nothing behind. */
static void assert_fails(const ls_set *set, const char *text)
{
    const ls_system systems[] = {WRITER("a"), WRITER("b", .labels = set->name, .after = "a")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = set;
    sim.set_count = 1;
    harness self;
    ls_error error;
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    ls_executor *executors[] = {NULL, harness_executor(2, 0)};
    for (uint32_t i = 0; i < 12; i++) { /* often enough for the executor to try two threads */
        const ls_frame frame = {.tick = 0};
        assert_int_equal(ls_world_advance(self.world, &frame, executors[i > 0], &error),
                         LS_ERROR_LIMIT);
        assert_non_null(strstr(error.text, text));
        assert_int_equal(ls_world_root(self.world), root);
        assert_int_equal(ls_world_tick(self.world), 0);
        assert_diary(self.world, "", "a failed tick");
    }
    ls_executor_destroy(executors[1]);
    harness_end(&self);
}

TEST(test_sets_that_wait_for_ever_fail_the_tick)
{
    const ls_system ask = CRITERION("ask", "N");
    const ls_set late = {.name = "late", .when = {.criterion = &ask, .iterations_max = 9}};
    assert_fails(&late, "set \"late\" wants stage \"main\" to run again after 9");
}

/* A set that says no is asked again in each iteration that another set causes, and may then run. */
TEST(test_sets_that_say_no_may_run_when_asked_again)
{
    const ls_system ask = CRITERION("ask", "YYn"), wait = CRITERION("wait", "NNy");
    const ls_set sets[] = {{.name = "loop", .when = {.criterion = &ask, .iterations_max = 4}},
                           {.name = "late", .when = {.criterion = &wait, .iterations_max = 4}}};
    const ls_system systems[] = {WRITER("a", .labels = "loop"),
                                 WRITER("b", .labels = "late", .after = "a")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 2, "aabaab");
}

TEST(test_sets_that_loop_for_ever_fail_the_tick_and_change_nothing)
{
    const ls_system ask = CRITERION("ask", "Y");
    const ls_set loop = {.name = "loop", .when = {.criterion = &ask, .iterations_max = 3}};
    assert_fails(&loop, "set \"loop\" wants stage \"main\" to run again after 3");
}

TEST(test_sets_draw_other_numbers_in_each_iteration)
{
    const ls_system ask = CRITERION("ask", "YYYYYYYYn");
    const ls_set sets[] = {{.name = "loop", .when = {.criterion = &ask, .iterations_max = 9}}};
    const ls_system systems[] = {{.name = "draw",
                                  .mode = LS_SEQUENTIAL,
                                  .match = diary_draw,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries)),
                                  .labels = "loop"}};
    ls_sim sim = diary_sim(systems, 1);
    sim.sets = sets;
    sim.set_count = 1;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    const diary *all = ls_world_singleton(self.world, &diaries);
    assert_int_equal(all->count, 8);
    uint32_t others = 0;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(all->letters[2 * i + 1], '0' + i);
        others += all->letters[2 * i] != all->letters[0];
    }
    assert_true(others >= 2);
    harness_end(&self);
}

TEST(test_sets_refuse_what_cannot_be)
{
    const ls_system systems[] = {WRITER("a")};
    ls_sim sim = diary_sim(systems, 1);
    const ls_set self[] = {{.name = "x", .labels = "x"}};
    const ls_set circle[] = {{.name = "x", .labels = "y"}, {.name = "y", .labels = "x"}};
    const ls_set unknown[] = {{.name = "x", .after = "nobody"}};
    const ls_set phase[] = {{.name = "x", .when = {.every = 3, .phase = 3}}};
    const ls_system writer = WRITER("writes");
    const ls_set impure[] = {{.name = "x", .when = {.criterion = &writer}}};
    sim.set_count = 1;
    sim.sets = self;
    assert_refused(&sim, LS_ERROR_REFUSED, "set \"x\" is inside itself");
    sim.sets = unknown;
    assert_refused(&sim, LS_ERROR_USAGE, "set \"x\" is to run after \"nobody\"");
    sim.sets = phase;
    assert_refused(&sim, LS_ERROR_USAGE, "every 3 ticks in phase 3");
    sim.sets = impure;
    assert_refused(&sim, LS_ERROR_USAGE, "the criterion \"writes\" of set \"x\"");
    sim.sets = circle;
    sim.set_count = 2;
    assert_refused(&sim, LS_ERROR_REFUSED, "set \"x\" is inside set \"y\"");
    const ls_set both[] = {
        {.name = "x", .labels = "y"}, {.name = "z", .labels = "z"}, {.name = "y", .labels = "x"}};
    sim.sets = both;
    sim.set_count = 3;
    assert_refused(&sim, LS_ERROR_REFUSED, "set \"x\" is inside set \"y\"",
                   "set \"z\" is inside itself");
}

static void advance_once(void *sim)
{
    harness self;
    harness_begin(&self, sim, 1);
    harness_tick(self.world, NULL);
}

static void die(ls_context *context, const ls_entity *unused)
{
    ls_despawn(context, LS_ENTITY_NULL);
}

static void decide_anyway(ls_context *context, const ls_entity *unused)
{
    ls_decide(context, LS_YES);
}

TEST(test_sets_stop_criteria_that_do_more_and_systems_that_decide)
{
    const ls_system again = CRITERION("again", "Y");
    const ls_system killer = {.name = "kill", .mode = LS_SEQUENTIAL, .match = die};
    const ls_set sets[] = {{.name = "x", .when = {.criterion = &again}},
                           {.name = "x", .when = {.criterion = &killer}}};
    ls_system systems[] = {WRITER("a", .labels = "x")};
    ls_sim sim = diary_sim(systems, 1);
    sim.set_count = 1;
    sim.sets = &sets[0];
    assert_dies(advance_once, &sim, "\"again\"", "no iterations_max");
    sim.sets = &sets[1];
    assert_dies(advance_once, &sim, "\"kill\"", "is a run criterion, but despawns");
    sim.set_count = 0;
    systems[0].match = decide_anyway;
    assert_dies(advance_once, &sim, "\"a\"", "is no run criterion, but decides");
}
