/* Access by the index of a term with a check of the cell's size, for code without names. If the
 * size is not that of the term's component, the process stops and names system and component: a
 * larger struct would reach into the next cell. Simulations use names (include/lockstep/uses.h),
 * whose types the compiler checks. when    Spans, blocks, singletons and values are checked at each
 * call. Cells by handle are checked at each system's first call through a term, and whenever a call
 * takes the slow path. So the fast path has no extra cost. Builds without optimisation and
 * `lockstep run
 *           --check` check every call */
#ifndef LS_TYPED_H
#define LS_TYPED_H

#include <lockstep/access.h>
#include <lockstep/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stops the process if the term's cells have another size; else stores the size in the term's
 * cursor. */
LS_API void ls_cell_size_far_(const ls_context *context, uint32_t term, size_t bytes);

static inline void ls_cell_size_check_(const ls_context *context, uint32_t term, size_t bytes)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(term >= LS_TERMS_MAX || front->cursors[term].cell_bytes != bytes))
        ls_cell_size_far_(context, term, bytes);
}

/* True when the call takes the fast path: its cursor is set only after a check of the size. */
static inline bool ls_cell_size_is_known_(const ls_term_cursor *reach)
{
#ifdef __OPTIMIZE__
    return LS_LIKELY(reach != NULL);
#else
    (void)reach;
    return false;
#endif
}

static inline const void *ls_cell_find_sized_(const ls_context *context, uint32_t term,
                                              ls_entity entity, size_t bytes)
{
    const ls_term_cursor *reach = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_READ);
    if (!ls_cell_size_is_known_(reach))
        ls_cell_size_check_(context, term, bytes);
    return LS_LIKELY(reach) ? ls_term_cursor_cell(reach, entity)
                            : ls_cell_find_far_(context, term, entity);
}

static inline void *ls_cell_write_sized_(ls_context *context, uint32_t term, ls_entity entity,
                                         size_t bytes)
{
    const ls_term_cursor *reach = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_WRITE);
    if (!ls_cell_size_is_known_(reach))
        ls_cell_size_check_(context, term, bytes);
    return LS_LIKELY(reach) ? ls_term_cursor_cell(reach, entity)
                            : ls_cell_write_far_(context, term, entity);
}

static inline bool ls_cell_attach_sized_(ls_context *context, uint32_t term, ls_entity entity,
                                         size_t bytes, const void *value)
{
    ls_cell_size_check_(context, term, bytes);
    return ls_cell_attach_(context, term, entity, value);
}

static inline const ls_context *ls_context_sized_(const ls_context *context, uint32_t term,
                                                  size_t bytes)
{
    ls_cell_size_check_(context, term, bytes);
    return context;
}

/* Checks the size and returns the writable context. */
static inline ls_context *ls_writer_sized_(ls_context *context, uint32_t term, size_t bytes)
{
    ls_cell_size_check_(context, term, bytes);
    return context;
}

#ifdef __cplusplus
}
#endif

#endif
