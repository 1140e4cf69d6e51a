/* Terms: what a system matches, and how it may access each component. Constant data.
 *   source  docs/design.md section 4; the words are those of the Core ECS paper */
#ifndef LS_TERM_H
#define LS_TERM_H

#include <lockstep/component.h>
#include <lockstep/each.h>

/* A system lists up to LS_TERMS_MAX terms. Each query matches up to LS_QUERY_TERMS_MAX of them
 * (LS_INCLUDE, LS_EXCLUDE, LS_OPTIONAL, LS_LANE); those of query 0 are the first of the list. */
#define LS_TERMS_MAX       256
#define LS_QUERY_TERMS_MAX 16
#define LS_QUERIES_MAX     16
/* LS_WALKED | n, with n from 1 on, as the query of a term: query n is not of the system's query
 * vector, and its function walks the matches (include/lockstep/query_walk.h). */
#define LS_WALKED 0x100u

/* How a term takes part in matching. The code depends on the order: kinds up to LS_EXCLUDE decide
 * whether an entity matches, kinds up to LS_OPTIONAL belong to a query. */
typedef enum ls_match_kind {
    LS_INCLUDE = 0, /* the entity has the component */
    LS_EXCLUDE,     /* the entity lacks it */
    LS_OPTIONAL,    /* the entity may have it or lack it (optional); it may be attached */
    LS_OTHERS,      /* not in a query: access to other entities or to a singleton */
    LS_START,       /* not in a query: reads other entities as they were when the system began */
    LS_SPAWNED,     /* not in a query: attached to entities that the system spawns */
    LS_COMMANDS,    /* not in a query: attached and detached by commands, at the sync point */
    LS_ACCUMULATED, /* not in a query: any entity's cell receives values, see LS_ACCUMULATE() */
    LS_EVENTS,  /* not in a query: an event type; LS_ACCESS_WRITE sends, LS_ACCESS_READ receives */
    LS_LANE,    /* no component: the entity is in `lane`, or in another LS_LANE of the query */
    LS_WORLD,   /* no component: access to all of them (include/lockstep/world_term.h) */
    LS_PARTNER, /* not in a query: written of the partner of each match (system.h) */
} ls_match_kind;

/* A further condition of a term that a query matches, or what an LS_OTHERS term observes. */
typedef enum ls_filter {
    LS_FILTER_NONE = 0,
    LS_FILTER_ANY, /* LS_OPTIONAL: the first of some terms of which the entity meets at least one */
    LS_FILTER_OR,  /* LS_OPTIONAL: a further one; it follows the first one or another further one */
    /* Compared with the state in which the system last ended: docs/ecs-reference.md, "Changes". */
    LS_FILTER_CHANGED, /* LS_INCLUDE: the component is new, or has another value */
    LS_FILTER_ADDED,   /* LS_INCLUDE: the component is new */
    LS_FILTER_REMOVED, /* LS_EXCLUDE: the entity had the component */
    /* LS_OTHERS: limits no query; the system walks what has happened to the component. */
    LS_FILTER_OBSERVED,
} ls_filter;

/* The access of the system to the component's cells. Up to LS_ACCESS_STRUCTURE, each kind of access
 * to entities that the system matches or gets by handle includes the previous ones. */
typedef enum ls_access {
    LS_ACCESS_PRESENCE = 0, /* tests whether the component is present */
    LS_ACCESS_READ,         /* reads values */
    LS_ACCESS_WRITE,        /* writes values in place */
    LS_ACCESS_STRUCTURE,    /* attaches and detaches */
    /* How an LS_ACCUMULATED term combines values: field by field. Each of these commutes. */
    LS_ADD, /* modulo 2^bits */
    LS_MIN,
    LS_MAX,
    LS_OR,
    LS_ARG_MIN, /* of whole values: the least first field; of equal ones, the next field decides */
    LS_ARG_MAX,
    LS_COMBINE, /* the simulation's operation: include/lockstep/operation.h */
} ls_access;

/* A term without component and lane ends the list. */
typedef struct ls_term {
    const ls_component *component; /* NULL for LS_LANE */
    ls_match_kind kind;
    ls_access access;
    uint32_t query; /* index in the query vector, 0..LS_QUERIES_MAX-1, or LS_WALKED | n */
    ls_filter filter;
    const char *lane; /* LS_LANE: its name */
} ls_term;

/* LS_TERM_FILTERED and LS_TERM_LANE set every member; the others are shorthands for query 0. */
#define LS_TERM_FILTERED(query, kind, access, component, filter)                                   \
    {                                                                                              \
        &(component), kind, access, query, filter, NULL                                            \
    }
#define LS_TERM_LANE(query, lane)                                                                  \
    {                                                                                              \
        NULL, LS_LANE, LS_ACCESS_PRESENCE, query, LS_FILTER_NONE, lane                             \
    }
#define LS_TERM(query, kind, access, component)                                                    \
    LS_TERM_FILTERED(query, kind, access, component, LS_FILTER_NONE)
#define LS_READS(component)            LS_TERM(0, LS_INCLUDE, LS_ACCESS_READ, component)
#define LS_WRITES(component)           LS_TERM(0, LS_INCLUDE, LS_ACCESS_WRITE, component)
#define LS_WITH(component)             LS_TERM(0, LS_INCLUDE, LS_ACCESS_PRESENCE, component)
#define LS_WITHOUT(component)          LS_TERM(0, LS_EXCLUDE, LS_ACCESS_PRESENCE, component)
#define LS_OPTIONALLY_READS(component) LS_TERM(0, LS_OPTIONAL, LS_ACCESS_READ, component)
#define LS_ATTACHES(component)         LS_TERM(0, LS_OPTIONAL, LS_ACCESS_STRUCTURE, component)
#define LS_DETACHES(component)         LS_TERM(0, LS_INCLUDE, LS_ACCESS_STRUCTURE, component)
#define LS_OTHERS_READ(component)      LS_TERM(0, LS_OTHERS, LS_ACCESS_READ, component)
#define LS_OTHERS_WRITE(component)     LS_TERM(0, LS_OTHERS, LS_ACCESS_WRITE, component)
#define LS_OTHERS_STRUCTURE(component) LS_TERM(0, LS_OTHERS, LS_ACCESS_STRUCTURE, component)
#define LS_OTHERS_START(component)     LS_TERM(0, LS_START, LS_ACCESS_READ, component)
#define LS_SPAWNS_WITH(component)      LS_TERM(0, LS_SPAWNED, LS_ACCESS_STRUCTURE, component)
#define LS_COMMANDED(component)        LS_TERM(0, LS_COMMANDS, LS_ACCESS_STRUCTURE, component)
#define LS_ACCUMULATES(component, op)  LS_TERM(0, LS_ACCUMULATED, op, component)
#define LS_SENDS(event)                LS_TERM(0, LS_EVENTS, LS_ACCESS_WRITE, event)
#define LS_RECEIVES(event)             LS_TERM(0, LS_EVENTS, LS_ACCESS_READ, event)
/* Match only entities whose component has changed since the system last ended. A component that
 * another entity had in the same slot before does not count. */
#define LS_CHANGED(component)                                                                      \
    LS_TERM_FILTERED(0, LS_INCLUDE, LS_ACCESS_READ, component, LS_FILTER_CHANGED)
#define LS_ADDED(component)                                                                        \
    LS_TERM_FILTERED(0, LS_INCLUDE, LS_ACCESS_READ, component, LS_FILTER_ADDED)
#define LS_REMOVED(component)                                                                      \
    LS_TERM_FILTERED(0, LS_EXCLUDE, LS_ACCESS_PRESENCE, component, LS_FILTER_REMOVED)
/* The system reads the component of other entities, and walks its changes:
 * include/lockstep/cell_change.h. */
#define LS_OBSERVES(component)                                                                     \
    LS_TERM_FILTERED(0, LS_OTHERS, LS_ACCESS_READ, component, LS_FILTER_OBSERVED)
/* Matches only the entities of the lane; several of these match those of each of their lanes. */
#define LS_IN_LANE(lane) LS_TERM_LANE(0, lane)
/* Matches only entities with at least one of 2 to 16 components (LS_QUERY_TERMS_MAX). It stands for
 * a term for each of them, which gives no values: list LS_OPTIONALLY_READS() besides. */
#define LS_ANY_OF(...)              LS_ANY_OF_QUERY(0, __VA_ARGS__)
#define LS_ANY_OF_QUERY(query, ...) LS_ANY_OF_LIST_(query, __VA_ARGS__)
#define LS_ANY_OF_LIST_(query, first, ...)                                                         \
    LS_TERM_FILTERED(query, LS_OPTIONAL, LS_ACCESS_PRESENCE, first, LS_FILTER_ANY)                 \
    LS_EACH_(LS_ANY_OR_, query, __VA_ARGS__)
#define LS_ANY_OR_(query, component)                                                               \
    , LS_TERM_FILTERED(query, LS_OPTIONAL, LS_ACCESS_PRESENCE, component, LS_FILTER_OR)

#define LS_TERM_LIST(...) LS_LIST_OF_(ls_term, __VA_ARGS__)

#endif
