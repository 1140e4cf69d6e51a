/* The times of a room's ticks, for metrics. */
#ifndef LS_ROOM_TIMING_H
#define LS_ROOM_TIMING_H

#include "core/base/histogram.h"
#include <lockstep/room.h>

/* By how much each tick that this process has closed was late, against the schedule.
 *   thread  both: that of the server
 *   owns    the room; valid as long as it is */
const ls_histogram *ls_room_lateness(const ls_room *room);
/* The time that each of these ticks took to simulate, with its root. */
const ls_histogram *ls_room_durations(const ls_room *room);

#endif
