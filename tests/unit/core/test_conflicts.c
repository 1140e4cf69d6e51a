/* The conflict matrix: every pair of accesses of two systems, with and without an order. A refusal
 * by core/schedule/schedule_build.c is symmetric and has the same words in both directions. */
#include "mutation_sim.h"

#include "core/schedule/program_data.h"

static void match(ls_context *context, const ls_entity *entities)
{
}

/* A system's access to the column "count", to events or to lanes. */
typedef enum deed {
    PRESENCE,
    READ,
    START,
    WRITE,
    STRUCTURE,
    NEWBORNS,
    EXCLUDE,
    OPTIONAL,
    WALKED,
    CHANGED,
    REMOVED,
    OBSERVED,
    ADD,
    MIN,
    MAX,
    OR,
    ADD_AND_MAX,
    READ_AND_ADD,
    COMMAND,
    SEND,
    RECEIVE,
    SPAWN,
    COMMAND_SPAWN,
    MATCH_ALL,
    WALK_ALL,
    DEED_COUNT,
} deed;

/* Every system also matches "extra", which no system changes, so that concurrent systems have
 * matches. */
static const struct {
    ls_term terms[3];
    const char *lane, *command_lane;
    const char *verb; /* the message's verb for a conflict about the column */
} deeds[DEED_COUNT] = {
    [PRESENCE] = {.terms = {LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, counts)},
                  .verb = "asks for the presence of"},
    [READ] = {.terms = {LS_OTHERS_READ(counts)}, .verb = "reads"},
    [START] = {.terms = {LS_OTHERS_START(counts)}, .verb = "reads"},
    [WRITE] = {.terms = {LS_WRITES(counts)}, .verb = "writes"},
    [STRUCTURE] = {.terms = {LS_ATTACHES(counts)}, .verb = "attaches or detaches"},
    [NEWBORNS] = {.terms = {LS_SPAWNS_WITH(counts)}, .verb = "spawns with"},
    [EXCLUDE] = {.terms = {LS_WITHOUT(counts)}, .verb = "asks for the presence of"},
    [OPTIONAL] = {.terms = {LS_OPTIONALLY_READS(counts)}, .verb = "reads"},
    [WALKED] = {.terms = {LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, counts)},
                .verb = "reads"},
    [CHANGED] = {.terms = {LS_CHANGED(counts)}, .verb = "reads"},
    [REMOVED] = {.terms = {LS_REMOVED(counts)}, .verb = "reads"},
    [OBSERVED] = {.terms = {LS_OBSERVES(counts)}, .verb = "reads"},
    [ADD] = {.terms = {LS_ACCUMULATES(counts, LS_ADD)}, .verb = "adds to"},
    [MIN] = {.terms = {LS_ACCUMULATES(counts, LS_MIN)}, .verb = "takes the minimum of"},
    [MAX] = {.terms = {LS_ACCUMULATES(counts, LS_MAX)}, .verb = "takes the maximum of"},
    [OR] = {.terms = {LS_ACCUMULATES(counts, LS_OR)}, .verb = "accumulates bits of"},
    [ADD_AND_MAX] = {.terms = {LS_ACCUMULATES(counts, LS_ADD), LS_ACCUMULATES(counts, LS_MAX)},
                     .verb = "adds to"},
    [READ_AND_ADD] = {.terms = {LS_OTHERS_READ(counts), LS_ACCUMULATES(counts, LS_ADD)},
                      .verb = "adds to"},
    [COMMAND] = {.terms = {LS_COMMANDED(counts)}},
    [SEND] = {.terms = {LS_SENDS(shouts)}},
    [RECEIVE] = {.terms = {LS_RECEIVES(shouts)}},
    [SPAWN] = {.lane = "b"},
    [COMMAND_SPAWN] = {.command_lane = "b"},
    [MATCH_ALL] = {.terms = {LS_TERM(1, LS_OPTIONAL, LS_ACCESS_PRESENCE, extras)}},
    [WALK_ALL] = {.terms = {LS_TERM(LS_WALKED | 1, LS_OPTIONAL, LS_ACCESS_PRESENCE, extras)}},
};

static const char *const names[DEED_COUNT] = {
    "presence", "read",        "start",         "write",     "structure",
    "newborns", "exclude",     "optional",      "walked",    "changed",
    "removed",  "observed",    "add",           "min",       "max",
    "or",       "add and max", "read and add",  "command",   "send",
    "receive",  "spawn",       "command spawn", "match all", "walk all"};

static bool is_between(deed what, deed first, deed last)
{
    return what >= first && what <= last;
}

static bool reads(deed what)
{
    return what == READ || what == START || is_between(what, OPTIONAL, OBSERVED) ||
           what == READ_AND_ADD;
}

/* The rules of docs/design.md, stated independently: whether the accesses to the column
 * conflict. */
static bool disturbs(deed a, deed b)
{
    bool is_about_column =
        is_between(a, PRESENCE, READ_AND_ADD) && is_between(b, PRESENCE, READ_AND_ADD);
    if (!is_about_column)
        return false;
    if (a == STRUCTURE)
        return true;
    if (a == NEWBORNS) /* handles do not reach them, and two spawners make two entities */
        return b == WRITE || is_between(b, EXCLUDE, OBSERVED);
    if (a == WRITE)
        return b == WRITE || reads(b) || is_between(b, ADD, READ_AND_ADD);
    if (is_between(a, ADD, OR))
        return reads(b) || (is_between(b, ADD, READ_AND_ADD) && a != b);
    if (a == ADD_AND_MAX || a == READ_AND_ADD)
        return is_between(b, ADD, READ_AND_ADD) || (reads(b));
    return false;
}

/* The access that a refusal names if a system has two. Two systems that add conflict only if one of
 * them also reads, or takes the maximum. */
static const char *verb_of(deed what, deed against, bool is_second)
{
    bool adds = against == ADD || (is_second && against == READ_AND_ADD) ||
                (is_second && against == ADD_AND_MAX);
    if (what == ADD_AND_MAX && adds)
        return "takes the maximum of";
    return what == READ_AND_ADD && adds ? "reads" : deeds[what].verb;
}

/* Words that the refusal must contain; NULL if the pair needs no order. */
static const char *refusal(deed a, deed b, char *text, size_t bytes)
{
    if (disturbs(a, b) || disturbs(b, a)) {
        snprintf(text, bytes, "the first %s and the second %s \"count\"", verb_of(a, b, false),
                 verb_of(b, a, true));
        return text;
    }
    if (a == SEND && b == RECEIVE)
        return "the first sends and the second receives \"shout\"";
    if (a == RECEIVE && b == SEND)
        return "the second sends and the first receives \"shout\"";
    if (a == SPAWN && b == SPAWN)
        return "both spawn into lane \"b\"";
    if ((a == SPAWN && b >= MATCH_ALL) || (a >= MATCH_ALL && b == SPAWN))
        return "one spawns and the other matches every living entity";
    return NULL;
}

/* The lists of two systems. */
typedef ls_term pair_terms[2][2 + LS_COUNT_OF(deeds[0].terms)];

static ls_system system_of(deed what, const char *name, ls_mode mode, ls_term *terms)
{
    ls_system system = {.name = name,
                        .mode = mode,
                        .match = match,
                        .terms = terms,
                        .lanes = deeds[what].lane,
                        .command_lanes = deeds[what].command_lane};
    terms[0] = (ls_term)LS_READS(extras);
    terms[1 + LS_COUNT_OF(deeds[what].terms)] = (ls_term){0};
    memcpy(terms + 1, deeds[what].terms, sizeof deeds[what].terms);
    return system;
}

static void expect_pair(deed a, deed b, ls_mode mode)
{
    pair_terms terms;
    ls_system systems[] = {system_of(a, "one", mode, terms[0]),
                           system_of(b, "two", LS_CONCURRENT, terms[1])};
    char words[160];
    const char *wanted = refusal(a, b, words, sizeof words);
    ls_program *program = NULL;
    ls_error error = {""};
    ls_status status = ls_program_create(mutation_sim(systems, 2), &program, &error);
    if (wanted ? status != LS_ERROR_REFUSED || !strstr(error.text, wanted) ||
                     !strstr(error.text, "\"one\" and \"two\" have no order")
               : status != LS_OK)
        fail_msg("%s and %s: wanted \"%s\", got \"%s\"", names[a], names[b],
                 wanted ? wanted : "no refusal", error.text);
    if (program)
        assert_false(ls_program_is_ordered(program, 0, 1) || ls_program_is_ordered(program, 1, 0));
    ls_program_destroy(program);
    systems[1].after = "one";
    assert_int_equal(ls_program_create(mutation_sim(systems, 2), &program, &error), LS_OK);
    assert_true(ls_program_is_ordered(program, 0, 1));
    ls_program_destroy(program);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_conflicts_of_every_pair)
{
    uint32_t refused = 0;
    for (int a = 0; a < DEED_COUNT; a++) {
        for (int b = 0; b < DEED_COUNT; b++) {
            expect_pair((deed)a, (deed)b, LS_CONCURRENT);
            expect_pair((deed)a, (deed)b, LS_SEQUENTIAL);
            char words[160];
            refused += refusal((deed)a, (deed)b, words, sizeof words) != NULL;
        }
    }
    /* Counted by hand, to find an error that all rules above share. About the column, with 18
     * accesses: 18 * 18 - 17 * 17 with structure, 2 * 7 of spawned entities with a term that finds
     * them, 1 + 2 * 13 more with a write, 2 * 7 * 6 of readers
     * with accumulators, 6 * 6 - 4 of two accumulators. Seven concern events and lanes. */
    assert_int_equal(refused, 35 + 14 + 27 + 84 + 32 + 7);
}

/* The engine keeps the whole column for a filter by change. So it does not help that the writer's
 * entities are others. */
TEST(test_conflicts_of_filters_by_change_are_of_all_entities)
{
    static const ls_term first[] = {LS_WITH(extras), LS_CHANGED(counts), {0}},
                         observes[] = {LS_WITH(extras), LS_OBSERVES(counts), {0}},
                         reads[] = {LS_WITH(extras), LS_READS(counts), {0}},
                         second[] = {LS_WITHOUT(extras), LS_WRITES(counts), {0}};
    ls_system systems[] = {{.name = "one", .match = match, .terms = first},
                           {.name = "two", .match = match, .terms = second}};
    ls_program *program;
    ls_error error;
    assert_int_equal(ls_program_create(mutation_sim(systems, 2), &program, &error),
                     LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "the first reads and the second writes \"count\""));
    systems[0].terms = observes;
    assert_refused(mutation_sim(systems, 2), LS_ERROR_REFUSED,
                   "the first reads and the second writes \"count\"");
    systems[0].terms = reads;
    assert_int_equal(ls_program_create(mutation_sim(systems, 2), &program, &error), LS_OK);
    ls_program_destroy(program);
}

/* Commands take effect at the sync point, so they are no access to other entities' cells. */
TEST(test_conflicts_of_filters_are_settled_in_spite_of_commands)
{
    static const ls_term first[] = {LS_WITH(extras), LS_WRITES(counts), LS_COMMANDED(counts), {0}},
                         second[] = {LS_WITHOUT(extras), LS_WRITES(counts), {0}};
    const ls_system systems[] = {{.name = "one", .match = match, .terms = first},
                                 {.name = "two", .match = match, .terms = second}};
    ls_program *program;
    assert_int_equal(ls_program_create(mutation_sim(systems, 2), &program, NULL), LS_OK);
    ls_program_destroy(program);
}

/* A query that is limited to other lanes than those of a spawner finds nothing that it spawns. A
 * filter by change compares the whole column, and a second query is not limited. */
TEST(test_conflicts_of_spawns_end_at_lanes)
{
    static const ls_term spawning[] = {LS_SPAWNS_WITH(counts), {0}},
                         moving[] = {
                             LS_WRITES(counts), LS_IN_LANE("a"), LS_SPAWNS_WITH(counts), {0}};
    static const ls_system spawner = {.name = "one",
                                      .mode = LS_SEQUENTIAL,
                                      .match = match,
                                      .terms = spawning,
                                      .lanes = "a"},
                           mover = {.name = "one", .match = match, .terms = moving, .lanes = "a"};
    static const char all[] = "matches every living entity", column[] = "\"count\"";
    static const struct {
        const ls_system *spawner;
        ls_mode mode;
        ls_term terms[4];
        const char *words; /* NULL: needs no order */
    } cases[] = {
        {&spawner, LS_CONCURRENT, {LS_WRITES(counts), LS_IN_LANE("b")}, NULL},
        {&spawner, LS_CONCURRENT, {LS_WITHOUT(counts), LS_IN_LANE("b")}, NULL},
        {&spawner, LS_CONCURRENT, {LS_IN_LANE("b")}, NULL},
        {&mover, LS_CONCURRENT, {LS_DETACHES(counts), LS_IN_LANE("b")}, NULL},
        {&spawner, LS_CONCURRENT, {LS_READS(counts), LS_IN_LANE("a"), LS_IN_LANE("b")}, column},
        {&spawner, LS_CONCURRENT, {LS_IN_LANE("a"), LS_IN_LANE("b")}, all},
        {&mover, LS_CONCURRENT, {LS_READS(counts), LS_IN_LANE("a")}, column},
        {&spawner, LS_CONCURRENT, {LS_CHANGED(counts), LS_IN_LANE("b")}, column},
        {&spawner,
         LS_CONCURRENT,
         {LS_IN_LANE("b"), LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, counts)},
         column},
        {&spawner, LS_SEQUENTIAL, {LS_READS(counts), LS_IN_LANE("b")}, column},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const ls_system systems[] = {
            *cases[i].spawner,
            {.name = "two", .mode = cases[i].mode, .match = match, .terms = cases[i].terms}};
        ls_program *program = NULL;
        ls_error error = {""};
        ls_status status = ls_program_create(mutation_sim(systems, 2), &program, &error);
        if (cases[i].words ? status == LS_OK || !strstr(error.text, cases[i].words)
                           : status != LS_OK)
            fail_msg("case %u: %s", i, error.text);
        ls_program_destroy(program);
    }
}

typedef struct lane_case {
    const ls_term *spawning;
    const char *lanes;
    ls_mode mode;
    ls_term terms[4];
    const char *lane; /* that is proposed; NULL: none settles it */
} lane_case;

static ls_status try_lane_case(const lane_case *given, const ls_term *terms, bool is_swapped,
                               ls_error *error)
{
    const ls_system spawner = {.name = "one",
                               .mode = LS_SEQUENTIAL,
                               .match = match,
                               .terms = given->spawning,
                               .lanes = given->lanes},
                    finder = {.name = "two", .mode = given->mode, .match = match, .terms = terms};
    const ls_system systems[] = {is_swapped ? finder : spawner, is_swapped ? spawner : finder};
    ls_program *program = NULL;
    ls_status status = ls_program_create(mutation_sim(systems, 2), &program, error);
    ls_program_destroy(program);
    return status;
}

/* A conflict that ends when the query is limited to a lane without newborns says so, and names the
 * lane. The schedule then builds. */
TEST(test_conflicts_of_spawns_propose_a_lane)
{
    static const ls_term spawning[] = {LS_SPAWNS_WITH(counts), {0}},
                         shouting[] = {LS_SPAWNS_WITH(counts), LS_SENDS(shouts), {0}},
                         writing[] = {LS_SPAWNS_WITH(counts), LS_OTHERS_WRITE(counts), {0}};
    static const lane_case cases[] = {
        {spawning, "a", LS_CONCURRENT, {LS_READS(counts)}, "world"},
        {spawning, "world, a", LS_CONCURRENT, {LS_WRITES(counts)}, "b"},
        {spawning, "a", LS_CONCURRENT, {LS_WITHOUT(marks)}, "world"},
        {spawning, "a", LS_CONCURRENT, {LS_IN_LANE("a"), LS_IN_LANE("b"), LS_WITH(counts)}, "b"},
        {spawning, "a", LS_CONCURRENT, {LS_READS(counts), LS_IN_LANE("a")}, NULL},
        {spawning, "world, a, b, c", LS_CONCURRENT, {LS_READS(counts)}, NULL},
        {spawning, "a", LS_CONCURRENT, {LS_WITHOUT(marks), LS_OTHERS_READ(counts)}, "world"},
        {spawning,
         "a",
         LS_CONCURRENT,
         {LS_WITH(marks), LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, counts)},
         NULL},
        {spawning, "a", LS_CONCURRENT, {LS_CHANGED(counts)}, NULL},
        {spawning, "a", LS_SEQUENTIAL, {LS_READS(counts)}, NULL},
        {spawning, "a", LS_SEQUENTIAL, {LS_READS_WORLD}, NULL},
        {shouting, "a", LS_CONCURRENT, {LS_READS(counts), LS_RECEIVES(shouts)}, NULL},
        {writing, "a", LS_CONCURRENT, {LS_READS(counts)}, NULL},
    };
    for (uint32_t i = 0; i < 2 * LS_COUNT_OF(cases); i++) {
        const lane_case *given = &cases[i / 2];
        ls_term limited[5] = {{0}};
        char wanted[64] = "or IN_LANE";
        ls_error error = {""};
        if (given->lane)
            snprintf(wanted, sizeof wanted, "or IN_LANE(\"%s\") in \"two\"", given->lane);
        if (try_lane_case(given, given->terms, i % 2, &error) != LS_ERROR_REFUSED ||
            !strstr(error.text, wanted) != !given->lane)
            fail_msg("case %u: %s", i / 2, error.text);
        limited[0] = (ls_term)LS_IN_LANE(given->lane);
        for (uint32_t from = 0, to = 1; from < LS_COUNT_OF(given->terms); from++) {
            if (given->terms[from].kind != LS_LANE)
                limited[to++] = given->terms[from];
        }
        if (given->lane && try_lane_case(given, limited, i % 2, &error) != LS_OK)
            fail_msg("case %u in its lane: %s", i / 2, error.text);
    }
}

/* The message proposes an order that settles the conflict. */
TEST(test_conflicts_say_the_remedy)
{
    pair_terms terms;
    const ls_system systems[] = {system_of(ADD, "one", LS_CONCURRENT, terms[0]),
                                 system_of(READ, "two", LS_CONCURRENT, terms[1])};
    assert_refused(mutation_sim(systems, 2), LS_ERROR_REFUSED, ".after = \"one\" in \"two\"",
                   "the first adds to and the second reads \"count\"");
}

TEST(test_conflicts_name_the_reader_of_two_that_add)
{
    pair_terms terms;
    const ls_system systems[] = {system_of(ADD, "one", LS_CONCURRENT, terms[0]),
                                 system_of(READ_AND_ADD, "two", LS_CONCURRENT, terms[1])};
    assert_refused(mutation_sim(systems, 2), LS_ERROR_REFUSED,
                   "the first adds to and the second reads \"count\"");
}

/* Different columns, different events and different lanes never conflict. */
TEST(test_conflicts_need_something_in_common)
{
    const ls_system systems[] = {
        {.name = "one",
         .match = match,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(counts, LS_ADD), LS_SENDS(shouts),
                               LS_COMMANDED(links)),
         .lanes = "a",
         .command_lanes = "b"},
        {.name = "two",
         .match = match,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(extras, LS_MAX), LS_SENDS(beeps),
                               LS_COMMANDED(links), LS_WRITES(links)),
         .lanes = "b",
         .command_lanes = "b"},
        {.name = "three",
         .match = match,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_ACCUMULATES(counts, LS_ADD), LS_SENDS(shouts),
                               LS_ACCUMULATES(extras, LS_MAX)),
         .lanes = "c"},
    };
    ls_program *program;
    ls_error error = {""};
    if (ls_program_create(mutation_sim(systems, 3), &program, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_program_destroy(program);
}

/* Systems without an order to a spawner see none of its entities, whatever else they share. */
TEST(test_conflicts_of_spawns_unsettle_a_lane)
{
    const ls_system systems[] = {
        {.name = "ask", .match = match, .terms = LS_TERM_LIST(LS_WITH(marks), LS_READS(extras))},
        {.name = "bear", .match = match, .terms = LS_TERM_LIST(LS_WITH(marks)), .lanes = "b"},
        {.name = "look", .match = match, .terms = LS_TERM_LIST(LS_WITH(marks), LS_READS(extras))},
        {.name = "tend",
         .match = match,
         .terms = LS_TERM_LIST(LS_WITH(marks), LS_READS(extras)),
         .after = "bear"},
    };
    ls_program *program;
    ls_error error = {""};
    if (ls_program_create(mutation_sim(systems, 4), &program, &error) != LS_OK)
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < 4; i++) {
        const char *name = program->systems[i].system->name;
        bool is_unordered = strcmp(name, "ask") == 0 || strcmp(name, "look") == 0;
        assert_int_equal(program->systems[i].has_unsettled, is_unordered);
        assert_int_equal(ls_bit_has(program->systems[i].unsettled_lanes, LANE_B), is_unordered);
    }
    ls_program_destroy(program);
}
