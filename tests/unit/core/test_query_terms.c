/* The terms of many queries in one list: sixteen queries of up to sixteen terms each. */
#include "harness.h"

#include <stdio.h>

enum { TYPES = LS_QUERIES_MAX, ENTITIES = 700, EACH = 3 };

typedef struct number {
    uint32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const char *const lanes[] = {"a"};

/* The components, and which of them an entity has; the setup and the systems share them. */
static struct {
    char names[TYPES][8];
    ls_component types[TYPES];
    const ls_component *list[TYPES];
    uint64_t random;
    uint32_t has[ENTITIES]; /* bit by type */
    uint32_t visits[LS_QUERIES_MAX], products;
    bool is_sparse;
} seen;

static void describe(void)
{
    memset(&seen, 0, sizeof seen);
    for (uint32_t i = 0; i < TYPES; i++) {
        snprintf(seen.names[i], sizeof seen.names[i], "n%02u", i);
        seen.types[i] = (ls_component)LS_COMPONENT_TABLE(number, seen.names[i], number_fields);
        seen.list[i] = &seen.types[i];
    }
}

/* Query q matches those that have q and q + 1, and lack q + 2, numbered in a circle. */
static bool is_match(uint32_t i, uint32_t query)
{
    return (seen.has[i] >> query & 1) && (seen.has[i] >> (query + 1) % TYPES & 1) &&
           !(seen.has[i] >> (query + 2) % TYPES & 1);
}

static uint32_t count_matches(uint32_t query)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ENTITIES; i++)
        count += is_match(i, query);
    return count;
}

/* Sparse: entity q < 16 matches query q only, entity 16 query 3, entity 17 query 9. */
static void populate(ls_context *context, const ls_entity *unused)
{
    static const uint32_t more[] = {3, 9};
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t query = i < TYPES ? i : more[i % 2];
        ls_entity entity = ls_spawn(context, 0);
        seen.has[i] = test_below(&seen.random, 1u << TYPES);
        if (seen.is_sparse)
            seen.has[i] = i < TYPES + 2 ? 1u << query | 1u << (query + 1) % TYPES : 0;
        for (uint32_t k = 0; k < TYPES; k++) {
            if (seen.has[i] >> k & 1)
                ls_cell_attach(context, k, entity, &(number){i});
        }
    }
}

/* Makes the terms of query 0 first, then in turn one of each other query: the second term of query
 * 15 gets the index 32. */
static void make_terms(ls_term *terms, uint32_t walked_from)
{
    static const ls_match_kind kinds[EACH] = {LS_INCLUDE, LS_INCLUDE, LS_EXCLUDE};
    uint32_t count = 0;
    for (uint32_t turn = 0; turn < EACH; turn++) {
        /* Those of query 0 come first. */
        terms[count++] = (ls_term)LS_TERM(
            0, kinds[turn], turn ? LS_ACCESS_PRESENCE : LS_ACCESS_READ, seen.types[turn]);
    }
    for (uint32_t turn = 0; turn < EACH; turn++) {
        for (uint32_t query = 1; query < LS_QUERIES_MAX; query++)
            terms[count++] = (ls_term)LS_TERM(
                query >= walked_from ? LS_WALKED | query : query, kinds[turn],
                turn ? LS_ACCESS_PRESENCE : LS_ACCESS_READ, seen.types[(query + turn) % TYPES]);
    }
}

static void run(const ls_system *system)
{
    ls_term spawned[TYPES + 1] = {{0}};
    for (uint32_t i = 0; i < TYPES; i++)
        spawned[i] = (ls_term)LS_SPAWNS_WITH(seen.types[i]);
    const ls_system setup = {.name = "populate",
                             .mode = LS_SEQUENTIAL,
                             .match = populate,
                             .terms = spawned,
                             .lanes = "a"};
    const ls_system systems[] = {*system};
    ls_sim sim = HARNESS_SIM(seen.list, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    ls_executor *checker = harness_checker();
    harness_tick(self.world, checker);
    ls_executor_destroy(checker);
    /* It runs a system more than once. */
    memset(seen.visits, 0, sizeof seen.visits);
    seen.products = 0;
    harness_tick(self.world, NULL);
    harness_end(&self);
}

/* Walks each query in each match of query 0; slots are numbers in `has`. */
static void walk_all(ls_context *context, const ls_entity *entities)
{
    assert_true(is_match(ls_entity_slot(entities[0]), 0));
    if (seen.visits[0]++)
        return;
    for (uint32_t query = 1; query < LS_QUERIES_MAX; query++) {
        LS_EACH_MATCH(context, query, other)
        {
            const number *own = ls_cell_find(context, 2 + query, other);
            assert_true(is_match(ls_entity_slot(other), query));
            assert_int_equal(own->value, ls_entity_slot(other));
            seen.visits[query]++;
        }
    }
}

TEST(test_query_terms_of_sixteen_walked_queries_are_three_each)
{
    for (uint32_t mode = LS_CONCURRENT; mode <= LS_SEQUENTIAL; mode++) {
        ls_term terms[LS_QUERIES_MAX * EACH + 1] = {{0}};
        describe();
        seen.random = harness_seed("test_query_terms_of_sixteen_walked_queries_are_three_each");
        make_terms(terms, 1);
        run(&(ls_system){.name = "walk", .mode = (ls_mode)mode, .match = walk_all, .terms = terms});
        for (uint32_t query = 0; query < LS_QUERIES_MAX; query++) {
            assert_int_equal(seen.visits[query], count_matches(query));
            assert_true(seen.visits[query] > 0);
        }
    }
}

static void meet(ls_context *context, const ls_entity *entities)
{
    for (uint32_t query = 0; query < LS_QUERIES_MAX; query++)
        assert_true(is_match(ls_entity_slot(entities[query]), query));
    seen.products++;
}

/* Two entities match queries 3 and 9, and one each other query. */
TEST(test_query_terms_of_a_vector_of_sixteen_are_three_each)
{
    ls_term terms[LS_QUERIES_MAX * EACH + 1] = {{0}};
    describe();
    seen.is_sparse = true;
    make_terms(terms, LS_QUERIES_MAX);
    run(&(ls_system){.name = "meet", .mode = LS_SEQUENTIAL, .match = meet, .terms = terms});
    assert_int_equal(seen.products, 4);
}

/* A simulation whose system lists `count` terms for each of the queries up to `last`. */
static ls_sim fill(ls_system *system, ls_term *terms, uint32_t last, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t query = 0; query <= last; query++) {
        for (uint32_t i = 0; i < (query == last ? count : LS_QUERY_TERMS_MAX); i++)
            terms[at++] =
                (ls_term)LS_TERM(query, LS_INCLUDE, LS_ACCESS_READ, seen.types[i % TYPES]);
    }
    *system =
        (ls_system){.name = "wide", .mode = LS_SEQUENTIAL, .match = harness_match, .terms = terms};
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "terms",
                    .version = "1",
                    .tick_rate = 1,
                    .player_count = 1,
                    .components = seen.list,
                    .component_count = TYPES,
                    .systems = system,
                    .system_count = 1};
}

TEST(test_query_terms_have_a_limit_for_each_query)
{
    static ls_term terms[LS_QUERIES_MAX * LS_QUERY_TERMS_MAX + 2];
    ls_system system;
    harness self;
    describe();
    ls_sim sim = fill(&system, terms, LS_QUERIES_MAX - 1, LS_QUERY_TERMS_MAX);
    harness_begin(&self, &sim, 1);
    harness_end(&self);
    memset(terms, 0, sizeof terms);
    sim = fill(&system, terms, 3, LS_QUERY_TERMS_MAX + 1);
    assert_refused(&sim, LS_ERROR_USAGE, "system \"wide\"", "\"n00\"",
                   "takes 16 terms (LS_QUERY_TERMS_MAX); too many in the list: number ",
                   "split the system");
    /* Those of query 0 are the first. */
    terms[LS_QUERY_TERMS_MAX + 1].query = 0;
    assert_refused(&sim, LS_ERROR_USAGE, "system \"wide\"", "\"n01\"",
                   "query 0 matches only the first 16 terms", "list it before");
}

/* One finding for all terms of a query that are too many. */
TEST(test_query_terms_beyond_the_limit_are_one_finding)
{
    static ls_term terms[2 * LS_QUERY_TERMS_MAX + 8];
    ls_system system;
    describe();
    ls_sim sim = fill(&system, terms, 1, 4);
    for (uint32_t i = 0; i < LS_QUERY_TERMS_MAX + 6; i++)
        terms[i] =
            (ls_term){.component = seen.list[0], .kind = LS_INCLUDE, .access = LS_ACCESS_READ};
    ls_schedule_report *report;
    assert_int_equal(ls_program_check(&sim, &report, NULL), LS_ERROR_USAGE);
    assert_int_equal(report->count, 1);
    const char *words = "system \"wide\": query 0 matches only the first 16 terms of a list "
                        "(LS_QUERY_TERMS_MAX), not number 17 (\"n00\"), 18 (\"n00\"), 19 "
                        "(\"n00\"), 20 (\"n00\") and 2 more; list it before";
    if (!strstr(report->findings[0].text, words))
        fail_msg("%s", report->findings[0].text);
    ls_schedule_report_destroy(report);
}
