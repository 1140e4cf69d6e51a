/* The rules about a single term of a system. */
#ifndef LS_TERM_RULES_H
#define LS_TERM_RULES_H
#include <lockstep/system.h>

static inline bool ls_term_is_matched(ls_match_kind kind)
{
    return kind <= LS_OPTIONAL;
}

/* Whether the term belongs to a query. */
static inline bool ls_term_limits_query(ls_match_kind kind)
{
    return ls_term_is_matched(kind) || kind == LS_LANE;
}

/* The number of the term's query. */
static inline uint32_t ls_term_query(const ls_term *term)
{
    return term->query & ~LS_WALKED;
}

static inline bool ls_term_is_walked(const ls_term *term)
{
    return (term->query & LS_WALKED) != 0;
}

/* Whether the query of the term has no room for it. */
bool ls_term_is_beyond(const ls_system *system, const ls_term *term);
/* Refuses `first`, a term for which its query has no room, and all later terms of that query, in
 * one message. */
ls_status ls_term_refuse_beyond(const ls_system *system, const ls_term *first, ls_error *error);
/* The rule about queries that the term violates, in words; NULL when it violates none. */
const char *ls_term_query_fault(const ls_system *system, const ls_term *term);
/* The rule that a term of a component violates, in words; NULL when it violates none. */
const char *ls_term_fault(const ls_system *system, const ls_term *term,
                          const ls_component *component);

#endif
