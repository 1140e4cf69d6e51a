/* Systems and stages of a world that run by name. */
#include "diary_sim.h"

#define WITH(sim, what, given)                                                                     \
    do {                                                                                           \
        (sim).what##s = (given);                                                                   \
        (sim).what##_count = LS_COUNT_OF(given);                                                   \
    } while (0)

/* Runs the words of `calls`: the name of a system, of a stage after '/', or '+' for a tick. */
static void run_calls(ls_world *world, const char *calls, ls_executor *executor)
{
    ls_error error = {""};
    char text[128];
    snprintf(text, sizeof text, "%s", calls);
    for (char *rest, *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        uint64_t before = ls_world_tick(world);
        ls_status status = LS_OK;
        if (*word == '+')
            harness_tick(world, executor);
        else if (*word == '/')
            status = ls_world_run_stage(world, word + 1, NULL, executor, &error);
        else
            status = ls_world_run_system(world, word, NULL, executor, &error);
        if (status != LS_OK)
            fail_msg("%s: %s", word, error.text);
        assert_int_equal(ls_world_tick(world), before + (*word == '+'));
    }
}

static void assert_calls(const ls_sim *sim, const char *calls, const char *expected)
{
    for (uint32_t i = 0; i < 4; i++) {
        harness self;
        ls_executor *executor = i == 0   ? NULL
                                : i == 1 ? harness_executor(3, 0)
                                : i == 2 ? harness_executor(1, 5)
                                         : harness_checker();
        harness_begin(&self, sim, 1);
        run_calls(self.world, calls, executor);
        assert_diary(self.world, expected, calls);
        harness_end(&self);
        ls_executor_destroy(executor);
    }
}

static const ls_stage stages[] = {{.name = "main"},
                                  {.name = "physics"},
                                  {.name = "solve", .within = "physics"},
                                  {.name = "late"}};

TEST(test_world_run_system_runs_it_alone)
{
    const ls_system systems[] = {
        WRITER("m"), WRITER("n", .after = "m"), WRITER("p", .stage = "physics"),
        WRITER("s", .stage = "solve", .slot = LS_AT_START), WRITER("l", .stage = "late")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH(sim, stage, stages);
    assert_calls(&sim, "n s s l m +", "nsslmmnpsl");
    assert_calls(&sim, "+ n + p", "mnpslnmnpslp");
}

TEST(test_world_run_system_asks_no_condition)
{
    const ls_system never = CRITERION("never", "n");
    const ls_stage gated[] = {{.name = "main"}, {.name = "off", .when = {.criterion = &never}}};
    const ls_set sets[] = {{.name = "none", .when = {.criterion = &never}}};
    const ls_system systems[] = {WRITER("m"), WRITER("n", .after = "m", .labels = "none"),
                                 WRITER("k", .after = "n", .needs = "n"),
                                 WRITER("o", .stage = "off")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH(sim, stage, gated);
    WITH(sim, set, sets);
    assert_calls(&sim, "+ n k o + m", "mnkomm");
    assert_calls(&sim, "/off /main", "om");
}

TEST(test_world_run_system_applies_its_commands)
{
    const ls_system systems[] = {COMMANDER(), FOR_EACH("1", diary_write, .after = "command")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    assert_calls(&sim, "1 command 1 command 1 + 1", "c1c11c11111");
}

TEST(test_world_run_stage_runs_what_is_within)
{
    const ls_system three = TIMES("three", "3");
    const ls_stage nested[] = {
        {.name = "main"},
        {.name = "physics", .when = {.every = 7, .phase = 6}},
        {.name = "solve", .within = "physics", .when = {.criterion = &three, .iterations_max = 3}},
        {.name = "even", .within = "physics", .when = {.every = 2}},
        {.name = "late"}};
    const ls_system systems[] = {WRITER("m"), WRITER("p", .stage = "physics", .needs = "m"),
                                 WRITER("s", .stage = "solve"), WRITER("e", .stage = "even"),
                                 WRITER("l", .stage = "late", .needs = "e")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH(sim, stage, nested);
    assert_calls(&sim, "/physics", "pssse");
    assert_calls(&sim, "+ /physics /solve", "mpssss");
    assert_calls(&sim, "/late /main +", "lmm");
}

TEST(test_world_run_stage_fails_like_a_tick)
{
    const ls_system two = CRITERION("ask", "Y");
    const ls_set sets[] = {{.name = "loop", .when = {.criterion = &two, .iterations_max = 2}}};
    const ls_system systems[] = {WRITER("m", .labels = "loop")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH(sim, set, sets);
    harness self;
    ls_error error;
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    assert_int_equal(ls_world_run_stage(self.world, "main", NULL, NULL, &error), LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "set \"loop\" wants stage \"main\" to run again"));
    assert_int_equal(ls_world_root(self.world), root);
    harness_end(&self);
}

static void hear(ls_context *context, const ls_entity *unused)
{
    diary_note(context, (uint8_t)('0' + ls_inputs(context)->count));
}

TEST(test_world_run_keeps_events_until_the_tick)
{
    const ls_system systems[] = {SENDER(.before = "receive"), RECEIVER()};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    diary_add_pings(&sim);
    assert_calls(&sim, "receive send receive receive send receive", ".e.e.e.");
    assert_calls(&sim, "+ receive send + receive", "e..e..");
    assert_calls(&sim, "send receive + receive", "e.e..");
}

TEST(test_world_run_draws_the_numbers_of_the_tick)
{
    const ls_system systems[] = {{.name = "draw",
                                  .mode = LS_SEQUENTIAL,
                                  .match = diary_draw,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries))}};
    ls_sim sim = diary_sim(systems, 1);
    harness self;
    harness_begin(&self, &sim, 1);
    run_calls(self.world, "draw draw + draw", NULL);
    const diary *all = ls_world_singleton(self.world, &diaries);
    assert_memory_equal(all->letters, all->letters + 2, 2);
    assert_memory_equal(all->letters, all->letters + 4, 2);
    assert_true(all->letters[0] != all->letters[6]);
    harness_end(&self);
}

static void write_const(ls_context *context, const ls_entity *unused)
{
    ((diary *)(uintptr_t)ls_singleton_read(context, 0))->letters[0] = 'x';
}

TEST(test_world_run_checks_what_a_system_declares)
{
    const ls_system systems[] = {{.name = "peek",
                                  .mode = LS_SEQUENTIAL,
                                  .match = write_const,
                                  .terms = LS_TERM_LIST(LS_OTHERS_READ(diaries))}};
    ls_sim sim = diary_sim(systems, 1);
    harness self;
    ls_error error = {""};
    ls_executor *checker = harness_checker();
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    assert_int_equal(ls_world_run_system(self.world, "peek", NULL, checker, &error),
                     LS_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "system \"peek\" writes what it may not write: diary"));
    assert_int_equal(ls_world_root(self.world), root);
    harness_end(&self);
    ls_executor_destroy(checker);
}

TEST(test_world_run_gives_the_inputs_of_its_frame)
{
    const ls_system systems[] = {{.name = "hear",
                                  .mode = LS_SEQUENTIAL,
                                  .match = hear,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries))}};
    ls_sim sim = diary_sim(systems, 1);
    harness self;
    ls_error error = {""};
    harness_begin(&self, &sim, 1);
    const ls_input joins[] = {{.player = 0, .kind = LS_JOIN}, {.player = 1, .kind = LS_JOIN}};
    const ls_frame frame = {.tick = 0, .count = 2, .inputs = joins};
    assert_int_equal(ls_world_run_system(self.world, "hear", &frame, NULL, &error), LS_OK);
    assert_diary(self.world, "2", "hear");
    run_calls(self.world, "hear", NULL);
    assert_diary(self.world, "20", "hear");
    harness_end(&self);
}

static void assert_call_refused(ls_world *world, bool is_stage, const char *name, const char *text)
{
    ls_error error = {""};
    assert_int_equal(is_stage ? ls_world_run_stage(world, name, NULL, NULL, &error)
                              : ls_world_run_system(world, name, NULL, NULL, &error),
                     LS_ERROR_USAGE);
    assert_string_equal(error.text, text);
    assert_diary(world, "c", name);
}

TEST(test_world_run_refuses_names_with_a_remedy)
{
    const ls_system ask = CRITERION("ask", "y");
    const ls_system setup = COMMANDER();
    const ls_set sets[] = {{.name = "group", .when = {.criterion = &ask}}};
    const ls_system systems[] = {WRITER("gather", .labels = "group"),
                                 WRITER("physic", .stage = "late")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    WITH(sim, stage, stages);
    WITH(sim, set, sets);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    ls_world *world = self.world;
    assert_call_refused(world, false, "gahter",
                        "no system is called \"gahter\"; is \"gather\" meant?");
    assert_call_refused(world, false, "fly", "no system is called \"fly\"");
    assert_call_refused(world, false, "late",
                        "\"late\" is a stage, not a system; ls_world_run_stage() runs it");
    assert_call_refused(
        world, false, "group",
        "\"group\" is a label, set or par, not a system; name a system that it has");
    assert_call_refused(
        world, false, "ask",
        "\"ask\" is a criterion, not a system; it runs before its set or stage does");
    assert_call_refused(world, false, "command",
                        "\"command\" is a setup, not a system; it runs when a world is created");
    assert_call_refused(world, true, "lat", "no stage is called \"lat\"; is \"late\" meant?");
    assert_call_refused(world, true, "phisics",
                        "no stage is called \"phisics\"; is \"physics\" meant?");
    assert_call_refused(world, true, "gather",
                        "\"gather\" is a system, not a stage; ls_world_run_system() runs it");
    const ls_frame late = {.tick = 3};
    ls_error error;
    assert_int_equal(ls_world_run_system(world, "gather", &late, NULL, &error), LS_ERROR_USAGE);
    assert_string_equal(error.text, "the frame is for tick 3, the world is at 0");
    harness_end(&self);
}
