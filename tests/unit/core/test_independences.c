/* The report about declared independences. */
#include "core/schedule/independences.h"
#include "diary_sim.h"

static ls_schedule_report *check(const ls_system *systems, uint32_t count,
                                 const ls_independence *independences, uint32_t given)
{
    ls_schedule_report *report;
    ls_error error = {""};
    ls_sim sim = diary_sim(systems, count);
    sim.independences = independences;
    sim.independence_count = given;
    if (ls_program_check(&sim, &report, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(report->count, report->hint_count);
    return report;
}

/* Expects exactly one hint, which contains the words; NULL: none. */
static void expect_hint(ls_schedule_report *report, const char *words)
{
    assert_int_equal(report->count, words != NULL);
    if (words && !strstr(report->findings[0].text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, report->findings[0].text);
    ls_schedule_report_destroy(report);
}

#define IDLER(label, ...)                                                                          \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = harness_match, __VA_ARGS__                  \
    }
#define ADDER(label, ...)                                                                          \
    IDLER(label, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diary_counts)), __VA_ARGS__)

TEST(test_independences_are_listed_with_their_pairs)
{
    const ls_system systems[] = {ADDER("a", .labels = "some"), ADDER("b", .labels = "some"),
                                 ADDER("c", .labels = "some"), IDLER("d", .slot = LS_PARALLEL)};
    const ls_independence given[] = {{"some", "some", "sums do not tell", .pairs = 3}};
    ls_schedule_report *report = check(systems, 4, given, 1);
    assert_int_equal(report->independence_count, 1);
    assert_string_equal(report->independences[0].one, "some");
    assert_string_equal(report->independences[0].reason, "sums do not tell");
    assert_int_equal(report->independences[0].pair_count, 3);
    char *json = ls_schedule_report_json(report, "it");
    assert_non_null(strstr(json, "\"reason\": \"sums do not tell\", \"pairs\": 3"));
    ls_free(json);
    expect_hint(report, NULL);
}

TEST(test_independences_that_allow_nothing_are_stale)
{
    const ls_system systems[] = {ADDER("a"), IDLER("b", .slot = LS_PARALLEL),
                                 ADDER("c", .after = "a")};
    const ls_independence nothing[] = {{"a", "b", "because"}}, ordered[] = {{"a", "c", "because"}};
    expect_hint(check(systems, 3, nothing, 1),
                "\"a\" and \"b\" is stale, because they conflict in nothing");
    expect_hint(check(systems, 3, ordered, 1),
                "is stale, because every pair that conflicts has an order");
}

TEST(test_independences_by_label_tell_of_systems_that_join)
{
    const ls_system systems[] = {ADDER("a", .labels = "some"), ADDER("b"),
                                 ADDER("c", .labels = "some", .after = "a")};
    const ls_independence silent[] = {{"some", "b", "because"}};
    const ls_independence counted[] = {{"some", "b", "because", .pairs = 1}};
    const ls_independence named[] = {{"a", "b", "because"}};
    expect_hint(check(systems, 2, counted, 1), NULL);
    expect_hint(check(systems, 2, named, 1), NULL);
    expect_hint(
        check(systems, 3, counted, 1),
        "declared for 1 pairs of systems, but there are 2: \"a\" and \"b\", \"b\" and \"c\"");
    expect_hint(check(systems, 3, silent, 1), "holds for systems that join later");
}

TEST(test_independences_are_named_by_what_they_allow)
{
    const ls_system systems[] = {ADDER("a"), ADDER("b"),
                                 IDLER("c", .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diary_extras))),
                                 IDLER("d", .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diary_extras)))};
    const ls_independence given[] = {{"a", "b", "first"}, {"c", "d", "second"}};
    ls_sim sim = diary_sim(systems, 4);
    sim.independences = given;
    sim.independence_count = 2;
    ls_program *program;
    assert_int_equal(ls_program_create(&sim, &program, NULL), LS_OK);
    const struct {
        const ls_component *component;
        const char *text;
    } cases[] = {
        {&diary_counts, "\"a\" and \"b\" (first)"},
        {&diary_extras, "\"c\" and \"d\" (second)"},
        {&diaries, "\"a\" and \"b\" (first), \"c\" and \"d\" (second)"},
        {NULL, "\"a\" and \"b\" (first), \"c\" and \"d\" (second)"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder text = {0};
        ls_independences_name(program, cases[i].component, &text);
        assert_string_equal(text.data, cases[i].text);
        ls_free(text.data);
    }
    ls_program_destroy(program);
}
