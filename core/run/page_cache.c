#include "core/run/page_cache.h"

/* Presence decides about a match of these systems, and their spans have the cells of each term. */
static bool is_cacheable(const ls_plan_system *plan, const ls_query_page *view)
{
    return plan->span && plan->query_count == 1 && view->has_include && !view->has_optional &&
           !view->has_filter && !(plan->alternatives & 1);
}

void ls_page_cache_init(ls_page_cache *cache, const ls_plan_system *plan, const ls_query_page *view)
{
    uint32_t written = 0, written_count = 0;
    for (uint32_t i = 0; i < view->celled_count; i++) {
        bool is_written = view->terms[view->celled[i]].access >= LS_WRITE;
        written |= (uint32_t)is_written << i;
        written_count += is_written;
    }
    /* A term that writes and has no cells is a tag. Its page is opened, so it would be needed. */
    if (plan->has_partner || !is_cacheable(plan, view) || written_count != view->written_count)
        return;
    cache->is_alone = ls_plan_is_simple(plan) && !plan->grid_count && !plan->join_count &&
                      !plan->observes && !plan->walked;
    cache->written = (uint16_t)written;
    cache->column_count = view->used_count;
    for (uint32_t i = 0; i < view->used_count; i++)
        cache->columns[i] = (uint16_t)view->terms[view->used[i]].column;
    cache->page_bytes = (uint32_t)(sizeof(ls_cached_page) + sizeof(ls_page *) * view->celled_count);
}

void ls_page_cache_reset(ls_page_cache *cache)
{
    ls_free(cache->pages);
    *cache = (ls_page_cache){0};
}

/* Forgets all pages: they are kept again in this run. */
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

static void find_spans(ls_cached_page *page, const uint64_t *mask)
{
    page->span_count = 0;
    for (uint32_t end, first = ls_mask_next_set(mask, 0); first < LS_PAGE_SLOTS;
         first = ls_mask_next_set(mask, end)) {
        if (page->span_count == LS_CACHED_SPANS_MAX) {
            page->span_count = 0;
            return;
        }
        end = ls_mask_next_clear(mask, first);
        page->firsts[page->span_count] = (uint8_t)first;
        page->lasts[page->span_count++] = (uint8_t)(end - 1);
    }
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

void ls_page_cache_keep(const ls_page_cache *cache, const ls_plan_system *plan, uint32_t index,
                        const ls_query_page *view, const uint64_t *mask)
{
    static const uint64_t whole[LS_PAGE_WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    ls_cached_page *page = ls_page_cache_at(cache, index);
    if (page->stamp == cache->stamp) /* it has too many spans */
        return;
    page->stamp = cache->stamp;
    page->gaps = !view->is_whole && ls_page_takes_gaps(plan, mask) ? mask : NULL;
    find_spans(page, view->is_whole || page->gaps ? whole : mask);
    page->generations = view->generations;
    for (uint32_t i = 0; i < view->celled_count; i++)
        page->pages[i] = view->pages[view->celled[i]];
}
