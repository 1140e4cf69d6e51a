/* The kinds of term that LS_TERMS (include/lockstep/terms.h) knows, and how a list becomes an array
 * and a struct. A system header for the reason in include/lockstep/define_table.h. */
#ifndef LS_TERM_KINDS_H
#define LS_TERM_KINDS_H
#pragma GCC system_header

#include <lockstep/cell_change.h>
#include <lockstep/define.h>
#include <lockstep/term_grants.h>
#include <lockstep/world_term.h>

/* The kinds of term: READS(place) or READS(place, other) there is LS_TERM_KIND_READS here. Each
 * gives a tuple: form, text, ls_match_kind, ls_access, grant, what the component may be, its name,
 * the term's name. */
#define LS_TERM_KIND_READS(...)  LS_CELLS_(READS, LS_INCLUDE, LS_ACCESS_READ, READ, __VA_ARGS__)
#define LS_TERM_KIND_WRITES(...) LS_CELLS_(WRITES, LS_INCLUDE, LS_ACCESS_WRITE, WRITE, __VA_ARGS__)
#define LS_TERM_KIND_WITH(...)   LS_ANY_(WITH, LS_INCLUDE, LS_ACCESS_PRESENCE, TEST, __VA_ARGS__)
#define LS_TERM_KIND_WITHOUT(...)                                                                  \
    LS_ANY_(WITHOUT, LS_EXCLUDE, LS_ACCESS_PRESENCE, TEST, __VA_ARGS__)
#define LS_TERM_KIND_ATTACHES(...)                                                                 \
    LS_ANY_(ATTACHES, LS_OPTIONAL, LS_ACCESS_STRUCTURE, STRUCTURE, __VA_ARGS__)
#define LS_TERM_KIND_DETACHES(...)                                                                 \
    LS_ANY_(DETACHES, LS_INCLUDE, LS_ACCESS_STRUCTURE, STRUCTURE, __VA_ARGS__)
#define LS_TERM_KIND_OPTIONALLY_WITH(...)                                                          \
    LS_ANY_(OPTIONALLY_WITH, LS_OPTIONAL, LS_ACCESS_PRESENCE, TEST, __VA_ARGS__)
#define LS_TERM_KIND_OPTIONALLY_READS(...)                                                         \
    LS_CELLS_(OPTIONALLY_READS, LS_OPTIONAL, LS_ACCESS_READ, READ, __VA_ARGS__)
#define LS_TERM_KIND_OPTIONALLY_WRITES(...)                                                        \
    LS_CELLS_(OPTIONALLY_WRITES, LS_OPTIONAL, LS_ACCESS_WRITE, WRITE, __VA_ARGS__)
#define LS_TERM_KIND_OTHERS_WITH(...)                                                              \
    LS_ANY_(OTHERS_WITH, LS_OTHERS, LS_ACCESS_PRESENCE, TEST, __VA_ARGS__)
#define LS_TERM_KIND_OTHERS_READ(...)                                                              \
    LS_CELLS_(OTHERS_READ, LS_OTHERS, LS_ACCESS_READ, READ, __VA_ARGS__)
#define LS_TERM_KIND_OTHERS_WRITE(...)                                                             \
    LS_CELLS_(OTHERS_WRITE, LS_OTHERS, LS_ACCESS_WRITE, WRITE, __VA_ARGS__)
#define LS_TERM_KIND_OTHERS_STRUCTURE(...)                                                         \
    LS_ANY_(OTHERS_STRUCTURE, LS_OTHERS, LS_ACCESS_STRUCTURE, STRUCTURE, __VA_ARGS__)
#define LS_TERM_KIND_OTHERS_START(...)                                                             \
    LS_CELLS_(OTHERS_START, LS_START, LS_ACCESS_READ, READ, __VA_ARGS__)
#define LS_TERM_KIND_PARTNER_WRITES(...)                                                           \
    LS_CELLS_(PARTNER_WRITES, LS_PARTNER, LS_ACCESS_WRITE, WRITE_PARTNER, __VA_ARGS__)
#define LS_TERM_KIND_SPAWNS_WITH(...)                                                              \
    LS_ANY_(SPAWNS_WITH, LS_SPAWNED, LS_ACCESS_STRUCTURE, ATTACH, __VA_ARGS__)
#define LS_TERM_KIND_COMMANDED(...)                                                                \
    LS_ANY_(COMMANDED, LS_COMMANDS, LS_ACCESS_STRUCTURE, COMMAND, __VA_ARGS__)
#define LS_TERM_KIND_ACCUMULATES(component, ...)                                                   \
    LS_KIND_(ACCUMULATES, LS_ACCUMULATED, LS_ACCUMULATES_OP_(__VA_ARGS__, ~), ACCUMULATE, 3,       \
             component, LS_ACCUMULATES_NAME_(__VA_ARGS__, component, ~))
#define LS_ACCUMULATES_OP_(op, ...)         op
#define LS_ACCUMULATES_NAME_(op, name, ...) name
/* The cell of a singleton. */
#define LS_TERM_KIND_READS_SINGLETON(...)                                                          \
    LS_NAMED_(READS_SINGLETON, LS_OTHERS, LS_ACCESS_READ, READ_SINGLETON, 2, __VA_ARGS__)
#define LS_TERM_KIND_WRITES_SINGLETON(...)                                                         \
    LS_NAMED_(WRITES_SINGLETON, LS_OTHERS, LS_ACCESS_WRITE, WRITE_SINGLETON, 2, __VA_ARGS__)
#define LS_TERM_KIND_SENDS(...) LS_NAMED_(SENDS, LS_EVENTS, LS_ACCESS_WRITE, SEND, 4, __VA_ARGS__)
#define LS_TERM_KIND_RECEIVES(...)                                                                 \
    LS_NAMED_(RECEIVES, LS_EVENTS, LS_ACCESS_READ, RECEIVE, 4, __VA_ARGS__)
/* IN_LANE("folk"), and ANY_OF(a, b): 2 to 16 components (LS_QUERY_TERMS_MAX). They have no names;
 * () ends the second list. */
#define LS_TERM_KIND_IN_LANE(lane) (LANE_, lane)
#define LS_TERM_KIND_ANY_OF(...)   (ANY, "ANY_OF(" #__VA_ARGS__ ")", __VA_ARGS__, ())
/* CHANGED(place), ADDED(place), REMOVED(place): filters by change. They have no names. */
#define LS_TERM_KIND_CHANGED(component)                                                            \
    (COMPARED, LS_INCLUDE, LS_ACCESS_READ, component, LS_FILTER_CHANGED)
#define LS_TERM_KIND_ADDED(component)                                                              \
    (COMPARED, LS_INCLUDE, LS_ACCESS_READ, component, LS_FILTER_ADDED)
#define LS_TERM_KIND_REMOVED(component)                                                            \
    (COMPARED, LS_EXCLUDE, LS_ACCESS_PRESENCE, component, LS_FILTER_REMOVED)
/* The changes of a component, over which LS_EACH_CHANGE loops. */
#define LS_TERM_KIND_OBSERVES(...) LS_OBSERVES_(LS_NAMES_(__VA_ARGS__))
#define LS_OBSERVES_(...)          (OBSERVED, OBSERVES, LS_OTHERS, LS_ACCESS_READ, OBSERVE, 9, __VA_ARGS__)
/* QUERY(1, ...): the terms of another query of the vector. */
#define LS_TERM_KIND_QUERY(...) (QUERY, __VA_ARGS__)
/* WALKS(1, ...): the terms of a query that the function walks. */
#define LS_TERM_KIND_WALKS(query, ...) (QUERY, LS_WALKED | (query), __VA_ARGS__)

/* `may_be` is a sum of the numbers of what a component may be: 1 component, 2 singleton, 4 event, 8
 * tag. */
#define LS_CELLS_(text, kind, access, grant, ...)                                                  \
    LS_NAMED_(text, kind, access, grant, 1, __VA_ARGS__)
#define LS_ANY_(text, kind, access, grant, ...) LS_NAMED_(text, kind, access, grant, 9, __VA_ARGS__)
#define LS_NAMED_(text, kind, access, grant, may_be, ...)                                          \
    LS_KIND_(text, kind, access, grant, may_be, LS_NAMES_(__VA_ARGS__))
#define LS_NAMES_(...)                    LS_NAMES_2_(__VA_ARGS__, __VA_ARGS__, ~)
#define LS_NAMES_2_(component, name, ...) component, name
#define LS_KIND_(text, kind, access, grant, may_be, ...)                                           \
    (TERM, text, kind, access, grant, may_be, __VA_ARGS__)

#define LS_TERM_(query, term) LS_VISIT_(LS_TERM_, query, #term, LS_TERM_KIND_##term)
#define LS_TERM_TERM(query, text, kind, access, grant, may_be, component, name)                    \
    LS_TERM(query, kind, access, component##_component),
#define LS_TERM_OBSERVED(query, text, kind, access, grant, may_be, component, name)                \
    LS_TERM_FILTERED(query, kind, access, component##_component, LS_FILTER_OBSERVED),
#define LS_TERM_QUERY(outer, query, ...) LS_EACH_WITHIN_(LS_TERM_WITHIN_, query, __VA_ARGS__)
#define LS_TERM_LANE_(query, lane)       LS_TERM_LANE(query, lane),
#define LS_TERM_COMPARED(query, kind, access, component, filter)                                   \
    LS_TERM_FILTERED(query, kind, access, component##_component, filter),
#define LS_TERM_ANY(query, text, first, ...)                                                       \
    LS_TERM_FILTERED(query, LS_OPTIONAL, LS_ACCESS_PRESENCE, first##_component, LS_FILTER_ANY),    \
        LS_EACH_WITHIN_(LS_TERM_OR_, query, __VA_ARGS__)
#define LS_TERM_OR_(query, component)                                                              \
    LS_TERM_FILTERED(query, LS_OPTIONAL, LS_ACCESS_PRESENCE, component##_component, LS_FILTER_OR),
#define LS_TERM_UNKNOWN(query, text)
#define LS_TERM_WITHIN_(query, term) LS_VISIT_(LS_TERM_, query, #term, LS_TERM_KIND_##term)

#define LS_GRANTS_(list, term) LS_VISIT_(LS_GRANTS_, list, #term, LS_TERM_KIND_##term)
#define LS_GRANTS_TERM(list, text, kind, access, grant, may_be, component, name)                   \
    enum { list##_has_two_terms_##name##_so_give_one_a_name_of_its_own };                          \
    union list##_##text##_##name {                                                                 \
        LS_GRANT_##grant(component##_cell_) component##_attached_bare_ *bare;                      \
    } name;                                                                                        \
    LS_DEMAND_((int)component##_kind_ &may_be,                                                     \
               #text "(" #component ") in " #list LS_MAY_BE_##may_be);
#define LS_GRANTS_OBSERVED(list, ...)     LS_GRANTS_TERM(list, __VA_ARGS__)
#define LS_GRANTS_QUERY(list, query, ...) LS_EACH_WITHIN_(LS_GRANTS_WITHIN_, list, __VA_ARGS__)
#define LS_GRANTS_LANE_(list, lane)       LS_UNNAMED_(__COUNTER__)
#define LS_GRANTS_COMPARED(list, kind, access, component, filter)                                  \
    LS_UNNAMED_(__COUNTER__)                                                                       \
    LS_DEMAND_((int)component##_kind_ & 9,                                                         \
               "a filter by change of " #component " in " #list LS_MAY_BE_9);
#define LS_GRANTS_ANY(list, text, ...)                                                             \
    LS_EACH_WITHIN_(LS_GRANTS_OR_, list, __VA_ARGS__)                                              \
    LS_ASSERT_((LS_EACH_WITHIN_(LS_ONE_MORE_, ~, __VA_ARGS__) - 2u) <= LS_QUERY_TERMS_MAX - 2u,    \
               text " in " #list " takes 2 to 16 components; for one, say WITH()");
#define LS_ONE_MORE_(c, component)     +1u
#define LS_GRANTS_OR_(list, component) LS_UNNAMED_(__COUNTER__)
#define LS_UNNAMED_(number)            LS_UNNAMED_2_(number)
#define LS_UNNAMED_2_(number)          const void *unnamed_##number;
#define LS_GRANTS_UNKNOWN(list, text)                                                              \
    LS_DEMAND_(0, #list " has a term " text                                                        \
                        " of an unknown kind; include/lockstep/term_kinds.h has the list");
#define LS_GRANTS_WITHIN_(list, term) LS_VISIT_(LS_GRANTS_, list, #term, LS_TERM_KIND_##term)
#define LS_MAY_BE_1                   " takes a component with fields of LS_COMPONENT"
#define LS_MAY_BE_2                   " takes a singleton of LS_SINGLETON"
#define LS_MAY_BE_3                   " takes a component of LS_COMPONENT or LS_SINGLETON"
#define LS_MAY_BE_4                   " takes an event of LS_EVENT"
#define LS_MAY_BE_9                   " takes a component of LS_COMPONENT or LS_TAG"

#endif
