#include "core/run/event_internal.h"

#include "core/run/command_walk.h"
#include "core/run/scratch.h"

/* Whether the receiver gets the event. It does not when the sender is of the same slot and no path
 * leads from sender to receiver, as between sides of a par, even if the sender comes first in the
 * serial order. */
static bool is_received(const ls_event_walk *walk, uint32_t sender)
{
    const ls_program *program = walk->world->program;
    return walk->last >= program->system_count ||
           sender < program->systems[walk->last].slot_first ||
           ls_graph_has(&program->paths, sender, walk->last);
}

void ls_events_walk(const ls_world *world, uint32_t event, uint32_t last, ls_event_walk *walk)
{
    *walk = (ls_event_walk){.world = world, .event = event, .last = last, .left = LS_RECORDS_MAX};
}

/* The next event in the segment that the walk is in. */
static inline const void *next_here(ls_event_walk *walk, const ls_plan_system *plan)
{
    while (walk->next != walk->end && walk->left) {
        const ls_entry *record = (const ls_entry *)(const void *)walk->next;
        size_t bytes = ls_entry_size(record);
        walk->next += bytes;
        walk->offset += bytes;
        walk->left--;
        if (plan->terms[record->at].column == walk->event)
            return record + 1;
    }
    return NULL;
}

/* The next event of the segment just entered, where the sender left events without heads. Leaves
 * the segment's further events to the inline part of ls_event_next(). */
static const void *enter_plain(ls_event_walk *walk, size_t bytes)
{
    size_t count = (size_t)(walk->end - walk->next) / bytes;
    count = count < walk->left ? count : walk->left;
    const uint8_t *first = walk->next;
    walk->left -= (uint32_t)count;
    walk->offset += bytes * count;
    walk->next = walk->end;
    walk->plain = first + bytes;
    walk->plain_end = first + bytes * count;
    walk->plain_bytes = bytes;
    return first;
}

/* Whether the walk looks at the events of this system, which has then ended. A system that sends no
 * such event may still be running, so its buffer must not be read. */
static bool may_send(const ls_event_walk *walk, const ls_plan_system *sender)
{
    return sender->sends >> walk->event & 1 && is_received(walk, walk->position);
}

/* Enters the sender's next segment with an event; false when there is none. */
static bool enter_segment(ls_event_walk *walk)
{
    if (walk->left == 0)
        return false;
    ls_commands_walk records = {.commands = &walk->world->scratch->runs[walk->position].commands,
                                .stream = LS_STREAM_EVENTS,
                                .segment = walk->segment,
                                .offset = walk->offset};
    if (!ls_commands_enter(&records))
        return false;
    walk->segment = records.segment;
    walk->offset = records.offset;
    walk->next = records.next;
    walk->end = records.end;
    return true;
}

/* The next event of the system at the walk's position. */
static const void *next_of(ls_event_walk *walk, const ls_plan_system *sender)
{
    size_t bytes = walk->world->scratch->runs[walk->position].commands.event_bytes;
    if (bytes)
        return enter_segment(walk) ? enter_plain(walk, bytes) : NULL;
    do {
        const void *event = next_here(walk, sender);
        if (event)
            return event;
    } while (enter_segment(walk));
    return NULL;
}

/* The next event of this tick. */
static const void *next_sent(ls_event_walk *walk)
{
    for (; walk->position < walk->last; walk->position++) {
        const ls_plan_system *sender = &walk->world->program->systems[walk->position];
        const void *event = may_send(walk, sender) ? next_of(walk, sender) : NULL;
        if (event)
            return event;
        walk->segment = 0;
        walk->left = LS_RECORDS_MAX;
        walk->offset = 0;
        walk->next = walk->end = NULL;
    }
    return NULL;
}

/* The next event of an earlier tick (core/run/kept_events.h), the oldest first; NULL when the walk
 * has come to this tick. Views of a par share the events of their world. */
static const void *next_kept(ls_event_walk *walk)
{
    const ls_world *world = walk->world->base;
    for (; walk->age > 0; walk->age--, walk->segment = 0) {
        uint32_t column = ls_program_kept_column(world->program, walk->event, walk->age);
        const ls_table *table = *ls_world_table(world, column, 0);
        for (;;) {
            uint32_t at = ls_table_next_occupied(table, walk->segment / LS_PAGE_SLOTS);
            if (at == LS_PAGE_NONE)
                break;
            bool is_next = at > walk->segment / LS_PAGE_SLOTS;
            ls_page *page = ls_table_page(table, at);
            uint32_t slot =
                ls_mask_next_set(page->present, is_next ? 0 : walk->segment % LS_PAGE_SLOTS);
            walk->segment = at * LS_PAGE_SLOTS + slot + (slot < LS_PAGE_SLOTS);
            if (slot < LS_PAGE_SLOTS)
                return ls_page_cells(page) + world->sources[column].cell_bytes * slot;
        }
    }
    return NULL;
}

const void *ls_event_next_far_(ls_event_walk *walk)
{
    const void *kept = walk->age ? next_kept(walk) : NULL;
    return kept ? kept : next_sent(walk);
}
