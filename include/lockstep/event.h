/* Walks over the events that systems send. Calls in <lockstep/context.h> send events and begin a
 * walk. */
#ifndef LS_EVENT_H
#define LS_EVENT_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum of events, of accumulated values and of commands that one system leaves in a tick.
 * Beyond it, the last in canonical order are dropped, and counters in the state count them. */
#define LS_RECORDS_MAX (1u << 22)

/* A walk over the events sent so far. Order: tick, sending system, its matches, its calls. The
 * members are private. */
typedef struct ls_event_walk {
    const struct ls_world *world;
    uint32_t event, position, last, segment, left, age;
    size_t offset;
    uint8_t *next, *end; /* records of the segment that are left */
    /* Events of the segment that are left, side by side, and the bytes of one. */
    const uint8_t *plain, *plain_end;
    size_t plain_bytes;
} ls_event_walk;
/* Returns the next event, NULL at the end. The event is valid until the end of the tick. */
static inline const void *ls_event_next(ls_event_walk *walk);

/* Implementation: only the inline function below calls it. */
LS_API const void *ls_event_next_far_(ls_event_walk *walk);

static inline const void *ls_event_next(ls_event_walk *walk)
{
    const uint8_t *event = walk->plain;
    if (LS_UNLIKELY(event == walk->plain_end))
        return ls_event_next_far_(walk);
    walk->plain = event + walk->plain_bytes;
    return event;
}

#ifdef __cplusplus
}
#endif

#endif
