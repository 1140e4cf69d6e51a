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

static const uint64_t whole[LS_PAGE_WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

static inline void run_filled(ls_context *context, const ls_span *span)
{
    ls_term_cursor_own(context, span->lane << 24 | span->first_slot, span->count);
    context->plan->span(context, span);
}

static inline void run_span(ls_context *context, ls_query_page *view, uint32_t first, uint32_t end)
{
    run_filled(context, ls_query_span_to(view, first, end));
}

/* The cells of a term of the system, from slot 0 of a page on. */
typedef struct term_cells {
    const uint8_t *cells;
    size_t bytes;
    uint32_t term;
} term_cells;

/* Passes each run of ones of the mask as a span, which differs from `base` in what is set here;
 * `base` begins with slot 0. Finds the end of the lowest run in a word: adding its lowest bit
 * carries to the first clear bit after the run. A run that reaches the end of the word carries out
 * of it, and may go on in the next word. Where `count` is a constant, the cells stay in
 * registers. */
static inline __attribute__((always_inline)) void run_runs(ls_context *context, ls_span *span,
                                                           const ls_span *base,
                                                           const uint64_t *mask,
                                                           const term_cells *cells, uint32_t count)
{
    ls_context_front *front = &context->front;
    void (*function)(ls_context * context, const ls_span *span) = context->plan->span;
    const uint32_t *generations = base->generations;
    uint32_t slot = base->first_slot, lane = base->lane << 24;
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
            span->count = end - first;
            span->first_slot = slot + first;
            span->generations = generations + first;
            for (uint32_t i = 0; i < count; i++)
                span->const_cells[cells[i].term] = cells[i].cells + cells[i].bytes * first;
            front->own_first = lane | (slot + first);
            front->own_count = end - first;
            if (LS_UNLIKELY(context->own_placed))
                ls_term_cursor_move_own(context);
            function(context, span);
        }
    }
}

static LS_NOINLINE void run_page_runs(ls_context *context, ls_query_page *view, const ls_span *base,
                                      const uint64_t *mask)
{
    term_cells cells[LS_QUERY_TERMS_MAX];
    ls_span *span = &view->span;
    for (uint32_t i = 0; i < view->celled_count; i++) {
        uint32_t term = view->celled[i];
        cells[i] = (term_cells){base->const_cells[term], view->cell_bytes[term], term};
    }
    span->lane = base->lane;
    span->matches = NULL;
    if (view->celled_count == 1)
        run_runs(context, span, base, mask, cells, 1);
    else if (view->celled_count == 2)
        run_runs(context, span, base, mask, cells, 2);
    else
        run_runs(context, span, base, mask, cells, view->celled_count);
}

/* Opens the page of a written term. A page that is not open may be shared, and replaced by a copy:
 * then the cells of all terms of its column change. */
static LS_NOINLINE void open_term(const ls_context *context, const ls_query_page *view,
                                  ls_span *span, uint32_t term)
{
    ls_world *world = context->world;
    uint32_t column = view->terms[term].column, key = context->own_page;
    uint32_t first = span->first_slot % LS_PAGE_SLOTS;
    ls_page *opened = ls_table_open(*ls_world_table(world, column, key >> 16), key & 0xffff,
                                    &world->sources[column]);
    for (uint32_t i = 0; i < view->celled_count; i++) {
        uint32_t other = view->celled[i];
        if (view->terms[other].column == column)
            span->const_cells[other] = ls_page_cells(opened) + view->cell_bytes[other] * first;
    }
}

static inline bool is_open(const uint8_t *cells)
{
    return ((const ls_page *)(const void *)(cells - LS_PAGE_CELLS_OFFSET))->is_open;
}

static inline void open_kept(const ls_context *context, const ls_query_page *view, ls_span *span)
{
    uint32_t first = span->first_slot % LS_PAGE_SLOTS;
    for (uint32_t i = 0; i < view->written_count; i++) {
        uint32_t term = view->written[i];
        const uint8_t *cells = span->const_cells[term];
        if (LS_UNLIKELY(!is_open(cells - view->cell_bytes[term] * first)))
            open_term(context, view, span, term);
    }
}

/* Reads the summaries that ls_page_loop_is_open() tests, for the 64 pages of which the current page
 * is one. */
static LS_NOINLINE void find_open_pages(const ls_context *context, ls_query_page *view)
{
    uint32_t key = context->own_page, lane = key >> 16, page = key & 0xffff;
    view->open_group = key / 64;
    view->open_pages = UINT64_MAX;
    if (view->directory_key != lane * LS_TABLE_DIRECTORIES + page / LS_DIRECTORY_PAGES)
        ls_query_enter(context->world, lane, page, view);
    for (uint32_t i = 0; i < view->used_count; i++) {
        if (view->terms[view->used[i]].access >= LS_ACCESS_WRITE)
            view->open_pages &=
                ls_directory_open_pages(view->directories[i], page % LS_DIRECTORY_PAGES / 64);
    }
}

void ls_page_loop_other(ls_context *context, uint32_t index, ls_query_page *view, ls_span *span)
{
    const ls_page_list *list = &context->run->queries[0];
    uint32_t key = context->own_page, group = key / 64;
    if (!ls_page_loop_is_open(view, key)) {
        /* Reads the summaries only if the next listed page is in the same group: for a single page
         * they are no nearer than its head. */
        if (view->open_group != group && index + 1 < list->count &&
            list->keys[index + 1] / 64 == group)
            find_open_pages(context, view);
        if (!ls_page_loop_is_open(view, key))
            open_kept(context, view, span);
    }
    if (span->count)
        run_filled(context, span);
    else
        run_page_runs(context, view, span, list->masks[index]);
}

/* A span ends where the presence of an optional term changes. */
static LS_NOINLINE void run_optional_spans(ls_context *context, ls_query_page *view,
                                           const uint64_t *mask)
{
    for (uint32_t end, first = ls_mask_next_set(mask, 0); first < LS_PAGE_SLOTS;
         first = ls_mask_next_set(mask, end)) {
        end = ls_query_optional_end(view, first, ls_mask_next_clear(mask, first));
        run_span(context, view, first, end);
    }
}

static void run_spans(ls_context *context, ls_query_page *view, const uint64_t *mask)
{
    view->span.matches = NULL;
    if (LS_UNLIKELY(view->has_optional)) {
        run_optional_spans(context, view, view->is_whole ? whole : mask);
    } else if (view->is_whole) {
        run_span(context, view, 0, LS_PAGE_SLOTS);
    } else if (ls_page_takes_gaps(context->plan, mask)) {
        run_filled(context, ls_page_span_with_gaps(view, mask));
    } else {
        const ls_span base = *ls_query_span_to(view, 0, 0);
        run_page_runs(context, view, &base, mask);
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

/* The mask is computed once, and stays valid as long as the list of pages does. */
void ls_page_loop_found(ls_context *context, uint32_t index, ls_query_page *view)
{
    const ls_plan_system *plan = context->plan;
    uint32_t key = context->own_page;
    uint64_t *mask = context->run->queries[0].masks[index];
    ls_query_look(context->world, key >> 16, key & 0xffff, view);
    bool needs_mask = !plan->span || !view->is_whole;
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
