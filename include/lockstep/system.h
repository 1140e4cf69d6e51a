/* Systems: what they match, what they may access, and when they run. Constant data of a simulation.
 *   source  docs/design.md sections 4 and 5; the terms are those of the Core ECS paper */
#ifndef LS_SYSTEM_H
#define LS_SYSTEM_H

#include <lockstep/entity.h>
#include <lockstep/fix.h>
#include <lockstep/hierarchy.h>
#include <lockstep/term.h>

/* The argument of all calls of a running system (include/lockstep/context.h). */
typedef struct ls_context ls_context;
typedef struct ls_span ls_span;
typedef struct ls_block ls_block;

/* Limits of a system's lists. A list that exceeds its limit is a finding that names it. */
#define LS_NAMES_MAX         256 /* names in one list */
#define LS_NAME_BYTES_MAX    127 /* bytes of a name */
#define LS_SYSTEM_GRIDS_MAX  16
#define LS_SYSTEM_JOINS_MAX  16
#define LS_SYSTEMS_MAX       1024
#define LS_SCRATCH_BYTES_MAX (16u << 20)

/* A join by distance: before the system starts, the engine sorts every entity with `component` (and
 * `with`, if given) into square cells. ls_grid_next() then walks the neighbours of a point in an
 * order that depends only on the state. The position is two LS_TYPE_FIX fields, or two members of
 * a vector: offsetof(unit, at.x) and offsetof(unit, at.y). With `has_z` it is three of them, the
 * cells are cubes, and the calls are those that end in _3d. */
typedef struct ls_grid {
    const ls_component *component; /* NULL ends the list */
    const ls_component *with;
    uint32_t offset_x, offset_y; /* offsets of the two numbers, in bytes */
    ls_fix cell;                 /* edge of a cell, > 0; best near the usual radius */
    bool start; /* a concurrent system that itself moves `component`, or attaches or detaches
                   `with`, sees the state of its start */
    bool has_z;
    uint32_t offset_z; /* 0 without `has_z` */
} ls_grid;

/* A join by equal key: before the system starts, the engine indexes every entity with `component`
 * by one field: an integer, bool, enum or entity reference. ls_join_next() walks those with a given
 * key in canonical order. With a reference field these are the entities that refer to one entity:
 * its children, if the field has LS_PARENT. */
typedef struct ls_join {
    const ls_component *component; /* NULL ends the list */
    uint32_t offset;               /* offset of the field, in bytes */
    bool start;                    /* as in ls_grid */
    /* Not 0: query `query` of the vector matches only entities with the same key as the entity of
     * query 0. That key is the field at `from_offset` of its component `from`; if `from` is NULL,
     * the entity itself. */
    uint32_t query;
    const ls_component *from;
    uint32_t from_offset;
    const ls_component *with; /* as in ls_grid: only entities that have it, too; no `query` then */
} ls_join;

/* The answer to two matches that could change one cell of a partner. */
typedef enum ls_partner_clash {
    LS_PARTNER_FAILS = 0,  /* the tick fails, with both matches in the message */
    LS_PARTNER_FIRST_WINS, /* the later match has no partner; counted among the dropped values */
} ls_partner_clash;

/* A partner: for each match of a concurrent system the entity in a reference of the match, of which
 * the system writes the LS_PARTNER_WRITE terms. Before it starts, the engine checks that no two
 * matches could write one cell: no two have the same partner, and none has another match as partner
 * that reads or writes such a component itself. A partner that lacks these components counts for
 * nothing.
 *   source  the paper's theorem 4.7, case 3 */
typedef struct ls_partner {
    const ls_component *component; /* a component that query 0 reads; NULL: no partners */
    uint32_t offset;               /* offset of the reference in it, in bytes */
    ls_partner_clash clash;
} ls_partner;
#define LS_PARTNER_WRITE(component) LS_TERM(0, LS_PARTNER, LS_ACCESS_WRITE, component)

/* Lists of grids and joins, like LS_TERM_LIST, with the all-zero item at their end. */
#define LS_GRIDS(...) LS_LIST_OF_(ls_grid, __VA_ARGS__)
#define LS_JOINS(...) LS_LIST_OF_(ls_join, __VA_ARGS__)

typedef enum ls_mode {
    /* conc in the paper: invocations run in parallel, each on entities of one page. An invocation
     * changes only its own entities, in place and at once. With a query vector its own entities are
     * those of query 0, and the matches of one such entity follow one another in canonical
     * order. */
    LS_CONCURRENT = 0,
    /* seq in the paper (the roll): `match` is called for one match after another in canonical
     * order, and each call sees the changes of earlier calls. It may access any entity in the
     * declared columns. A system without a query has exactly one match, the empty one, so it runs
     * once. */
    LS_SEQUENTIAL,
} ls_mode;

/* The time within its stage at which a system runs. All slots but LS_PARALLEL are exclusive: their
 * systems run alone, one after another, in a total order. */
typedef enum ls_slot {
    LS_PARALLEL = 0, /* in parallel with systems that it has no order with */
    LS_AT_START,
    LS_BEFORE_COMMANDS,
    LS_AT_END, /* after the sync point */
} ls_slot;

/* A system has exactly one of the four functions. Those with a span or a block are only for
 * LS_CONCURRENT systems with one query. */
typedef void ls_span_function(ls_context *context, const ls_span *span);
typedef void ls_block_function(ls_context *context, const ls_block *block);
/* `entities` has one entity for each query of the vector. */
typedef void ls_match_function(ls_context *context, const ls_entity *entities);

typedef struct ls_system {
    const char *name;
    ls_mode mode;
    ls_span_function *span;   /* for runs of adjacent entities: include/lockstep/span.h */
    ls_span_function *each;   /* LS_EACH_FUNCTION: for runs, with gaps where runs are short */
    ls_block_function *block; /* for pages with gaps, 64 slots a call: include/lockstep/span.h */
    ls_match_function *match; /* for one match */
    const void *data;         /* constants, for a function that several systems share */
    /* Lists end with an all-zero item; NULL is an empty list. The macros add that item; an array of
     * your own has to have it: {{.component = ...}, {0}}. */
    const ls_term *terms; /* LS_TERM_LIST(); the calls refer to a term by its index here */
    const ls_grid *grids; /* LS_GRIDS() */
    const ls_join *joins; /* LS_JOINS() */
    /* Lists of names are text: "steer, shoot". Commas separate the names. */
    const char *lanes;         /* for its spawns; calls use the index in this list */
    const char *command_lanes; /* for the spawns of its commands */
    const char *labels;        /* other names of the system, which it may share with others */
    const char *before;        /* it runs before these systems, labels or sets */
    const char *after;         /* it runs after these */
    /* As `before` and `after`, but only for pairs that conflict; others may run in parallel. */
    const char *weakly_before;
    const char *weakly_after;
    /* Systems or labels of the same or an earlier stage. This system runs after them, and only if
     * all of them run. */
    const char *needs;
    const char *stage; /* NULL: the simulation's first stage */
    ls_slot slot;
    /* Runs on the thread that advances the world, for libraries that are tied to one thread. */
    bool main_thread;
    /* Not 0: runs on the executor's thread of this number, for a library that is tied to another
     * thread. Thread 0 advances the world; it also takes over for threads that the executor does
     * not have, and without an executor or on an application's pool. Only in the parallel slot. */
    uint8_t home_thread;
    /* An estimate of the time that one run takes. It orders and shares the first runs, until the
     * executor has measured the system; no result depends on it. 0: none. */
    uint32_t cost_ns;
    uint32_t scratch_bytes;     /* of ls_scratch_memory(); at most LS_SCRATCH_BYTES_MAX */
    ls_partner partner;         /* {LS_KEY(married, spouse)}, for LS_PARTNER_WRITE terms */
    ls_hierarchy parents_first; /* {LS_KEY(joint, parent)}: matches come after their parents */
} ls_system;

#endif
