/* Hints in the report about schedules that build. */
#include "par_sim.h"

static ls_schedule_report *report_of(const ls_sim *sim)
{
    ls_schedule_report *report;
    ls_error error = {""};
    if (ls_program_check(sim, &report, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(report->count, report->hint_count);
    return report;
}

static void assert_no_hint(const ls_sim *sim)
{
    ls_schedule_report *report = report_of(sim);
    if (report->count)
        fail_msg("%s", report->findings[0].text);
    ls_schedule_report_destroy(report);
}

static void assert_hint(const ls_sim *sim, const char *one, const char *other,
                        const char *const *words)
{
    ls_schedule_report *report = report_of(sim);
    assert_int_equal(report->count, 1);
    assert_int_equal(report->findings[0].kind, LS_FINDING_HINT);
    assert_string_equal(report->findings[0].one, one);
    assert_string_equal(report->findings[0].other, other);
    char *json = ls_schedule_report_json(report, "it");
    assert_non_null(strstr(json, "\"builds\": true"));
    assert_non_null(strstr(json, "\"kind\": \"hint\""));
    ls_free(json);
    for (uint32_t i = 0; words[i]; i++) {
        if (!strstr(report->findings[0].text, words[i]))
            fail_msg("\"%s\" is not in \"%s\"", words[i], report->findings[0].text);
    }
    ls_schedule_report_destroy(report);
}

#define assert_hints(sim, one, other, ...)                                                         \
    assert_hint(sim, one, other, (const char *const[]){__VA_ARGS__, NULL})

TESTS_AROUND(mutation_forget, NULL);

TEST(test_hints_name_two_sides_that_change_one_component)
{
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1)};
    assert_hints(PAR_SIM(systems, par_of_two), "one", "two", "in sides 1 and 2 of par \"both\"",
                 "both change \"count\"", "the match ends for all", "order the two outside",
                 "accept no input", "let side 1 win (LS_PAR_FIRST_WINS)");
    const ls_par turned[] = {{.name = "both", .sides = "three, two, one"}};
    const ls_system more[] = {
        ADDER("one", 0),
        ADDER("two", 1),
        {.name = "three", .span = par_add, .terms = LS_TERM_LIST(LS_READS(counts))}};
    assert_hints(PAR_SIM(more, turned), "one", "two", "in sides 3 and 2 of par \"both\"",
                 "let side 2 win");
    const ls_par settled[] = {{.name = "both", .sides = "one, two", .clash = LS_PAR_FIRST_WINS}};
    assert_no_hint(PAR_SIM(systems, settled));
}

static void raise_total(ls_context *context, const ls_entity *unused)
{
}

#define RAISER(label)                                                                              \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = raise_total,                                \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(totals))                                             \
    }

/* Each hint names one pair: in a side with two systems, only the one that changes the singleton. */
TEST(test_hints_name_the_member_and_the_singleton)
{
    const ls_system systems[] = {ADDER("one", 0, .labels = "left"),
                                 RAISER("raise"),
                                 {.name = "also",
                                  .mode = LS_SEQUENTIAL,
                                  .match = raise_total,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(totals)),
                                  .labels = "left"}};
    const ls_par pars[] = {{.name = "both", .sides = "left, raise"}};
    assert_hints(PAR_SIM(systems, pars), "also", "raise", "both change \"total\"");
}

TEST(test_hints_leave_out_what_cannot_meet)
{
    /* A side that only reads what the other changes sees the state before the par. */
    const ls_system reader[] = {
        ADDER("one", 0), {.name = "two", .span = par_add, .terms = LS_TERM_LIST(LS_READS(counts))}};
    assert_no_hint(PAR_SIM(reader, par_of_two));
    /* Accumulations with the same operation are merged. */
    const ls_system adders[] = {
        {.name = "one",
         .span = par_add,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(counts, LS_ADD))},
        {.name = "two",
         .span = par_add,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(counts, LS_ADD))}};
    assert_no_hint(PAR_SIM(adders, par_of_two));
    /* Spawns into different lanes. */
    const ls_system bearers[] = {{.name = "one",
                                  .match = par_bear,
                                  .terms = LS_TERM_LIST(LS_WITH(marks), LS_SPAWNS_WITH(counts)),
                                  .lanes = "a"},
                                 {.name = "two",
                                  .match = par_bear,
                                  .terms = LS_TERM_LIST(LS_WITH(marks), LS_SPAWNS_WITH(counts)),
                                  .lanes = "b"}};
    assert_no_hint(PAR_SIM(bearers, par_of_two));
    /* Systems that share no par. */
    const ls_system ordered[] = {ADDER("one", 0), ADDER("two", 1, .after = "one")};
    assert_no_hint(par_sim(ordered, 2, NULL, 0));
}

/* Two accumulations in a par are merged by their sum, unless a system in the par reads the
 * column. */
TEST(test_hints_name_sums_that_a_third_reads)
{
    const ls_system systems[] = {
        {.name = "one",
         .span = par_add,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(counts, LS_ADD))},
        {.name = "two",
         .span = par_add,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(counts, LS_ADD))},
        {.name = "three", .span = par_add, .terms = LS_TERM_LIST(LS_READS(counts))}};
    const ls_par pars[] = {{.name = "all", .sides = "one, two, three"}};
    assert_hints(PAR_SIM(systems, pars), "one", "two", "par \"all\"",
                 "\"count\" (their values would combine, but \"three\" of the par reads it; take "
                 "\"three\" out of the par):");
    /* The reader may be in the side of one of them. */
    const ls_par grouped[] = {{.name = "all", .sides = "two, left"}};
    ls_system ordered[3];
    memcpy(ordered, systems, sizeof ordered);
    ordered[0].labels = ordered[2].labels = "left";
    ordered[2].after = "one";
    assert_hints(PAR_SIM(ordered, grouped), "one", "two", "\"three\" of the par reads it");
}

/* Two that write conflict by themselves. No hint blames a third that reads. */
TEST(test_hints_blame_no_reader_of_two_that_write)
{
    const ls_system systems[] = {
        ADDER("one", 0),
        ADDER("two", 1),
        {.name = "three", .span = par_add, .terms = LS_TERM_LIST(LS_READS(counts))}};
    const ls_par pars[] = {{.name = "all", .sides = "one, two, three"}};
    assert_hints(PAR_SIM(systems, pars), "one", "two", "both change \"count\": a tick");
}

#define FILTERED(label, filter, ...)                                                               \
    {                                                                                              \
        .name = label, .span = par_add, .terms = LS_TERM_LIST(LS_WRITES(counts), filter),          \
        __VA_ARGS__                                                                                \
    }

TEST(test_hints_trust_a_filter_that_no_member_changes)
{
    ls_system systems[] = {FILTERED("one", LS_WITH(marks), .labels = "left"),
                           FILTERED("two", LS_WITHOUT(marks)),
                           {.name = "zero",
                            .match = par_attach,
                            .terms = LS_TERM_LIST(LS_ATTACHES(marks), LS_WITH(extras)),
                            .labels = "left",
                            .before = "one"}};
    const ls_par pars[] = {{.name = "both", .sides = "left, two"}};
    assert_no_hint(par_sim(systems, 2, pars, 1));
    assert_hints(par_sim(systems, 3, pars, 1), "two", "one", "\"count\"");
}

/* Each changes its own entities only, in a lane of its own. Writes to others reach any lane. */
TEST(test_hints_trust_lanes)
{
    ls_system systems[] = {FILTERED("one", LS_IN_LANE("a")), FILTERED("two", LS_IN_LANE("b"))};
    assert_no_hint(PAR_SIM(systems, par_of_two));
    systems[1] = (ls_system)FILTERED("two", LS_IN_LANE("a"));
    assert_hints(PAR_SIM(systems, par_of_two), "one", "two", "\"count\"", "a lane");
    systems[1] = (ls_system){
        .name = "two",
        .mode = LS_SEQUENTIAL,
        .match = raise_total,
        .terms = LS_TERM_LIST(LS_WITH(counts), LS_OTHERS_WRITE(counts), LS_IN_LANE("b"))};
    assert_hints(PAR_SIM(systems, par_of_two), "one", "two", "\"count\"");
}

/* Expects a hint with these words about a system with the two terms; NULL: none. */
static void expect_never(const char *words, ls_term one, ls_term other)
{
    static const ls_incompatibility never_both[] = {{&marks, &extras}};
    const ls_term terms[] = {one, other, LS_OTHERS_WRITE(totals), {0}};
    const ls_system systems[] = {{.name = "one",
                                  .mode = LS_SEQUENTIAL,
                                  .match = raise_total,
                                  .terms = terms,
                                  .lanes = "world"}};
    ls_sim sim = *par_sim(systems, 1, NULL, 0);
    sim.incompatibilities = never_both;
    sim.incompatibility_count = LS_COUNT_OF(never_both);
    ls_schedule_report *report = report_of(&sim);
    if (report->count != (words != NULL))
        fail_msg("%u hints, not %s", report->count, words ? words : "none");
    if (words && !strstr(report->findings[0].text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, report->findings[0].text);
    ls_schedule_report_destroy(report);
}

#define IN(query, kind, access, component) (ls_term) LS_TERM(query, kind, access, component)

TEST(test_hints_name_the_terms_of_a_query_that_never_matches)
{
    expect_never("query 0 of \"one\" never matches: it has READS(count) and WITHOUT(count), which "
                 "contradict each other; take one of the two out",
                 (ls_term)LS_READS(counts), (ls_term)LS_WITHOUT(counts));
    expect_never("has WITHOUT(mark) and WITH(mark),", (ls_term)LS_WITHOUT(marks),
                 (ls_term)LS_WITH(marks));
    expect_never("has REMOVED(count) and WRITES(count),", (ls_term)LS_REMOVED(counts),
                 (ls_term)LS_WRITES(counts));
    expect_never("has CHANGED(count) and REMOVED(count),", (ls_term)LS_CHANGED(counts),
                 (ls_term)LS_REMOVED(counts));
    expect_never("has ADDED(count) and WITHOUT(count),", (ls_term)LS_ADDED(counts),
                 (ls_term)LS_WITHOUT(counts));
    expect_never("has WITH(mark) and DETACHES(extra), which LS_NEVER_BOTH keeps from one entity",
                 (ls_term)LS_WITH(marks), (ls_term)LS_DETACHES(extras));
    expect_never("query 1 of \"one\" never",
                 IN(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_PRESENCE, marks),
                 IN(LS_WALKED | 1, LS_EXCLUDE, LS_ACCESS_PRESENCE, marks));
}

TEST(test_hints_leave_out_queries_that_may_match)
{
    expect_never(NULL, (ls_term)LS_WITH(marks), (ls_term)LS_WITHOUT(extras));
    expect_never(NULL, (ls_term)LS_WITH(marks), (ls_term)LS_OPTIONALLY_READS(extras));
    expect_never(NULL, (ls_term)LS_WITHOUT(marks), (ls_term)LS_WITHOUT(extras));
    expect_never(NULL, (ls_term)LS_WITHOUT(extras), (ls_term)LS_ATTACHES(extras));
    expect_never(NULL, (ls_term)LS_REMOVED(counts), (ls_term)LS_WITHOUT(counts));
    expect_never(NULL, (ls_term)LS_CHANGED(counts), (ls_term)LS_READS(counts));
    expect_never(NULL, (ls_term)LS_WITH(marks), (ls_term)LS_SPAWNS_WITH(extras));
    expect_never(NULL, (ls_term)LS_WITH(marks),
                 IN(LS_WALKED | 1, LS_EXCLUDE, LS_ACCESS_PRESENCE, marks));
}
