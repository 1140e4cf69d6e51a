/* Stages, slots, sets and run criteria: what runs, in which order, and when its commands show. A
 * system writes its letter into a log, which a test compares after a tick under every executor. */
#include "harness.h"

enum { LETTERS = 56 };

typedef struct diary {
    uint32_t count, asked;
    uint8_t letters[LETTERS];
} diary;

typedef struct tally {
    uint32_t value;
} tally;

static const ls_field diary_fields[] = {LS_FIELD(diary, count, LS_TYPE_U32),
                                        LS_FIELD(diary, asked, LS_TYPE_U32),
                                        LS_FIELD(diary, letters, LS_TYPE_U8)};
static const ls_field tally_fields[] = {LS_FIELD(tally, value, LS_TYPE_U32)};
static const ls_component diaries = LS_SINGLETON(diary, "diary", diary_fields);
static const ls_component counts = LS_COMPONENT(tally, "count", tally_fields);
static const ls_component extras = LS_COMPONENT(tally, "extra", tally_fields);
static const ls_component tags = LS_TAG("tag");
static const ls_component *const components[] = {&diaries, &counts, &extras, &tags};
static const char *const lanes[] = {"a"};

static void note(ls_context *context, uint8_t letter)
{
    diary *all = ls_singleton_write(context, 0);
    if (all->count < LETTERS)
        all->letters[all->count++] = letter;
}

static void write_letter(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    note(context, *(const uint8_t *)ls_system_data(context));
}

#define WRITER(letter, ...)                                                                        \
    {                                                                                              \
        .name = letter, .mode = LS_SEQUENTIAL, .match = write_letter, .data = letter,              \
        .terms = {LS_OTHERS_WRITE(diaries)}, __VA_ARGS__                                           \
    }

static ls_sim sim_of(const ls_system *systems, uint32_t system_count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = system_count;
    return sim;
}

static void assert_diary(ls_world *world, const char *expected, const char *who)
{
    char letters[LETTERS + 1] = "";
    const diary *all = ls_world_singleton(world, &diaries);
    memcpy(letters, all->letters, all->count);
    if (strcmp(letters, expected) != 0)
        fail_msg("%s wrote \"%s\", not \"%s\"", who, letters, expected);
}

/* After so many ticks. The last executor is shuffled. */
static void assert_writes(const ls_sim *sim, uint32_t ticks, const char *expected)
{
    static const struct {
        uint32_t threads;
        uint64_t shuffle;
        const char *name;
    } executors[] = {{1, 0, "one thread"}, {3, 0, "three threads"}, {1, 5, "a shuffled order"}};
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        harness self;
        ls_executor_config config = {executors[i].threads, executors[i].shuffle, 1};
        ls_executor *executor;
        assert_int_equal(ls_executor_create(&config, &executor, NULL), LS_OK);
        harness_begin(&self, sim, 1);
        for (uint32_t tick = 0; tick < ticks; tick++)
            harness_tick(self.world, executor);
        assert_diary(self.world, expected, executors[i].name);
        harness_end(&self);
        ls_executor_destroy(executor);
    }
}

static void test_stages_run_in_the_order_of_their_places(void **state)
{
    (void)state;
    static const ls_stage stages[] = {{.name = "three"},
                                      {.name = "six"},
                                      {.name = "two", .before = "three"},
                                      {.name = "five", .after = "three"},
                                      {.name = "four", .after = "three"},
                                      {.name = "one", .before = "two"}};
    const ls_system systems[] = {WRITER("a", .stage = "six"),  WRITER("b", .stage = "five"),
                                 WRITER("c", .stage = "four"), WRITER("d"),
                                 WRITER("e", .stage = "two"),  WRITER("f", .stage = "one")};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    assert_writes(&sim, 2, "fedcbafedcba");
    harness self;
    harness_begin(&self, &sim, 1);
    assert_int_equal(ls_program_stage_count(self.program), 6);
    assert_string_equal(ls_program_stage(self.program, 3)->name, "four");
    assert_int_equal(ls_program_stage_of(self.program, 3), 3);
    assert_true(ls_program_is_ordered(self.program, 0, 5));
    assert_false(ls_program_is_ordered(self.program, 5, 0));
    harness_end(&self);
}

static void test_stages_have_exclusive_systems_around_the_others(void **state)
{
    (void)state;
    const ls_system systems[] = {
        WRITER("a", .slot = LS_AT_END), WRITER("b", .slot = LS_BEFORE_COMMANDS), WRITER("c"),
        WRITER("d", .slot = LS_AT_START, .after = {"e"}), WRITER("e", .slot = LS_AT_START)};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    assert_writes(&sim, 1, "edcba");
}

static void command(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    ls_command_attach(context, 1, ls_command_spawn(context, 0), &(tally){7});
    note(context, 'c');
}

static void count_all(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    note(context, *(const uint8_t *)ls_system_data(context));
}

static void kill_all(ls_context *context, const ls_entity *entities)
{
    ls_despawn(context, entities[0]);
    note(context, 'k');
}

#define FOR_EACH(label, function, ...)                                                             \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = function, .data = label,                    \
        .terms = {LS_OTHERS_WRITE(diaries), LS_WITH(counts)}, __VA_ARGS__                          \
    }

static void test_stages_have_a_sync_point_each(void **state)
{
    (void)state;
    static const ls_stage stages[] = {{.name = "first"}, {.name = "second"}, {.name = "third"}};
    const ls_system systems[] = {
        {.name = "command",
         .mode = LS_SEQUENTIAL,
         .match = command,
         .terms = {LS_OTHERS_WRITE(diaries), LS_COMMANDED(counts)},
         .command_lanes = {"a"}},
        FOR_EACH("1", count_all, .after = {"command"}),
        FOR_EACH("2", count_all, .slot = LS_AT_END),
        FOR_EACH("3", count_all, .stage = "second"),
        FOR_EACH("4", kill_all, .stage = "second", .after = {"3"}),
        FOR_EACH("5", count_all, .stage = "second", .after = {"4"}),
        FOR_EACH("6", count_all, .stage = "second", .slot = LS_AT_END),
        FOR_EACH("7", count_all, .stage = "third"),
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    assert_writes(&sim, 2, "c23k5c23k5");
}

static void test_stages_apply_what_their_end_commands_before_the_next(void **state)
{
    (void)state;
    static const ls_stage stages[] = {{.name = "first"}, {.name = "second"}};
    const ls_system systems[] = {
        {.name = "command",
         .mode = LS_SEQUENTIAL,
         .match = command,
         .terms = {LS_OTHERS_WRITE(diaries), LS_COMMANDED(counts)},
         .command_lanes = {"a"},
         .slot = LS_AT_END},
        FOR_EACH("1", count_all, .stage = "second"),
        FOR_EACH("2", kill_all, .stage = "second", .slot = LS_AT_END),
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    assert_writes(&sim, 2, "c1kc1k");
}

static void test_stages_keep_the_order_of_the_list_when_asked(void **state)
{
    (void)state;
    static const ls_stage stages[] = {{.name = "main", .insertion_order = true}};
    const ls_system systems[] = {WRITER("c"), WRITER("a", .after = {"b"}), WRITER("d"),
                                 WRITER("b")};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    assert_refused(&sim, LS_ERROR_REFUSED, "\"c\" and \"d\" have no order");
    sim.stages = stages;
    sim.stage_count = 1;
    assert_writes(&sim, 1, "cdba");
}

static void nothing(ls_context *context, const ls_entity *unused)
{
    (void)context;
    (void)unused;
}

#define IDLER(label, ...)                                                                          \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = nothing, __VA_ARGS__                        \
    }

static void test_schedule_keeps_weak_edges_where_two_conflict(void **state)
{
    (void)state;
    const ls_system systems[] = {
        IDLER("a", .terms = {LS_OTHERS_WRITE(counts)}, .labels = {"writers"}),
        IDLER("b", .terms = {LS_OTHERS_READ(counts)}, .weakly_after = {"writers"}),
        IDLER("c", .terms = {LS_OTHERS_READ(extras)}, .weakly_after = {"writers"}),
        IDLER("d", .terms = {LS_OTHERS_READ(counts)}, .weakly_before = {"a"})};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    harness self;
    harness_begin(&self, &sim, 1);
    const char *const order[] = {"c", "d", "a", "b"};
    for (uint32_t i = 0; i < LS_COUNT_OF(order); i++)
        assert_string_equal(ls_program_system(self.program, i)->name, order[i]);
    assert_true(ls_program_is_ordered(self.program, 1, 2));
    assert_true(ls_program_is_ordered(self.program, 2, 3));
    for (uint32_t i = 1; i < 4; i++)
        assert_false(ls_program_is_ordered(self.program, 0, i));
    harness_end(&self);
}

static void test_sets_share_what_is_said_of_them(void **state)
{
    (void)state;
    static const ls_set sets[] = {{.name = "inner", .labels = {"outer"}, .before = {"b"}},
                                  {.name = "outer", .after = {"e"}}};
    const ls_system systems[] = {WRITER("a", .labels = {"outer"}, .after = {"b"}), WRITER("b"),
                                 WRITER("c", .labels = {"inner"}, .after = {"d"}),
                                 WRITER("d", .labels = {"inner"}), WRITER("e")};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 1, "edcba");
}

static void decide(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    const diary *all = ls_singleton_read(context, 0);
    const char *answers = ls_system_data(context);
    char answer = answers[all->count % strlen(answers)];
    if (answer != '-')
        ls_decide(context, answer == 'y'   ? LS_YES
                           : answer == 'Y' ? LS_YES_AND_AGAIN
                           : answer == 'N' ? LS_NO_AND_AGAIN
                                           : LS_NO);
}

/* Answers by how many letters there are: y, n, Y and N for again, - for none at all. */
#define CRITERION(label, answers)                                                                  \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = decide, .data = answers, .terms = {         \
            LS_OTHERS_READ(diaries)                                                                \
        }                                                                                          \
    }

static void test_sets_run_when_their_criterion_says_so(void **state)
{
    (void)state;
    static const ls_system ask = CRITERION("ask", "yn-");
    static const ls_set sets[] = {{.name = "some", .criterion = &ask}};
    /* "b" comes behind "a" and in front of "c", even when it does not run. */
    const ls_system systems[] = {WRITER("a"), WRITER("b", .labels = {"some"}, .after = {"a"}),
                                 WRITER("c", .after = {"b"})};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = 1;
    /* 0 letters: y; 3: y; 6 ... */
    assert_writes(&sim, 2, "abcabc");
    static const ls_system other = CRITERION("ask", "yynnnyyy");
    static const ls_set others[] = {{.name = "some", .criterion = &other}};
    sim.sets = others;
    assert_writes(&sim, 4, "abcacabcabc");
}

static void test_sets_run_every_so_many_ticks(void **state)
{
    (void)state;
    static const ls_set sets[] = {{.name = "third", .every = 3, .phase = 1},
                                  {.name = "second", .every = 2}};
    const ls_system systems[] = {
        WRITER("a", .labels = {"third"}), WRITER("b", .labels = {"second"}, .after = {"a"}),
        WRITER("c", .labels = {"second", "third"}, .after = {"b"}), WRITER("-", .after = {"c"})};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 7, "b-a-b--abc--b-");
}

static void test_sets_take_along_who_needs_them(void **state)
{
    (void)state;
    static const ls_stage stages[] = {{.name = "main"}, {.name = "late"}};
    static const ls_set sets[] = {{.name = "odd", .every = 2, .phase = 1}};
    const ls_system systems[] = {WRITER("a", .labels = {"odd"}), WRITER("b", .needs = {"a"}),
                                 WRITER("c", .needs = {"b"}), WRITER("d", .after = {"c"}),
                                 WRITER("e", .needs = {"c"}, .stage = "late")};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    sim.sets = sets;
    sim.set_count = 1;
    assert_writes(&sim, 4, "dabcdedabcde");
}

static void test_sets_run_again_with_a_sync_point_each_time(void **state)
{
    (void)state;
    static const ls_system ask = CRITERION("ask", "YYYYYn");
    static const ls_set sets[] = {{.name = "loop", .criterion = &ask, .iterations_max = 5}};
    const ls_system systems[] = {
        WRITER("a"),
        {.name = "command",
         .mode = LS_SEQUENTIAL,
         .match = command,
         .terms = {LS_OTHERS_WRITE(diaries), LS_COMMANDED(counts)},
         .command_lanes = {"a"},
         .labels = {"loop"},
         .after = {"a"}},
        FOR_EACH("1", count_all, .labels = {"loop"}, .after = {"command"}),
    };
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = 1;
    /* a, c; again c and one entity; again c and two, c and three; then eleven letters say no. */
    assert_writes(&sim, 1, "acc1c11c111");
}

static void test_sets_that_wait_for_ever_fail_the_tick(void **state)
{
    (void)state;
    static const ls_system ask = CRITERION("ask", "N");
    static const ls_set sets[] = {{.name = "late", .criterion = &ask, .iterations_max = 9}};
    const ls_system systems[] = {WRITER("a", .labels = {"late"})};
    ls_sim sim = sim_of(systems, 1);
    sim.sets = sets;
    sim.set_count = 1;
    harness self;
    ls_error error;
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    const ls_frame frame = {.tick = 0};
    assert_int_equal(ls_world_advance(self.world, &frame, NULL, &error), LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "set \"late\" wants stage \"main\" to run again after 9"));
    assert_int_equal(ls_world_root(self.world), root);
    assert_int_equal(ls_world_tick(self.world), 0);
    harness_end(&self);
}

static void test_sets_that_loop_for_ever_fail_the_tick_and_change_nothing(void **state)
{
    (void)state;
    static const ls_system ask = CRITERION("ask", "Y");
    static const ls_set sets[] = {{.name = "loop", .criterion = &ask, .iterations_max = 3}};
    const ls_system systems[] = {WRITER("a"), WRITER("b", .labels = {"loop"}, .after = {"a"})};
    ls_sim sim = sim_of(systems, 2);
    sim.sets = sets;
    sim.set_count = 1;
    harness self;
    ls_error error;
    harness_begin(&self, &sim, 1);
    uint64_t root = ls_world_root(self.world);
    for (uint32_t i = 0; i < 2; i++) {
        const ls_frame frame = {.tick = 0};
        assert_int_equal(ls_world_advance(self.world, &frame, NULL, &error), LS_ERROR_LIMIT);
        assert_int_equal(ls_world_root(self.world), root);
        assert_diary(self.world, "", "a failed tick");
    }
    harness_end(&self);
}

static void draw(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    note(context, (uint8_t)('a' + ls_random(context, LS_ENTITY_NULL, 0) % 26));
    note(context, (uint8_t)('0' + ls_iteration(context)));
}

static void test_sets_draw_other_numbers_in_each_iteration(void **state)
{
    (void)state;
    static const ls_system ask = CRITERION("ask", "YYYYYYYYn");
    static const ls_set sets[] = {{.name = "loop", .criterion = &ask, .iterations_max = 9}};
    const ls_system systems[] = {{.name = "draw",
                                  .mode = LS_SEQUENTIAL,
                                  .match = draw,
                                  .terms = {LS_OTHERS_WRITE(diaries)},
                                  .labels = {"loop"}}};
    ls_sim sim = sim_of(systems, 1);
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

static void test_stages_refuse_places_that_cannot_be(void **state)
{
    (void)state;
    const ls_system systems[] = {WRITER("a")};
    ls_sim sim = sim_of(systems, 1);
    static const ls_stage twice[] = {{.name = "x"}, {.name = "x"}};
    static const ls_stage unknown[] = {{.name = "x", .before = "y"}};
    static const ls_stage both[] = {{.name = "x", .before = "y", .after = "y"}, {.name = "y"}};
    static const ls_stage circle[] = {
        {.name = "x", .before = "y"}, {.name = "y", .after = "z"}, {.name = "z", .after = "x"}};
    sim.stage_count = 2;
    sim.stages = twice;
    assert_refused(&sim, LS_ERROR_USAGE, "two stages are named \"x\"");
    sim.stages = both;
    assert_refused(&sim, LS_ERROR_REFUSED, "stage \"x\"", "one of them");
    sim.stages = circle;
    sim.stage_count = 3;
    assert_refused(&sim, LS_ERROR_REFUSED, "the place of stage \"x\" depends on itself", "\"z\"");
    sim.stages = unknown;
    sim.stage_count = 1;
    assert_refused(&sim, LS_ERROR_USAGE, "before stage \"y\", which the simulation does not list");
}

static void test_schedule_refuses_what_stages_and_slots_rule_out(void **state)
{
    (void)state;
    static const ls_stage stages[] = {{.name = "early"}, {.name = "late"}};
    ls_system systems[] = {WRITER("a", .stage = "late", .before = {"b"}), WRITER("b"),
                           WRITER("c", .slot = LS_AT_START, .after = {"b"})};
    ls_sim sim = sim_of(systems, 3);
    sim.stages = stages;
    sim.stage_count = 2;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"a\" is to run before \"b\", but its stage \"late\"",
                   "\"b\" is to run before \"c\", but its stage \"early\" or its slot");
    systems[0].before[0] = systems[2].after[0] = NULL;
    systems[0].stage = "never";
    assert_refused(&sim, LS_ERROR_USAGE, "\"a\" is of stage \"never\"");
    ls_system exclusive[] = {WRITER("a", .slot = LS_AT_END), WRITER("b", .slot = LS_AT_END)};
    sim = sim_of(exclusive, 2);
    assert_refused(&sim, LS_ERROR_REFUSED, "exclusive systems \"a\" and \"b\" share a slot");
    exclusive[0].slot = (ls_slot)9;
    assert_refused(&sim, LS_ERROR_USAGE, "\"a\" has slot 9");
}

static void test_sets_refuse_what_cannot_be(void **state)
{
    (void)state;
    const ls_system systems[] = {WRITER("a")};
    ls_sim sim = sim_of(systems, 1);
    static const ls_set self[] = {{.name = "x", .labels = {"x"}}};
    static const ls_set circle[] = {{.name = "x", .labels = {"y"}}, {.name = "y", .labels = {"x"}}};
    static const ls_set unknown[] = {{.name = "x", .after = {"nobody"}}};
    static const ls_set phase[] = {{.name = "x", .every = 3, .phase = 3}};
    static const ls_system writer = WRITER("writes");
    static const ls_set impure[] = {{.name = "x", .criterion = &writer}};
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
}

static void advance_once(void *sim)
{
    harness self;
    harness_begin(&self, sim, 1);
    harness_tick(self.world, NULL);
}

static void die(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    ls_despawn(context, LS_ENTITY_NULL);
}

static void decide_anyway(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    ls_decide(context, LS_YES);
}

static void test_sets_stop_criteria_that_do_more_and_systems_that_decide(void **state)
{
    (void)state;
    static const ls_system again = CRITERION("again", "Y");
    static const ls_system killer = {.name = "kill", .mode = LS_SEQUENTIAL, .match = die};
    static const ls_set sets[] = {{.name = "x", .criterion = &again},
                                  {.name = "x", .criterion = &killer}};
    ls_system systems[] = {WRITER("a", .labels = {"x"})};
    ls_sim sim = sim_of(systems, 1);
    sim.set_count = 1;
    sim.sets = &sets[0];
    assert_dies(advance_once, &sim, "\"again\"", "no iterations_max");
    sim.sets = &sets[1];
    assert_dies(advance_once, &sim, "\"kill\"", "is a run criterion, but despawns");
    sim.set_count = 0;
    systems[0].match = decide_anyway;
    assert_dies(advance_once, &sim, "\"a\"", "is no run criterion, but decides");
}

static void test_schedule_lets_independent_systems_run_apart(void **state)
{
    (void)state;
    const ls_system systems[] = {
        IDLER("a", .terms = {LS_OTHERS_WRITE(counts)}, .labels = {"writers"}),
        IDLER("b", .terms = {LS_OTHERS_WRITE(counts)}, .labels = {"writers"}),
        IDLER("c", .terms = {LS_OTHERS_READ(counts)})};
    ls_independence independences[] = {{"writers", "writers", "they write different fields"},
                                       {"writers", "c", "it only looks whether there are any"}};
    ls_sim sim = sim_of(systems, LS_COUNT_OF(systems));
    sim.independences = independences;
    sim.independence_count = 2;
    harness self;
    harness_begin(&self, &sim, 1);
    for (uint32_t i = 0; i < 9; i++)
        assert_false(ls_program_is_ordered(self.program, i / 3, i % 3));
    harness_end(&self);
    sim.independence_count = 1;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"a\" and \"c\" have no order", "\"b\" and \"c\"");
    independences[0].reason = "";
    assert_refused(&sim, LS_ERROR_REFUSED, "independent without a reason");
    independences[0] = (ls_independence){"writers", "nobody", "because"};
    assert_refused(&sim, LS_ERROR_REFUSED, "no system has the name or label \"nobody\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages_run_in_the_order_of_their_places),
        cmocka_unit_test(test_stages_have_exclusive_systems_around_the_others),
        cmocka_unit_test(test_stages_have_a_sync_point_each),
        cmocka_unit_test(test_stages_apply_what_their_end_commands_before_the_next),
        cmocka_unit_test(test_stages_keep_the_order_of_the_list_when_asked),
        cmocka_unit_test(test_schedule_keeps_weak_edges_where_two_conflict),
        cmocka_unit_test(test_sets_share_what_is_said_of_them),
        cmocka_unit_test(test_sets_run_when_their_criterion_says_so),
        cmocka_unit_test(test_sets_run_every_so_many_ticks),
        cmocka_unit_test(test_sets_take_along_who_needs_them),
        cmocka_unit_test(test_sets_run_again_with_a_sync_point_each_time),
        cmocka_unit_test(test_sets_that_wait_for_ever_fail_the_tick),
        cmocka_unit_test(test_sets_that_loop_for_ever_fail_the_tick_and_change_nothing),
        cmocka_unit_test(test_sets_draw_other_numbers_in_each_iteration),
        cmocka_unit_test(test_stages_refuse_places_that_cannot_be),
        cmocka_unit_test(test_schedule_refuses_what_stages_and_slots_rule_out),
        cmocka_unit_test(test_sets_refuse_what_cannot_be),
        cmocka_unit_test(test_sets_stop_criteria_that_do_more_and_systems_that_decide),
        cmocka_unit_test(test_schedule_lets_independent_systems_run_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
