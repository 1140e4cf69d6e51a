/* Orders, cycles and ambiguities: which schedules are refused, the messages, and which are
 * accepted. */
#include "harness.h"

typedef struct number {
    uint32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const ls_component xs = LS_COMPONENT_TABLE(number, "X", number_fields);
static const ls_component ys = LS_COMPONENT_TABLE(number, "Y", number_fields);
static const ls_component *const components[] = {&xs, &ys};
static const char *const lanes[] = {"a", "b"};

#define CONC .span = harness_span
#define SEQ  .mode = LS_SEQUENTIAL, .match = harness_match

static ls_program *accept(const ls_sim *sim)
{
    ls_program *program;
    ls_error error = {""};
    if (ls_program_create(sim, &program, &error) != LS_OK)
        fail_msg("%s", error.text);
    return program;
}

/* Makes a simulation of two systems, "one" and "two", without an order. */
static void pair(ls_sim *sim, ls_system *systems, ls_system one, ls_system two)
{
    one.name = "one";
    two.name = "two";
    systems[0] = one;
    systems[1] = two;
    *sim = (ls_sim)HARNESS_SIM(components, lanes, ((ls_system[2]){{0}}));
    sim->systems = systems;
}

#define SYSTEM(...) ((ls_system){__VA_ARGS__})

#define assert_ambiguous(one, two, ...)                                                            \
    do {                                                                                           \
        ls_sim sim_;                                                                               \
        ls_system systems_[2];                                                                     \
        pair(&sim_, systems_, one, two);                                                           \
        assert_refused(&sim_, LS_ERROR_REFUSED, "\"one\" and \"two\" have no order", __VA_ARGS__); \
        pair(&sim_, systems_, two, one);                                                           \
        assert_refused(&sim_, LS_ERROR_REFUSED, "\"one\" and \"two\" have no order");              \
        systems_[0].before = "two";                                                                \
        ls_program_destroy(accept(&sim_));                                                         \
    } while (0)

#define assert_accepted(one, two)                                                                  \
    do {                                                                                           \
        ls_sim sim_;                                                                               \
        ls_system systems_[2];                                                                     \
        pair(&sim_, systems_, one, two);                                                           \
        ls_program *program_ = accept(&sim_);                                                      \
        assert_false(ls_program_is_ordered(program_, 0, 1));                                       \
        assert_false(ls_program_is_ordered(program_, 1, 0));                                       \
        ls_program_destroy(program_);                                                              \
    } while (0)

TEST(test_schedule_refuses_write_against_write)
{
    assert_ambiguous(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys))),
                     SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys))), "the first writes",
                     "the second writes", "\"Y\"");
    /* No entity matches both filters, as long as no system changes the filtered component. */
    assert_accepted(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_WITH(xs))),
                    SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_WITHOUT(xs))));
    assert_accepted(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ATTACHES(ys), LS_WITH(xs))),
                    SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(ys), LS_WITHOUT(xs))));
    assert_ambiguous(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_DETACHES(xs))),
                     SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_WITHOUT(xs))), "\"Y\"",
                     "\"X\"");
    assert_ambiguous(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_WITH(xs))),
                     SYSTEM(CONC, .terms = LS_TERM_LIST(LS_OTHERS_READ(ys), LS_WITHOUT(xs))),
                     "\"Y\"");
    assert_ambiguous(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_WITH(xs))),
                     SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_WRITES(ys), LS_WITHOUT(xs))), "\"Y\"");
}

/* No entity is in two lanes. By handle a system reaches entities of all lanes. */
TEST(test_schedule_accepts_different_lanes)
{
    assert_accepted(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_IN_LANE("a"))),
                    SYSTEM(CONC, .terms = LS_TERM_LIST(LS_DETACHES(xs), LS_IN_LANE("b"))));
    assert_ambiguous(
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_IN_LANE("a"), LS_IN_LANE("b"))),
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(xs), LS_IN_LANE("b"))), "\"X\"");
    assert_ambiguous(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_IN_LANE("a"))),
                     SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(xs))), "\"X\"");
    assert_ambiguous(
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_IN_LANE("a"))),
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WITH(ys), LS_IN_LANE("b"), LS_OTHERS_READ(xs))),
        "\"X\"");
    assert_ambiguous(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_IN_LANE("a"))),
                     SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_READS(xs), LS_IN_LANE("b"))), "\"X\"");
}

TEST(test_schedule_refuses_what_a_grid_reads)
{
    static const ls_field fields[] = {
        {"x", LS_TYPE_FIX, 0, 4, 0}, {"y", LS_TYPE_FIX, 4, 4, 0}, {"z", LS_TYPE_FIX, 8, 4, 0}};
    static const ls_component places = {"place", 12, 3, fields, false};
    static const ls_component *const with_places[] = {&xs, &places};
    ls_system systems[] = {
        {.name = "look", SEQ, .grids = LS_GRIDS({&places, &xs, 0, 4, 16})},
        {.name = "move", CONC, .terms = LS_TERM_LIST(LS_WRITES(places))},
        {.name = "mark", CONC, .terms = LS_TERM_LIST(LS_WITH(places), LS_ATTACHES(xs))},
    };
    ls_sim sim = HARNESS_SIM(with_places, lanes, systems);
    assert_refused(&sim, LS_ERROR_REFUSED, "\"look\" and \"move\"", "\"place\"",
                   "\"look\" and \"mark\"", "\"X\"");
    systems[0].grids = LS_GRIDS({&places, &xs, 0, 4, 16, .has_z = true, .offset_z = 8});
    assert_refused(&sim, LS_ERROR_REFUSED, "\"look\" and \"move\"", "\"look\" and \"mark\"");
    /* The filter concerns presence, so writing its values is no conflict. */
    systems[2].terms = LS_TERM_LIST(LS_WITH(places), LS_TERM(0, LS_OPTIONAL, LS_ACCESS_WRITE, xs));
    systems[1].after = "look";
    ls_program_destroy(accept(&sim));
}

/* A system must see all entities that other systems spawn into a lane in this tick, or none. */
TEST(test_schedule_refuses_half_a_lane)
{
    ls_system systems[] = {
        {.name = "first", SEQ, .lanes = "a"},
        {.name = "second", SEQ, .lanes = "a", .after = "first"},
        {.name = "witness", CONC, .terms = LS_TERM_LIST(LS_READS(xs)), .after = "first"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_REFUSED, "\"witness\" and \"second\"", "lane \"a\"", "\"first\"");
    systems[2].after = "second";
    ls_program_destroy(accept(&sim));
    systems[2].after = NULL;
    ls_program_destroy(accept(&sim));
    systems[2].before = "second";
    ls_program_destroy(accept(&sim));
}

TEST(test_schedule_reports_every_pair_at_once)
{
    const ls_system systems[] = {
        {.name = "one", CONC, .terms = LS_TERM_LIST(LS_WRITES(xs))},
        {.name = "two", CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_WRITES(ys))},
        {.name = "three", CONC, .terms = LS_TERM_LIST(LS_READS(ys))},
        {.name = "four", CONC, .terms = LS_TERM_LIST(LS_WRITES(xs)), .after = "nobody"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.system_count = 3;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"one\" and \"two\"", "\"three\" and \"two\"",
                   ".after");
    /* The order of "four" is unknown, which may be the reason that its pairs have none. */
    sim.system_count = 4;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"one\" and \"two\"", "\"nobody\"",
                   "\"four\" and \"two\" have no order",
                   "the other way round; first look at the other finding about \"four\")");
}

TEST(test_schedule_cuts_a_long_report_and_counts_the_rest)
{
    static char names[60][16];
    static ls_system systems[60];
    static const ls_term terms[] = {LS_WRITES(xs), {0}};
    for (uint32_t i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], "s%02u", i);
        systems[i] = SYSTEM(.name = names[i], CONC, .terms = terms);
    }
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    ls_error error;
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_REFUSED);
    const char *rest = strstr(error.text, "; and ");
    assert_non_null(rest);
    uint32_t told = 0, omitted = (uint32_t)strtoul(rest + 6, NULL, 10);
    for (const char *at = error.text; (at = strstr(at, "have no order")); at++)
        told++;
    assert_int_equal(told + omitted, 60 * 59 / 2);
    assert_true(told > 2);
    assert_int_equal(ls_program_create(&sim, &(ls_program *){NULL}, NULL), LS_ERROR_REFUSED);
}

TEST(test_schedule_refuses_names_that_nobody_has)
{
    const ls_system systems[] = {
        {.name = "one", SEQ, .after = "ghost", .labels = "label"},
        {.name = "two", SEQ, .before = "spectre", .after = "label"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_USAGE, "\"one\" is to run after \"ghost\"",
                   "\"two\" is to run before \"spectre\"");
}

/* Expects a cycle of `count` systems, among others that come before and after it. */
static void expect_cycle(uint32_t count)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    ls_system systems[7] = {{.name = "early", SEQ, .before = "a"},
                            {.name = "late", SEQ, .after = "a"}};
    for (uint32_t i = 0; i < count; i++)
        systems[2 + i] = SYSTEM(.name = names[i], SEQ, .before = names[(i + 1) % count]);
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.system_count = 2 + count;
    ls_error error;
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_REFUSED);
    /* The path may start anywhere in the cycle. */
    bool is_told = false;
    for (uint32_t start = 0; start < count; start++) {
        char path[256];
        size_t used = (size_t)snprintf(path, sizeof path, "cycle: \"%s\"", names[start]);
        for (uint32_t i = 1; i <= count; i++)
            used += (size_t)snprintf(path + used, sizeof path - used, " before \"%s\"",
                                     names[(start + i) % count]);
        const char *found = strstr(error.text, path);
        is_told |= found && strcmp(found + used, "; take one of these orders away") == 0;
    }
    if (!is_told)
        fail_msg("%s", error.text);
}

TEST(test_schedule_prints_the_path_of_a_cycle)
{
    expect_cycle(1);
    expect_cycle(2);
    expect_cycle(5);
}

TEST(test_schedule_finds_cycles_through_labels)
{
    const ls_system systems[] = {
        {.name = "one", SEQ, .labels = "group"},
        {.name = "two",
         SEQ,
         .labels = "group",
         .after = "group"}, /* means after the other members */
        {.name = "three", SEQ, .after = "two", .before = "group"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_REFUSED, "cycle", "\"two\"", "\"three\"");
    sim.system_count = 2;
    ls_program *program = accept(&sim);
    assert_string_equal(ls_program_system(program, 0)->name, "one");
    assert_true(ls_program_is_ordered(program, 0, 1));
    ls_program_destroy(program);
}

TEST(test_schedule_reports_cycles_that_share_no_system)
{
    const ls_system systems[] = {
        {.name = "one", SEQ, .after = "two"},    {.name = "two", SEQ, .after = "one"},
        {.name = "hen", SEQ, .after = "egg"},    {.name = "egg", SEQ, .after = "hen, one"},
        {.name = "self", SEQ, .before = "self"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_REFUSED, "\"one\" before \"two\" before \"one\"",
                   "\"egg\" before \"hen\" before \"egg\"", "\"self\" before \"self\"");
}

/* Makes a chain of systems s00, s01, ..., each before the next. */
static void chain(ls_system *systems, char (*names)[16], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "s%02u", i);
        systems[i] = SYSTEM(.name = names[i], SEQ);
        if (i > 0)
            systems[i - 1].before = names[i];
    }
}

TEST(test_schedule_tells_a_long_cycle_by_its_ends)
{
    static char names[50][16];
    static ls_system systems[50];
    chain(systems, names, 50);
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    ls_program_destroy(accept(&sim));
    systems[49].before = names[0];
    assert_refused(&sim, LS_ERROR_REFUSED, "cycle: \"s", "before 34 others before \"s",
                   "take one of these orders away");
}

TEST(test_schedule_refuses_before_and_after_the_same)
{
    const ls_system systems[] = {{.name = "one", SEQ, .before = "two", .after = "two"},
                                 {.name = "two", SEQ}};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_REFUSED, "cycle", "\"one\" before \"two\" before \"one\"");
    const ls_system twice[] = {{.name = "one", SEQ, .before = "two, two"},
                               {.name = "two", SEQ, .after = "one, one"}};
    sim.systems = twice;
    ls_program_destroy(accept(&sim));
}

TEST(test_schedule_finds_cycles_of_weak_orders)
{
    ls_system systems[] = {
        {.name = "one", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(xs)), .weakly_before = "two"},
        {.name = "two", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(xs)), .weakly_before = "one"},
        {.name = "three",
         SEQ,
         .terms = LS_TERM_LIST(LS_OTHERS_WRITE(ys)),
         .weakly_after = "three"}};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.system_count = 2;
    assert_refused(&sim, LS_ERROR_REFUSED, "cycle", "\"one\" before \"two\" before \"one\"");
    /* Without a conflict a weak order does not apply. */
    systems[1].terms = LS_TERM_LIST(LS_OTHERS_WRITE(ys));
    ls_program *program = accept(&sim);
    assert_false(ls_program_is_ordered(program, 0, 1) || ls_program_is_ordered(program, 1, 0));
    ls_program_destroy(program);
    sim.systems = &systems[2];
    sim.system_count = 1;
    assert_refused(&sim, LS_ERROR_REFUSED, "cycle", "\"three\" before \"three\"");
}

/* Full lists have no NULL at the end. */
TEST(test_schedule_takes_full_lists_of_names)
{
    const ls_system systems[] = {
        {.name = "a", SEQ, .labels = "1, 2, 3, 4, 5, 6, 7, 8"},
        {.name = "b", SEQ, .after = "1, 2, 3, 4, 5, 6, 7, 8", .before = "c"},
        {.name = "c", SEQ, .after = "a, b, a, b, a, b, a, 8"},
        {.name = "d", SEQ, .after = "c, c, c, c, c, c, c, 9"}};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_USAGE, "\"d\" is to run after \"9\"", "take it out");
    sim.system_count = 3;
    ls_program *program = accept(&sim);
    assert_true(ls_program_is_ordered(program, 0, 1) && ls_program_is_ordered(program, 1, 2));
    ls_program_destroy(program);
}

TEST(test_schedule_breaks_ties_by_name)
{
    const ls_system systems[] = {
        {.name = "delta", SEQ, .after = "alpha"},
        {.name = "bravo", SEQ, .after = "delta"},
        {.name = "charlie", SEQ},
        {.name = "alpha", SEQ},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    ls_program *program = accept(&sim);
    static const char *const order[] = {"alpha", "charlie", "delta", "bravo"};
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(ls_program_system(program, i)->name, order[i]);
    assert_true(ls_program_is_ordered(program, 0, 2));
    assert_true(ls_program_is_ordered(program, 0, 3)); /* through delta */
    assert_false(ls_program_is_ordered(program, 3, 0));
    assert_false(ls_program_is_ordered(program, 0, 1));
    assert_false(ls_program_is_ordered(program, 0, 0));
    ls_program_destroy(program);
}

TEST(test_schedule_orders_as_many_systems_as_allowed)
{
    static char names[LS_SYSTEMS_MAX + 1][16];
    static ls_system systems[LS_SYSTEMS_MAX + 1];
    static const ls_term terms[] = {LS_WRITES(xs), {0}};
    for (uint32_t i = 0; i < LS_COUNT_OF(systems); i++) {
        snprintf(names[i], sizeof names[i], "s%04u", i);
        systems[i] = SYSTEM(.name = names[i], CONC, .terms = terms);
        if (i > 0)
            systems[i].before = names[i - 1]; /* against the order of names */
    }
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_LIMIT, "1025 systems", "1024");
    sim.system_count = LS_SYSTEMS_MAX;
    ls_program *program = accept(&sim);
    for (uint32_t i = 0; i < LS_SYSTEMS_MAX; i += 93)
        assert_string_equal(ls_program_system(program, i)->name, names[LS_SYSTEMS_MAX - 1 - i]);
    assert_true(ls_program_is_ordered(program, 0, LS_SYSTEMS_MAX - 1));
    ls_program_destroy(program);
}
