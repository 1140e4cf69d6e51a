/* The times of a room, for metrics. */
#ifndef LS_ROOM_TIMING_H
#define LS_ROOM_TIMING_H

#include "core/base/histogram.h"
#include "server/client_times.h"
#include <lockstep/room.h>

/* By how much each tick that this process has closed was late, against the schedule.
 *   thread  each of these: that of the server
 *   owns    the room; valid as long as it is */
const ls_histogram *ls_room_lateness(const ls_room *room);
/* The time that each of these ticks took to simulate, with its root. */
const ls_histogram *ls_room_durations(const ls_room *room);
/* The time that each sync of its recording took. */
const ls_histogram *ls_room_syncs(const ls_room *room);
const ls_client_times *ls_room_clients(const ls_room *room);

#endif
