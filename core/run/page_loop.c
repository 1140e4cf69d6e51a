#include "core/run/page_loop.h"

#include "core/run/match_loop.h"
#include "core/run/term_lookup.h"

void ls_page_loop_matches(ls_context *context, const ls_query_page *view, const uint64_t *mask)
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

void ls_page_loop_blocks(ls_context *context, const ls_query_page *view, const uint64_t *mask)
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

static inline void run_span(ls_context *context, ls_query_page *view, uint32_t first, uint32_t end)
{
    const ls_span *span = ls_query_span_to(view, first, end);
    ls_term_cursor_own(context, view->lane << 24 | span->first_slot, span->count);
    context->plan->system->span(context, span);
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

static inline void run_part(ls_context *context, ls_query_page *view, uint32_t first, uint32_t end)
{
    if (LS_UNLIKELY(view->has_optional))
        run_optional_spans(context, view, first, end);
    else
        run_span(context, view, first, end);
}

/* Finds the end of the lowest run of ones in a word: adding its lowest bit carries to the first
 * clear bit after the run. A run that reaches the end of the word carries out of it, and may go on
 * in the next word. */
void ls_page_loop_spans(ls_context *context, ls_query_page *view, const uint64_t *mask)
{
    if (view->is_whole) {
        run_part(context, view, 0, LS_PAGE_SLOTS);
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
            run_part(context, view, first, end);
        }
    }
}
