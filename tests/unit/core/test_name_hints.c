/* Hints at names that lead nowhere. */
#include "harness.h"

typedef struct number {
    uint32_t value;
} number;

static const ls_field fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const ls_component bells = LS_EVENT_TABLE(number, "bell", fields);
static const ls_component numbers = LS_COMPONENT_TABLE(number, "X", fields);
static const ls_component *const components[] = {&bells, &numbers};

#define SEQ .mode = LS_SEQUENTIAL, .match = harness_match

/* Expects exactly one hint, which contains the words; NULL: none. */
static void expect_hint(const ls_sim *sim, const char *words)
{
    ls_schedule_report *report;
    ls_error error = {""};
    if (ls_program_check(sim, &report, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(report->hint_count, report->count);
    if (report->count != (words != NULL))
        fail_msg("%u hints, the first is %s; not %s", report->count,
                 report->count ? report->findings[0].text : "none", words ? words : "none");
    if (words && !strstr(report->findings[0].text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, report->findings[0].text);
    ls_schedule_report_destroy(report);
}

TEST(test_name_hints_tell_of_events_that_nothing_sends)
{
    const ls_system systems[] = {
        {.name = "hear", SEQ, .terms = LS_TERM_LIST(LS_RECEIVES(bells))},
        {.name = "ring", SEQ, .terms = LS_TERM_LIST(LS_SENDS(bells)), .before = "hear"},
    };
    static const char *const lanes[] = {"a"};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    expect_hint(&sim, NULL);
    sim.system_count = 1;
    expect_hint(&sim, "\"hear\" receives \"bell\", which no system sends");
}

TEST(test_name_hints_tell_of_labels_that_are_nearly_used)
{
    static const ls_set sets[] = {{.name = "animals", .when = {.every = 2}}};
    static const char *const lanes[] = {"a"};
    ls_system systems[] = {{.name = "hoot", SEQ, .labels = "animals"},
                           {.name = "walk", SEQ, .labels = "anmals, loud"}};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.sets = sets;
    sim.set_count = 1;
    expect_hint(&sim,
                "\"walk\" carries the label \"anmals\", which nothing refers to; is \"animals\"");
    systems[0].before = "anmals"; /* now something refers to it */
    expect_hint(&sim, NULL);
    systems[0] = (ls_system){.name = "hoot", SEQ};
    systems[1].labels = "loud";
    expect_hint(&sim, "set \"animals\" has no members");
    /* The name of a module is a label of its systems, which the simulation need not use. */
    systems[0] = (ls_system){.name = "herd.walk", SEQ, .labels = "herd"};
    systems[1] = (ls_system){.name = "hard", SEQ, .labels = "animals"};
    expect_hint(&sim, NULL);
    systems[0].name = "walk";
    expect_hint(&sim, "\"walk\" carries the label \"herd\"");
}

/* Up to two letters change the label into the name that is meant, one if the label is short. */
TEST(test_name_hints_count_the_letters_that_differ)
{
    static const struct {
        const char *label;
        bool is_near;
    } cases[] = {{"animal", true},      {"nimals", true},   {"aanimals", true},
                 {"animasl", true},     {"amials", true},   {"bnimalz", true},
                 {"annimalss", true},   {"bnimelz", false}, {"nimalsxy", false},
                 {"animalsxy", true},   {"anmlas", false},  {"slamina", false},
                 {"animalsxyz", false}, {"anls", false},    {"anals", false}};
    static const ls_set sets[] = {{.name = "animals", .when = {.every = 2}}};
    static const char *const lanes[] = {"a"};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const ls_system systems[] = {{.name = "hoot", SEQ, .labels = "animals"},
                                     {.name = "walk", SEQ, .labels = cases[i].label}};
        ls_sim sim = HARNESS_SIM(components, lanes, systems);
        sim.sets = sets;
        sim.set_count = 1;
        expect_hint(&sim, cases[i].is_near ? "is \"animals\" meant?" : NULL);
    }
}

/* A label is used by orders, needs, sets and independences. */
TEST(test_name_hints_know_each_use_of_a_label)
{
    static const ls_set sets[] = {{.name = "animals", .when = {.every = 2}}};
    static const ls_set orders[][1] = {{{.name = "animals", .before = "anmals"}},
                                       {{.name = "animals", .after = "anmals"}},
                                       {{.name = "animals", .weakly_before = "anmals"}},
                                       {{.name = "animals", .weakly_after = "anmals"}}};
    static const ls_independence independence = {"hoot", "anmals", "each has its own numbers"};
    static const char *const lanes[] = {"a"};
    ls_system systems[] = {{.name = "hoot", SEQ, .labels = "animals"},
                           {.name = "walk", SEQ, .labels = "anmals"}};
    const char **const lists[] = {&systems[0].before, &systems[0].after, &systems[0].weakly_before,
                                  &systems[0].weakly_after, &systems[0].needs};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.sets = sets;
    sim.set_count = 1;
    for (uint32_t i = 0; i < LS_COUNT_OF(lists); i++) {
        *lists[i] = "anmals";
        expect_hint(&sim, NULL);
        *lists[i] = NULL;
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(orders); i++) {
        sim.sets = orders[i];
        expect_hint(&sim, NULL);
    }
    sim.sets = sets;
    sim.independences = &independence;
    sim.independence_count = 1;
    expect_hint(&sim, "is stale"); /* and no second hint */
    sim.independence_count = 0;
    expect_hint(&sim, "\"anmals\", which nothing refers to");
}

/* A misspelt name counts as the name that is meant, so its pair is no second finding. */
TEST(test_name_hints_guess_which_name_is_meant)
{
    static const char *const lanes[] = {"a"};
    ls_system systems[] = {
        {.name = "steer", .span = harness_span, .terms = LS_TERM_LIST(LS_WRITES(numbers))},
        {.name = "shoot",
         .span = harness_span,
         .terms = LS_TERM_LIST(LS_READS(numbers)),
         .after = "stear"},
        {.name = "shout", SEQ},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    ls_error error;
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "no system has that name or label; is \"steer\" meant?"));
    assert_null(strstr(error.text, "have no order"));
    systems[1].after = "shot"; /* as near to "shoot", which does not mean itself */
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "is \"shout\" meant?"));
    systems[1].after = NULL;
    systems[0].after = "shot"; /* as near to "shoot" as to "shout" */
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_REFUSED);
    assert_null(strstr(error.text, "meant"));
    systems[0].after = NULL;
    const ls_system asks = {.name = "night", SEQ};
    const ls_set sets[] = {{.name = "owls", .when = {.criterion = &asks}}};
    sim.sets = sets;
    sim.set_count = 1;
    systems[1].after = "night";
    assert_refused(&sim, LS_ERROR_REFUSED, "after \"night\"", "it is a criterion");
    systems[2].name = "night"; /* a criterion may not have the name of a system */
    assert_refused(&sim, LS_ERROR_REFUSED, "a system and a criterion are named \"night\"");
}
