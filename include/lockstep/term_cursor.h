/* The fast path to a cell. Each term of a system has a cursor at the page that it used last. Inline
 * functions resolve handles into that page; core/run/access.c resolves all others. Not for
 * simulations: the functions of include/lockstep/access.h use it. LS_SIM_ABI refuses a module that
 * was built with a different layout.
 *   thread  the thread that runs the invocation */
#ifndef LS_TERM_CURSOR_H
#define LS_TERM_CURSOR_H

#include <lockstep/cell.h>
#include <lockstep/system.h>

#define LS_TERM_CURSOR_NOWHERE UINT32_MAX

/* The uses that a cursor can allow. */
typedef enum ls_term_cursor_use {
    LS_TERM_CURSOR_HAS,
    LS_TERM_CURSOR_READ,
    LS_TERM_CURSOR_WRITE,     /* the page is open for writing */
    LS_TERM_CURSOR_STRUCTURE, /* like WRITE; also, cells are small and other systems' spawns are
                             irrelevant */
    LS_TERM_CURSOR_USES,
} ls_term_cursor_use;

/* A page that a term has looked up. */
typedef struct ls_term_page {
    const uint8_t *cells; /* by slot; NULL: not looked up, or no page */
    const uint64_t *present;
    const uint32_t *generations;
} ls_term_page;

/* The cursor of a term: consecutive slots of one page. It covers the whole page. Only in a
 * concurrent invocation, terms for the invocation's own entities cover just those entities. */
typedef struct ls_term_cursor {
    uint32_t first;                       /* the first slot, as in a handle: lane << 24 | slot */
    uint32_t counts[LS_TERM_CURSOR_USES]; /* by operation: slots covered; 0: not allowed */
    uint32_t cell_bytes;
    uint64_t *present;           /* of the page: a bit for each slot with the component */
    uint8_t *cells;              /* of the page, by slot */
    const uint32_t *generations; /* of the page, by slot; an even generation: no entity */
    /* The members below are for the slow path: core/run/term_lookup.h. */
    struct ls_table **tables; /* the column's tables, by lane */
    uint32_t key;             /* lane << 16 | page, or LS_TERM_CURSOR_NOWHERE */
    uint32_t missed;          /* the last page asked for that the cursor does not cover */
    uint8_t is_own;           /* the term reaches only the invocation's own entities */
    uint8_t allowed;          /* the allowed uses, a bit each */
    uint8_t far_allowed;      /* those of them that need only the tables */
    /* Pages of one lane that were looked up one by one, from key `pages_first` on. Only for a term
     * that reads a column that its system does not change, or that accumulates. */
    ls_term_page *pages;
    uint32_t pages_first, pages_count; /* pages_count: 0 unless the term reads */
    uint32_t added_count;              /* pages if the term accumulates, else 0; they are open if
                                          values are added at once */
    uint32_t far_calls;                /* lookups of this run */
    uint32_t pages_from; /* the number of lookups from which on pages are worth it; 0: never */
} ls_term_cursor;

/* The first part of every ls_context, known to the inline functions. */
typedef struct ls_context_front {
    ls_term_cursor cursors[LS_TERMS_MAX]; /* by term */
    /* The entities of a concurrent invocation: terms for its own entities reach only these. */
    uint32_t own_first, own_count;
    const ls_term *terms; /* the running system's list, for LS_USES() */
} ls_context_front;

/* Returns the term's cursor if it covers the entity and allows the operation, else NULL. */
static inline const ls_term_cursor *ls_term_cursor_hit(const ls_context *context, uint32_t term,
                                                       ls_entity entity, ls_term_cursor_use use)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(term >= LS_TERMS_MAX))
        return NULL;
    const ls_term_cursor *cursor = &front->cursors[term];
    return LS_LIKELY((uint32_t)entity - cursor->first < cursor->counts[use]) ? cursor : NULL;
}

/* Loads with acquire order, because another system may be spawning entities in this page. */
static inline bool ls_term_cursor_is_same_generation(const ls_term_cursor *cursor, ls_entity entity)
{
    return __atomic_load_n(&cursor->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
           ls_entity_generation(entity);
}

static inline bool ls_term_cursor_is_alive(const ls_term_cursor *cursor, ls_entity entity)
{
    return ls_term_cursor_is_same_generation(cursor, entity) && ls_entity_generation(entity) & 1;
}

/* Tests presence first: a slot with a component is alive, and not being spawned at the moment. */
static inline bool ls_term_cursor_has(const ls_term_cursor *cursor, ls_entity entity)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    return cursor->present[slot / 64] >> (slot % 64) & 1 &&
           ls_term_cursor_is_same_generation(cursor, entity);
}

static inline uint8_t *ls_term_cursor_cell(const ls_term_cursor *cursor, ls_entity entity)
{
    return ls_term_cursor_has(cursor, entity)
               ? cursor->cells + (size_t)cursor->cell_bytes * (entity % LS_PAGE_SLOTS)
               : NULL;
}

/* The cell of an entity in one of the first `count` pages that the term has looked up. NULL: the
 * page was not looked up, or has no such cell. */
static inline const uint8_t *ls_term_page_cell_of(const ls_term_cursor *cursor, uint32_t count,
                                                  ls_entity entity)
{
    uint32_t at = (uint32_t)entity / LS_PAGE_SLOTS - cursor->pages_first;
    uint32_t slot = entity % LS_PAGE_SLOTS;
    if (LS_UNLIKELY(at >= count))
        return NULL;
    const ls_term_page *page = &cursor->pages[at];
    if (LS_UNLIKELY(!page->cells))
        return NULL;
    bool is_there =
        page->present[slot / 64] >> (slot % 64) & 1 &&
        __atomic_load_n(&page->generations[slot], __ATOMIC_ACQUIRE) == ls_entity_generation(entity);
    return is_there ? page->cells + (size_t)cursor->cell_bytes * slot : NULL;
}

/* ls_term_page_cell_of() for a term that reads. */
static inline const uint8_t *ls_term_page_cell(const ls_context *context, uint32_t term,
                                               ls_entity entity)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(term >= LS_TERMS_MAX))
        return NULL;
    const ls_term_cursor *cursor = &front->cursors[term];
    return ls_term_page_cell_of(cursor, cursor->pages_count, entity);
}

#endif
