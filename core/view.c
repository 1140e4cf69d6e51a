/* Reading a world between ticks. */
#include "core/merge.h"
#include "core/query.h"
#include "core/store.h"

#include <string.h>

bool ls_world_is_alive(const ls_world *world, ls_entity entity)
{
    return ls_store_is_alive(world, entity);
}

uint64_t ls_world_entity_count(const ls_world *world)
{
    uint64_t count = 0;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, ls_liveness(world), lane);
        for (uint32_t i = 0; i < ls_table_page_count(table); i++) {
            const ls_page *page = ls_table_page(table, i);
            for (uint32_t word = 0; page && word < LS_PAGE_WORDS; word++)
                count += (uint64_t)__builtin_popcountll(page->present[word]);
        }
    }
    return count;
}

const void *ls_world_cell(const ls_world *world, const ls_component *component, ls_entity entity)
{
    uint32_t column = ls_program_find_column(world->program, component);
    LS_ASSERT(column != UINT32_MAX);
    return ls_store_find(world, column, entity);
}

const void *ls_world_singleton(const ls_world *world, const ls_component *component)
{
    uint32_t column = ls_program_find_column(world->program, component);
    LS_ASSERT(column != UINT32_MAX && world->program->components[column]->is_singleton);
    return ls_page_cells(ls_world_page(world, column, 0, 0));
}

void ls_world_walk_begin(const ls_world *world, const ls_term *terms, ls_world_walk *walk)
{
    *walk = (ls_world_walk){.world = world, .terms = terms};
    for (uint32_t i = 0; i < LS_TERMS_MAX && terms[i].component; i++) {
        walk->columns[i] = ls_program_find_column(world->program, terms[i].component);
        LS_ASSERT(walk->columns[i] != UINT32_MAX && terms[i].access <= LS_READ);
        LS_ASSERT(!world->program->components[walk->columns[i]]->is_singleton);
    }
    walk->page = UINT32_MAX; /* the page before the first */
}

void ls_world_event_begin(const ls_world *world, const ls_component *event, ls_event_walk *walk)
{
    uint32_t found = ls_program_find_event(world->program, event);
    LS_ASSERT(found != UINT32_MAX);
    ls_events_walk(world, found, world->program->system_count, walk);
}

static uint32_t plan_terms(const ls_world_walk *walk, ls_plan_term *terms)
{
    uint32_t count = 0;
    for (; count < LS_TERMS_MAX && walk->terms[count].component; count++) {
        terms[count] = (ls_plan_term){.column = walk->columns[count],
                                      .kind = (uint8_t)walk->terms[count].kind,
                                      .access = (uint8_t)walk->terms[count].access};
    }
    return count;
}

/* Goes on to the next page with a match. */
static bool next_page(ls_world_walk *walk, const ls_plan_term *terms, uint32_t term_count)
{
    const ls_world *world = walk->world;
    uint32_t leader = ls_query_leader(world, terms, term_count, 0);
    for (; walk->lane < world->program->lane_count; walk->lane++, walk->page = UINT32_MAX) {
        uint32_t pages = ls_table_page_count(*ls_world_table(world, leader, walk->lane));
        while (++walk->page < pages) {
            if (ls_query_mask(world, terms, term_count, 0, walk->lane, walk->page, walk->mask))
                return true;
        }
    }
    memset(walk->mask, 0, sizeof walk->mask); /* asked again, the end is the end */
    return false;
}

bool ls_world_walk_next(ls_world_walk *walk)
{
    const ls_world *world = walk->world;
    ls_plan_term terms[LS_TERMS_MAX];
    uint32_t term_count = plan_terms(walk, terms);
    uint32_t first = ls_mask_next_set(walk->mask, 0);
    if (first == LS_PAGE_SLOTS) {
        if (!next_page(walk, terms, term_count))
            return false;
        first = ls_mask_next_set(walk->mask, 0);
    }
    ls_span *span = &walk->span;
    span->lane = walk->lane;
    span->first_slot = walk->page * LS_PAGE_SLOTS + first;
    span->count =
        ls_query_span(world, terms, term_count, walk->mask, walk->lane, walk->page, first);
    ls_page *lives = ls_world_page(world, ls_liveness(world), walk->lane, walk->page);
    span->generations = (const uint32_t *)(const void *)ls_page_cells(lives) + first;
    for (uint32_t i = 0; i < term_count; i++) {
        size_t bytes = world->sources[terms[i].column].cell_bytes;
        ls_page *cells = ls_world_page(world, terms[i].column, walk->lane, walk->page);
        bool has_cells = bytes && cells && ls_page_has(cells, first);
        span->const_cells[i] = has_cells ? ls_page_cells(cells) + bytes * first : NULL;
    }
    for (uint32_t slot = first; slot < first + span->count; slot++)
        walk->mask[slot / 64] &= ~((uint64_t)1 << (slot % 64));
    return true;
}
