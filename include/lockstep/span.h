/* The entities of a concurrent invocation, many at a time: spans for pages without gaps, blocks of
 * 64 slots for pages with gaps. Both give plain arrays, so a loop over them vectorises.
 *   thread  the thread that runs the invocation */
#ifndef LS_SPAN_H
#define LS_SPAN_H
#include <lockstep/span_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cells of a term for the span's entities: an array of `span->count`. NULL for a term that is
 * not in the query, for a tag, and for an optional term that this span lacks. */
static inline const void *ls_span_read_(const ls_context *context, const ls_span *span,
                                        uint32_t term);
/* Like ls_span_read_(), for writing; the term must declare LS_WRITE or LS_STRUCTURE. */
static inline void *ls_span_write_(const ls_context *context, const ls_span *span, uint32_t term);
/* Attaches the term's component, zeroed, to every entity of the span that lacks it. Returns the
 * cells of all entities, NULL for a tag. The term must declare LS_STRUCTURE. */
LS_API void *ls_span_attach_(ls_context *context, const ls_span *span, uint32_t term);
/* Detaches the component from every entity of the span. */
LS_API void ls_span_detach(ls_context *context, const ls_span *span, uint32_t term);

/* The cells of a term for the block's 64 slots. NULL for a term that is not in the query, for a
 * tag, and if the column has no page there. */
LS_API const void *ls_block_read_(const ls_context *context, const ls_block *block, uint32_t term);
LS_API void *ls_block_write_(const ls_context *context, const ls_block *block, uint32_t term);
/* Attaches the component, zeroed, to the entities of `which` that lack it. Returns the block's
 * cells, NULL for a tag. `which` must be a subset of block->matches (asserted). */
LS_API void *ls_block_attach_(ls_context *context, const ls_block *block, uint32_t term,
                              uint64_t which);
LS_API void ls_block_detach(ls_context *context, const ls_block *block, uint32_t term,
                            uint64_t which);

/* Implementation: only the inline functions below call them. */
LS_API const void *ls_span_read_far_(const ls_context *context, const ls_span *span, uint32_t term);
LS_API void *ls_span_write_far_(const ls_context *context, const ls_span *span, uint32_t term);

static inline const void *ls_span_read_(const ls_context *context, const ls_span *span,
                                        uint32_t term)
{
    if (LS_LIKELY(term < LS_QUERY_TERMS_MAX && span->readable >> term & 1))
        return span->const_cells[term];
    return ls_span_read_far_(context, span, term);
}

static inline void *ls_span_write_(const ls_context *context, const ls_span *span, uint32_t term)
{
    if (LS_LIKELY(term < LS_QUERY_TERMS_MAX && span->writable >> term & 1))
        return (void *)(uintptr_t)span->const_cells[term];
    return ls_span_write_far_(context, span, term);
}

#ifdef __cplusplus
}
#endif

#endif
