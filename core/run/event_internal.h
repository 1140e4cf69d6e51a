/* Begins a walk over events. */
#ifndef LS_EVENT_INTERNAL_H
#define LS_EVENT_INTERNAL_H
#include "core/state/world_state.h"
#include <lockstep/event.h>

/* Walks this tick's events of systems before position `last`. With an age it begins with the events
 * of as many ticks before. */
void ls_events_walk(const ls_world *world, uint32_t event, uint32_t last, ls_event_walk *walk);

#endif
