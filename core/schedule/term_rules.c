#include "core/schedule/term_rules.h"

#include "core/base/builder.h"
#include "core/schedule/lists.h"
#include "core/schedule/program_data.h"

/* The number of terms before `term` that belong to its query. */
static uint32_t terms_before(const ls_system *system, const ls_term *term)
{
    uint32_t count = 0;
    for (const ls_term *other = system->terms; other < term; other++)
        count += ls_term_limits_query(other->kind) && ls_term_query(other) == ls_term_query(term);
    return count;
}

bool ls_term_is_beyond(const ls_system *system, const ls_term *term)
{
    uint32_t query = ls_term_query(term);
    return ls_term_limits_query(term->kind) && query < LS_QUERIES_MAX &&
           (query ? terms_before(system, term) : (uint32_t)(term - system->terms)) >=
               LS_QUERY_TERMS_MAX;
}

ls_status ls_term_refuse_beyond(const ls_system *system, const ls_term *first, ls_error *error)
{
    enum { NAMED = 4 };
    uint32_t query = ls_term_query(first), count = 0;
    ls_builder named = {0};
    for (const ls_term *term = first; ls_term_of(system, (uint32_t)(term - system->terms));
         term++) {
        if (ls_term_query(term) == query && ls_term_is_beyond(system, term) && count++ < NAMED)
            ls_builder_add(&named, "%s%u (\"%s\")", count > 1 ? ", " : "",
                           (uint32_t)(term - system->terms) + 1,
                           term->lane ? term->lane : term->component->name);
    }
    if (count > NAMED)
        ls_builder_add(&named, " and %u more", count - NAMED);
    ls_status status =
        query
            ? ls_error_set(
                  error, LS_ERROR_USAGE,
                  "system \"%s\": query %u takes 16 terms (LS_QUERY_TERMS_MAX); too many in the "
                  "list: number %s; leave terms out, or split the system",
                  system->name, query, named.data)
            : ls_error_set(error, LS_ERROR_USAGE,
                           "system \"%s\": query 0 matches only the first 16 terms of a list "
                           "(LS_QUERY_TERMS_MAX), not number %s; list it before the terms of other "
                           "queries and those that no query matches, or split the system",
                           system->name, named.data);
    ls_free(named.data);
    return status;
}

const char *ls_term_query_fault(const ls_system *system, const ls_term *term)
{
    if (ls_term_query(term) >= LS_QUERIES_MAX)
        return "the term has no such query; there are at most 16 queries, numbered 0 to 15 "
               "(LS_QUERIES_MAX): split the system";
    if (ls_term_is_walked(term) && !ls_term_limits_query(term->kind))
        return "WALKS(...) has only terms that a query matches; list the others beside it";
    if (ls_term_is_walked(term) && ls_term_query(term) == 0)
        return "query 0 is of the query vector; walk queries from 1 on";
    if (system->mode == LS_CONCURRENT && term->query != 0 && !ls_term_is_walked(term) &&
        !system->match)
        return "spans and blocks are of one query; give the system a match function, or walk the "
               "query with WALKS(...)";
    return NULL;
}

/* The rule that a term violates, in words; NULL when it violates none. */
static const char *fault_of_kind(const ls_term *term, const ls_component *component)
{
    switch (term->kind) {
    case LS_INCLUDE:
    case LS_OPTIONAL:
    case LS_OTHERS:
        return term->access <= LS_ACCESS_STRUCTURE ? NULL : "only ACCUMULATES(...) combines values";
    case LS_EXCLUDE:
        return term->access == LS_ACCESS_PRESENCE
                   ? NULL
                   : "what it matches lacks the component, and so has no value to touch; list "
                     "WITHOUT(...) to match, and ATTACHES(...) as a second term to attach";
    case LS_START:
        return term->access <= LS_ACCESS_READ ? NULL : "the state at the start can only be read";
    case LS_SPAWNED:
        return term->access == LS_ACCESS_STRUCTURE
                   ? NULL
                   : "a component is attached to spawned entities by SPAWNS_WITH(...)";
    case LS_PARTNER:
        return term->access == LS_ACCESS_WRITE ? NULL : "a partner is written: PARTNER_WRITES(...)";
    case LS_COMMANDS:
        return term->access == LS_ACCESS_STRUCTURE ? NULL
                                                   : "commands attach and detach: COMMANDED(...)";
    case LS_ACCUMULATED:
        if (term->access < LS_ADD || term->access > LS_COMBINE)
            return "ACCUMULATES(...) takes LS_ADD, LS_MIN, LS_MAX, LS_OR, LS_ARG_MIN, LS_ARG_MAX "
                   "or LS_COMBINE";
        if (term->access >= LS_ARG_MIN)
            return component->bytes ? NULL : "a tag has no value to accumulate";
        for (uint32_t i = 0; i < component->field_count; i++) {
            ls_type type = component->fields[i].type;
            if (type == LS_TYPE_ENTITY || type == LS_TYPE_ENUM || component->fields[i].count ||
                (type == LS_TYPE_BOOL && term->access == LS_ADD))
                return "has a field that is no number to accumulate; give it a component of its "
                       "own, or take LS_ARG_MIN, LS_ARG_MAX or LS_COMBINE";
            /* The result may exceed the limit, and a snapshot with such a value would be
             * refused. */
            if (component->fields[i].max && (term->access == LS_ADD || term->access == LS_OR))
                return "has a field with a limit, which sums and bits could pass";
        }
        return component->bytes ? NULL : "a tag has no value to accumulate";
    default:
        return "the term has no such kind";
    }
}

/* The rule that a filter violates; NULL when it violates none. `before` is the term before it, or
 * NULL. */
static const char *fault_of_filter(const ls_term *term, const ls_term *before)
{
    static const uint8_t kinds[] = {
        [LS_FILTER_ANY] = LS_OPTIONAL,    [LS_FILTER_OR] = LS_OPTIONAL,
        [LS_FILTER_CHANGED] = LS_INCLUDE, [LS_FILTER_ADDED] = LS_INCLUDE,
        [LS_FILTER_REMOVED] = LS_EXCLUDE, [LS_FILTER_OBSERVED] = LS_OTHERS};
    if ((uint32_t)term->filter >= LS_COUNT_OF(kinds))
        return "the term has no such filter";
    if (ls_filter_compares(term->filter) && term->kind != kinds[term->filter])
        return "a filter by change is a term of its own; use CHANGED(...), ADDED(...), "
               "REMOVED(...) or OBSERVES(...)";
    if (term->filter == LS_FILTER_OBSERVED && term->access != LS_ACCESS_READ)
        return "OBSERVES(...) reads; list a second term to change the component";
    if (term->filter && term->kind != kinds[term->filter])
        return "only an optional term is one of several to choose from; use ANY_OF(...)";
    bool follows = before && before->filter && !ls_filter_compares(before->filter) &&
                   before->query == term->query;
    if (term->filter == LS_FILTER_OR && !follows)
        return "LS_FILTER_OR follows another term of its choice; use ANY_OF(...)";
    return NULL;
}

const char *ls_term_fault(const ls_system *system, const ls_term *term,
                          const ls_component *component)
{
    bool is_concurrent = system->mode == LS_CONCURRENT;
    if (((uint32_t)term->kind > LS_EVENTS && term->kind != LS_PARTNER) ||
        (uint32_t)term->access > LS_COMBINE)
        return "the term has no such kind or access";
    const char *fault = ls_term_query_fault(system, term);
    if (fault)
        return fault;
    if (component->is_singleton && term->kind != LS_OTHERS && term->kind != LS_ACCUMULATED)
        return "no query matches a singleton; use READS_SINGLETON(...) or "
               "WRITES_SINGLETON(...)";
    if (component->is_singleton && term->access == LS_ACCESS_STRUCTURE)
        return "a singleton is neither attached nor detached";
    if (component->is_singleton && term->filter == LS_FILTER_OBSERVED)
        return "OBSERVES(...) is for components of entities; keep the singleton's last value in "
               "another one, and compare";
    if (is_concurrent && term->access >= LS_ACCESS_WRITE && term->access <= LS_ACCESS_STRUCTURE &&
        (term->kind == LS_OTHERS || (ls_term_is_matched(term->kind) && term->query != 0)))
        return "a concurrent system changes its own entities only, those of query 0; make the "
               "system sequential, accumulate, give commands, or let the others read what this "
               "one writes";
    fault = fault_of_filter(term, term == system->terms ? NULL : term - 1);
    return fault ? fault : fault_of_kind(term, component);
}
