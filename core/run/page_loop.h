/* The matches of one page for a concurrent system, in the form that its function takes: one entity,
 * a block or a span at a time. The page is context->own_page. */
#ifndef LS_PAGE_LOOP_H
#define LS_PAGE_LOOP_H
#include "core/run/invocation.h"

/* Looks up page `index` of the query's list, opens what the system writes, and runs it. */
void ls_page_loop_found(ls_context *context, uint32_t index, ls_query_page *view);

/* Whether the summaries of 64 pages, of which the page is one, show that the system can write to
 * it; true for a system that writes nothing. Then the head of the page need not be read: for a page
 * with a few matches, that would be one more cache line besides those of its cells. */
static inline bool ls_page_loop_is_open(const ls_query_page *view, uint32_t key)
{
    return !view->written_count ||
           LS_LIKELY(view->open_group == key / 64 && view->open_pages >> key % 64 & 1);
}

/* ls_page_loop_kept() for any page. */
void ls_page_loop_other(ls_context *context, uint32_t index, ls_query_page *view, ls_span *span);
/* Runs page `index`, which is kept with this span. Inline, because a page may have one match. */
static inline void ls_page_loop_kept(ls_context *context, uint32_t index, ls_query_page *view,
                                     ls_span *span)
{
    if (LS_UNLIKELY(!ls_page_loop_is_open(view, context->own_page) || !span->count ||
                    context->own_placed)) {
        ls_page_loop_other(context, index, view, span);
        return;
    }
    context->front.own_first = span->lane << 24 | span->first_slot;
    context->front.own_count = span->count;
    context->plan->span(context, span);
}

#endif
