/* Each event is a node with two words: `truth`, the present prediction or confirmation, and
 * `reported`, the word last reported. While they differ, the node waits in a queue. A node is freed
 * once its truth is final and reported. */
#include <lockstep/events.h>

#include "core/base/fault_injection.h"
#include <lockstep/hash.h>

#include <string.h>

#define NONE UINT32_MAX

typedef enum word { UNKNOWN = 0, PREDICTED, CONFIRMED, CANCELLED } word;

typedef struct node {
    uint64_t id, tick, hash;
    uint32_t event;
    uint32_t next;           /* next event of its tick, or next free node */
    uint32_t queue_next;     /* next node in the queue of unreported events */
    uint8_t truth, reported; /* enum word */
    bool is_queued, is_seen;
} node;

typedef struct list {
    uint32_t first, last;
} list;

struct ls_events {
    const ls_component *kinds[LS_EVENTS_MAX];
    uint32_t kind_count;
    uint64_t next;   /* the first tick that is not confirmed */
    uint64_t tick;   /* the tick whose events are being added */
    list old;        /* the events of that tick at its previous run */
    uint32_t cursor; /* in `old`: the event after the last equal one, where the next is likely */
    uint64_t last_id;
    uint32_t polled; /* the node that the last poll returned, freed at the next call; or NONE */
    list queue;
    uint32_t first_free;
    node *nodes;
    uint8_t *values;
    uint32_t stride;
    list ticks[LS_CLIENT_EVENT_TICKS];
    ls_events_stats stats;
};

static uint8_t *value_of(const ls_events *events, uint32_t at)
{
    return events->values + (size_t)events->stride * at;
}

static void append(ls_events *events, list *to, uint32_t at)
{
    events->nodes[at].next = NONE;
    if (to->first == NONE)
        to->first = at;
    else
        events->nodes[to->last].next = at;
    to->last = at;
}

static void give_back(ls_events *events, uint32_t at)
{
    events->nodes[at].next = events->first_free;
    events->first_free = at;
    events->stats.held--;
}

ls_events *ls_events_create(const ls_program *program, uint64_t next)
{
    const ls_sim *sim = ls_program_sim(program);
    ls_events *made = ls_alloc(sizeof *made);
    made->stride = 8;
    for (uint32_t i = 0; i < sim->component_count; i++) {
        const ls_component *component = sim->components[i];
        if (!component->event_ticks)
            continue;
        made->kinds[made->kind_count++] = component;
        if (component->bytes > made->stride)
            made->stride = (component->bytes + 7) / 8 * 8;
    }
    uint32_t max = LS_CLIENT_EVENT_BYTES / made->stride;
    uint32_t count = max < LS_CLIENT_EVENTS ? max : LS_CLIENT_EVENTS;
    made->next = next;
    made->nodes = ls_alloc(sizeof *made->nodes * count);
    made->values = ls_alloc((size_t)made->stride * count);
    made->queue = (list){NONE, NONE};
    made->polled = made->first_free = NONE;
    for (uint32_t i = 0; i < LS_CLIENT_EVENT_TICKS; i++)
        made->ticks[i] = (list){NONE, NONE};
    made->stats.held = made->stats.held_max = count;
    for (uint32_t i = count; i-- > 0;)
        give_back(made, i);
    return made;
}

void ls_events_destroy(ls_events *events)
{
    if (!events)
        return;
    ls_free(events->nodes);
    ls_free(events->values);
    ls_free(events);
}

static void enqueue(ls_events *events, uint32_t at)
{
    node *queued = &events->nodes[at];
    if (queued->is_queued)
        return;
    queued->is_queued = true;
    queued->queue_next = NONE;
    if (events->queue.first == NONE)
        events->queue.first = at;
    else
        events->nodes[events->queue.last].queue_next = at;
    events->queue.last = at;
}

static void set_truth(ls_events *events, uint32_t at, word truth)
{
    events->nodes[at].truth = (uint8_t)truth;
    enqueue(events, at);
}

/* Frees the node that the last poll returned: its value was valid until this call. */
static void release_polled(ls_events *events)
{
    if (events->polled != NONE)
        give_back(events, events->polled);
    events->polled = NONE;
}

void ls_events_begin_tick(ls_events *events, uint64_t tick)
{
    LS_ASSERT(tick >= events->next && tick - events->next < LS_CLIENT_EVENT_TICKS);
    release_polled(events);
    list *known = &events->ticks[tick % LS_CLIENT_EVENT_TICKS];
    events->tick = tick;
    events->old = *known;
    events->cursor = known->first;
    *known = (list){NONE, NONE};
    for (uint32_t at = events->old.first; at != NONE; at = events->nodes[at].next)
        events->nodes[at].is_seen = false;
}

/* Finds an equal event of the tick's previous run. Searches from the cursor first, because events
 * are mostly added again in the same sequence. */
static uint32_t find_old(const ls_events *events, uint32_t event, uint64_t hash, const void *value)
{
    uint32_t bytes = events->kinds[event]->bytes, at = events->cursor;
    for (uint32_t pass = 0; pass < 2; pass++, at = events->old.first) {
        for (; at != NONE; at = events->nodes[at].next) {
            const node *old = &events->nodes[at];
            if (!old->is_seen && old->event == event && old->hash == hash &&
                (bytes == 0 || memcmp(value_of(events, at), value, bytes) == 0))
                return at;
        }
    }
    return NONE;
}

void ls_events_add(ls_events *events, uint32_t event, const void *value)
{
    LS_ASSERT(event < events->kind_count);
    uint32_t bytes = events->kinds[event]->bytes;
    uint64_t hash = bytes ? ls_hash_bytes(value, bytes) : 0;
    uint32_t at = find_old(events, event, hash, value);
    if (at != NONE) {
        events->nodes[at].is_seen = true;
        events->cursor = events->nodes[at].next;
        return;
    }
    at = events->first_free;
    if (at == NONE) {
        events->stats.left_out++;
        return;
    }
    events->first_free = events->nodes[at].next;
    events->stats.held++;
    events->nodes[at] =
        (node){.id = ++events->last_id, .tick = events->tick, .hash = hash, .event = event};
    if (bytes)
        memcpy(value_of(events, at), value, bytes);
    append(events, &events->ticks[events->tick % LS_CLIENT_EVENT_TICKS], at);
    set_truth(events, at, PREDICTED);
}

/* Keeps the old events that were added again and the new ones; cancels the other old ones. */
static void settle(ls_events *events)
{
    list *known = &events->ticks[events->tick % LS_CLIENT_EVENT_TICKS], fresh = *known;
    *known = (list){NONE, NONE};
    for (uint32_t at = events->old.first, next; at != NONE; at = next) {
        next = events->nodes[at].next;
        if (events->nodes[at].is_seen)
            append(events, known, at);
        else
            set_truth(events, at, CANCELLED);
    }
    if (fresh.first == NONE)
        return;
    if (known->first == NONE)
        known->first = fresh.first;
    else
        events->nodes[known->last].next = fresh.first;
    known->last = fresh.last;
}

void ls_events_end_predicted(ls_events *events)
{
    settle(events);
}

void ls_events_end_confirmed(ls_events *events)
{
    LS_ASSERT(events->tick == events->next);
    settle(events);
    list *known = &events->ticks[events->tick % LS_CLIENT_EVENT_TICKS];
    for (uint32_t at = known->first; at != NONE; at = events->nodes[at].next)
        set_truth(events, at, CONFIRMED);
    *known = (list){NONE, NONE};
    events->next++;
}

static void take_tick(ls_events *events, const ls_world *world)
{
    ls_events_begin_tick(events, ls_world_tick(world) - 1);
    for (uint32_t i = 0; i < events->kind_count; i++) {
        ls_event_walk walk;
        ls_world_event_begin(world, events->kinds[i], &walk);
        for (const void *value; (value = ls_event_next(&walk));)
            ls_events_add(events, i, value);
    }
}

void ls_events_predict(ls_events *events, const ls_world *world)
{
    take_tick(events, world);
    ls_events_end_predicted(events);
}

void ls_events_confirm(ls_events *events, const ls_world *world)
{
    take_tick(events, world);
    ls_events_end_confirmed(events);
}

void ls_events_restart(ls_events *events, uint64_t next)
{
    for (uint32_t i = 0; i < LS_CLIENT_EVENT_TICKS; i++) {
        uint64_t tick = events->next + i;
        list *known = &events->ticks[tick % LS_CLIENT_EVENT_TICKS];
        for (uint32_t at = known->first; at != NONE && !LS_FAULT(EVENT_LEFT_OPEN);
             at = events->nodes[at].next)
            set_truth(events, at, CANCELLED);
        *known = (list){NONE, NONE};
    }
    events->next = next;
}

static uint32_t dequeue(ls_events *events)
{
    uint32_t at = events->queue.first;
    if (at == NONE)
        return NONE;
    events->queue.first = events->nodes[at].queue_next;
    events->nodes[at].is_queued = false;
    return at;
}

static ls_event_update_kind report(ls_events *events, node *found)
{
    bool is_first = found->reported == UNKNOWN;
    found->reported = found->truth;
    if (is_first) {
        events->stats.reported++;
        return LS_EVENT_HAPPENED;
    }
    events->stats.cancelled += found->truth == CANCELLED;
    return found->truth == CANCELLED ? LS_EVENT_CANCELLED : LS_EVENT_CONFIRMED;
}

bool ls_events_poll(ls_events *events, ls_event_update *update)
{
    release_polled(events);
    uint32_t at = dequeue(events);
    while (at != NONE && events->nodes[at].truth == CANCELLED && !events->nodes[at].reported) {
        give_back(events, at); /* nothing to retract: it was never reported */
        at = dequeue(events);
    }
    if (at == NONE)
        return false;
    node *found = &events->nodes[at];
    *update = (ls_event_update){.kind = report(events, found),
                                .is_confirmed = found->truth == CONFIRMED,
                                .id = found->id,
                                .tick = found->tick,
                                .event = events->kinds[found->event],
                                .value = value_of(events, at)};
    if (found->truth != PREDICTED)
        events->polled = at;
    return true;
}

ls_events_stats ls_events_get_stats(const ls_events *events)
{
    return events->stats;
}
