/* The short way to a cell. Each term of a system stands at the page where it was used last; handles
 * into that page are answered here, inside the caller, and everything else by core/run/access.c.
 * Not for simulations: include/lockstep/access.h uses it inside their calls. A module that was
 * built with another layout is refused by its LS_SIM_ABI. thread  the thread that runs the
 * invocation */
#ifndef LS_TERM_CURSOR_H
#define LS_TERM_CURSOR_H

#include <lockstep/cell.h>
#include <lockstep/system.h>

#define LS_TERM_CURSOR_NOWHERE UINT32_MAX

/* What may be done where a term stands. */
typedef enum ls_term_cursor_way {
    LS_TERM_CURSOR_ASK,
    LS_TERM_CURSOR_READ,
    LS_TERM_CURSOR_WRITE, /* the page is open for writing */
    LS_TERM_CURSOR_SHAPE, /* the same, the cells are small, and births elsewhere do not matter */
    LS_TERM_CURSOR_WAYS,
} ls_term_cursor_way;

/* Where a term stands: at some consecutive slots of one page, all of it or, for a concurrent
 * invocation's own terms, what is the invocation's. */
typedef struct ls_term_cursor {
    uint32_t first;                       /* as in a handle: lane << 24 | slot */
    uint32_t counts[LS_TERM_CURSOR_WAYS]; /* by way; 0 where it may not */
    uint32_t cell_bytes;
    uint64_t *present;           /* of the page, a bit a slot: who has the component */
    uint8_t *cells;              /* by the page's slot */
    const uint32_t *generations; /* likewise; an even one belongs to nobody */
    /* For core/run/access.c: */
    struct ls_table **tables; /* by lane */
    uint32_t key;             /* lane << 16 | page, or LS_TERM_CURSOR_NOWHERE */
    uint32_t missed;          /* the page asked for last that was another */
    uint8_t is_own;           /* reaches the invocation's own entities alone */
    uint8_t ways;             /* bit by way: open where it stands */
    uint8_t far_ways;         /* bit by way: needs no more than the tables */
} ls_term_cursor;

/* What every ls_context begins with. */
typedef struct ls_context_front {
    ls_term_cursor reach[LS_TERMS_MAX]; /* by term */
    /* The entities of a concurrent invocation: it reaches nobody else through its own terms. */
    uint32_t own_first, own_count;
} ls_context_front;

/* The term's place when it stands at the entity and the way is open, else NULL. */
static inline const ls_term_cursor *ls_term_cursor_hit(const ls_context *context, uint32_t term,
                                                       ls_entity entity, ls_term_cursor_way way)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(term >= LS_TERMS_MAX))
        return NULL;
    const ls_term_cursor *reach = &front->reach[term];
    return LS_LIKELY((uint32_t)entity - reach->first < reach->counts[way]) ? reach : NULL;
}

/* Another system may be bearing entities in this page. */
static inline bool ls_term_cursor_is_same_life(const ls_term_cursor *reach, ls_entity entity)
{
    return __atomic_load_n(&reach->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
           ls_entity_generation(entity);
}

static inline bool ls_term_cursor_is_alive(const ls_term_cursor *reach, ls_entity entity)
{
    return ls_term_cursor_is_same_life(reach, entity) && ls_entity_generation(entity) & 1;
}

/* Presence first: a slot that has a component lives, and is not being born at this moment. */
static inline bool ls_term_cursor_has(const ls_term_cursor *reach, ls_entity entity)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    return reach->present[slot / 64] >> (slot % 64) & 1 &&
           ls_term_cursor_is_same_life(reach, entity);
}

static inline uint8_t *ls_term_cursor_cell(const ls_term_cursor *reach, ls_entity entity)
{
    return ls_term_cursor_has(reach, entity)
               ? reach->cells + (size_t)reach->cell_bytes * (entity % LS_PAGE_SLOTS)
               : NULL;
}

#endif
