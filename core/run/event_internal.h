/* Begins a walk over events. */
#ifndef LS_EVENT_INTERNAL_H
#define LS_EVENT_INTERNAL_H
#include "core/state/world_state.h"
#include <lockstep/event.h>

/* Begins a walk over this tick's events of systems before position `last`. If the caller then sets
 * the walk's `age`, it begins with the events of `age` ticks ago. */
void ls_events_walk(const ls_world *world, uint32_t event, uint32_t last, ls_event_walk *walk);

#endif
