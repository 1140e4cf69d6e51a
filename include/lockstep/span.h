/* The entities of a concurrent invocation, many at a time: spans where presence is whole, blocks of
 * 64 slots where it is broken. Both hand out plain arrays; a loop over them vectorises.
 *   thread  the thread that runs the invocation */
#ifndef LS_SPAN_H
#define LS_SPAN_H
#include <lockstep/span_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cells of term `term` for the span's entities, `span->count` of them side by side. NULL for a
 * term that is not in the query, for a tag, and for an optional term that this span lacks. */
LS_API const void *ls_span_read(const ls_context *context, const ls_span *span, uint32_t term);
/* The same for writing; the term declares LS_WRITE or LS_STRUCTURE. */
LS_API void *ls_span_write(const ls_context *context, const ls_span *span, uint32_t term);
/* Attaches the term's component to every entity of the span that lacks it, zeroed, and gives the
 * cells of all, NULL for a tag. The term declares LS_STRUCTURE. */
LS_API void *ls_span_attach(ls_context *context, const ls_span *span, uint32_t term);
/* Detaches it from every entity of the span. */
LS_API void ls_span_detach(ls_context *context, const ls_span *span, uint32_t term);

/* The cells of the block's 64 slots. NULL for a term that is not in the query, for a tag, and where
 * none of the 64 has the component's page. */
LS_API const void *ls_block_read(const ls_context *context, const ls_block *block, uint32_t term);
LS_API void *ls_block_write(const ls_context *context, const ls_block *block, uint32_t term);
/* Attaches the component, zeroed, to those of `which` that lack it, and gives the block's cells,
 * NULL for a tag. `which` is a part of block->matches (asserted). */
LS_API void *ls_block_attach(ls_context *context, const ls_block *block, uint32_t term,
                             uint64_t which);
LS_API void ls_block_detach(ls_context *context, const ls_block *block, uint32_t term,
                            uint64_t which);

#ifdef __cplusplus
}
#endif

#endif
