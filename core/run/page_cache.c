#include "core/run/page_cache.h"

#include <stddef.h>
#include <string.h>

/* Whether presence alone decides which entities of the query match, and each span has the cells of
 * all its terms. */
static bool is_cacheable(const ls_plan_system *plan, const ls_query_page *view)
{
    return plan->span && plan->query_count == 1 && view->has_include && !view->has_optional &&
           !view->has_filter && !(plan->alternatives & 1);
}

void ls_page_cache_init(ls_page_cache *cache, const ls_plan_system *plan, const ls_query_page *view)
{
    uint32_t written_count = 0;
    for (uint32_t i = 0; i < view->celled_count; i++)
        written_count += view->terms[view->celled[i]].access >= LS_ACCESS_WRITE;
    /* A term that writes and has no cells is of a tag. Its page has to be opened too, but a kept
     * span does not lead to it. */
    if (plan->has_partner || !is_cacheable(plan, view) || written_count != view->written_count)
        return;
    cache->is_alone = ls_plan_is_simple(plan) && !plan->grid_count && !plan->join_count &&
                      !plan->observes && !plan->walked;
    cache->column_count = view->used_count;
    for (uint32_t i = 0; i < view->used_count; i++)
        cache->columns[i] = (uint16_t)view->terms[view->used[i]].column;
    cache->page_bytes =
        (uint32_t)(offsetof(ls_cached_page, span.const_cells) + sizeof(void *) * view->term_count);
}

void ls_page_cache_reset(ls_page_cache *cache)
{
    ls_free(cache->pages);
    *cache = (ls_page_cache){0};
}

/* Makes room for `count` pages, and forgets all that were kept: this run keeps them again. */
static void grow(ls_page_cache *cache, uint32_t count)
{
    ls_free(cache->pages);
    cache->capacity = count > cache->capacity * 2 ? count : cache->capacity * 2;
    cache->pages = ls_alloc((size_t)cache->page_bytes * cache->capacity);
}

void ls_page_cache_renew(ls_page_cache *cache, const ls_world *world, const ls_plan_system *plan,
                         uint64_t stamp, ls_page_list *list)
{
    ls_query_list_again(world, plan->terms, plan->term_count, 0, false, list);
    cache->stamp = cache->last_stamp == stamp ? stamp : LS_STAMP_NONE;
    cache->last_stamp = stamp;
    if (cache->stamp && cache->capacity < list->count)
        grow(cache, list->count);
}

/* The bits of a word as counts in its bytes, each at most 8. */
static inline uint64_t byte_counts(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

bool ls_page_takes_gaps(const ls_plan_system *plan, const uint64_t mask[LS_PAGE_WORDS])
{
    /* The bytes of four words are added first: each sum is at most 32. The multiplication adds the
     * bytes. All 256 slots would be too many for a byte, but they are one run. */
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t slots = 0, runs = 0, before = 0;
    if (!plan->system->each)
        return false;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        slots += byte_counts(mask[word]);
        runs += byte_counts(mask[word] & ~(mask[word] << 1 | before));
        before = mask[word] >> 63;
    }
    uint64_t slot_count = slots * ones >> 56, run_count = runs * ones >> 56;
    return run_count > 1 && slot_count < run_count * 16;
}

const ls_span *ls_page_span_with_gaps(ls_query_page *view, const uint64_t mask[LS_PAGE_WORDS])
{
    uint32_t first = 0, end = LS_PAGE_WORDS;
    while (!mask[first] && first + 1 < end)
        first++;
    while (!mask[end - 1] && first + 1 < end)
        end--;
    view->span.matches = mask + first;
    return ls_query_span_to(view, first * 64, end * 64);
}

/* The span that is passed as long as the page is kept; without slots if the page has several
 * spans. */
static const ls_span *kept_span(const ls_plan_system *plan, ls_query_page *view,
                                const uint64_t *mask)
{
    view->span.matches = NULL;
    if (view->is_whole)
        return ls_query_span_to(view, 0, LS_PAGE_SLOTS);
    if (ls_page_takes_gaps(plan, mask))
        return ls_page_span_with_gaps(view, mask);
    uint32_t first = ls_mask_next_set(mask, 0), end = ls_mask_next_clear(mask, first);
    bool is_one = ls_mask_next_set(mask, end) == LS_PAGE_SLOTS;
    return ls_query_span_to(view, is_one ? first : 0, is_one ? end : 0);
}

void ls_page_cache_keep(const ls_page_cache *cache, const ls_plan_system *plan, uint32_t index,
                        ls_query_page *view, const uint64_t *mask)
{
    ls_cached_page *page = ls_page_cache_at(cache, index);
    page->stamp = cache->stamp;
    memcpy(&page->span, kept_span(plan, view, mask),
           cache->page_bytes - offsetof(ls_cached_page, span));
}
