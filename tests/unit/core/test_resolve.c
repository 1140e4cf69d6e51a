/* The rules that concern a single system. */
#include "harness.h"

typedef struct place {
    ls_fix x, y;
    uint32_t kind;
} place;

static const ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_FIX),
                                        LS_FIELD(place, y, LS_TYPE_FIX),
                                        LS_FIELD(place, kind, LS_TYPE_U32)};
static const ls_component places = LS_COMPONENT_TABLE(place, "place", place_fields);
static const ls_component goals = LS_COMPONENT_TABLE(place, "goal", place_fields);
static const ls_component single = LS_SINGLETON_TABLE(place, "single", place_fields);
static const ls_component foreign = LS_TAG_TABLE("foreign");
static const ls_component mark = LS_TAG_TABLE("mark");

typedef struct link {
    ls_entity to;
} link_cell;

static const ls_field link_fields[] = {LS_FIELD(link_cell, to, LS_TYPE_ENTITY)};
static const ls_component links = LS_COMPONENT_TABLE(link_cell, "link", link_fields);
static const ls_component shout = LS_EVENT_TABLE(place, "shout", place_fields);
static const ls_component unheard = LS_EVENT_TABLE(place, "unheard", place_fields);
static const ls_component *const components[] = {&places, &goals, &single, &mark, &links, &shout};
static const char *const lanes[] = {"a"};

#define CONC                              .name = "it", .span = harness_span
#define SEQ                               .name = "it", .mode = LS_SEQUENTIAL, .match = harness_match
#define GRID(component, with, x, y, cell) LS_GRIDS({component, with, x, y, cell, false})

static ls_sim sim_of(const ls_system *system)
{
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "resolve",
                    .version = "1",
                    .tick_rate = 1,
                    .player_count = 1,
                    .components = components,
                    .component_count = LS_COUNT_OF(components),
                    .lanes = lanes,
                    .lane_count = 1,
                    .systems = system,
                    .system_count = 1};
}

#define assert_wrong(status, system, ...)                                                          \
    do {                                                                                           \
        const ls_system system_ = system;                                                          \
        ls_sim sim_ = sim_of(&system_);                                                            \
        assert_refused(&sim_, status, __VA_ARGS__);                                                \
    } while (0)
#define SYSTEM(...) ((ls_system){__VA_ARGS__})

static void assert_right(ls_system system)
{
    ls_sim sim = sim_of(&system);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_resolve_refuses_terms_that_make_no_sense)
{
    assert_wrong(LS_ERROR_USAGE, SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(foreign))), "\"it\"",
                 "\"foreign\"", "does not list");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(single))),
                 "\"single\"", "no query matches a singleton");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(single))),
                 "\"single\"", "neither attached");
    assert_wrong(
        LS_ERROR_USAGE,
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_TERM(0, LS_EXCLUDE, LS_ACCESS_READ, places))),
        "\"place\"", "WITHOUT(...) to match", "ATTACHES(...) as a second term");
    assert_wrong(
        LS_ERROR_USAGE,
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(goals),
                                           LS_TERM(0, LS_EXCLUDE, LS_ACCESS_STRUCTURE, places))),
        "WITHOUT(...) to match", "ATTACHES(...) as a second term");
    assert_right(SYSTEM(
        CONC, .terms = LS_TERM_LIST(LS_READS(goals), LS_WITHOUT(places), LS_ATTACHES(places))));
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(
                                 LS_TERM(LS_QUERIES_MAX, LS_INCLUDE, LS_ACCESS_READ, places))),
                 "no such");
    assert_wrong(
        LS_ERROR_USAGE,
        SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM(0, (ls_match_kind)9, LS_ACCESS_READ, places))),
        "no such");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(
                                 LS_TERM(0, LS_INCLUDE, (ls_access)(LS_COMBINE + 1), places))),
                 "no such");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM(0, LS_INCLUDE, LS_ADD, places))),
                 "combines values");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM(0, LS_START, LS_ACCESS_WRITE, places))),
                 "can only be read");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM(0, LS_SPAWNED, LS_ACCESS_READ, places))),
                 " SPAWNS_WITH(...)");
    assert_wrong(
        LS_ERROR_USAGE,
        SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM(0, LS_COMMANDS, LS_ACCESS_WRITE, places))),
        " COMMANDED(...)");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_ACCUMULATES(places, LS_ACCESS_WRITE))),
                 "LS_ADD");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_ACCUMULATES(links, LS_ADD))),
                 "\"link\"", "no number");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_ACCUMULATES(mark, LS_OR))),
                 "a tag");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_SENDS(places))), "no event");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_READS(shout))),
                 "SENDS(...) or RECEIVES(...)");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_SENDS(unheard))),
                 "does not list");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM(2, LS_INCLUDE, LS_ACCESS_READ, places))),
                 "query 0", "no term");
}

TEST(test_resolve_refuses_filters_that_make_no_sense)
{
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places), LS_IN_LANE("nowhere"))),
                 "\"it\"", "lane \"nowhere\"", "does not list");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST({&places, LS_INCLUDE, LS_ACCESS_READ, 0,
                                                     LS_FILTER_NONE, "world"})),
                 " IN_LANE(...)");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places), LS_TERM_LANE(1, "world"))),
                 "of one query");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM_LANE(LS_QUERIES_MAX, "world"))),
                 "at most 16 queries");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_TERM_FILTERED(0, LS_INCLUDE, LS_ACCESS_READ,
                                                                     places, LS_FILTER_ANY))),
                 "\"place\"", " ANY_OF(...)");
    assert_wrong(
        LS_ERROR_USAGE,
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places),
                                           LS_TERM_FILTERED(0, LS_OPTIONAL, LS_ACCESS_PRESENCE,
                                                            goals, LS_FILTER_OR))),
        "\"goal\"", "follows another term");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_TERM_FILTERED(
                                  0, LS_OPTIONAL, LS_ACCESS_PRESENCE, goals, (ls_filter)99))),
                 "no such filter");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_TERM_FILTERED(0, LS_OPTIONAL, LS_ACCESS_READ,
                                                                     places, LS_FILTER_CHANGED))),
                 "\"place\"", " CHANGED(...)");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM_FILTERED(0, LS_INCLUDE, LS_ACCESS_READ,
                                                                    places, LS_FILTER_OBSERVED))),
                 "\"place\"", "OBSERVES(...)");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_TERM_FILTERED(0, LS_OTHERS, LS_ACCESS_WRITE,
                                                                    places, LS_FILTER_OBSERVED))),
                 "\"place\"", "list a second term");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(foreign))),
                 "\"foreign\"", "does not list");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_OBSERVES(single))),
                 "for components of entities");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places), LS_OBSERVES(places))),
                 "conflicts with itself");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(CONC, .terms = LS_TERM_LIST(LS_CHANGED(foreign))),
                 "\"foreign\"", "does not list");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(CONC, .terms = LS_TERM_LIST(LS_CHANGED(single))),
                 "no query matches a singleton");
    assert_right(
        SYSTEM(CONC, .terms = LS_TERM_LIST(LS_ANY_OF(places, goals), LS_IN_LANE("world"))));
}

TEST(test_resolve_refuses_modes_that_do_not_exist)
{
    for (int mode = -1; mode < 4; mode += mode == -1 ? 3 : 1)
        assert_wrong(LS_ERROR_USAGE,
                     SYSTEM(.name = "it", .match = harness_match, .mode = (ls_mode)mode),
                     "\"it\" has mode", "LS_CONCURRENT or LS_SEQUENTIAL");
}

TEST(test_resolve_refuses_what_concurrent_systems_may_not)
{
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places),
                                                    LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, goals))),
                 "of one query");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places), LS_OTHERS_WRITE(goals))),
                 "its own entities only");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places), LS_OTHERS_STRUCTURE(goals))),
                 "its own entities only");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places), LS_OTHERS_WRITE(single))),
                 "\"single\"");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(CONC, .terms = LS_TERM_LIST(LS_OTHERS_READ(single))),
                 "matches nothing");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(.name = "it", .match = harness_match,
                        .terms = LS_TERM_LIST(LS_READS(places),
                                              LS_TERM(1, LS_INCLUDE, LS_ACCESS_WRITE, goals))),
                 "those of query 0");
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places)), .lanes = "a"));
    assert_right(SYSTEM(.name = "it", .match = harness_match,
                        .terms = LS_TERM_LIST(LS_WRITES(places),
                                              LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, goals))));
}

TEST(test_resolve_refuses_a_system_that_conflicts_with_itself)
{
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_READ(places))),
                 "\"it\"", "conflicts with itself", "\"place\"");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_OTHERS_READ(goals), LS_READS(places),
                                                    LS_ATTACHES(goals))),
                 "conflicts with itself", "\"goal\"");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places)),
                        .grids = GRID(&places, NULL, 0, 4, 1)),
                 "conflicts with itself", "\"place\"");
    assert_wrong(LS_ERROR_REFUSED,
                 SYSTEM(.name = "it", .match = harness_match,
                        .terms = LS_TERM_LIST(LS_WRITES(places),
                                              LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, places))),
                 "conflicts with itself", "\"place\"");
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_START(places))));
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_READ(goals))));
    assert_right(SYSTEM(CONC, .terms = LS_TERM_LIST(LS_READS(places), LS_OTHERS_READ(places)),
                        .grids = GRID(&places, NULL, 0, 4, 1)));
    assert_right(SYSTEM(SEQ, .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_WRITE(places)),
                        .grids = GRID(&places, NULL, 0, 4, 1)));
}

TEST(test_resolve_refuses_lanes_that_nobody_lists)
{
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .lanes = "a, b"), "\"it\"", "lane \"b\"");
    assert_right(SYSTEM(SEQ, .lanes = "a, world"));
}

TEST(test_resolve_refuses_wrong_functions)
{
    assert_wrong(LS_ERROR_USAGE, SYSTEM(.name = "it", .terms = LS_TERM_LIST(LS_READS(places))),
                 "concurrent", "an each, a span, a block or a match");
    assert_wrong(LS_ERROR_USAGE,
                 SYSTEM(CONC, .match = harness_match, .terms = LS_TERM_LIST(LS_READS(places))),
                 "concurrent", "no other");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(SEQ, .span = harness_span), "sequential", "match function");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(.name = "it", .mode = LS_SEQUENTIAL), "sequential");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(.name = "", .span = harness_span), "no name");
    assert_wrong(LS_ERROR_USAGE, SYSTEM(.span = harness_span), "no name");
}

TEST(test_resolve_takes_lists_that_are_full)
{
    ls_system system =
        SYSTEM(SEQ, .grids = LS_GRIDS({&places, NULL, 0, 4, 1}, {&goals, &places, 0, 4, 9}));
    ls_term terms[LS_QUERY_TERMS_MAX + 1] = {{0}};
    for (uint32_t i = 0; i < LS_QUERY_TERMS_MAX; i++)
        terms[i] = (ls_term)LS_TERM(i % LS_QUERIES_MAX, LS_INCLUDE, LS_ACCESS_READ, places);
    system.terms = terms;
    assert_right(system);
}
