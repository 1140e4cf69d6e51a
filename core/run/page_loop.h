/* The matches of one page for a concurrent system, in the form that its function takes: one entity,
 * a block or a span at a time. `mask` has the slots that match; spans of a whole page do not read
 * it. */
#ifndef LS_PAGE_LOOP_H
#define LS_PAGE_LOOP_H
#include "core/run/invocation.h"

void ls_page_loop_matches(ls_context *context, const ls_query_page *view, const uint64_t *mask);
void ls_page_loop_blocks(ls_context *context, const ls_query_page *view, const uint64_t *mask);
void ls_page_loop_spans(ls_context *context, ls_query_page *view, const uint64_t *mask);

#endif
