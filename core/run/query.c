/* Matching: finds the slots of each page that match a query, from presence bits; filters by change
 * also compare values. */
#include "core/run/query.h"
#include "core/schedule/term_rules.h"
#include "core/state/baseline.h"
#include "core/state/store.h"

#include <string.h>

uint32_t ls_query_leader(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query)
{
    for (uint32_t i = 0; i < term_count; i++) {
        if (terms[i].query == query && terms[i].kind == LS_INCLUDE)
            return terms[i].column;
    }
    return ls_liveness(world);
}

void ls_query_begin(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                    uint32_t query, ls_query_page *view)
{
    if (term_count > LS_QUERY_TERMS_MAX) /* later terms do not belong to a query */
        term_count = LS_QUERY_TERMS_MAX;
    view->terms = terms;
    view->term_count = term_count;
    view->query = query;
    view->used_count = view->celled_count = view->written_count = 0;
    view->has_include = view->has_optional = view->has_filter = false;
    view->directory_key = UINT32_MAX;
    view->span.readable = view->span.writable = 0;
    view->span.matches = NULL;
    view->open_group = UINT32_MAX;
    for (uint32_t i = 0; i < term_count; i++) {
        view->span.readable |= (uint16_t)((terms[i].grant > LS_ACCESS_READ) << i);
        view->span.writable |= (uint16_t)((terms[i].grant > LS_ACCESS_WRITE) << i);
        view->pages[i] = NULL;
        view->span.const_cells[i] = NULL;
        if (terms[i].query != query)
            continue;
        view->has_filter |= terms[i].kind == LS_LANE;
        if (terms[i].kind > LS_OPTIONAL)
            continue;
        view->has_filter |= terms[i].filter != LS_FILTER_NONE;
        /* A term that only tests presence gets no cells. */
        view->cell_bytes[i] =
            terms[i].access > LS_ACCESS_PRESENCE ? world->sources[terms[i].column].cell_bytes : 0;
        view->has_include |= terms[i].kind == LS_INCLUDE;
        view->has_optional |= terms[i].kind == LS_OPTIONAL;
        view->used[view->used_count++] = (uint8_t)i;
        if (view->cell_bytes[i] && terms[i].kind != LS_EXCLUDE)
            view->celled[view->celled_count++] = (uint8_t)i;
        if (terms[i].access >= LS_ACCESS_WRITE)
            view->written[view->written_count++] = (uint8_t)i;
    }
    view->may_be_whole = view->has_include && !view->has_filter;
}

/* The directory of a page; an empty directory where the table has none. */
static const ls_directory *directory_of(const ls_table *table, uint32_t page)
{
    static const ls_directory none;
    const ls_directory *found = table ? ls_table_directory(table, page) : NULL;
    return found ? found : &none;
}

/* The pointers are valid until the query's last page. Meanwhile a directory may be replaced by a
 * copy, but the copy is equal in everything that the query reads. No new directory can appear: a
 * column that the system attaches to its own entities has its directories before the system starts,
 * new entities are on none of the query's pages, and other systems that attach need an order with
 * this one. */
void ls_query_enter(const ls_world *world, uint32_t lane, uint32_t page, ls_query_page *view)
{
    view->directory_key = lane * LS_TABLE_DIRECTORIES + page / LS_DIRECTORY_PAGES;
    view->lives = directory_of(world->state.lives[lane], page);
    for (uint32_t i = 0; i < view->used_count; i++) {
        uint32_t column = view->terms[view->used[i]].column;
        view->directories[i] = directory_of(*ls_world_table(world, column, lane), page);
    }
}

/* Whether the query has the lane: one of its LS_LANE terms names it, or it has none. */
static bool takes_lane(const ls_plan_term *terms, uint32_t term_count, uint32_t query,
                       uint32_t lane)
{
    bool is_limited = false;
    for (uint32_t i = 0; i < term_count; i++) {
        if (terms[i].kind != LS_LANE || terms[i].query != query)
            continue;
        if (terms[i].column == lane)
            return true;
        is_limited = true;
    }
    return !is_limited;
}

/* Removes the slots that the query's filters refuse. */
static void filter_mask(const ls_world *world, const ls_query_page *view,
                        uint64_t mask[LS_PAGE_WORDS])
{
    bool is_taken = takes_lane(view->terms, view->term_count, view->query, view->lane);
    for (uint32_t i = 0; i < view->used_count && is_taken; i++) {
        if (ls_filter_compares(view->terms[view->used[i]].filter))
            ls_baseline_filter(world, &view->terms[view->used[i]], view->lane, view->page, mask);
    }
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        mask[word] = is_taken ? mask[word] : 0;
        for (uint32_t i = 0; i < view->used_count;) {
            if (view->terms[view->used[i]].filter != LS_FILTER_ANY) {
                i++;
                continue;
            }
            uint64_t any = 0;
            do {
                const ls_page *page = view->pages[view->used[i]];
                any |= page ? page->present[word] : 0;
            } while (++i < view->used_count && view->terms[view->used[i]].filter == LS_FILTER_OR);
            mask[word] &= any;
        }
    }
}

bool ls_query_page_mask(const ls_world *world, const ls_query_page *view,
                        uint64_t mask[LS_PAGE_WORDS])
{
    memset(mask, 0xff, sizeof *mask * LS_PAGE_WORDS);
    if (view->is_whole)
        return true;
    for (uint32_t i = 0; i < view->used_count; i++) {
        const ls_plan_term *term = &view->terms[view->used[i]];
        const ls_page *page = view->pages[view->used[i]];
        if (term->kind > LS_EXCLUDE)
            continue;
        if (!page && term->kind == LS_INCLUDE)
            return false;
        for (uint32_t word = 0; page && word < LS_PAGE_WORDS; word++)
            mask[word] &= term->kind == LS_INCLUDE ? page->present[word] : ~page->present[word];
    }
    /* Liveness is tested only without an include, because another system may be spawning at this
     * moment. */
    if (!view->has_include) {
        const ls_page *lives = ls_table_page(world->state.lives[view->lane], view->page);
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
            mask[word] &= lives ? lives->present[word] : 0;
    }
    if (LS_UNLIKELY(view->has_filter))
        filter_mask(world, view, mask);
    return mask[0] | mask[1] | mask[2] | mask[3];
}

bool ls_query_mask(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t lane, uint32_t page, uint64_t mask[LS_PAGE_WORDS])
{
    ls_query_page view;
    ls_query_begin(world, terms, term_count, query, &view);
    ls_query_look(world, lane, page, &view);
    return ls_query_page_mask(world, &view, mask);
}

bool ls_query_matches(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                      uint32_t query, uint32_t lane, uint32_t slot)
{
    for (uint32_t i = 0; i < term_count; i++) {
        const ls_plan_term *term = &terms[i];
        if (term->query != query || term->kind > LS_EXCLUDE)
            continue;
        const ls_page *page = ls_world_page(world, term->column, lane, slot / LS_PAGE_SLOTS);
        bool is_present = page && ls_page_has(page, slot);
        if (is_present != (term->kind == LS_INCLUDE))
            return false;
    }
    return true;
}

bool ls_query_has_choice(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query, uint32_t lane, uint32_t slot)
{
    bool is_met = true;
    for (uint32_t i = 0; i < term_count; i++) {
        if (terms[i].query != query || !terms[i].filter || ls_filter_compares(terms[i].filter))
            continue;
        if (terms[i].filter == LS_FILTER_ANY && !is_met)
            return false;
        const ls_page *page = ls_world_page(world, terms[i].column, lane, slot / LS_PAGE_SLOTS);
        bool is_present = page && ls_page_has(page, slot);
        is_met = is_present || (terms[i].filter == LS_FILTER_OR && is_met);
    }
    return is_met;
}

void ls_page_list_add(ls_page_list *list, uint32_t key, const uint64_t mask[LS_PAGE_WORDS])
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->keys = ls_realloc(list->keys, sizeof *list->keys * list->capacity);
        list->masks = ls_realloc(list->masks, sizeof *list->masks * list->capacity);
    }
    list->keys[list->count] = key;
    memcpy(list->masks[list->count], mask, sizeof *list->masks);
    list->count++;
}

/* Bit mask: of the 64 pages in word `word`, those where the term does not rule out a match.
 * Relaxed: systems that change presence have an order with this one. */
static uint64_t possible_pages(const ls_world *world, uint32_t column, bool is_included,
                               uint32_t lane, uint32_t at, uint32_t word)
{
    const ls_table *table = *ls_world_table(world, column, lane);
    const ls_directory *directory =
        table ? ls_table_directory(table, at * LS_DIRECTORY_PAGES) : NULL;
    if (!directory)
        return is_included ? 0 : UINT64_MAX;
    return is_included ? atomic_load_explicit(&directory->occupied[word], memory_order_relaxed)
                       : ~atomic_load_explicit(&directory->full[word], memory_order_relaxed);
}

/* Finds the next group of 64 pages at or after `*word`, numbered through all lanes, with a page
 * that may match; `*bits` is the mask of those pages. */
enum { LANE_WORDS = LS_TABLE_DIRECTORIES * LS_DIRECTORY_WORDS };

static bool next_word(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                      uint32_t query, uint32_t *word, uint64_t *bits)
{
    uint32_t leader = ls_query_leader(world, terms, term_count, query);
    for (uint32_t lane = *word / LANE_WORDS; lane < world->state.lanes; lane++) {
        const ls_table *table = takes_lane(terms, term_count, query, lane)
                                    ? *ls_world_table(world, leader, lane)
                                    : NULL;
        uint32_t end =
            lane * LANE_WORDS + (table ? table->directory_count : 0) * LS_DIRECTORY_WORDS;
        for (; *word < end; ++*word) {
            uint32_t at = *word % LANE_WORDS / LS_DIRECTORY_WORDS, in = *word % LS_DIRECTORY_WORDS;
            *bits = possible_pages(world, leader, true, lane, at, in);
            for (uint32_t i = 0; *bits && i < term_count; i++) {
                if (terms[i].query == query && terms[i].kind <= LS_EXCLUDE)
                    *bits &= possible_pages(world, terms[i].column, terms[i].kind == LS_INCLUDE,
                                            lane, at, in);
            }
            if (*bits)
                return true;
        }
        *word = (lane + 1) * LANE_WORDS;
    }
    return false;
}

bool ls_query_next(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t *key)
{
    uint64_t bits = 0, mask = UINT64_MAX << (*key % 64);
    uint32_t first = *key / 64;
    for (uint32_t word = first; next_word(world, terms, term_count, query, &word, &bits); word++) {
        bits &= word == first ? mask : UINT64_MAX;
        if (bits) {
            *key = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return true;
        }
    }
    return false;
}

/* Copies the terms of a query, which are at most LS_QUERY_TERMS_MAX (term_rules.c). */
static uint32_t gather_terms(const ls_plan_term *terms, uint32_t term_count, uint32_t query,
                             ls_plan_term *gathered)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < term_count; i++) {
        if (terms[i].query == query && ls_term_limits_query((ls_match_kind)terms[i].kind))
            gathered[count++] = terms[i];
    }
    return count;
}

void ls_query_list(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, bool with_masks, ls_page_list *list)
{
    uint64_t bits = 0;
    ls_plan_term gathered[LS_QUERY_TERMS_MAX];
    list->count = 0;
    /* Terms of query 0 need no copy: they are among the first of the list, because spans refer to
     * them by index. */
    if (query > 0) {
        term_count = gather_terms(terms, term_count, query, gathered);
        terms = gathered;
    }
    for (uint32_t word = 0; next_word(world, terms, term_count, query, &word, &bits); word++) {
        for (; bits; bits &= bits - 1) {
            uint32_t key = word * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t mask[LS_PAGE_WORDS] = {0};
            if (!with_masks ||
                ls_query_mask(world, terms, term_count, query, key >> 16, key & 0xffff, mask))
                ls_page_list_add(list, key, mask);
        }
    }
}

void ls_query_fill_block(const ls_query_page *view, uint32_t word, uint64_t matches,
                         ls_block *block)
{
    block->matches = matches;
    block->lane = view->lane;
    block->first_slot = view->page * LS_PAGE_SLOTS + word * 64;
    block->generations = view->generations + word * 64;
    for (uint32_t i = 0; i < view->term_count; i++) {
        ls_page *page = view->terms[i].kind == LS_EXCLUDE ? NULL : view->pages[i];
        size_t bytes = view->cell_bytes[i];
        block->present[i] = page ? page->present[word] : 0;
        block->const_cells[i] = page && bytes ? ls_page_cells(page) + bytes * 64 * word : NULL;
    }
}

uint32_t ls_query_optional_end(const ls_query_page *view, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < view->term_count; i++) {
        const ls_page *optional = view->terms[i].kind == LS_OPTIONAL ? view->pages[i] : NULL;
        if (!optional)
            continue;
        uint32_t change = ls_page_has(optional, first)
                              ? ls_mask_next_clear(optional->present, first)
                              : ls_mask_next_set(optional->present, first);
        if (change < end)
            end = change;
    }
    return end;
}

const ls_span *ls_query_span(ls_query_page *view, const uint64_t *mask, uint32_t first)
{
    uint32_t end = view->is_whole ? LS_PAGE_SLOTS : ls_mask_next_clear(mask, first);
    return ls_query_span_to(view, first, ls_query_optional_end(view, first, end));
}

uint32_t ls_page_list_find(const ls_page_list *list, uint32_t key)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->keys[low] == key ? low : UINT32_MAX;
}

/* The mask of the entity's page; NULL when the page is not listed. */
static uint64_t *find_mask(const ls_page_list *list, ls_entity entity)
{
    uint32_t key = ls_entity_lane(entity) << 16 | ls_entity_slot(entity) / LS_PAGE_SLOTS;
    uint32_t at = ls_page_list_find(list, key);
    return at == UINT32_MAX ? NULL : list->masks[at];
}

bool ls_page_list_has(const ls_page_list *list, ls_entity entity)
{
    const uint64_t *mask = find_mask(list, entity);
    uint32_t slot = ls_entity_slot(entity) % LS_PAGE_SLOTS;
    return mask && (mask[slot / 64] >> (slot % 64) & 1);
}

void ls_page_list_drop(ls_page_list *list, ls_entity entity)
{
    uint64_t *mask = find_mask(list, entity);
    uint32_t slot = ls_entity_slot(entity) % LS_PAGE_SLOTS;
    list->seen = 0;
    if (mask)
        mask[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}
