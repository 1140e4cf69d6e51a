/* The messages for mistakes in declarations: docs/mistakes.md has a row for each, with the same
 * words. test_mistakes_of_runs.c has those that only a run shows. */
#include "mistakes_page.h"

typedef struct number {
    uint32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const ls_component xs = LS_COMPONENT_TABLE(number, "X", number_fields);
static const ls_component ys = LS_COMPONENT_TABLE(number, "Y", number_fields);
static const ls_component again = LS_COMPONENT_TABLE(number, "X", number_fields);
static const ls_component unlisted = LS_COMPONENT_TABLE(number, "Z", number_fields);
static const ls_component single = LS_SINGLETON_TABLE(number, "single", number_fields);
static const ls_component bells = LS_EVENT_TABLE(number, "bell", number_fields);
static const ls_component *const components[] = {&xs, &ys, &single, &bells};
static const ls_component *const doubled[] = {&xs, &again};
static const ls_component lasting = {"bell", 4, 1, number_fields, false, LS_EVENT_TICKS_MAX + 1};
static const ls_component *const long_lived[] = {&xs, &lasting};
typedef struct call {
    ls_entity from;
} call;
static const ls_field call_fields[] = {LS_FIELD_ENTITY(call, from, LS_NULL)};
static const ls_component clearing = {"call", 8, 1, call_fields, false, 2};
static const ls_component *const cleared[] = {&xs, &clearing};
static const ls_component calls = LS_COMPONENT_TABLE(call, "calls", call_fields);
static const ls_component *const paired[] = {&xs, &ys, &calls};
#define BY_FROM .partner = {.component = &calls, .offset = offsetof(call, from)}
typedef struct leaf {
    ls_entity parent;
} leaf;
static const ls_field leaf_fields[] = {LS_FIELD_ENTITY(leaf, parent, LS_PARENT)};
static const ls_component leaves = LS_COMPONENT_TABLE(leaf, "leaf", leaf_fields);
static const ls_component *const trees[] = {&xs, &leaves};
#define BY_PARENT .parents_first = {.component = &leaves, .offset = offsetof(leaf, parent)}
typedef struct graft {
    ls_entity parents[2];
} graft;
static const ls_field graft_fields[] = {LS_FIELD_ENTITY(graft, parents, LS_PARENT)};
static const ls_component grafts = LS_COMPONENT_TABLE(graft, "graft", graft_fields);
static const ls_component *const grafted[] = {&xs, &grafts};
static const ls_component roots = LS_SINGLETON_TABLE(leaf, "root", leaf_fields);
static const ls_component *const rooted[] = {&xs, &roots};
typedef struct spot {
    ls_fix3 at;
} spot;
static const ls_field spot_fields[] = {LS_FIELD(spot, at, LS_TYPE_FIX3)};
static const ls_component spots = LS_COMPONENT_TABLE(spot, "spot", spot_fields);
static const ls_component *const placed[] = {&xs, &spots};
static const char *const lanes[] = {"a"};

#define CONC .span = harness_span
#define SEQ  .mode = LS_SEQUENTIAL, .match = harness_match
#define WRITER(label, ...)                                                                         \
    {                                                                                              \
        .name = label, CONC, .terms = LS_TERM_LIST(LS_WRITES(xs)), __VA_ARGS__                     \
    }

#define WALKED_FOUR                                                                                \
    LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, ys),                                        \
        LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, ys),                                    \
        LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, ys),                                    \
        LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, ys)
#define WALKED_SIXTEEN WALKED_FOUR, WALKED_FOUR, WALKED_FOUR, WALKED_FOUR

static const ls_term reads_and_writes_others[] = {LS_WRITES(xs), LS_OTHERS_READ(xs), {0}};
static const ls_system night = {.name = "night", SEQ};
static const ls_system paces = {
    .name = "pace", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(single))};

static const ls_system sees = {.name = "sees", SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(xs))};
static const ls_system walks = {
    .name = "walks",
    SEQ,
    .terms = LS_TERM_LIST(
        LS_TERM_FILTERED(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, xs, LS_FILTER_CHANGED))};

static const ls_component *const twin[] = {&xs};
static const ls_stage late[] = {{.name = "late"}};
static const ls_module plain = {.name = "physics"}, other = {.name = "physics"};
static const ls_module dotted = {.name = "a.b"},
                       copies = {.name = "copies", .components = twin, .component_count = 1};
static const ls_module staged = {.name = "physics", .stages = late, .stage_count = 1};
static const ls_module one = {.name = "one"};
#define MODULES(...)                                                                               \
    (const ls_module *const[2])                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

typedef struct mistake {
    const char *what;
    ls_system systems[2];
    ls_system setups[2];
    ls_set set;
    ls_stage stages[2];
    ls_par par;
    ls_independence independence;
    ls_operation operations[2];
    ls_incompatibility pairs[2];
    const ls_component *const *components; /* two; NULL: the usual ones */
    const ls_module *const *modules;       /* one or two */
} mistake;

static void take_other(void *value, const void *given)
{
    *(number *)value = *(const number *)given;
}

/* One item more than a list may have: 257 names, 257 terms, 17 grids, 17 joins. */
#define FOUR(...)     __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define FOUR_OF_(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
static const char many_names[] = FOUR_OF_(FOUR_OF_(FOUR_OF_(FOUR_OF_("two, ")))) "two";
static const ls_term many_terms[] = {
    FOUR(FOUR(FOUR(FOUR(LS_OTHERS_READ(xs))))), LS_OTHERS_READ(xs), {0}};
static const ls_grid many_grids[] = {FOUR(FOUR({.component = &xs})), {.component = &xs}, {0}};
static const ls_join many_joins[] = {FOUR(FOUR({.component = &xs})), {.component = &xs}, {0}};

static const mistake mistakes[] = {
    {"two systems conflict and have no order", {WRITER("one"), WRITER("two")}},
    {"a system has no order with one that spawns what it finds",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_SPAWNS_WITH(xs)), .lanes = "a"},
      {.name = "two", CONC, .terms = LS_TERM_LIST(LS_READS(xs))}}},
    {"an order names what does not exist", {WRITER("one", .after = "steer"), {.name = "two", SEQ}}},
    {"an order misspells a name",
     {WRITER("steer"),
      {.name = "shoot", CONC, .terms = LS_TERM_LIST(LS_READS(xs)), .after = "stear"}}},
    {"an order misspells a name and is nearly that of its own system",
     {WRITER("steers", .after = "steer"), {.name = "two", SEQ}}},
    {"an order names a criterion",
     {WRITER("one", .after = "night"), {.name = "two", SEQ, .labels = "owls"}},
     .set = {.name = "owls", .when = {.criterion = &night}}},
    {"a criterion has the name of a system",
     {{.name = "night", SEQ, .labels = "owls"}, {.name = "two", SEQ}},
     .set = {.name = "owls", .when = {.criterion = &night}}},
    {"a criterion changes something",
     {{.name = "one", SEQ, .labels = "owls"}, {.name = "two", SEQ}},
     .set = {.name = "owls", .when = {.criterion = &paces}}},
    {"a criterion observes",
     {{.name = "one", SEQ, .labels = "owls"}, {.name = "two", SEQ}},
     .set = {.name = "owls", .when = {.criterion = &sees}}},
    {"a criterion walks with a filter by change",
     {{.name = "one", SEQ, .labels = "owls"}, {.name = "two", SEQ}},
     .set = {.name = "owls", .when = {.criterion = &walks}}},
    {"a phase is beyond its ticks",
     {{.name = "one", SEQ, .labels = "rare"}, {.name = "two", SEQ}},
     .set = {.name = "rare", .when = {.every = 2, .phase = 2}}},
    {"two systems wait for each other",
     {{.name = "one", SEQ, .after = "two"}, {.name = "two", SEQ, .after = "one"}}},
    {"two systems have one name", {{.name = "one", SEQ}, {.name = "one", SEQ}}},
    {"two components have one name",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .components = doubled},
    {"an event lives too long",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .components = long_lived},
    {"an event that lives on is to lose a reference",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .components = cleared},
    {"a parent field is an array",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .components = grafted},
    {"a singleton has a parent",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .components = rooted},
    {"a component is not listed",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_READ(unlisted))}, {.name = "two", SEQ}}},
    {"a filter by change names a component that is not listed",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_CHANGED(unlisted))}, {.name = "two", SEQ}}},
    {"a filter by change names a singleton",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_CHANGED(single))}, {.name = "two", SEQ}}},
    {"a list has too many names",
     {{.name = "one", SEQ, .after = many_names}, {.name = "two", SEQ}}},
    {"a list has too many terms",
     {{.name = "one", SEQ, .terms = many_terms}, {.name = "two", SEQ}}},
    {"a list has too many grids",
     {{.name = "one", SEQ, .grids = many_grids}, {.name = "two", SEQ}}},
    {"a list has too many joins",
     {{.name = "one", SEQ, .joins = many_joins}, {.name = "two", SEQ}}},
    {"a lane is not listed", {{.name = "one", SEQ, .lanes = "b"}, {.name = "two", SEQ}}},
    {"a system spawns into no lane",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_SPAWNS_WITH(xs), LS_SPAWNS_WITH(ys))},
      {.name = "two", SEQ}}},
    {"a stage is not listed", {{.name = "one", SEQ, .stage = "late"}, {.name = "two", SEQ}}},
    {"a stage is placed beside none",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .stages = {{.name = "main"}, {.name = "late", .after = "later"}}},
    {"exclusive systems have no order",
     {{.name = "one", SEQ, .slot = LS_AT_END}, {.name = "two", SEQ, .slot = LS_AT_END}}},
    {"a system changes its own cells and reads those of others",
     {{.name = "one", CONC, .terms = reads_and_writes_others}, {.name = "two", SEQ}}},
    {"a concurrent system changes others",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_WITH(ys), LS_OTHERS_WRITE(xs))},
      {.name = "two", SEQ}}},
    {"a concurrent system writes the whole world",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_WITH(ys), LS_WRITES_WORLD)},
      {.name = "two", SEQ}}},
    {"a system reads and writes the whole world",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_READS_WORLD, LS_WRITES_WORLD)},
      {.name = "two", SEQ}}},
    {"a system of the whole world has no order with a spawner",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_READS_WORLD)},
      {.name = "two", SEQ, .lanes = "a"}}},
    {"a query excludes a component and attaches it",
     {{.name = "one",
       CONC,
       .terms = LS_TERM_LIST(LS_WITH(ys), LS_TERM(0, LS_EXCLUDE, LS_ACCESS_STRUCTURE, xs))},
      {.name = "two", SEQ}}},
    {"a query has 17 terms",
     {{.name = "one",
       SEQ,
       .terms = LS_TERM_LIST(WALKED_SIXTEEN,
                             LS_TERM(LS_WALKED | 1, LS_EXCLUDE, LS_ACCESS_PRESENCE, xs))},
      {.name = "two", SEQ}}},
    {"a system has a 17th query",
     {{.name = "one",
       SEQ,
       .terms = LS_TERM_LIST(LS_TERM(LS_WALKED | LS_QUERIES_MAX, LS_INCLUDE, LS_ACCESS_READ, xs))},
      {.name = "two", SEQ}}},
    {"query 0 has a term after the first 16",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(WALKED_SIXTEEN, LS_READS(xs))},
      {.name = "two", SEQ}}},
    {"a grid has an offset_z alone",
     {{.name = "one", SEQ, .grids = LS_GRIDS({&spots, NULL, 0, 4, LS_FIX(1), .offset_z = 8})},
      {.name = "two", SEQ}},
     .components = placed},
    {"a grid has one number twice",
     {{.name = "one",
       SEQ,
       .grids = LS_GRIDS({&spots, NULL, 0, 4, LS_FIX(1), .has_z = true, .offset_z = 4})},
      {.name = "two", SEQ}},
     .components = placed},
    {"a query matches a singleton",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_READS(single))}, {.name = "two", SEQ}}},
    {"a system observes a component that is not listed",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(unlisted))}, {.name = "two", SEQ}}},
    {"a system observes a singleton",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(single))}, {.name = "two", SEQ}}},
    {"an observer has no order with a writer",
     {WRITER("one"), {.name = "two", SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(xs))}}},
    {"a concurrent system writes what it observes",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_WRITES(xs), LS_OBSERVES(xs))},
      {.name = "two", SEQ}}},
    {"a concurrent system has no query",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_OTHERS_READ(xs))}, {.name = "two", SEQ}}},
    {"an accumulation has no operation",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_ACCUMULATES(xs, LS_COMBINE))},
      {.name = "two", SEQ}}},
    {"two operations combine one component",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .operations = {{&xs, "first", take_other}, {&xs, "second", take_other}}},
    {"an operation combines what is not listed",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .operations = {{&unlisted, "first", take_other}}},
    {"an operation has no function",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .operations = {{&xs, "first", NULL}}},
    {"components that exclude each other are not listed",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .pairs = {{&xs, &unlisted}}},
    {"a component excludes a singleton",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .pairs = {{&xs, &single}}},
    {"a component excludes itself",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .pairs = {{&xs, &xs}}},
    {"two components exclude each other twice",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .pairs = {{&xs, &ys}, {&ys, &xs}}},
    {"systems attach components that exclude each other",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_ATTACHES(xs), LS_WITH(calls))},
      {.name = "two", CONC, .terms = LS_TERM_LIST(LS_ATTACHES(ys), LS_WITH(calls))}},
     .pairs = {{&xs, &ys}},
     .components = paired},
    {"a term writes a partner that the system does not name",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_READS(calls), LS_PARTNER_WRITE(xs))},
      {.name = "two", SEQ}},
     .components = paired},
    {"a system names a partner that no term writes",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_READS(calls)), BY_FROM}, {.name = "two", SEQ}},
     .components = paired},
    {"a partner is found by what the system does not read",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_WITH(calls), LS_PARTNER_WRITE(xs)), BY_FROM},
      {.name = "two", SEQ}},
     .components = paired},
    {"a partner is found by what the system changes",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_WRITES(calls), LS_PARTNER_WRITE(xs)), BY_FROM},
      {.name = "two", SEQ}},
     .components = paired},
    {"a sequential system has a partner",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_READS(calls), LS_PARTNER_WRITE(xs)), BY_FROM},
      {.name = "two", SEQ}},
     .components = paired},
    {"a system writes of partners what it reads of others",
     {{.name = "one",
       CONC,
       .terms = LS_TERM_LIST(LS_READS(calls), LS_PARTNER_WRITE(xs), LS_OTHERS_READ(xs)),
       BY_FROM},
      {.name = "two", SEQ}},
     .components = paired},
    {"a concurrent system runs parents first",
     {{.name = "one", CONC, .terms = LS_TERM_LIST(LS_WRITES(xs)), BY_PARENT}, {.name = "two", SEQ}},
     .components = trees},
    {"a system without a query runs parents first",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_READ(xs)), BY_PARENT},
      {.name = "two", SEQ}},
     .components = trees},
    {"a system runs parents first by a reference that is no parent",
     {{.name = "one",
       SEQ,
       .terms = LS_TERM_LIST(LS_WRITES(xs)),
       .parents_first = {.component = &calls, .offset = offsetof(call, from)}},
      {.name = "two", SEQ}},
     .components = paired},
    {"a system runs parents first by what is not listed",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_WRITES(xs)), BY_PARENT}, {.name = "two", SEQ}},
     .components = paired},
    {"systems combine into one component by two operations",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_ACCUMULATES(xs, LS_ARG_MIN))},
      {.name = "two", SEQ, .terms = LS_TERM_LIST(LS_ACCUMULATES(xs, LS_ARG_MAX))}}},
    {"a par has one side",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .par = {.name = "both", .sides = "one"}},
    {"an independence has no reason",
     {WRITER("one"), WRITER("two")},
     .independence = {"one", "two", ""}},
    {"an independence allows nothing",
     {WRITER("one"), {.name = "two", SEQ}},
     .independence = {"one", "two", "they never meet"}},
    {"an event is received and never sent",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_RECEIVES(bells))}, {.name = "two", SEQ}}},
    {"a query can never match",
     {{.name = "one", SEQ, .terms = LS_TERM_LIST(LS_CHANGED(xs), LS_WITHOUT(xs))},
      {.name = "two", SEQ}}},
    {"two sides of a par change one component",
     {WRITER("one"), WRITER("two")},
     .par = {.name = "both", .sides = "one, two"}},
    {"a setup spawns into no lane",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .setups = {{.name = "found", SEQ, .terms = LS_TERM_LIST(LS_SPAWNS_WITH(xs))},
                {.name = "grow", SEQ}}},
    {"a par answers a clash in a way that there is not",
     {WRITER("one"), WRITER("two")},
     .par = {.name = "both", .sides = "one, two", .clash = (ls_par_clash)2}},
    {"a set has no members",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .set = {.name = "owls", .when = {.every = 2}}},
    {"the first setup has a query",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .setups = {WRITER("found"), {.name = "grow", SEQ}}},
    {"a setup observes",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .setups = {{.name = "found", SEQ},
                {.name = "grow", SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(xs))}}},
    {"a setup has an order",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .setups = {{.name = "found", SEQ}, WRITER("grow", .after = "found")}},
    {"a setup sends an event",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .setups = {{.name = "found", SEQ, .terms = LS_TERM_LIST(LS_SENDS(bells))}, WRITER("grow")}},
    {"a module is listed twice",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .modules = MODULES(&plain, &plain)},
    {"two modules have one name",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .modules = MODULES(&plain, &other)},
    {"a module has a dot in its name",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .modules = MODULES(&dotted)},
    {"a module has the name of a system",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .modules = MODULES(&one)},
    {"a module has stages without a stage around them",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .modules = MODULES(&staged)},
    {"a module lists a component of the simulation",
     {{.name = "one", SEQ}, {.name = "two", SEQ}},
     .modules = MODULES(&copies)},
};

static ls_sim sim_of(const mistake *given)
{
    ls_sim sim = HARNESS_SIM(components, lanes, given->systems);
    if (given->components) {
        sim.components = given->components;
        sim.component_count = given->components == paired ? 3 : 2;
    }
    sim.sets = &given->set;
    sim.set_count = given->set.name != NULL;
    sim.stages = given->stages;
    sim.stage_count = given->stages[0].name ? 2 : 0;
    sim.setup = given->setups[0].name ? given->setups : NULL;
    sim.setup_count = LS_COUNT_OF(given->setups);
    sim.modules = given->modules;
    sim.module_count = given->modules ? 1 + (given->modules[1] != NULL) : 0;
    sim.pars = &given->par;
    sim.par_count = given->par.name != NULL;
    sim.independences = &given->independence;
    sim.independence_count = given->independence.one != NULL;
    sim.incompatibilities = given->pairs;
    sim.incompatibility_count = (given->pairs[0].one != NULL) + (given->pairs[1].one != NULL);
    sim.operations = given->operations;
    sim.operation_count = (given->operations[0].name != NULL) + (given->operations[1].name != NULL);
    return sim;
}

TEST(test_mistakes_have_the_messages_of_the_page)
{
    const char *page = mistakes_page(NULL, "\nThese build");
    uint32_t missing = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(mistakes); i++) {
        ls_schedule_report *report;
        ls_error error;
        char message[1536];
        const ls_sim sim = sim_of(&mistakes[i]);
        ls_status status = ls_program_check(&sim, &report, &error);
        assert_true(report->count > 0);
        assert_int_equal(status != LS_OK, report->count > report->hint_count);
        snprintf(message, sizeof message, "%s: %s", ls_finding_word(report->findings[0].kind),
                 report->findings[0].text);
        missing += mistakes_row_is_missing(page, mistakes[i].what, message);
        ls_schedule_report_destroy(report);
    }
    assert_int_equal(missing, 0);
    assert_int_equal(mistakes_count_rows(page), LS_COUNT_OF(mistakes));
}
