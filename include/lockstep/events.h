/* Presentation events (sounds, flashes) exactly once, though rollback runs ticks again. An event is
 * reported when its tick is first predicted, or confirmed if it never was; later it is confirmed,
 * or cancelled when the confirmed tick lacks it.
 *   identity  tick, event component, value, and which of several that are equal in all of these;
 *             the same event in a different tick is a different event
 *   thread    one at a time */
#ifndef LS_CLIENT_EVENTS_H
#define LS_CLIENT_EVENTS_H

#include <lockstep/limits.h>
#include <lockstep/program.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_events ls_events;

/* `next` is the first tick that is not confirmed. The program outlives it. Asks for all memory that
 * it will ever have: LS_CLIENT_EVENTS events, fewer when their values would exceed
 * LS_CLIENT_EVENT_BYTES. */
LS_API ls_events *ls_events_create(const ls_program *program, uint64_t next);
LS_API void ls_events_destroy(ls_events *events);

/* Takes the events of the world's last tick, predicted (perhaps again) or confirmed; a confirmed
 * tick is then forgotten.
 *   order   confirmed ticks come one after the other; a predicted one is not confirmed yet and less
 *           than LS_CLIENT_EVENT_TICKS ahead of those that are. Asserted
 *   errors  an event without space is left out and counted; it may be reported when its tick runs
 *           again */
LS_API void ls_events_predict(ls_events *events, const ls_world *world);
LS_API void ls_events_confirm(ls_events *events, const ls_world *world);
/* The confirmed world is another one, at tick `next`: unconfirmed events are cancelled. */
LS_API void ls_events_restart(ls_events *events, uint64_t next);

typedef enum ls_news_kind {
    LS_NEWS_HAPPENED = 0, /* once for each event */
    LS_NEWS_CONFIRMED,    /* one of the two at most once, after HAPPENED said `is_confirmed` no */
    LS_NEWS_CANCELLED,
} ls_news_kind;

typedef struct ls_news {
    ls_news_kind kind;
    bool is_confirmed; /* no later news of it */
    uint64_t id;       /* of the event: the same in all its news, of no other */
    uint64_t tick;
    const ls_component *event;
    const void *value; /* event->bytes of it; lives until the next call of any of these */
} ls_news;

/* The next news, in the order in which they became due; false when there is none. An event that is
 * cancelled before it was reported is not mentioned. */
LS_API bool ls_events_poll(ls_events *events, ls_news *notice);

typedef struct ls_events_stats {
    uint32_t held;      /* pending, or not reported yet */
    uint32_t held_max;  /* capacity */
    uint64_t told;      /* HAPPENED */
    uint64_t cancelled; /* of these */
    uint64_t left_out;  /* for lack of space */
} ls_events_stats;
LS_API ls_events_stats ls_events_get_stats(const ls_events *events);

/* The parts of predict and confirm, for other sources of events: begin a tick, add each value in
 * order, end it. `event` counts the simulation's components that are events. */
void ls_events_begin_tick(ls_events *events, uint64_t tick);
void ls_events_add(ls_events *events, uint32_t event, const void *value);
void ls_events_end_predicted(ls_events *events);
void ls_events_end_confirmed(ls_events *events);

#ifdef __cplusplus
}
#endif

#endif
