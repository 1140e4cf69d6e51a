/* Walks over kept events (core/run/kept_events.h): the part of a walk over events that comes first.
 */
#ifndef LS_KEPT_WALK_H
#define LS_KEPT_WALK_H
#include <lockstep/event.h>

/* The next event of an earlier tick, the oldest first; NULL when the walk has come to this tick. */
const void *ls_kept_walk_next(ls_event_walk *walk);

#endif
