#include "core/run/value_merge.h"

#include "core/base/bounds.h"
#include "core/run/combine.h"
#include "core/run/command_walk.h"
#include "core/state/store.h"
#include <lockstep/event.h>

#include <string.h>

enum { ADDED_BYTES_MAX = 256 };

bool ls_value_merge_is_free(const ls_plan_system *plan)
{
    const uint32_t harmless = LS_TOUCH_PRESENCE | LS_TOUCH_VALUES | LS_TOUCH_OTHERS;
    /* If the system spawns, a value may refer to an entity that has no number yet. */
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
typedef struct prefetch_walk {
    ls_commands_walk walk;
    uint32_t page; /* page of the last record; repeated pages need no prefetch */
} prefetch_walk;

static ls_entry *next_prefetched(const ls_world *world, const ls_plan_system *plan,
                                 ls_commands_walk *walk, prefetch_walk *ahead)
{
    for (bool is_more = true; is_more && walk->left - ahead->walk.left < LS_PREFETCH_RECORDS;) {
        const ls_entry *record = ls_commands_next(&ahead->walk);
        is_more = record;
        if (!record || ahead->page == (uint32_t)record->entity / LS_PAGE_SLOTS)
            continue;
        ahead->page = (uint32_t)record->entity / LS_PAGE_SLOTS;
        ls_store_prefetch(world, plan->terms[record->at].column, record->entity);
    }
    return ls_commands_next(walk);
}

static inline ls_entity entity_of(const uint8_t *pair)
{
    ls_entity entity;
    memcpy(&entity, pair, sizeof entity);
    return entity;
}

/* The merge of a column: values of one term without heads, as pairs of an entity and a value. */
typedef struct column_merge {
    ls_world *world;
    const ls_plan_term *term;
    size_t pair_bytes;
    /* The open pages of one lane that have been added to, by page. */
    ls_page **pages;
    uint32_t pages_first, pages_count; /* pages_first: lane << 16 */
    uint64_t dropped;
} column_merge;

/* Pages of the first value's lane are kept if there are many values. Clearing the list of pages
 * costs as much as looking a few pages up. */
static void keep_pages(column_merge *merge, const uint8_t *pair, uint32_t values)
{
    ls_scratch *scratch = merge->world->base->scratch;
    uint32_t lane = ls_entity_lane(entity_of(pair));
    uint32_t count = ls_table_page_count(merge->world->state.lives[lane]);
    if (values < count / 2)
        return;
    if (count > scratch->value_page_capacity) {
        ls_free(scratch->value_pages);
        scratch->value_page_capacity = count * 2;
        scratch->value_pages = ls_alloc(sizeof(ls_page *) * scratch->value_page_capacity);
    }
    memset(scratch->value_pages, 0, sizeof(ls_page *) * count);
    merge->pages = scratch->value_pages;
    merge->pages_first = lane << 16;
    merge->pages_count = count;
}

static LS_NOINLINE ls_page *open_page(const column_merge *merge, ls_entity entity)
{
    ls_page *page = ls_store_open_page(merge->world, merge->term->column, entity);
    uint32_t at = (uint32_t)entity / LS_PAGE_SLOTS - merge->pages_first;
    if (page && at < merge->pages_count)
        merge->pages[at] = page;
    return page;
}

static inline ls_page *kept_page(const column_merge *merge, ls_entity entity)
{
    uint32_t at = (uint32_t)entity / LS_PAGE_SLOTS - merge->pages_first;
    return at < merge->pages_count ? merge->pages[at] : NULL;
}

static void prefetch_pairs(const column_merge *merge, const uint8_t *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, pairs += merge->pair_bytes) {
        ls_entity entity = entity_of(pairs);
        ls_page *page = kept_page(merge, entity);
        if (LS_LIKELY(page)) {
            __builtin_prefetch(&page->present[entity % LS_PAGE_SLOTS / 64]);
            __builtin_prefetch(
                ls_store_cell(merge->world, merge->term->column, page, ls_entity_slot(entity)), 1);
        } else {
            ls_store_prefetch(merge->world, merge->term->column, entity);
        }
    }
}

/* An entity that had the component when the value was given is alive until the sync point, so its
 * presence alone tells whether it still has it. */
static void merge_pairs(column_merge *merge, const uint8_t *pairs, uint32_t count)
{
    const ls_plan_term *term = merge->term;
    for (uint32_t i = 0; i < count; i++, pairs += merge->pair_bytes) {
        ls_entity entity = entity_of(pairs);
        ls_page *page = kept_page(merge, entity);
        if (LS_UNLIKELY(!page))
            page = open_page(merge, entity);
        if (LS_LIKELY(page && ls_page_has(page, entity % LS_PAGE_SLOTS)))
            ls_combine(merge->world->program, term,
                       ls_store_cell(merge->world, term->column, page, ls_entity_slot(entity)),
                       pairs + sizeof entity);
        else
            merge->dropped++; /* the system detached the cell after the call */
    }
}

static uint64_t merge_column(ls_world *world, const ls_plan_system *plan, const ls_run *run,
                             uint32_t count)
{
    const ls_commands *commands = &run->commands;
    column_merge merge = {.world = world,
                          .term = &plan->terms[plan->value_term],
                          .pair_bytes = commands->value_bytes};
    for (uint32_t i = 0, left = count; left; i++) {
        const ls_command_segment *segment = &commands->segments[i];
        uint32_t records = ls_min_u32(segment->records[LS_STREAM_VALUES], left);
        if (records == 0) /* its worker may have no buffer */
            continue;
        const uint8_t *pairs = commands->buffers[segment->worker][LS_STREAM_VALUES].data +
                               segment->begin[LS_STREAM_VALUES];
        if (left == count)
            keep_pages(&merge, pairs, count);
        left -= records;
        for (uint32_t some; records; records -= some, pairs += some * merge.pair_bytes) {
            some = ls_min_u32(records, LS_PREFETCH_RECORDS);
            prefetch_pairs(&merge, pairs, some);
            merge_pairs(&merge, pairs, some);
        }
    }
    return merge.dropped;
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
