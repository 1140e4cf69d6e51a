/* Delivers each presentation event (a sound, a flash) exactly once, although rollback runs ticks
 * again. An event is reported when its tick is first predicted, or confirmed if it never was
 * predicted. Later the event is confirmed, or cancelled if the confirmed tick lacks it.
 *   identity  tick, event component, value, and a number among equals; the same event in a
 *             different tick is a different event
 *   thread    one at a time */
#ifndef LS_EVENTS_H
#define LS_EVENTS_H

#include <lockstep/limits.h>
#include <lockstep/program.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_events ls_events;

/* Creates the queue; `next` is the first tick that is not confirmed. The program must outlive it.
 * All memory is allocated here: for LS_CLIENT_EVENTS events, fewer if their values would exceed
 * LS_CLIENT_EVENT_BYTES. */
LS_API ls_events *ls_events_create(const ls_program *program, uint64_t next);
LS_API void ls_events_destroy(ls_events *events);

/* Reads the events of the world's last tick, which was predicted (perhaps again) or confirmed. A
 * confirmed tick is forgotten afterwards.
 *   order   confirmed ticks follow one another; a predicted tick is not confirmed yet, and less
 *           than LS_CLIENT_EVENT_TICKS ahead of the confirmed ones. Asserted
 *   errors  an event that finds no space is dropped and counted; it may be reported when its tick
 *           runs again */
LS_API void ls_events_predict(ls_events *events, const ls_world *world);
LS_API void ls_events_confirm(ls_events *events, const ls_world *world);
/* The confirmed world was replaced and is now at tick `next`: cancels unconfirmed events. */
LS_API void ls_events_restart(ls_events *events, uint64_t next);

typedef enum ls_event_update_kind {
    LS_EVENT_HAPPENED = 0, /* first report; exactly one for each event */
    LS_EVENT_CONFIRMED,    /* at most one of these two, only if `is_confirmed` was false */
    LS_EVENT_CANCELLED,
} ls_event_update_kind;

typedef struct ls_event_update {
    ls_event_update_kind kind;
    bool is_confirmed; /* no more updates of this event will follow */
    uint64_t id;       /* names the event in all its updates; never reused */
    uint64_t tick;
    const ls_component *event;
    const void *value; /* event->bytes bytes; valid until the next call of any function here */
} ls_event_update;

/* Gets the next update, in the order in which they became due; false when there is none. An event
 * that is cancelled before its first report is never mentioned. */
LS_API bool ls_events_poll(ls_events *events, ls_event_update *update);

typedef struct ls_events_stats {
    uint32_t held;      /* events pending or not yet reported */
    uint32_t held_max;  /* capacity */
    uint64_t reported;  /* events reported as HAPPENED */
    uint64_t cancelled; /* of those, reported as CANCELLED */
    uint64_t left_out;  /* dropped for lack of space */
} ls_events_stats;
LS_API ls_events_stats ls_events_get_stats(const ls_events *events);

/* The steps of predict and confirm, for other sources of events: begin a tick, add each value in
 * order, end it. `event` is an index among the simulation's components that are events. */
LS_API void ls_events_begin_tick(ls_events *events, uint64_t tick);
LS_API void ls_events_add(ls_events *events, uint32_t event, const void *value);
LS_API void ls_events_end_predicted(ls_events *events);
LS_API void ls_events_end_confirmed(ls_events *events);

#ifdef __cplusplus
}
#endif

#endif
