/* Matching: which slots of which pages, from presence bits alone. */
#include "core/query.h"
#include "core/store.h"

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

bool ls_query_mask(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t lane, uint32_t page, uint64_t mask[LS_PAGE_WORDS])
{
    const ls_page *leader =
        ls_world_page(world, ls_query_leader(world, terms, term_count, query), lane, page);
    if (!leader)
        return false;
    memcpy(mask, leader->present, sizeof leader->present);
    for (uint32_t i = 0; i < term_count; i++) {
        const ls_plan_term *term = &terms[i];
        if (term->query != query || term->kind > LS_EXCLUDE)
            continue;
        const ls_page *other = ls_world_page(world, term->column, lane, page);
        if (!other && term->kind == LS_INCLUDE)
            return false;
        for (uint32_t word = 0; other && word < LS_PAGE_WORDS; word++)
            mask[word] &= term->kind == LS_INCLUDE ? other->present[word] : ~other->present[word];
    }
    return mask[0] | mask[1] | mask[2] | mask[3];
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

static void append_page(ls_page_list *list, uint32_t key, const uint64_t *mask)
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

void ls_query_list(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, bool with_masks, ls_page_list *list)
{
    uint32_t leader = ls_query_leader(world, terms, term_count, query);
    list->count = 0;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, leader, lane);
        for (uint32_t page = ls_table_next(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next(table, page + 1)) {
            uint64_t mask[LS_PAGE_WORDS] = {0};
            const ls_page *found = ls_table_page(table, page);
            if (ls_page_is_empty(found))
                continue;
            if (!with_masks || ls_query_mask(world, terms, term_count, query, lane, page, mask))
                append_page(list, lane << 16 | page, mask);
        }
    }
}

uint32_t ls_query_span(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                       const uint64_t *mask, uint32_t lane, uint32_t page, uint32_t first)
{
    uint32_t end = ls_mask_next_clear(mask, first);
    for (uint32_t i = 0; i < term_count; i++) {
        if (terms[i].kind != LS_ANYWAY || terms[i].query != 0)
            continue;
        const ls_page *optional = ls_world_page(world, terms[i].column, lane, page);
        if (!optional)
            continue;
        uint32_t change = ls_page_has(optional, first)
                              ? ls_mask_next_clear(optional->present, first)
                              : ls_mask_next_set(optional->present, first);
        if (change < end)
            end = change;
    }
    return end - first;
}

/* The mask of the entity's page, NULL when the list lacks it; keys ascend. */
static uint64_t *find_mask(const ls_page_list *list, ls_entity entity)
{
    uint32_t key = ls_entity_lane(entity) << 16 | ls_entity_slot(entity) / LS_PAGE_SLOTS;
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->keys[low] == key ? list->masks[low] : NULL;
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
    if (mask)
        mask[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

static const uint32_t *generations_at(const ls_world *world, uint32_t lane, uint32_t slot)
{
    ls_page *lives = ls_world_page(world, ls_liveness(world), lane, slot / LS_PAGE_SLOTS);
    return (const uint32_t *)(const void *)ls_page_cells(lives) + slot % LS_PAGE_SLOTS;
}

void ls_query_fill_span(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                        const uint64_t *mask, uint32_t lane, uint32_t first, ls_span *span)
{
    uint32_t page = first / LS_PAGE_SLOTS, at = first % LS_PAGE_SLOTS;
    span->lane = lane;
    span->first_slot = first;
    span->count = ls_query_span(world, terms, term_count, mask, lane, page, at);
    span->generations = generations_at(world, lane, first);
    for (uint32_t i = 0; i < term_count; i++) {
        span->const_cells[i] = NULL;
        if (terms[i].kind != LS_INCLUDE && terms[i].kind != LS_ANYWAY)
            continue;
        size_t bytes = world->sources[terms[i].column].cell_bytes;
        ls_page *cells = ls_world_page(world, terms[i].column, lane, page);
        if (bytes && cells && ls_page_has(cells, at))
            span->const_cells[i] = ls_page_cells(cells) + bytes * at;
    }
}

void ls_query_fill_block(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t lane, uint32_t first, uint64_t matches, ls_block *block)
{
    uint32_t page = first / LS_PAGE_SLOTS, at = first % LS_PAGE_SLOTS;
    block->matches = matches;
    block->lane = lane;
    block->first_slot = first;
    block->generations = generations_at(world, lane, first);
    for (uint32_t i = 0; i < term_count; i++) {
        block->present[i] = 0;
        block->const_cells[i] = NULL;
        if (terms[i].kind > LS_ANYWAY)
            continue;
        size_t bytes = world->sources[terms[i].column].cell_bytes;
        ls_page *cells = ls_world_page(world, terms[i].column, lane, page);
        if (!cells)
            continue;
        block->present[i] = cells->present[at / 64];
        block->const_cells[i] = bytes ? ls_page_cells(cells) + bytes * at : NULL;
    }
}
