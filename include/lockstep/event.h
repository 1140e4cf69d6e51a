/* Walking the events that systems send in a tick. <lockstep/context.h> sends them and begins a
 * walk. */
#ifndef LS_EVENT_H
#define LS_EVENT_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum of events, of accumulated values and of commands that a system leaves in a tick. The
 * last in canonical order are dropped, and counters in the state count them. */
#define LS_RECORDS_MAX (1u << 22)

/* A walk over what was sent so far. Order: sending system, then its matches, then its calls. */
typedef struct ls_event_walk {
    const struct ls_world *world;
    uint32_t event, position, last, segment, left;
    size_t offset;
} ls_event_walk; /* the members are private */
/* NULL at the end. The event lives until the end of the tick. */
LS_API const void *ls_event_next(ls_event_walk *walk);

#ifdef __cplusplus
}
#endif

#endif
