/* Matching: which slots of a page match a query, by presence; filters by change compare values. */
#ifndef LS_QUERY_H
#define LS_QUERY_H
#include "core/state/world_state.h"
#include <lockstep/span_types.h>

/* A walk over the pages of the columns in a query's terms; it holds one page at a time. */
typedef struct ls_query_page {
    const ls_plan_term *terms;
    uint32_t term_count, query;
    /* Indexes of the query's terms: `used` have a column; some of these are also `celled`, because
     * they give out cells, or `written`, because they write. */
    uint8_t used_count, celled_count, written_count;
    uint8_t used[LS_QUERY_TERMS_MAX], celled[LS_QUERY_TERMS_MAX], written[LS_QUERY_TERMS_MAX];
    bool has_include, has_optional;
    bool has_filter;   /* presence in the columns alone does not decide */
    bool may_be_whole; /* summaries can show that all slots of a page match */
    /* The current directory, which covers 256 pages, of liveness and of each used term. */
    uint32_t directory_key;
    const ls_directory *lives, *directories[LS_QUERY_TERMS_MAX];
    uint32_t lane, page;
    bool is_whole;                         /* all slots match, known from the summaries */
    const uint32_t *generations;           /* of its slots; NULL: no entity was ever here */
    ls_page *pages[LS_QUERY_TERMS_MAX];    /* by term; NULL: not in the query, or no page */
    size_t cell_bytes[LS_QUERY_TERMS_MAX]; /* by term; 0: gets no cells */
    ls_span span;
    /* A group of 64 pages: key / 64; bit by page: all pages that the query writes are open. */
    uint32_t open_group;
    uint64_t open_pages;
} ls_query_page;

/* Begins a walk of query 0, or of another one whose terms are among the first LS_QUERY_TERMS_MAX;
 * no page is loaded yet. Until its last page, only the running system may change presence in the
 * query's columns, and each of its threads only on the page that it runs. */
void ls_query_begin(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                    uint32_t query, ls_query_page *view);
/* Loads the directories for the page. */
void ls_query_enter(const ls_world *world, uint32_t lane, uint32_t page, ls_query_page *view);
static inline void ls_query_look(const ls_world *world, uint32_t lane, uint32_t page,
                                 ls_query_page *view)
{
    if (LS_UNLIKELY(view->directory_key != lane * LS_TABLE_DIRECTORIES + page / LS_DIRECTORY_PAGES))
        ls_query_enter(world, lane, page, view);
    const ls_page *lives = ls_directory_page(view->lives, page);
    view->lane = lane;
    view->page = page;
    view->generations = lives ? ls_page_generations(lives) : NULL;
    bool is_whole = view->may_be_whole;
    for (uint32_t i = 0; i < view->used_count; i++) {
        uint32_t term = view->used[i], kind = view->terms[term].kind;
        view->pages[term] = ls_directory_page(view->directories[i], page);
        if (kind == LS_INCLUDE)
            is_whole &= ls_directory_is_full(view->directories[i], page);
        else if (kind == LS_EXCLUDE)
            is_whole &= !view->pages[term];
    }
    view->is_whole = is_whole;
}

/* The mask of slots of the page that match; false when none does. */
bool ls_query_page_mask(const ls_world *world, const ls_query_page *view,
                        uint64_t mask[LS_PAGE_WORDS]);
/* The first slot after `first`, at most `end`, where the presence of an optional term changes. */
uint32_t ls_query_optional_end(const ls_query_page *view, uint32_t first, uint32_t end);
/* The span of slots [first, end) of the page, which match and have the same optional terms. It is
 * stored in `view`, and valid until the next call. */
static inline const ls_span *ls_query_span_to(ls_query_page *view, uint32_t first, uint32_t end)
{
    ls_span *span = &view->span;
    bool is_sure = !view->has_optional; /* the other terms are present wherever the query matches */
    span->count = end - first;
    span->lane = view->lane;
    span->first_slot = view->page * LS_PAGE_SLOTS + first;
    span->generations = view->generations + first;
    for (uint32_t i = 0; i < view->celled_count; i++) {
        uint32_t term = view->celled[i];
        ls_page *page = view->pages[term];
        bool has_cells = is_sure || (page && ls_page_has(page, first));
        span->const_cells[term] =
            has_cells ? ls_page_cells(page) + view->cell_bytes[term] * first : NULL;
    }
    return span;
}

/* ls_query_span_to() for the longest span of the mask from slot `first` on. */
const ls_span *ls_query_span(ls_query_page *view, const uint64_t *mask, uint32_t first);
/* Fills in the block of word `word` of the page, where the slots `matches` match. */
void ls_query_fill_block(const ls_query_page *view, uint32_t word, uint64_t matches,
                         ls_block *block);

/* Like ls_query_page_mask(), for a single page without a walk; the terms as for ls_query_begin().
 */
bool ls_query_mask(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t lane, uint32_t page, uint64_t mask[LS_PAGE_WORDS]);
/* Whether an entity that matched when the system began still does, by include and exclude terms. */
bool ls_query_matches(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                      uint32_t query, uint32_t lane, uint32_t slot);
/* Whether the entity has a component of each choice of terms (LS_FILTER_ANY). */
bool ls_query_has_choice(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query, uint32_t lane, uint32_t slot);
/* The column whose pages include every match: the first include term's column, or liveness. */
uint32_t ls_query_leader(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query);
/* The sum of the presence counters of the query's columns. Counters only grow, so an equal sum
 * means that no cell was attached or detached. 0 for a query without an include, because spawns
 * have no counter. */
static inline uint64_t ls_query_presence(const ls_world *world, const ls_plan_term *terms,
                                         uint32_t term_count, uint32_t query)
{
    uint64_t sum = 1;
    bool has_include = false;
    for (uint32_t i = 0; i < term_count; i++) {
        bool is_ruled_out =
            terms[i].kind > LS_EXCLUDE && (terms[i].kind > LS_OPTIONAL || !terms[i].filter);
        if (terms[i].query != query || is_ruled_out)
            continue;
        sum += world->presences[terms[i].column];
        has_include |= terms[i].kind == LS_INCLUDE;
    }
    return has_include ? sum : 0;
}

/* Lists the pages with a match, in canonical order. Without masks, all masks are 0, and the list
 * may have pages without a match. */
void ls_query_list(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, bool with_masks, ls_page_list *list);
/* Updates a list of the same query. It costs nothing if no cell was attached to or detached from
 * the query's columns. Masks that were computed since the list was made are then kept, too. */
static inline void ls_query_list_again(const ls_world *world, const ls_plan_term *terms,
                                       uint32_t term_count, uint32_t query, bool with_masks,
                                       ls_page_list *list)
{
    uint64_t presence = ls_query_presence(world, terms, term_count, query);
    if (LS_LIKELY(presence && list->seen == presence))
        return;
    ls_query_list(world, terms, term_count, query, with_masks, list);
    list->seen = presence;
}
/* Adds a page; the caller keeps the order of keys. */
void ls_page_list_add(ls_page_list *list, uint32_t key, const uint64_t mask[LS_PAGE_WORDS]);
/* The index of a page; UINT32_MAX when it is not listed. */
uint32_t ls_page_list_find(const ls_page_list *list, uint32_t key);
bool ls_page_list_has(const ls_page_list *list, ls_entity entity);
void ls_page_list_drop(ls_page_list *list, ls_entity entity);
/* A walk over pages that may have a match: every included component has a cell there, and no
 * excluded component has all 256. Use: for (key = 0; ls_query_next(..., &key); key++) */
bool ls_query_next(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t *key);

#endif
