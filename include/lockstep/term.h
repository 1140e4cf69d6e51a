/* Terms: what a system matches, and how it may access each component. Constant data.
 *   source  docs/design.md section 4; the words are those of the Core ECS paper */
#ifndef LS_TERM_H
#define LS_TERM_H

#include <lockstep/component.h>

/* A system lists up to LS_TERMS_MAX terms. Terms that queries match (LS_INCLUDE, LS_EXCLUDE,
 * LS_OPTIONAL) must be among the first LS_QUERY_TERMS_MAX. */
#define LS_TERMS_MAX       256
#define LS_QUERY_TERMS_MAX 16
#define LS_QUERIES_MAX     16

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
    LS_ACCUMULATED, /* not in a query: any entity's cell receives values, see ls_accumulate() */
    LS_EVENTS,      /* not in a query: an event type; LS_WRITE sends and LS_READ receives */
} ls_match_kind;

/* The access of the system to the component's cells. Up to LS_STRUCTURE, each kind of access
 * includes the previous ones. */
typedef enum ls_access {
    LS_PRESENCE = 0, /* tests whether the component is present */
    LS_READ,         /* reads values */
    LS_WRITE,        /* writes values in place */
    LS_STRUCTURE,    /* attaches and detaches */
    /* How an LS_ACCUMULATED term combines values, field by field. The operations commute, so
     * systems that accumulate with the same operation need no order. */
    LS_ADD, /* modulo 2^bits */
    LS_MIN,
    LS_MAX,
    LS_OR,
} ls_access;

typedef struct ls_term {
    const ls_component *component; /* NULL ends the list */
    ls_match_kind kind;
    ls_access access;
    uint32_t query; /* index in the query vector, 0..LS_QUERIES_MAX-1 */
} ls_term;

/* LS_TERM sets every member; the others are shorthands for query 0. */
#define LS_TERM(query, kind, access, component)                                                    \
    {                                                                                              \
        &(component), kind, access, query                                                          \
    }
#define LS_READS(component)            LS_TERM(0, LS_INCLUDE, LS_READ, component)
#define LS_WRITES(component)           LS_TERM(0, LS_INCLUDE, LS_WRITE, component)
#define LS_WITH(component)             LS_TERM(0, LS_INCLUDE, LS_PRESENCE, component)
#define LS_WITHOUT(component)          LS_TERM(0, LS_EXCLUDE, LS_PRESENCE, component)
#define LS_OPTIONALLY_READS(component) LS_TERM(0, LS_OPTIONAL, LS_READ, component)
#define LS_ATTACHES(component)         LS_TERM(0, LS_OPTIONAL, LS_STRUCTURE, component)
#define LS_DETACHES(component)         LS_TERM(0, LS_INCLUDE, LS_STRUCTURE, component)
#define LS_OTHERS_READ(component)      LS_TERM(0, LS_OTHERS, LS_READ, component)
#define LS_OTHERS_WRITE(component)     LS_TERM(0, LS_OTHERS, LS_WRITE, component)
#define LS_OTHERS_STRUCTURE(component) LS_TERM(0, LS_OTHERS, LS_STRUCTURE, component)
#define LS_OTHERS_START(component)     LS_TERM(0, LS_START, LS_READ, component)
#define LS_SPAWNS_WITH(component)      LS_TERM(0, LS_SPAWNED, LS_STRUCTURE, component)
#define LS_COMMANDED(component)        LS_TERM(0, LS_COMMANDS, LS_STRUCTURE, component)
#define LS_ACCUMULATES(component, op)  LS_TERM(0, LS_ACCUMULATED, op, component)
#define LS_SENDS(event)                LS_TERM(0, LS_EVENTS, LS_WRITE, event)
#define LS_RECEIVES(event)             LS_TERM(0, LS_EVENTS, LS_READ, event)

/* A list in C that ends with an all-zero item. At file scope it lasts, in a function as long as its
 * block. */
#define LS_LIST_OF_(type, ...)                                                                     \
    (const type[])                                                                                 \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define LS_TERM_LIST(...) LS_LIST_OF_(ls_term, __VA_ARGS__)

#endif
