/* Reads, writes, attaches and detaches cells by entity handle, below the names of
 * include/lockstep/uses.h. The fast path is inline: each term has a cursor at the page that it used
 * last (include/lockstep/term_cursor.h). Rules for terms, handles and pointers:
 * include/lockstep/context.h. Functions with an underscore at the end do not know the type of a
 * cell. The macros and classes that know it call them, and so does include/lockstep/by_index.h. */
#ifndef LS_ACCESS_H
#define LS_ACCESS_H

#include <lockstep/term_cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Find, write and has: the cell that `entity` has for this term. In a concurrent system, a term of
 * query 0 reaches only the invocation's own entity. All other terms, and all terms of a sequential
 * system, reach any entity. NULL or false when the entity is dead, null or lacks the component. */
static inline const void *ls_cell_find_(const ls_context *context, uint32_t term, ls_entity entity);
static inline void *ls_cell_write_(ls_context *context, uint32_t term, ls_entity entity);
static inline bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity);
/* Attaches the component, or overwrites its cell, with a copy of `value`; NULL means all zeros.
 * False when the entity is dead. */
static inline bool ls_cell_attach_(ls_context *context, uint32_t term, ls_entity entity,
                                   const void *value);
/* False when the entity is dead or lacks the component. */
static inline bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity);

/* Implementation: the slow paths of the inline functions. No simulation calls them. */
LS_API const void *ls_cell_find_far_(const ls_context *context, uint32_t term, ls_entity entity);
LS_API void *ls_cell_write_far_(ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_has_far_(const ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_attach_far_(ls_context *context, uint32_t term, ls_entity entity,
                                const void *value);
LS_API bool ls_cell_detach_far_(ls_context *context, uint32_t term, ls_entity entity);
/* Updates the table's summary after a page became empty or full, or ceased to be so. Returns
 * true. */
LS_API bool ls_cell_settle_(ls_context *context, uint32_t term, ls_entity entity);

static inline const void *ls_cell_find_(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_READ);
    if (cursor)
        return ls_term_cursor_cell(cursor, entity);
    const uint8_t *cell = ls_term_page_cell(context, term, entity);
    return LS_LIKELY(cell) ? cell : ls_cell_find_far_(context, term, entity);
}

static inline void *ls_cell_write_(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_WRITE);
    return LS_LIKELY(cursor) ? ls_term_cursor_cell(cursor, entity)
                             : ls_cell_write_far_(context, term, entity);
}

static inline bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_HAS);
    return LS_LIKELY(cursor) ? ls_term_cursor_has(cursor, entity)
                             : ls_cell_has_far_(context, term, entity);
}

static inline bool ls_cell_attach_(ls_context *context, uint32_t term, ls_entity entity,
                                   const void *value)
{
    const ls_term_cursor *cursor =
        ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_STRUCTURE);
    if (LS_UNLIKELY(!cursor))
        return ls_cell_attach_far_(context, term, entity, value);
    if (LS_UNLIKELY(!ls_term_cursor_is_alive(cursor, entity)))
        return false;
    if (LS_UNLIKELY(ls_cell_put(cursor->present, cursor->cells, entity % LS_PAGE_SLOTS,
                                cursor->cell_bytes, value)))
        return ls_cell_settle_(context, term, entity);
    return true;
}

static inline bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor =
        ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_STRUCTURE);
    if (LS_UNLIKELY(!cursor))
        return ls_cell_detach_far_(context, term, entity);
    if (!ls_term_cursor_has(cursor, entity))
        return false;
    if (LS_UNLIKELY(ls_cell_take(cursor->present, cursor->cells, entity % LS_PAGE_SLOTS,
                                 cursor->cell_bytes)))
        return ls_cell_settle_(context, term, entity);
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
