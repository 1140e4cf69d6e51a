#include "core/run/value_merge.h"

#include "core/base/bounds.h"
#include "core/run/combine.h"
#include "core/state/store.h"
#include <lockstep/event.h>

#include <string.h>

enum { ADDED_BYTES_MAX = 256 };

bool ls_value_merge_is_free(const ls_plan_system *plan)
{
    const uint32_t harmless = LS_TOUCH_PRESENCE | LS_TOUCH_VALUES | LS_TOUCH_OTHERS;
    /* A value may refer to an entity that has no number yet. */
    bool can = plan->accumulates && plan->system->mode == LS_CONCURRENT &&
               !(plan->accumulates_entities && plan->lane_count);
    for (uint32_t i = 0; can && i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        can = term->kind != LS_ACCUMULATED ||
              (!(plan->touches[term->column] & ~harmless) && term->cell_bytes <= ADDED_BYTES_MAX);
    }
    return can;
}

static inline uint8_t *find_cell(ls_world *world, uint32_t column, ls_entity entity)
{
    const ls_page_source *source = &world->sources[column];
    if (LS_LIKELY(source->cells > 1)) /* no singleton */
        return ls_store_write(world, column, entity);
    ls_table *table = *ls_world_table(world, column, 0);
    return entity == LS_ENTITY_NULL ? ls_page_cells(ls_table_write(table, 0, source)) : NULL;
}

bool ls_value_merge_add(ls_world *world, const ls_plan_term *term, ls_entity entity,
                        const void *value)
{
    static const uint8_t zeros[ADDED_BYTES_MAX];
    uint8_t *cell = find_cell(world, term->column, entity);
    if (cell)
        ls_combine(world->program, term, cell, value ? value : zeros);
    return cell;
}

/* A second walk ahead of the main one: it prefetches cells long before they are changed. */
enum { PREFETCH_RECORDS = 32 };

typedef struct prefetch_walk {
    ls_commands_walk walk;
    uint32_t page; /* page of the last record; repeated pages need no prefetch */
} prefetch_walk;

static ls_entry *next_prefetched(const ls_world *world, const ls_plan_system *plan,
                                 ls_commands_walk *walk, prefetch_walk *ahead)
{
    for (bool is_more = true; is_more && walk->left - ahead->walk.left < PREFETCH_RECORDS;) {
        const ls_entry *record = ls_commands_next(&ahead->walk);
        is_more = record;
        if (!record || ahead->page == (uint32_t)record->entity / LS_PAGE_SLOTS)
            continue;
        ahead->page = (uint32_t)record->entity / LS_PAGE_SLOTS;
        ls_store_prefetch(world, plan->terms[record->at].column, record->entity);
    }
    return ls_commands_next(walk);
}

/* Values without heads: pairs of an entity and a value, in canonical order. */
typedef struct column_walk {
    const ls_commands *commands;
    uint32_t segment, left;
    const uint8_t *next, *end;
} column_walk;

static LS_NOINLINE bool enter_segment(column_walk *walk)
{
    while (walk->next == walk->end && walk->segment < walk->commands->count) {
        const ls_segment *segment = &walk->commands->segments[walk->segment++];
        const uint8_t *data = walk->commands->buffers[segment->worker][LS_STREAM_VALUES].data;
        walk->next = data + segment->begin[LS_STREAM_VALUES];
        walk->end = data + segment->end[LS_STREAM_VALUES];
    }
    return walk->next != walk->end;
}

static inline const uint8_t *next_pair(column_walk *walk)
{
    if (LS_UNLIKELY(walk->left == 0 || (walk->next == walk->end && !enter_segment(walk))))
        return NULL;
    const uint8_t *pair = walk->next;
    walk->next += walk->commands->value_bytes;
    walk->left--;
    return pair;
}

static inline ls_entity entity_of(const uint8_t *pair)
{
    ls_entity entity;
    memcpy(&entity, pair, sizeof entity);
    return entity;
}

/* The open pages of the first value's lane that have been added to, by page. */
typedef struct open_pages {
    ls_page **pages;
    uint32_t first, count; /* first: lane << 16 */
} open_pages;

/* Clearing the list costs as much as looking a few pages up. */
static open_pages begin_pages(ls_world *world, column_walk walk)
{
    ls_scratch *scratch = world->base->scratch;
    const uint8_t *pair = next_pair(&walk);
    uint32_t lane = pair ? ls_entity_lane(entity_of(pair)) : 0;
    uint32_t count = ls_table_page_count(world->state.lives[lane]);
    if (walk.left < count / 2)
        return (open_pages){.first = lane << 16};
    if (count > scratch->value_page_capacity) {
        ls_free(scratch->value_pages);
        scratch->value_page_capacity = count * 2;
        scratch->value_pages = ls_alloc(sizeof(ls_page *) * scratch->value_page_capacity);
    }
    memset(scratch->value_pages, 0, sizeof(ls_page *) * count);
    return (open_pages){scratch->value_pages, lane << 16, count};
}

static LS_NOINLINE ls_page *open_page(ls_world *world, uint32_t column, ls_entity entity)
{
    ls_page *page = ls_store_find_page(world, column, entity);
    if (page && !page->is_open)
        page = ls_table_open(*ls_world_table(world, column, ls_entity_lane(entity)),
                             ls_entity_slot(entity) / LS_PAGE_SLOTS, &world->sources[column]);
    return page;
}

static inline void prefetch(const ls_world *world, const ls_plan_term *term,
                            const open_pages *known, ls_entity entity)
{
    uint32_t at = (uint32_t)entity / LS_PAGE_SLOTS - known->first, slot = entity % LS_PAGE_SLOTS;
    ls_page *page = at < known->count ? known->pages[at] : NULL;
    if (LS_UNLIKELY(!page)) {
        ls_store_prefetch(world, term->column, entity);
        return;
    }
    __builtin_prefetch(&page->present[slot / 64]);
    __builtin_prefetch(ls_page_cells(page) + (size_t)term->cell_bytes * slot, 1);
}

/* An entity that had the component when the value was given is alive until the sync point, so its
 * presence alone tells whether it still has it. Returns the number of values for cells that the
 * system detached after the call. */
static uint64_t merge_column(ls_world *world, const ls_plan_system *plan, const ls_run *run,
                             uint32_t count)
{
    const ls_plan_term *term = &plan->terms[plan->value_term];
    column_walk walk = {.commands = &run->commands, .left = count}, ahead = walk;
    const open_pages known = begin_pages(world, walk);
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (ahead.left && walk.left - ahead.left < PREFETCH_RECORDS)
            prefetch(world, term, &known, entity_of(next_pair(&ahead)));
        const uint8_t *pair = next_pair(&walk);
        ls_entity entity = entity_of(pair);
        uint32_t at = (uint32_t)entity / LS_PAGE_SLOTS - known.first, slot = entity % LS_PAGE_SLOTS;
        ls_page *page = at < known.count ? known.pages[at] : NULL;
        if (LS_UNLIKELY(!page)) {
            page = open_page(world, term->column, entity);
            if (page && at < known.count)
                known.pages[at] = page;
        }
        if (LS_LIKELY(page && ls_page_has(page, slot)))
            ls_combine(world->program, term, ls_page_cells(page) + (size_t)term->cell_bytes * slot,
                       pair + sizeof entity);
        else
            dropped++;
    }
    return dropped;
}

static uint64_t merge_records(ls_world *world, const ls_plan_system *plan, const ls_run *run)
{
    ls_commands_walk walk = {
        .commands = &run->commands, .stream = LS_STREAM_VALUES, .left = LS_RECORDS_MAX};
    prefetch_walk ahead = {walk, UINT32_MAX};
    uint64_t dropped = 0;
    for (ls_entry *record; (record = next_prefetched(world, plan, &walk, &ahead));) {
        const ls_plan_term *term = &plan->terms[record->at];
        dropped += !ls_value_merge_add(world, term, record->entity, ls_entry_value(record));
    }
    return dropped;
}

void ls_value_merge_system(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    const ls_commands *commands = &run->commands;
    uint64_t given = ls_commands_count(commands, LS_STREAM_VALUES);
    uint32_t count = (uint32_t)ls_min(given, LS_RECORDS_MAX);
    uint64_t dropped = given - count;
    if (count)
        dropped += commands->value_bytes ? merge_column(world, plan, run, count)
                                         : merge_records(world, plan, run);
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind == LS_ACCUMULATED)
            world->versions[plan->terms[i].column]++;
    }
    uint64_t *counters = world->base->state.dropped;
    counters[LS_DROPPED_EVENTS] += ls_commands_excess(commands, LS_STREAM_EVENTS, LS_RECORDS_MAX);
    counters[LS_DROPPED_VALUES] += dropped;
}
