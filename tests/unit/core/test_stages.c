/* Stages and slots: the order of systems, when commands show, which orders remain, and what is
 * refused. */
#include "diary_sim.h"

static void kill_all(ls_context *context, const ls_entity *entities)
{
    ls_despawn(context, entities[0]);
    diary_note(context, 'k');
}

TEST(test_stages_run_in_the_order_of_their_places)
{
    static const ls_stage stages[] = {{.name = "three"},
                                      {.name = "six"},
                                      {.name = "two", .before = "three"},
                                      {.name = "five", .after = "three"},
                                      {.name = "four", .after = "three"},
                                      {.name = "one", .before = "two"}};
    const ls_system systems[] = {WRITER("a", .stage = "six"),  WRITER("b", .stage = "five"),
                                 WRITER("c", .stage = "four"), WRITER("d"),
                                 WRITER("e", .stage = "two"),  WRITER("f", .stage = "one")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
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

TEST(test_stages_have_exclusive_systems_around_the_others)
{
    const ls_system systems[] = {
        WRITER("a", .slot = LS_AT_END), WRITER("b", .slot = LS_BEFORE_COMMANDS), WRITER("c"),
        WRITER("d", .slot = LS_AT_START, .after = "e"), WRITER("e", .slot = LS_AT_START)};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    assert_writes(&sim, 1, "edcba");
}

TEST(test_stages_have_a_sync_point_each)
{
    static const ls_stage stages[] = {{.name = "first"}, {.name = "second"}, {.name = "third"}};
    const ls_system systems[] = {
        COMMANDER(),
        FOR_EACH("1", diary_write, .after = "command"),
        FOR_EACH("2", diary_write, .slot = LS_AT_END),
        FOR_EACH("3", diary_write, .stage = "second"),
        FOR_EACH("4", kill_all, .stage = "second", .after = "3"),
        FOR_EACH("5", diary_write, .stage = "second", .after = "4"),
        FOR_EACH("6", diary_write, .stage = "second", .slot = LS_AT_END),
        FOR_EACH("7", diary_write, .stage = "third"),
    };
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    assert_writes(&sim, 2, "c23k5c23k5");
}

TEST(test_stages_apply_what_their_end_commands_before_the_next)
{
    static const ls_stage stages[] = {{.name = "first"}, {.name = "second"}};
    const ls_system systems[] = {
        COMMANDER(.slot = LS_AT_END),
        FOR_EACH("1", diary_write, .stage = "second"),
        FOR_EACH("2", kill_all, .stage = "second", .slot = LS_AT_END),
    };
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    assert_writes(&sim, 2, "c1kc1k");
}

TEST(test_stages_keep_the_order_of_the_list_when_asked)
{
    static const ls_stage stages[] = {{.name = "main", .insertion_order = true}};
    const ls_system systems[] = {WRITER("c"), WRITER("a", .after = "b"), WRITER("d"), WRITER("b")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    assert_refused(&sim, LS_ERROR_REFUSED, "\"c\" and \"d\" have no order");
    sim.stages = stages;
    sim.stage_count = 1;
    assert_writes(&sim, 1, "cdba");
}

static void nothing(ls_context *context, const ls_entity *unused)
{
}

#define IDLER(label, ...)                                                                          \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = nothing, __VA_ARGS__                        \
    }

TEST(test_stages_keeps_weak_edges_where_two_conflict)
{
    const ls_system systems[] = {
        IDLER("a", .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diary_counts)), .labels = "writers"),
        IDLER("b", .terms = LS_TERM_LIST(LS_OTHERS_READ(diary_counts)), .weakly_after = "writers"),
        IDLER("c", .terms = LS_TERM_LIST(LS_OTHERS_READ(diary_extras)), .weakly_after = "writers"),
        IDLER("d", .terms = LS_TERM_LIST(LS_OTHERS_READ(diary_counts)), .weakly_before = "a")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
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

TEST(test_stages_wants_an_order_of_commands_when_strict)
{
    ls_system systems[] = {
        COMMANDER(),
        IDLER("other", .terms = LS_TERM_LIST(LS_COMMANDED(diary_counts))),
        IDLER("third", .terms = LS_TERM_LIST(LS_COMMANDED(diary_extras))),
    };
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    ls_program *program;
    assert_int_equal(ls_program_create(&sim, &program, NULL), LS_OK);
    ls_program_destroy(program);
    sim.is_strict = true;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"command\" and \"other\" have no order",
                   "both command \"count\", and the simulation is strict");
    systems[1].after = "command";
    assert_int_equal(ls_program_create(&sim, &program, NULL), LS_OK);
    ls_program_destroy(program);
}

TEST(test_stages_refuse_places_that_cannot_be)
{
    const ls_system systems[] = {WRITER("a")};
    ls_sim sim = diary_sim(systems, 1);
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
    static const ls_stage nameless[LS_STAGES_MAX];
    sim.stages = nameless;
    sim.stage_count = LS_STAGES_MAX + 1;
    assert_refused(&sim, LS_ERROR_LIMIT, "65 stages", "at most 64");
}

TEST(test_stages_refuses_what_stages_and_slots_rule_out)
{
    static const ls_stage stages[] = {{.name = "early"}, {.name = "late"}};
    ls_system systems[] = {WRITER("a", .stage = "late", .before = "b"), WRITER("b"),
                           WRITER("c", .slot = LS_AT_START, .after = "b")};
    ls_sim sim = diary_sim(systems, 3);
    sim.stages = stages;
    sim.stage_count = 2;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"a\" is to run before \"b\", but its stage \"late\"",
                   "\"b\" is to run before \"c\", but its stage \"early\" or its slot");
    systems[0].before = systems[2].after = NULL;
    systems[0].stage = "never";
    assert_refused(&sim, LS_ERROR_USAGE, "\"a\" is of stage \"never\"");
    ls_system exclusive[] = {WRITER("a", .slot = LS_AT_END), WRITER("b", .slot = LS_AT_END)};
    sim = diary_sim(exclusive, 2);
    assert_refused(&sim, LS_ERROR_REFUSED, "exclusive systems \"a\" and \"b\" share a slot");
    for (int slot = -1; slot < 11; slot += slot == -1 ? 5 : 1) {
        char text[40];
        exclusive[0].slot = (ls_slot)slot;
        snprintf(text, sizeof text, "\"a\" has slot %d", slot);
        assert_refused(&sim, LS_ERROR_USAGE, text, "ls_slot");
    }
}

TEST(test_stages_lets_independent_systems_run_apart)
{
    const ls_system systems[] = {
        IDLER("a", .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diary_counts)), .labels = "writers"),
        IDLER("b", .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diary_counts)), .labels = "writers"),
        IDLER("c", .terms = LS_TERM_LIST(LS_OTHERS_READ(diary_counts)))};
    ls_independence independences[] = {{"writers", "writers", "they write different fields"},
                                       {"writers", "c", "it only looks whether there are any"}};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
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
