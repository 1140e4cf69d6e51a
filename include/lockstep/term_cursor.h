/* The fast path to a cell. Each term of a system keeps a cursor at the page where it was used last.
 * Handles into that page are resolved here, inline; all others by core/run/access.c. Not for
 * simulations: include/lockstep/access.h uses it inside their calls. LS_SIM_ABI refuses a module
 * that was built with a different layout.
 *   thread  the thread that runs the invocation */
#ifndef LS_TERM_CURSOR_H
#define LS_TERM_CURSOR_H

#include <lockstep/cell.h>
#include <lockstep/system.h>

#define LS_TERM_CURSOR_NOWHERE UINT32_MAX

/* The operations that a cursor may allow. */
typedef enum ls_term_operation {
    LS_TERM_CURSOR_ASK,
    LS_TERM_CURSOR_READ,
    LS_TERM_CURSOR_WRITE, /* the page is open for writing */
    LS_TERM_CURSOR_SHAPE, /* the same, the cells are small, and spawns elsewhere do not matter */
    LS_TERM_OPERATIONS,
} ls_term_operation;

/* The cursor of a term: consecutive slots of one page. It covers the whole page or, for the
 * terms by which a concurrent invocation reaches its own entities, the slots of the invocation. */
typedef struct ls_term_cursor {
    uint32_t first;                      /* as in a handle: lane << 24 | slot */
    uint32_t counts[LS_TERM_OPERATIONS]; /* by operation; 0 where it may not */
    uint32_t cell_bytes;
    uint64_t *present;           /* of the page: a bit for each slot that has the component */
    uint8_t *cells;              /* by the page's slot */
    const uint32_t *generations; /* likewise; an even one belongs to no entity */
    /* For core/run/access.c: */
    struct ls_table **tables; /* by lane */
    uint32_t key;             /* lane << 16 | page, or LS_TERM_CURSOR_NOWHERE */
    uint32_t missed;          /* the last page asked for that is not this one */
    uint8_t is_own;           /* reaches the invocation's own entities alone */
    uint8_t allowed;          /* the operations that it allows, one bit each */
    uint8_t far_allowed;      /* the operations that need no more than the tables */
} ls_term_cursor;

/* The first member of every ls_context. */
typedef struct ls_context_front {
    ls_term_cursor cursors[LS_TERMS_MAX]; /* by term */
    /* The entities of a concurrent invocation, the only ones that its own terms cursor. */
    uint32_t own_first, own_count;
} ls_context_front;

/* The cursor when it covers the entity and allows the operation, else NULL. */
static inline const ls_term_cursor *ls_term_cursor_hit(const ls_context *context, uint32_t term,
                                                       ls_entity entity,
                                                       ls_term_operation operation)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(term >= LS_TERMS_MAX))
        return NULL;
    const ls_term_cursor *cursor = &front->cursors[term];
    return LS_LIKELY((uint32_t)entity - cursor->first < cursor->counts[operation]) ? cursor : NULL;
}

/* Acquires, because another system may be spawning entities in this page. */
static inline bool ls_term_cursor_is_same_life(const ls_term_cursor *cursor, ls_entity entity)
{
    return __atomic_load_n(&cursor->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
           ls_entity_generation(entity);
}

static inline bool ls_term_cursor_is_alive(const ls_term_cursor *cursor, ls_entity entity)
{
    return ls_term_cursor_is_same_life(cursor, entity) && ls_entity_generation(entity) & 1;
}

/* Presence first: a slot that has a component lives, and is not being spawned at this moment. */
static inline bool ls_term_cursor_has(const ls_term_cursor *cursor, ls_entity entity)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    return cursor->present[slot / 64] >> (slot % 64) & 1 &&
           ls_term_cursor_is_same_life(cursor, entity);
}

static inline uint8_t *ls_term_cursor_cell(const ls_term_cursor *cursor, ls_entity entity)
{
    return ls_term_cursor_has(cursor, entity)
               ? cursor->cells + (size_t)cursor->cell_bytes * (entity % LS_PAGE_SLOTS)
               : NULL;
}

#endif
