/* Systems: what they match, what they may touch, when they run. Constant data of a simulation.
 *   source  docs/design.md sections 4 and 5; the terms are those of the Core ECS paper */
#ifndef LS_SYSTEM_H
#define LS_SYSTEM_H

#include <lockstep/entity.h>
#include <lockstep/fix.h>
#include <lockstep/term.h>

typedef struct ls_context
    ls_context; /* what a running system may reach: include/lockstep/context.h */
typedef struct ls_span ls_span;
typedef struct ls_block ls_block;

#define LS_SYSTEM_NAMES_MAX 8 /* labels, before, after, lanes: of each */
#define LS_SYSTEM_GRIDS_MAX 2
#define LS_SYSTEM_JOINS_MAX 4
#define LS_SYSTEMS_MAX      1024
/* A list ends with a zero. Where an array has no room, C drops items with a mere warning. So each
 * list has one place more than its limit, and an item in that place refuses the simulation. */
#define LS_LIST_OF(max) ((max) + 1)

/* A join by distance: before the system starts the engine sorts every entity that has `component`
 * (and `with`, when given) into square cells; ls_grid_next() then walks the neighbours of a point
 * in an order that the state alone decides. The position is read from two LS_TYPE_FIX fields, or
 * from the two members of an LS_TYPE_FIX2 field: offsetof(unit, at.x) and offsetof(unit, at.y). */
typedef struct ls_grid {
    const ls_component *component; /* NULL ends the list */
    const ls_component *with;
    uint32_t offset_x, offset_y; /* of the two numbers, in bytes */
    ls_fix cell;                 /* edge of a cell, > 0; about the usual radius */
    bool start; /* a concurrent system that moves `component`, or attaches or detaches `with`,
                   itself sees all as they were when it began */
} ls_grid;

/* A join by equal key: before the system starts the engine indexes every entity that has
 * `component` by one field, an integer, bool, enum or reference to an entity; ls_join_next() walks
 * those with a given key in canonical order. By a reference field these are the holders that refer
 * to an entity: the children, when the field says LS_CASCADE. */
typedef struct ls_join {
    const ls_component *component; /* NULL ends the list */
    uint32_t offset;               /* of the field, in bytes */
    bool start;                    /* as in ls_grid */
    /* Not 0: query `query` of the vector matches only entities whose key equals that of query 0's
     * entity. That key is the entity's field at `from_offset` of `from`, or for NULL the entity
     * itself. */
    uint32_t query;
    const ls_component *from;
    uint32_t from_offset;
} ls_join;

typedef enum ls_mode {
    /* conc: invocations run on many threads at once, each over entities of its own page. An
     * invocation changes only its own entities, in place and at once. With a query vector these are
     * the entities of query 0; the matches of one such entity come one after another in canonical
     * order. */
    LS_CONCURRENT = 0,
    /* seq, the paper's roll: `match` is called for one match after the other in canonical order,
     * and each sees what those before it did. It may touch any entity of its declared columns. A
     * system without a query has exactly one match, the empty one, and so runs once. */
    LS_SEQUENTIAL,
} ls_mode;

/* When a system runs within its stage. All slots but LS_PARALLEL are exclusive: their systems run
 * alone, one after another, in a total order. */
typedef enum ls_slot {
    LS_PARALLEL = 0, /* beside any other that it has no order with */
    LS_AT_START,
    LS_BEFORE_COMMANDS,
    LS_AT_END, /* after the sync point */
} ls_slot;

/* A system has one of the three; only LS_CONCURRENT systems of one query take the first two. */
typedef void ls_span_function(ls_context *context,
                              const ls_span *span); /* include/lockstep/span.h */
typedef void ls_block_function(ls_context *context,
                               const ls_block *block); /* include/lockstep/span.h */
/* `entities` holds one entity a query of the vector. */
typedef void ls_match_function(ls_context *context, const ls_entity *entities);

typedef struct ls_system {
    const char *name;
    ls_mode mode;
    ls_span_function *span;   /* for runs of entities side by side */
    ls_block_function *block; /* for sets within 64 slots, where presence is broken */
    ls_match_function *match; /* for one match */
    const void *data;         /* constants of the system, for a function that several share */
    ls_term terms[LS_LIST_OF(LS_TERMS_MAX)]; /* access is by the index in this list */
    ls_grid grids[LS_LIST_OF(LS_SYSTEM_GRIDS_MAX)];
    ls_join joins[LS_LIST_OF(LS_SYSTEM_JOINS_MAX)];
    /* Lanes that it spawns into, and that its commands do; each by index in its list. */
    const char *lanes[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *command_lanes[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    /* Names that it answers to besides its own. */
    const char *labels[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    /* Systems or labels that come after it, and that come before it. */
    const char *before[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *after[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    /* The same, but only where the two conflict: where not, they may run at the same time. */
    const char *weakly_before[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *weakly_after[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    /* Systems or labels of the same or an earlier stage. The system runs after them, and only if
     * all of them run. */
    const char *needs[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *stage; /* NULL is the simulation's first */
    ls_slot slot;
    /* Runs on the thread that advances the world, for what a library ties to one thread. */
    bool main_thread;
} ls_system;

#endif
