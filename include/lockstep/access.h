/* Reading, writing, attaching and detaching by handle. The fast path is inline: each term remembers
 * the page where it was used last (include/lockstep/term_cursor.h). Rules for terms, handles and
 * pointers: include/lockstep/context.h.
 */
#ifndef LS_ACCESS_H
#define LS_ACCESS_H

#include <lockstep/term_cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cell of any entity that the term covers: its own in a concurrent system (any for LS_OTHERS
 * reads), any in a sequential one. NULL when the entity is dead, null or lacks the component. */
static inline const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity);
static inline void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity);
static inline bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity);
/* Attaches or overwrites; copies `value`, or zeros the cell for NULL. False when the entity is
 * dead. */
static inline bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity,
                                  const void *value);
/* False when there was nothing to detach. */
static inline bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity);

/* Many handles at once, with the results that the functions above give one after the other. For
 * handles that are scattered over the world this is several times as fast: memory is prefetched for
 * all of them before the first is used. Returns for how many the single function would have
 * succeeded.
 *   cells   by handle: where the cell is, or NULL
 *   values  `count` cells side by side; NULL for all zeros */
LS_API uint32_t ls_cells_find(const ls_context *context, uint32_t term, const ls_entity *entities,
                              uint32_t count, const void **cells);
LS_API uint32_t ls_cells_attach(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count, const void *values);
LS_API uint32_t ls_cells_detach(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count);

/* The rest is how it is done. These are called by the inline ones alone. */
LS_API const void *ls_cell_find_far_(const ls_context *context, uint32_t term, ls_entity entity);
LS_API void *ls_cell_write_far_(ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_has_far_(const ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_attach_far_(ls_context *context, uint32_t term, ls_entity entity,
                                const void *value);
LS_API bool ls_cell_detach_far_(ls_context *context, uint32_t term, ls_entity entity);
/* After a word of presence became empty or full. True. */
LS_API bool ls_cell_settle_(ls_context *context, uint32_t term, ls_entity entity);

static inline const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_READ);
    return LS_LIKELY(cursor) ? ls_term_cursor_cell(cursor, entity)
                             : ls_cell_find_far_(context, term, entity);
}

static inline void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_WRITE);
    return LS_LIKELY(cursor) ? ls_term_cursor_cell(cursor, entity)
                             : ls_cell_write_far_(context, term, entity);
}

static inline bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_ASK);
    return LS_LIKELY(cursor) ? ls_term_cursor_has(cursor, entity)
                             : ls_cell_has_far_(context, term, entity);
}

static inline bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity,
                                  const void *value)
{
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_SHAPE);
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
    const ls_term_cursor *cursor = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_SHAPE);
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
