#include "core/cell.h"
#include "core/death.h"
#include "core/merge.h"
#include "core/reach.h"
#include "core/stop.h"

#define LS_NOINLINE __attribute__((noinline))

static inline const ls_plan_term *check_term(const ls_context *context, uint32_t term,
                                             ls_entity entity, ls_access access)
{
    if (LS_UNLIKELY(term >= context->plan->term_count))
        ls_stop(context, term, entity, "the system has no such term");
    const ls_plan_term *found = &context->plan->terms[term];
    if (LS_UNLIKELY(found->grant <= access))
        ls_stop(context, term, entity, "goes beyond the access that the term declares");
    return found;
}

static inline const ls_plan_term *check_kind(const ls_context *context, uint32_t term,
                                             ls_entity entity, ls_match_kind kind, ls_access access)
{
    if (LS_UNLIKELY(term >= context->plan->term_count))
        ls_stop(context, term, entity, "the system has no such term");
    const ls_plan_term *found = &context->plan->terms[term];
    if (LS_UNLIKELY(found->kind != kind || found->access < access))
        ls_stop(context, term, entity, "the term does not declare this");
    return found;
}

/* Who is reached through a term of query 0 by a concurrent invocation is its own. */
static inline void check_own(const ls_context *context, const ls_plan_term *found, uint32_t term,
                             ls_entity entity)
{
    if (context->own_count == LS_OWNS_ALL || found->kind > LS_ANYWAY || found->query != 0 ||
        entity == LS_ENTITY_NULL)
        return;
    if (LS_UNLIKELY((uint32_t)entity - context->own_first >= context->own_count))
        ls_stop(context, term, entity,
                "a concurrent system reached another entity than its own; declare LS_OTHERS_READ");
}

const void *ls_span_read(const ls_context *context, const ls_span *span, uint32_t term)
{
    check_term(context, term, LS_ENTITY_NULL, LS_READ);
    return span->const_cells[term];
}

void *ls_span_write(const ls_context *context, const ls_span *span, uint32_t term)
{
    check_term(context, term, LS_ENTITY_NULL, LS_WRITE);
    /* The engine made the page writable before it handed the span out. */
    return (void *)(uintptr_t)span->const_cells[term];
}

/* The words of one page that hold [first, first + count), each with its bits. */
static uint64_t word_mask(uint32_t first, uint32_t count, uint32_t word)
{
    uint32_t begin = first > word * 64 ? first - word * 64 : 0;
    uint32_t end = first + count < word * 64 + 64 ? first + count - word * 64 : 64;
    return (end - begin == 64 ? UINT64_MAX : ((uint64_t)1 << (end - begin)) - 1) << begin;
}

static const ls_plan_term *check_structure(const ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_term(context, term, LS_ENTITY_NULL, LS_STRUCTURE);
    if (LS_UNLIKELY(found->kind > LS_ANYWAY))
        ls_stop(context, term, LS_ENTITY_NULL, "is not of the entities that the query matches");
    return found;
}

void *ls_span_attach(ls_context *context, const ls_span *span, uint32_t term)
{
    const ls_plan_term *found = check_structure(context, term);
    uint32_t page = span->first_slot / LS_PAGE_SLOTS, first = span->first_slot % LS_PAGE_SLOTS;
    uint8_t *cells = NULL;
    for (uint32_t word = first / 64; word * 64 < first + span->count; word++)
        cells = ls_page_cells(ls_store_attach_word(context->world, found->column, span->lane, page,
                                                   word, word_mask(first, span->count, word)));
    ls_reach_forget(context);
    return found->cell_bytes ? cells + (size_t)found->cell_bytes * first : NULL;
}

void ls_span_detach(ls_context *context, const ls_span *span, uint32_t term)
{
    const ls_plan_term *found = check_structure(context, term);
    uint32_t page = span->first_slot / LS_PAGE_SLOTS, first = span->first_slot % LS_PAGE_SLOTS;
    ls_reach_forget(context);
    for (uint32_t word = first / 64; word * 64 < first + span->count; word++)
        ls_store_detach_word(context->world, found->column, span->lane, page, word,
                             word_mask(first, span->count, word));
}

const void *ls_block_read(const ls_context *context, const ls_block *block, uint32_t term)
{
    check_term(context, term, LS_ENTITY_NULL, LS_READ);
    return block->const_cells[term];
}

void *ls_block_write(const ls_context *context, const ls_block *block, uint32_t term)
{
    check_term(context, term, LS_ENTITY_NULL, LS_WRITE);
    /* The engine made the page writable before it handed the block out. */
    return (void *)(uintptr_t)block->const_cells[term];
}

static const ls_plan_term *check_block(const ls_context *context, const ls_block *block,
                                       uint32_t term, uint64_t which)
{
    const ls_plan_term *found = check_structure(context, term);
    if (LS_UNLIKELY(which & ~block->matches))
        ls_stop(context, term, LS_ENTITY_NULL, "changes slots of a block that do not match");
    return found;
}

void *ls_block_attach(ls_context *context, const ls_block *block, uint32_t term, uint64_t which)
{
    const ls_plan_term *found = check_block(context, block, term, which);
    uint32_t first = block->first_slot % LS_PAGE_SLOTS;
    ls_page *page = ls_store_attach_word(context->world, found->column, block->lane,
                                         block->first_slot / LS_PAGE_SLOTS, first / 64, which);
    ls_reach_forget(context);
    return found->cell_bytes ? ls_page_cells(page) + (size_t)found->cell_bytes * first : NULL;
}

void ls_block_detach(ls_context *context, const ls_block *block, uint32_t term, uint64_t which)
{
    const ls_plan_term *found = check_block(context, block, term, which);
    ls_reach_forget(context);
    ls_store_detach_word(context->world, found->column, block->lane,
                         block->first_slot / LS_PAGE_SLOTS, block->first_slot % LS_PAGE_SLOTS / 64,
                         which);
}

/* Whether the term finds cells where they are: not as they were at the start, and not where a
 * pointer could be held over a write. */
static bool is_plain(const ls_context *context, const ls_plan_term *found)
{
    return found->kind != LS_START && !(context->own_count == LS_OWNS_ALL &&
                                        context->plan->touches[found->column] & LS_TOUCH_WRITE);
}

static LS_NOINLINE const void *find_slowly(const ls_context *context, uint32_t term,
                                           ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, entity, LS_READ);
    check_own(context, found, term, entity);
    ls_reach_miss(context, term, entity);
    if (LS_LIKELY(is_plain(context, found)))
        return ls_store_find(context->world, found->column, entity);
    ls_place place = ls_reach_find(context, term, entity);
    return ls_place_find(&place, found->cell_bytes, entity);
}

const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_reach *reach = ls_reach_hit(context, term, entity, LS_MAY_READ);
    if (LS_UNLIKELY(!reach))
        return find_slowly(context, term, entity);
    return ls_place_find(&reach->place, reach->cell_bytes, entity);
}

static LS_NOINLINE void *write_slowly(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, entity, LS_WRITE);
    check_own(context, found, term, entity);
    const ls_page *page = ls_store_find_page(context->world, found->column, entity);
    if (page && LS_UNLIKELY(!page->is_open))
        ls_reach_forget(context);
    else
        ls_reach_miss(context, term, entity);
    return ls_store_write(context->world, found->column, entity);
}

void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_reach *reach = ls_reach_hit(context, term, entity, LS_MAY_WRITE);
    if (LS_UNLIKELY(!reach))
        return write_slowly(context, term, entity);
    return ls_place_find(&reach->place, reach->cell_bytes, entity);
}

bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_reach *reach = ls_reach_hit(context, term, entity, LS_MAY_ASK);
    if (LS_LIKELY(reach))
        return ls_place_has(&reach->place, entity);
    const ls_plan_term *found = check_term(context, term, entity, LS_PRESENCE);
    check_own(context, found, term, entity);
    ls_reach_miss(context, term, entity);
    if (found->kind != LS_START)
        return ls_store_find_page(context->world, found->column, entity) != NULL;
    ls_place place = ls_reach_find(context, term, entity);
    return ls_place_has(&place, entity);
}

/* What another system bears at this moment is not alive to a system that has no order with it: the
 * handle can be guessed, and timing must not decide. */
static bool is_alive_to(const ls_context *context, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity);
    return ls_store_is_alive(context->world, entity) &&
           (!(context->plan->unsettled_lanes[lane / 64] >> (lane % 64) & 1) ||
            !ls_store_is_newborn(context->world, entity));
}

static ls_entry attach_record(const ls_context *context, uint32_t term, uint32_t column,
                              ls_entity entity, const void *value)
{
    size_t bytes = value ? context->world->sources[column].cell_bytes : 0;
    return (ls_entry){
        .entity = entity, .kind = LS_ENTRY_ATTACH, .at = (uint16_t)term, .bytes = (uint32_t)bytes};
}

static bool attach_newborn(ls_context *context, uint32_t term, uint32_t column, ls_entity entity,
                           const void *value)
{
    if (context->plan->system->mode == LS_SEQUENTIAL) {
        ls_reach_forget(context); /* other terms of the column may stand at a page without it */
        return is_alive_to(context, entity) && ls_store_is_newborn(context->world, entity) &&
               ls_store_attach(context->world, column, entity, value);
    }
    /* The handle may be made up: an input may hold any 64 bits. A system without a lane to spawn
     * into has no journal. */
    if (!context->segment ||
        !ls_pending_is_of(entity, context->own_page, context->segment->spawned))
        return false;
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_BIRTHS,
                      attach_record(context, term, column, entity, value), value);
    return true;
}

/* Called last, so that the way before it needs no frame. */
static LS_NOINLINE bool settle(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_store_settle(context->world, context->plan->terms[term].column, entity);
    return true;
}

/* The page of the column where the entity may have a cell, if cells can be changed there as usual;
 * NULL after forgetting what was remembered, because the page comes to be now or is opened. */
static inline ls_page *usual_page(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = &context->plan->terms[term];
    ls_page *page = ls_world_page(context->world, found->column, ls_entity_lane(entity),
                                  ls_entity_slot(entity) / LS_PAGE_SLOTS);
    if (LS_LIKELY(page && page->is_open && ls_cell_is_small(found->cell_bytes))) {
        ls_reach_miss(context, term, entity);
        return page;
    }
    ls_reach_forget(context);
    return NULL;
}

static LS_NOINLINE bool attach_slowly(ls_context *context, uint32_t term, ls_entity entity,
                                      const void *value)
{
    if (term < context->plan->term_count && context->plan->terms[term].kind == LS_NEWBORNS)
        return attach_newborn(context, term, context->plan->terms[term].column, entity, value);
    const ls_plan_term *found = check_term(context, term, entity, LS_STRUCTURE);
    check_own(context, found, term, entity);
    if (!ls_store_is_alive(context->world, entity) ||
        (context->plan->has_unsettled && !is_alive_to(context, entity)))
        return false;
    ls_page *page = usual_page(context, term, entity);
    if (LS_UNLIKELY(!page))
        return ls_store_attach(context->world, found->column, entity, value);
    bool is_settled = !ls_cell_put(page, entity, found->cell_bytes, value);
    return is_settled || settle(context, term, entity);
}

bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    const ls_reach *reach = ls_reach_hit(context, term, entity, LS_MAY_SHAPE);
    if (LS_UNLIKELY(!reach))
        return attach_slowly(context, term, entity, value);
    if (!ls_place_is_alive(&reach->place, entity))
        return false;
    bool is_settled = !ls_cell_put(reach->place.page, entity, reach->cell_bytes, value);
    return LS_LIKELY(is_settled) ? true : settle(context, term, entity);
}

static LS_NOINLINE bool detach_slowly(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, entity, LS_STRUCTURE);
    check_own(context, found, term, entity);
    if (!ls_store_find_page(context->world, found->column, entity))
        return false;
    ls_page *page = usual_page(context, term, entity);
    if (LS_UNLIKELY(!page))
        return ls_store_detach(context->world, found->column, entity);
    bool is_settled = !ls_cell_take(page, entity, found->cell_bytes);
    return is_settled || settle(context, term, entity);
}

bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_reach *reach = ls_reach_hit(context, term, entity, LS_MAY_SHAPE);
    if (LS_UNLIKELY(!reach))
        return detach_slowly(context, term, entity);
    if (!ls_place_has(&reach->place, entity))
        return false;
    bool is_settled = !ls_cell_take(reach->place.page, entity, reach->cell_bytes);
    return LS_LIKELY(is_settled) ? true : settle(context, term, entity);
}

static const ls_plan_term *check_singleton(const ls_context *context, uint32_t term,
                                           ls_access access)
{
    const ls_plan_term *found = check_term(context, term, LS_ENTITY_NULL, access);
    if (LS_UNLIKELY(!context->world->program->components[found->column]->is_singleton))
        ls_stop(context, term, LS_ENTITY_NULL, "is no singleton");
    return found;
}

const void *ls_singleton_read(const ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_singleton(context, term, LS_READ);
    ls_world *world = context->world;
    if (context->own_count == LS_OWNS_ALL && context->plan->touches[found->column] & LS_TOUCH_WRITE)
        return ls_page_cells(ls_table_unshare(*ls_world_table(world, found->column, 0), 0,
                                              &world->sources[found->column]));
    return ls_page_cells(ls_world_page(world, found->column, 0, 0));
}

void *ls_singleton_write(ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_singleton(context, term, LS_WRITE);
    ls_table *table = *ls_world_table(context->world, found->column, 0);
    return ls_page_cells(ls_table_write(table, 0, &context->world->sources[found->column]));
}

ls_entity ls_spawn(ls_context *context, uint32_t lane)
{
    if (LS_UNLIKELY(lane >= context->plan->lane_count))
        ls_stop(context, LS_NO_TERM, LS_ENTITY_NULL, "spawns into a lane that it does not list");
    if (context->plan->system->mode == LS_SEQUENTIAL) {
        ls_entity newborn = ls_store_spawn(context->world, context->plan->lanes[lane]);
        if (newborn)
            ls_reach_forget_lives(context, newborn);
        return newborn;
    }
    ls_entity pending = ls_pending_make(false, context->own_page, context->segment->spawned++);
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_BIRTHS,
                      (ls_entry){.kind = LS_ENTRY_SPAWN, .at = (uint16_t)lane}, NULL);
    return pending;
}

ls_entity ls_command_spawn(ls_context *context, uint32_t lane)
{
    if (LS_UNLIKELY(lane >= context->plan->command_lane_count))
        ls_stop(context, LS_NO_TERM, LS_ENTITY_NULL,
                "commands a spawn into a lane that it does not list");
    ls_entity pending = ls_pending_make(true, context->own_page, context->segment->commanded++);
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_COMMANDS,
                      (ls_entry){.kind = LS_ENTRY_SPAWN, .at = (uint16_t)lane}, NULL);
    return pending;
}

void ls_command_attach(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    const ls_plan_term *found = check_kind(context, term, entity, LS_COMMANDS, LS_STRUCTURE);
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_COMMANDS,
                      attach_record(context, term, found->column, entity, value), value);
}

void ls_command_detach(ls_context *context, uint32_t term, ls_entity entity)
{
    check_kind(context, term, entity, LS_COMMANDS, LS_STRUCTURE);
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_COMMANDS,
                      (ls_entry){.entity = entity, .kind = LS_ENTRY_DETACH, .at = (uint16_t)term},
                      NULL);
}

bool ls_accumulate(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    const ls_plan_term *found = check_kind(context, term, entity, LS_ACCUMULATED, LS_ADD);
    const ls_page_source *source = &context->world->sources[found->column];
    bool is_there = source->component->is_singleton
                        ? entity == LS_ENTITY_NULL
                        : ls_store_find(context->world, found->column, entity) != NULL;
    if (!is_there)
        return false;
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_VALUES,
                      (ls_entry){.entity = entity,
                                 .kind = LS_ENTRY_VALUE,
                                 .at = (uint16_t)term,
                                 .bytes = (uint32_t)source->cell_bytes},
                      value);
    return true;
}

void ls_event_send(ls_context *context, uint32_t term, const void *event)
{
    const ls_plan_term *found = check_kind(context, term, LS_ENTITY_NULL, LS_EVENTS, LS_WRITE);
    uint32_t bytes = context->world->program->events[found->column]->bytes;
    ls_journal_append(&context->run->journal, context->segment, LS_STREAM_EVENTS,
                      (ls_entry){.kind = LS_ENTRY_VALUE, .at = (uint16_t)term, .bytes = bytes},
                      event);
}

void ls_event_begin(const ls_context *context, uint32_t term, ls_event_walk *walk)
{
    const ls_plan_term *found = check_kind(context, term, LS_ENTITY_NULL, LS_EVENTS, LS_READ);
    if (LS_UNLIKELY(found->access != LS_READ))
        ls_stop(context, term, LS_ENTITY_NULL,
                "sends the event and cannot receive it through this term");
    ls_events_walk(context->world, found->column, context->position, walk);
}

void ls_despawn(ls_context *context, ls_entity entity)
{
    if (!is_alive_to(context, entity))
        return;
    ls_marks_add(context->marks, entity);
    if (context->plan->system->mode != LS_SEQUENTIAL)
        return;
    for (uint32_t i = 0; i < context->plan->query_count; i++)
        ls_page_list_drop(&context->run->queries[i], entity);
}

bool ls_is_alive(const ls_context *context, ls_entity entity)
{
    return is_alive_to(context, entity);
}

uint64_t ls_tick(const ls_context *context)
{
    return context->world->state.tick;
}

const void *ls_system_data(const ls_context *context)
{
    return context->plan->system->data;
}

const ls_match *ls_match_of(const ls_context *context)
{
    return &context->world->match;
}

const ls_frame *ls_inputs(const ls_context *context)
{
    return context->frame;
}

uint64_t ls_random(const ls_context *context, ls_entity entity, uint32_t draw)
{
    return ls_random_draw(ls_random_child(context->random, entity), draw);
}
