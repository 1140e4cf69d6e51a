/* The matches of one page for a concurrent system, in the form that its function takes: one entity,
 * a block or a span at a time. The page is context->own_page. */
#ifndef LS_PAGE_LOOP_H
#define LS_PAGE_LOOP_H
#include "core/run/invocation.h"

/* Looks up page `index` of the query's list, opens what the system writes, and runs it. */
void ls_page_loop_found(ls_context *context, uint32_t index, ls_query_page *view);
/* Runs a page of the cache. */
void ls_page_loop_cached(ls_context *context, ls_query_page *view, ls_cached_page *page);

#endif
