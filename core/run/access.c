/* Access by handle for pages that the term's cursor does not cover:
 * include/lockstep/term_cursor.h. */
#include <lockstep/access.h>

#include "core/run/access_check.h"
#include "core/run/merge.h"
#include "core/run/spawn_ahead.h"
#include "core/run/term_lookup.h"
#include "core/run/write_set.h"

static inline uint8_t *cell_at(const ls_place *place, const ls_term_cursor *cursor,
                               ls_entity entity)
{
    return ls_place_has(place, entity)
               ? ls_page_cells(place->page) + (size_t)cursor->cell_bytes * (entity % LS_PAGE_SLOTS)
               : NULL;
}

/* Drops const: the positions of cursors are a cache of the engine, not visible state. */
static inline ls_context *writable_context(const ls_context *context)
{
    return (ls_context *)(uintptr_t)context;
}

/* The term's cursor if the column's tables suffice to answer for this page; NULL: take the slow
 * path. The slow path is also taken when the same page is missed twice in a row, to move the cursor
 * there. */
static inline const ls_term_cursor *find_far_cursor(const ls_context *context, uint32_t term,
                                                    ls_entity entity, ls_term_cursor_use use)
{
    if (LS_UNLIKELY(term >= LS_TERMS_MAX))
        return NULL;
    ls_term_cursor *cursor = &writable_context(context)->front.cursors[term];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(!(cursor->far_allowed >> use & 1) || cursor->missed == key))
        return NULL;
    cursor->missed = key;
    return cursor;
}

static LS_NOINLINE const void *find_slow_path(const ls_context *context, uint32_t term,
                                              ls_entity entity)
{
    const ls_plan_term *found = ls_check_term(context, term, entity, LS_ACCESS_READ);
    if (!ls_check_own(context, found, term, entity))
        return NULL;
    ls_term_cursor_miss(writable_context(context), term, entity);
    ls_place place;
    return ls_term_cursor_find(context, term, entity, &place)
               ? cell_at(&place, &context->front.cursors[term], entity)
               : NULL;
}

const void *ls_cell_find_far_(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = find_far_cursor(context, term, entity, LS_TERM_CURSOR_READ);
    if (LS_UNLIKELY(!cursor))
        return find_slow_path(context, term, entity);
    ls_place place;
    if (LS_UNLIKELY(!ls_term_cursor_find_far(context, cursor, entity, &place)))
        return NULL;
    ls_term_pages_keep(writable_context(context), (ls_term_cursor *)(uintptr_t)cursor, entity,
                       place.page, place.generations);
    return cell_at(&place, cursor, entity);
}

static LS_NOINLINE void *write_slow_path(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = ls_check_term(context, term, entity, LS_ACCESS_WRITE);
    if (!ls_check_own(context, found, term, entity))
        return NULL;
    if (!ls_is_reachable(context, found, entity))
        return NULL;
    ls_write_set_note(context->asked, found->column, entity);
    const ls_page *page = ls_store_find_page(context->world, found->column, entity);
    if (page && LS_UNLIKELY(!page->is_open))
        ls_term_cursor_forget(context);
    else
        ls_term_cursor_miss(context, term, entity);
    return ls_store_write(context->world, found->column, entity);
}

void *ls_cell_write_far_(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = find_far_cursor(context, term, entity, LS_TERM_CURSOR_WRITE);
    ls_place place;
    if (LS_UNLIKELY(!cursor))
        return write_slow_path(context, term, entity);
    if (LS_UNLIKELY(!ls_term_cursor_find_far(context, cursor, entity, &place)))
        return NULL;
    return LS_LIKELY(place.page->is_open) ? cell_at(&place, cursor, entity)
                                          : write_slow_path(context, term, entity);
}

static LS_NOINLINE bool has_slow_path(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = ls_check_term(context, term, entity, LS_ACCESS_PRESENCE);
    if (!ls_check_own(context, found, term, entity))
        return false;
    ls_term_cursor_miss(writable_context(context), term, entity);
    if (!ls_is_reachable(context, found, entity))
        return false;
    if (found->kind != LS_START)
        return ls_store_find_page(context->world, found->column, entity) != NULL;
    ls_place place;
    return ls_term_cursor_find(context, term, entity, &place) && ls_place_has(&place, entity);
}

bool ls_cell_has_far_(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = find_far_cursor(context, term, entity, LS_TERM_CURSOR_HAS);
    ls_place place;
    if (LS_UNLIKELY(!cursor))
        return has_slow_path(context, term, entity);
    return ls_term_cursor_find_far(context, cursor, entity, &place) && ls_place_has(&place, entity);
}

/* False for a handle that does not name an entity of the open segment: it may be invented, because
 * an input may contain any 64 bits. A system that defers no changes has no segment. */
static LS_NOINLINE bool attach_pending(ls_context *context, uint32_t term, ls_entity entity,
                                       const void *value)
{
    ls_command_segment *segment = context->segment;
    if (!segment || !ls_pending_is_of(entity, context->own_page, segment->spawned))
        return false;
    uint32_t bytes = value ? context->plan->terms[term].cell_bytes : 0;
    if (context->run->commands.is_of_one_lane) {
        ls_spawned_entry head = {
            .ordinal = (uint32_t)entity, .at = (uint16_t)term, .has_value = value != NULL};
        uint8_t *to = ls_commands_extend(&context->run->commands, segment, LS_STREAM_SPAWNS,
                                         sizeof head + ls_entry_padded(bytes));
        memcpy(to, &head, sizeof head);
        ls_commands_put(to + sizeof head, value, bytes);
        return true;
    }
    ls_entry record = {
        .entity = entity, .kind = LS_ENTRY_ATTACH, .at = (uint16_t)term, .bytes = bytes};
    ls_commands_append(&context->run->commands, segment, LS_STREAM_SPAWNS, record, value);
    return true;
}

/* Attaches to an entity that the system spawned. A sequential system may attach only in the lanes
 * that it spawns into. In another lane a spawner without an order with this system may have made
 * the entity, and a system that has an order with that spawner alone may be reading it. All
 * spawners into the system's own lanes have an order with the system. If one of them made the
 * entity, the attach is not refused here: the check executor reports it. */
static bool attach_spawned(ls_context *context, uint32_t term, uint32_t column, ls_entity entity,
                           const void *value)
{
    if (context->plan->system->mode == LS_SEQUENTIAL) {
        /* Attaching may add a page; cursors that saw no page there are stale. */
        ls_term_cursor_forget(context);
        ls_write_set_note(context->asked, column, entity);
        return ls_plan_spawns_into(context->plan, ls_entity_lane(entity)) &&
               ls_is_alive_to(context, entity) && ls_store_is_spawned(context->world, entity) &&
               ls_store_attach(context->world, column, entity, value);
    }
    return attach_pending(context, term, entity, value);
}

bool ls_cell_settle_(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_store_settle(context->world, context->plan->terms[term].column, entity);
    return true;
}

/* The page for the entity's cell if it exists, is open and has small cells. Otherwise resets the
 * cursors, because the caller creates or opens the page next, and returns NULL. */
static inline ls_page *usual_page(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = &context->plan->terms[term];
    ls_page *page = ls_world_page(context->world, found->column, ls_entity_lane(entity),
                                  ls_entity_slot(entity) / LS_PAGE_SLOTS);
    if (LS_LIKELY(page && page->is_open && ls_cell_is_small(found->cell_bytes))) {
        ls_term_cursor_miss(context, term, entity);
        return page;
    }
    ls_term_cursor_forget(context);
    return NULL;
}

static LS_NOINLINE bool attach_slow_path(ls_context *context, uint32_t term, ls_entity entity,
                                         const void *value)
{
    if (term < context->plan->term_count && context->plan->terms[term].kind == LS_SPAWNED)
        return attach_spawned(context, term, context->plan->terms[term].column, entity, value);
    const ls_plan_term *found = ls_check_term(context, term, entity, LS_ACCESS_STRUCTURE);
    if (!ls_check_own(context, found, term, entity))
        return false;
    if (!ls_store_is_alive(context->world, entity) ||
        (context->plan->has_unsettled && !ls_is_alive_to(context, entity)))
        return false;
    ls_write_set_note(context->asked, found->column, entity);
    ls_page *page = usual_page(context, term, entity);
    if (LS_UNLIKELY(!page))
        return ls_store_attach(context->world, found->column, entity, value);
    bool is_settled = !ls_cell_put(page->present, ls_page_cells(page), entity % LS_PAGE_SLOTS,
                                   found->cell_bytes, value);
    return is_settled || ls_cell_settle_(context, term, entity);
}

static LS_NOINLINE bool attach_far(ls_context *context, uint32_t term, ls_entity entity,
                                   const void *value)
{
    const ls_term_cursor *cursor = find_far_cursor(context, term, entity, LS_TERM_CURSOR_STRUCTURE);
    ls_place place;
    uint32_t slot = entity % LS_PAGE_SLOTS, generation = ls_entity_generation(entity);
    if (LS_UNLIKELY(!cursor || !ls_term_cursor_find_far(context, cursor, entity, &place) ||
                    !place.page->is_open))
        return attach_slow_path(context, term, entity, value);
    if (LS_UNLIKELY(place.generations[slot] != generation || !(generation & 1)))
        return false;
    bool is_settled = !ls_cell_put(place.page->present, ls_page_cells(place.page), slot,
                                   cursor->cell_bytes, value);
    return LS_LIKELY(is_settled) ? true : ls_cell_settle_(context, term, entity);
}

/* attach_pending() for a small value, where there is room for a short record. The usual path calls
 * no other function, so it saves no register. */
static LS_NOINLINE bool attach_pending_small(ls_context *context, uint32_t term, ls_entity entity,
                                             const void *value)
{
    const ls_commands *commands = &context->run->commands;
    ls_command_segment *segment = context->segment;
    uint32_t bytes = context->plan->terms[term].cell_bytes;
    size_t room = sizeof(ls_spawned_entry) + ls_entry_padded(bytes);
    if (LS_UNLIKELY(!segment || !value || !commands->is_of_one_lane || bytes == 0 ||
                    !ls_cell_is_small(bytes)))
        return attach_pending(context, term, entity, value);
    ls_commands_buffer *buffer = &commands->buffers[segment->worker][LS_STREAM_SPAWNS];
    if (LS_UNLIKELY(buffer->capacity - buffer->count < room ||
                    !ls_pending_is_of(entity, context->own_page, segment->spawned)))
        return attach_pending(context, term, entity, value);
    uint8_t *to = buffer->data + buffer->count;
    buffer->count += room;
    segment->records[LS_STREAM_SPAWNS]++;
    ls_spawned_entry head = {.ordinal = (uint32_t)entity, .at = (uint16_t)term, .has_value = true};
    memcpy(to, &head, sizeof head);
    ls_cell_copy(to + sizeof head, (const uint8_t *)value, bytes);
    return true;
}

static LS_NOINLINE bool attach_settled(const ls_context *context, uint32_t term, uint32_t slot)
{
    uint32_t page = context->run->ahead->page;
    ls_store_settle(context->world, context->plan->terms[term].column,
                    ls_entity_make(context->plan->lanes[0], page * LS_PAGE_SLOTS + slot, 0));
    return true;
}

static inline bool put_ahead(const ls_context *context, uint32_t term, ls_entity entity,
                             ls_page *page, const void *value)
{
    uint32_t slot = ls_spawn_ahead_slot(context->run->ahead, entity);
    bool is_settled = !ls_cell_put(page->present, ls_page_cells(page), slot,
                                   context->plan->terms[term].cell_bytes, value);
    return LS_LIKELY(is_settled) ? true : attach_settled(context, term, slot);
}

/* attach_ahead() where the term's page is not known yet: finds the page, or records the cell. */
static LS_NOINLINE bool attach_ahead_or_record(ls_context *context, uint32_t term, ls_entity entity,
                                               const void *value)
{
    const ls_command_segment *segment = context->segment;
    if (!ls_pending_is_of(entity, context->own_page, segment->spawned))
        return false;
    ls_page *page = ls_spawn_ahead_find(context, term, (uint32_t)entity);
    return page ? put_ahead(context, term, entity, page, value)
                : attach_pending(context, term, entity, value);
}

/* attach_pending() for a run that may write cells of new entities at once (core/run/spawn_ahead.h).
 * The usual path calls no other function, so it saves no register. */
static LS_NOINLINE bool attach_ahead(ls_context *context, uint32_t term, ls_entity entity,
                                     const void *value)
{
    const ls_spawn_ahead *ahead = context->run->ahead;
    ls_page *page = ls_spawn_ahead_page(ahead, context->segment, term, entity);
    if (LS_UNLIKELY(!page))
        return ahead->records[term] ? attach_pending_small(context, term, entity, value)
                                    : attach_ahead_or_record(context, term, entity, value);
    return put_ahead(context, term, entity, page, value);
}

/* Pending handles branch to separate functions before anything else happens, because the usual
 * paths of those functions save no register. */
bool ls_cell_attach_far_(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    const ls_plan_system *plan = context->plan;
    if (entity & LS_PENDING_BIT && term < plan->term_count &&
        plan->terms[term].kind == LS_SPAWNED && plan->system->mode != LS_SEQUENTIAL)
        return context->run->ahead ? attach_ahead(context, term, entity, value)
                                   : attach_pending_small(context, term, entity, value);
    return attach_far(context, term, entity, value);
}

static LS_NOINLINE bool detach_slow_path(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = ls_check_term(context, term, entity, LS_ACCESS_STRUCTURE);
    if (!ls_check_own(context, found, term, entity))
        return false;
    if (!ls_store_find_page(context->world, found->column, entity) ||
        !ls_is_reachable(context, found, entity))
        return false;
    ls_page *page = usual_page(context, term, entity);
    if (LS_UNLIKELY(!page))
        return ls_store_detach(context->world, found->column, entity);
    bool is_settled = !ls_cell_take(page->present, ls_page_cells(page), entity % LS_PAGE_SLOTS,
                                    found->cell_bytes);
    return is_settled || ls_cell_settle_(context, term, entity);
}

bool ls_cell_detach_far_(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_term_cursor *cursor = find_far_cursor(context, term, entity, LS_TERM_CURSOR_STRUCTURE);
    ls_place place;
    if (LS_UNLIKELY(!cursor || !ls_term_cursor_find_far(context, cursor, entity, &place) ||
                    !place.page->is_open))
        return detach_slow_path(context, term, entity);
    if (!ls_place_has(&place, entity))
        return false;
    bool is_settled = !ls_cell_take(place.page->present, ls_page_cells(place.page),
                                    entity % LS_PAGE_SLOTS, cursor->cell_bytes);
    return LS_LIKELY(is_settled) ? true : ls_cell_settle_(context, term, entity);
}
