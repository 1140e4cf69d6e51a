/* Terms: what a system matches, and what it may do with which component. Constant data.
 *   source  docs/design.md section 4; the words are those of the Core ECS paper */
#ifndef LS_TERM_H
#define LS_TERM_H

#include <lockstep/component.h>

/* A system lists up to LS_TERMS_MAX terms. Those that its queries match, LS_INCLUDE, LS_EXCLUDE and
 * LS_ANYWAY, are among the first LS_QUERY_TERMS_MAX. */
#define LS_TERMS_MAX       LS_COMPONENTS_MAX
#define LS_QUERY_TERMS_MAX 16
#define LS_QUERIES_MAX     4

/* How a term takes part in matching. The order counts: up to LS_EXCLUDE a term decides whether an
 * entity matches, up to LS_ANYWAY it is matched at all. */
typedef enum ls_match_kind {
    LS_INCLUDE = 0, /* the entity has the component */
    LS_EXCLUDE,     /* the entity lacks it */
    LS_ANYWAY,      /* either; the cell is reached where it exists, and may be attached */
    LS_OTHERS,      /* not matched: access to other entities or to a singleton */
    LS_START,       /* not matched: other entities as they were when the system began; read only */
    LS_SPAWNED,     /* not matched: attached to what the system spawns */
    LS_COMMANDS,    /* not matched: attached and detached by command, at the sync point */
    LS_ACCUMULATED, /* not matched: a cell of any entity receives values, see ls_accumulate() */
    LS_EVENTS,      /* not matched: an event type, LS_WRITE sends and LS_READ receives */
} ls_match_kind;

/* The access of the system to the component's cells. Up to LS_STRUCTURE, each kind includes the
 * kinds before it. */
typedef enum ls_access {
    LS_PRESENCE = 0, /* learns whether it is there */
    LS_READ,         /* reads values */
    LS_WRITE,        /* writes values in place */
    LS_STRUCTURE,    /* attaches and detaches */
    /* How an LS_ACCUMULATED term combines what arrives, field by field. The order of arrival does
     * not show, so systems that accumulate by one operation need no order. */
    LS_ADD, /* modulo 2^bits */
    LS_MIN,
    LS_MAX,
    LS_OR,
} ls_access;

typedef struct ls_term {
    const ls_component *component; /* NULL ends the list */
    ls_match_kind kind;
    ls_access access;
    uint32_t query; /* which query of the query vector, 0..LS_QUERIES_MAX-1 */
} ls_term;

/* The usual terms, for query 0. LS_TERM names everything. */
#define LS_TERM(query, kind, access, component)                                                    \
    {                                                                                              \
        &(component), kind, access, query                                                          \
    }
#define LS_READS(component)            LS_TERM(0, LS_INCLUDE, LS_READ, component)
#define LS_WRITES(component)           LS_TERM(0, LS_INCLUDE, LS_WRITE, component)
#define LS_WITH(component)             LS_TERM(0, LS_INCLUDE, LS_PRESENCE, component)
#define LS_WITHOUT(component)          LS_TERM(0, LS_EXCLUDE, LS_PRESENCE, component)
#define LS_OPTIONALLY_READS(component) LS_TERM(0, LS_ANYWAY, LS_READ, component)
#define LS_ATTACHES(component)         LS_TERM(0, LS_ANYWAY, LS_STRUCTURE, component)
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

#endif
