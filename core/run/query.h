/* Matching: which slots of which pages, from presence bits alone. */
#ifndef LS_QUERY_H
#define LS_QUERY_H
#include "core/state/world_state.h"
#include <lockstep/span_types.h>

/* A walk over the pages of all columns that a query's terms name, one page at a time. */
typedef struct ls_query_page {
    const ls_plan_term *terms;
    uint32_t term_count;
    /* The terms of the query that use a column; among these, the terms that give out cells, and the
     * terms that write. */
    uint8_t used_count, celled_count, written_count;
    uint8_t used[LS_QUERY_TERMS_MAX], celled[LS_QUERY_TERMS_MAX], written[LS_QUERY_TERMS_MAX];
    bool has_include, has_optional;
    /* Where the page's directory was found: one for 256 pages. By use. */
    uint32_t directory_key;
    const ls_directory *lives, *directories[LS_QUERY_TERMS_MAX];
    uint32_t lane, page;
    bool is_whole;                      /* all slots match, which the summaries say */
    const uint32_t *generations;        /* of its slots; NULL when no entity ever lived there */
    ls_page *pages[LS_QUERY_TERMS_MAX]; /* by term; NULL for terms that match nothing and where none
                                           is */
    size_t cell_bytes[LS_QUERY_TERMS_MAX];
    ls_span span;
} ls_query_page;

/* Begins a walk over pages; no page is loaded yet. Until its last page, only systems that change
 * their own pages may change presence in the query's columns. */
void ls_query_begin(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                    uint32_t query, ls_query_page *look);
/* Finds the directories of the page. */
void ls_query_enter(const ls_world *world, uint32_t lane, uint32_t page, ls_query_page *look);
static inline void ls_query_look(const ls_world *world, uint32_t lane, uint32_t page,
                                 ls_query_page *look)
{
    if (LS_UNLIKELY(look->directory_key != lane * LS_TABLE_DIRECTORIES + page / LS_DIRECTORY_PAGES))
        ls_query_enter(world, lane, page, look);
    const ls_page *lives = ls_directory_page(look->lives, page);
    look->lane = lane;
    look->page = page;
    look->generations = lives ? ls_page_generations(lives) : NULL;
    bool is_whole = look->has_include;
    for (uint32_t i = 0; i < look->used_count; i++) {
        uint32_t term = look->used[i], kind = look->terms[term].kind;
        look->pages[term] = ls_directory_page(look->directories[i], page);
        if (kind == LS_INCLUDE)
            is_whole &= ls_directory_is_full(look->directories[i], page);
        else if (kind == LS_EXCLUDE)
            is_whole &= !look->pages[term];
    }
    look->is_whole = is_whole;
}

/* The slots of the page that match; false when none does. */
bool ls_query_page_mask(const ls_world *world, const ls_query_page *look,
                        uint64_t mask[LS_PAGE_WORDS]);
/* The first slot before `end` where an optional term's cells begin or end. */
uint32_t ls_query_optional_end(const ls_query_page *look, uint32_t first, uint32_t end);
/* The span at slot `first` of the page: consecutive slots of the mask that agree on the optional
 * terms. It is stored in `look` and lives until the next one. */
static inline const ls_span *ls_query_span(ls_query_page *look, const uint64_t *mask,
                                           uint32_t first)
{
    ls_span *span = &look->span;
    bool is_sure = look->is_whole && !look->has_optional;
    uint32_t end = look->is_whole ? LS_PAGE_SLOTS : ls_mask_next_clear(mask, first);
    if (look->has_optional)
        end = ls_query_optional_end(look, first, end);
    span->count = end - first;
    span->lane = look->lane;
    span->first_slot = look->page * LS_PAGE_SLOTS + first;
    span->generations = look->generations + first;
    for (uint32_t i = 0; i < look->celled_count; i++) {
        uint32_t term = look->celled[i];
        ls_page *page = look->pages[term];
        bool has_cells = is_sure || (page && ls_page_has(page, first));
        span->const_cells[term] =
            has_cells ? ls_page_cells(page) + look->cell_bytes[term] * first : NULL;
    }
    return span;
}

/* The block of word `word` of the page, of which `matches` match. */
void ls_query_fill_block(const ls_query_page *look, uint32_t word, uint64_t matches,
                         ls_block *block);

/* The same mask, for a page that is looked at only once. */
bool ls_query_mask(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t lane, uint32_t page, uint64_t mask[LS_PAGE_WORDS]);
bool ls_query_matches(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                      uint32_t query, uint32_t lane, uint32_t slot);
/* The column whose pages have to be walked to meet every match: an include, or liveness. */
uint32_t ls_query_leader(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query);
/* The sum of the presence counters of the query's columns. They only grow, so the sum is unchanged
 * only if no cell came or went. 0 for a query without an include: spawns have no counter. */
static inline uint64_t ls_query_presence(const ls_world *world, const ls_plan_term *terms,
                                         uint32_t term_count, uint32_t query)
{
    uint64_t sum = 1;
    bool has_include = false;
    for (uint32_t i = 0; i < term_count; i++) {
        if (terms[i].query != query || terms[i].kind > LS_EXCLUDE)
            continue;
        sum += world->presences[terms[i].column];
        has_include |= terms[i].kind == LS_INCLUDE;
    }
    return has_include ? sum : 0;
}

/* Lists the pages with a match, in canonical order. Without masks (they are 0 then) the list also
 * has pages that only may have a match. */
void ls_query_list(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, bool with_masks, ls_page_list *list);
/* Updates a list that was filled for this same query. It costs nothing if no cell of the deciding
 * columns came or went since. Masks that were found since then stay too. */
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
bool ls_page_list_has(const ls_page_list *list, ls_entity entity);
void ls_page_list_drop(ls_page_list *list, ls_entity entity);
/* A walk over pages that may have a match: every include has a cell there, and no exclude has all
 * 256. for (key = 0; ls_query_next(..., &key); key++) */
bool ls_query_next(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t *key);

#endif
