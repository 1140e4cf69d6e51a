/* The pages of a concurrent system that takes spans, as an earlier run found them: the span that is
 * passed for each. A run that finds them unchanged neither looks them up nor reads presence. The
 * spans are in one array, in the order of a run, so that the processor fetches them ahead.
 *
 * A stamp tells whether they are unchanged. It is a sum of counters that only grow: for each column
 * of the query, of changes of presence (ls_world.presences) and of new addresses of pages
 * (ls_page_source.moves); for liveness, of new addresses. A page is kept only when two runs in a
 * row had one stamp: a system with changes in each tick pays for the sum, and no more.
 *   thread  begin: the thread that begins the run. A page: the thread that runs this page */
#ifndef LS_PAGE_CACHE_H
#define LS_PAGE_CACHE_H
#include "core/run/query.h"

enum { LS_STAMP_NONE = 0 }; /* the stamp of nothing; others are at least 1 */

typedef struct ls_cached_page {
    uint64_t stamp;
    /* As it is passed to the function, with as many cells as the system has terms. With a count of
     * 0 the page has several spans, and this one begins with slot 0. */
    ls_span span;
} ls_cached_page;

typedef struct ls_page_cache {
    uint32_t column_count; /* 0: this system has no cache */
    uint16_t columns[LS_QUERY_TERMS_MAX];
    bool is_alone;       /* the system needs nothing else when it begins and ends */
    uint32_t page_bytes; /* of an entry */
    uint64_t last_stamp; /* of the last run */
    uint64_t stamp;      /* of this run, if the last run had the same; else LS_STAMP_NONE */
    uint32_t capacity;   /* pages */
    uint8_t *pages;      /* by index in the query's list of pages */
} ls_page_cache;

/* `view` was begun for query 0 of the system. */
void ls_page_cache_init(ls_page_cache *cache, const ls_plan_system *plan,
                        const ls_query_page *view);
void ls_page_cache_reset(ls_page_cache *cache);

static inline ls_cached_page *ls_page_cache_at(const ls_page_cache *cache, uint32_t index)
{
    return (ls_cached_page *)(void *)(cache->pages + (size_t)cache->page_bytes * index);
}

/* Whether the slots of a page are passed as one span with gaps: the system takes gaps, and the page
 * has several runs, on average shorter than 16 slots. A call costs as much as the steps over 16
 * slots. */
bool ls_page_takes_gaps(const ls_plan_system *plan, const uint64_t mask[LS_PAGE_WORDS]);
/* The span with gaps, from the first word of the page with a match to the last. It is stored in
 * `view`. */
const ls_span *ls_page_span_with_gaps(ls_query_page *view, const uint64_t mask[LS_PAGE_WORDS]);
/* Keeps page `index`, which `view` holds with its writable pages open. Call it only if cache->stamp
 * is not LS_STAMP_NONE. */
void ls_page_cache_keep(const ls_page_cache *cache, const ls_plan_system *plan, uint32_t index,
                        ls_query_page *view, const uint64_t *mask);

/* Begins a run with a stamp that is not cache->stamp. */
void ls_page_cache_renew(ls_page_cache *cache, const ls_world *world, const ls_plan_system *plan,
                         uint64_t stamp, ls_page_list *list);
/* Begins a run: updates the list of pages, as ls_query_list_again() does, and finds out whether
 * pages may be kept and used. Acquire: pairs with note_move() in core/state/table.c, because a
 * system that spawns may be moving pages of liveness now: the new count comes with the new page. */
static inline void ls_page_cache_begin(ls_page_cache *cache, const ls_world *world,
                                       const ls_plan_system *plan, bool may_keep,
                                       ls_page_list *list)
{
    uint64_t stamp =
        1 + atomic_load_explicit(&world->moves[ls_liveness(world)], memory_order_acquire);
    for (uint32_t i = 0; i < cache->column_count; i++) {
        uint32_t column = cache->columns[i];
        stamp += world->presences[column] +
                 atomic_load_explicit(&world->moves[column], memory_order_acquire);
    }
    if (LS_UNLIKELY(cache->stamp != stamp))
        ls_page_cache_renew(cache, world, plan, stamp, list);
    if (LS_UNLIKELY(!may_keep))
        cache->stamp = LS_STAMP_NONE;
}

#endif
