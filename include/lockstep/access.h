/* Reads, writes, attaches and detaches cells by entity handle. The fast path is inline: each term
 * has a cursor at the page that it used last (include/lockstep/term_cursor.h). Rules for terms,
 * handles and pointers: include/lockstep/context.h. */
#ifndef LS_ACCESS_H
#define LS_ACCESS_H

#include <lockstep/term_cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Find, write and has: the cell that `entity` has for this term. In a concurrent system, a term of
 * query 0 reaches only the invocation's own entity. All other terms, and all terms of a sequential
 * system, reach any entity. NULL or false when the entity is dead, null or lacks the component. */
static inline const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity);
static inline void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity);
static inline bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity);
/* Attaches the component, or overwrites its cell, with a copy of `value`; NULL means all zeros.
 * False when the entity is dead. */
static inline bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity,
                                  const void *value);
/* False when the entity is dead or lacks the component. */
static inline bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity);

/* The same operations on many handles, with the results of calling the functions above one by one.
 * For handles in random order they are several times as fast, because they prefetch memory for all
 * handles before they use the first. Each returns the number of handles for which the single call
 * would succeed.
 *   cells   by handle: the address of the cell, or NULL
 *   values  `count` cells side by side; NULL for all zeros */
LS_API uint32_t ls_cells_find(const ls_context *context, uint32_t term, const ls_entity *entities,
                              uint32_t count, const void **cells);
LS_API uint32_t ls_cells_attach(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count, const void *values);
LS_API uint32_t ls_cells_detach(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count);

/* Implementation: only the inline functions of this header call the functions below. */
LS_API const void *ls_cell_find_far_(const ls_context *context, uint32_t term, ls_entity entity);
LS_API void *ls_cell_write_far_(ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_has_far_(const ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_attach_far_(ls_context *context, uint32_t term, ls_entity entity,
                                const void *value);
LS_API bool ls_cell_detach_far_(ls_context *context, uint32_t term, ls_entity entity);
/* Updates the table's summary after a page became empty or full, or ceased to be so. Returns
 * true. */
LS_API bool ls_cell_settle_(ls_context *context, uint32_t term, ls_entity entity);

static inline const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_READ);
    if (cursor)
        return ls_term_cursor_cell(cursor, entity);
    const uint8_t *cell = ls_term_page_cell(context, term, entity);
    return LS_LIKELY(cell) ? cell : ls_cell_find_far_(context, term, entity);
}

static inline void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity)
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

static inline bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity,
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
