/* Kept events: those that live for more than one tick. Between ticks they are in columns of the
 * state that no system accesses, one for each event and age in ticks, so snapshots and the root
 * have them. The slots of lane 0 are the events of one tick, in canonical order. */
#ifndef LS_KEPT_EVENTS_H
#define LS_KEPT_EVENTS_H
#include "core/state/world_state.h"

/* At the end of a tick: all kept events become one tick older, and the oldest go. */
void ls_kept_events_age(ls_world *world);

#endif
