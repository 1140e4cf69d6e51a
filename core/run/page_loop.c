#include "core/run/page_loop.h"

#include "core/run/match_loop.h"
#include "core/run/term_lookup.h"

static void run_matches(ls_context *context, const ls_query_page *view, const uint64_t *mask)
{
    const ls_plan_system *plan = context->plan;
    ls_entity entities[LS_QUERIES_MAX] = {0};
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = mask[word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            entities[0] = ls_entity_make(view->lane, view->page * LS_PAGE_SLOTS + slot,
                                         view->generations[slot]);
            ls_term_cursor_own(context, (uint32_t)entities[0], 1);
            if (plan->query_count == 1)
                plan->system->match(context, entities);
            else
                ls_match_loop_others(context, entities);
        }
    }
}

static void run_blocks(ls_context *context, const ls_query_page *view, const uint64_t *mask)
{
    ls_block block;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        if (mask[word] == 0)
            continue;
        ls_query_fill_block(view, word, mask[word], &block);
        ls_term_cursor_own(context, view->lane << 24 | block.first_slot, 64);
        context->plan->system->block(context, &block);
    }
}

/* A page that is not open may be shared, and replaced by a copy: the pointers of all terms of its
 * column change. Kept out of line, because it is rare where pages are kept. */
static LS_NOINLINE void open_cached(const ls_context *context, ls_query_page *view,
                                    ls_cached_page *page, uint32_t at)
{
    ls_world *world = context->world;
    uint32_t column = view->terms[view->celled[at]].column, key = context->own_page;
    ls_page *before = page->pages[at];
    ls_page *opened = ls_table_open(*ls_world_table(world, column, key >> 16), key & 0xffff,
                                    &world->sources[column]);
    for (uint32_t i = 0; i < view->celled_count; i++)
        page->pages[i] = page->pages[i] == before ? opened : page->pages[i];
    view->filled = NULL;
}

static inline void fill_cached(const ls_context *context, ls_query_page *view,
                               const ls_cached_page *page, uint32_t i)
{
    ls_span *span = &view->span;
    uint32_t first = page->firsts[i];
    span->count = page->lasts[i] - first + 1u;
    span->lane = context->own_page >> 16;
    span->first_slot = (context->own_page * LS_PAGE_SLOTS + first) & (LS_SLOTS_MAX - 1);
    span->generations = page->generations + first;
    span->matches = page->gaps;
    for (uint32_t j = 0; j < view->celled_count; j++) {
        uint32_t term = view->celled[j];
        span->const_cells[term] = ls_page_cells(page->pages[j]) + view->cell_bytes[term] * first;
    }
}

static inline void run_filled(ls_context *context, const ls_query_page *view)
{
    const ls_span *span = &view->span;
    ls_term_cursor_own(context, span->lane << 24 | span->first_slot, span->count);
    context->plan->span(context, span);
}

static LS_NOINLINE void run_cached_spans(ls_context *context, ls_query_page *view,
                                         const ls_cached_page *page)
{
    view->filled = NULL;
    for (uint32_t i = 0; i < page->span_count; i++) {
        fill_cached(context, view, page, i);
        run_filled(context, view);
    }
}

void ls_page_loop_cached(ls_context *context, ls_query_page *view, ls_cached_page *page)
{
    for (uint32_t left = context->run->cache.written; left; left &= left - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(left);
        if (LS_UNLIKELY(!page->pages[at]->is_open))
            open_cached(context, view, page, at);
    }
    if (view->filled != page || view->filled_stamp != page->stamp) {
        if (page->span_count > 1) {
            run_cached_spans(context, view, page);
            return;
        }
        fill_cached(context, view, page, 0);
        view->filled = page;
        view->filled_stamp = page->stamp;
    }
    run_filled(context, view);
}

static inline void run_span(ls_context *context, ls_query_page *view, uint32_t first, uint32_t end)
{
    ls_query_span_to(view, first, end);
    run_filled(context, view);
}

/* A span ends where the presence of an optional term changes. */
static LS_NOINLINE void run_optional_spans(ls_context *context, ls_query_page *view, uint32_t first,
                                           uint32_t end)
{
    while (first < end) {
        uint32_t change = ls_query_optional_end(view, first, end);
        run_span(context, view, first, change);
        first = change;
    }
}

/* The part that all spans of a page without optional terms share. */
typedef struct page_spans {
    ls_context *context;
    ls_query_page *view;
    const uint8_t *cells[LS_QUERY_TERMS_MAX]; /* by ls_query_page.celled: of slot 0 */
    uint32_t own;                             /* slot 0, as in a handle */
} page_spans;

static inline void begin_spans(page_spans *self, ls_context *context, ls_query_page *view)
{
    self->context = context;
    self->view = view;
    self->own = view->lane << 24 | view->page * LS_PAGE_SLOTS;
    view->span.lane = view->lane;
    for (uint32_t i = 0; i < view->celled_count && !view->has_optional; i++)
        self->cells[i] = ls_page_cells(view->pages[view->celled[i]]);
}

static inline void run_part(const page_spans *self, uint32_t first, uint32_t end)
{
    ls_query_page *view = self->view;
    ls_span *span = &view->span;
    if (LS_UNLIKELY(view->has_optional)) {
        run_optional_spans(self->context, view, first, end);
        return;
    }
    span->count = end - first;
    span->first_slot = view->page * LS_PAGE_SLOTS + first;
    span->generations = view->generations + first;
    for (uint32_t i = 0; i < view->celled_count; i++) {
        uint32_t term = view->celled[i];
        span->const_cells[term] = self->cells[i] + view->cell_bytes[term] * first;
    }
    ls_term_cursor_own(self->context, self->own + first, span->count);
    self->context->plan->span(self->context, span);
}

/* Finds the end of the lowest run of ones in a word: adding its lowest bit carries to the first
 * clear bit after the run. A run that reaches the end of the word carries out of it, and may go on
 * in the next word. */
static void run_spans(ls_context *context, ls_query_page *view, const uint64_t *mask)
{
    page_spans spans;
    begin_spans(&spans, context, view);
    bool has_gaps =
        !view->is_whole && !view->has_optional && ls_page_takes_gaps(context->plan, mask);
    view->span.matches = has_gaps ? mask : NULL;
    if (view->is_whole || has_gaps) {
        run_part(&spans, 0, LS_PAGE_SLOTS);
        return;
    }
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = mask[word];
        while (bits) {
            uint64_t carried = bits + (bits & -bits);
            uint32_t first = word * 64 + (uint32_t)__builtin_ctzll(bits), end;
            bits &= carried;
            if (LS_LIKELY(carried)) {
                end = word * 64 + (uint32_t)__builtin_ctzll(carried);
            } else {
                end = ls_mask_next_clear(mask, word * 64 + 64);
                word = end / 64;
                bits = end < LS_PAGE_SLOTS ? mask[word] & UINT64_MAX << (end % 64) : 0;
            }
            run_part(&spans, first, end);
        }
    }
}

/* Opening a page may replace it by a copy: updates the pointers of all terms of its column. */
static void open_pages(ls_world *world, ls_query_page *view)
{
    for (uint32_t i = 0; i < view->written_count; i++) {
        const ls_plan_term *term = &view->terms[view->written[i]];
        ls_page *before = view->pages[view->written[i]];
        if (!before || before->is_open)
            continue;
        ls_page *opened = ls_table_open(*ls_world_table(world, term->column, view->lane),
                                        view->page, &world->sources[term->column]);
        for (uint32_t j = 0; j < view->term_count; j++)
            view->pages[j] = view->pages[j] == before ? opened : view->pages[j];
    }
}

/* The mask is computed once, and valid as long as the list of pages. */
void ls_page_loop_found(ls_context *context, uint32_t index, ls_query_page *view)
{
    const ls_plan_system *plan = context->plan;
    uint32_t key = context->own_page;
    uint64_t *mask = context->run->queries[0].masks[index];
    ls_query_look(context->world, key >> 16, key & 0xffff, view);
    bool needs_mask = !plan->span || !view->is_whole;
    view->filled = NULL;
    if (needs_mask && !(mask[0] | mask[1] | mask[2] | mask[3]) &&
        !ls_query_page_mask(context->world, view, mask))
        return;
    if (LS_UNLIKELY(context->is_traced))
        context->matched += needs_mask ? ls_mask_count(mask) : LS_PAGE_SLOTS;
    open_pages(context->world, view);
    if (LS_UNLIKELY(context->run->cache.stamp))
        ls_page_cache_keep(&context->run->cache, plan, index, view, mask);
    if (plan->span)
        run_spans(context, view, mask);
    else if (plan->system->block)
        run_blocks(context, view, mask);
    else
        run_matches(context, view, mask);
}
