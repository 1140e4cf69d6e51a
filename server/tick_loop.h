/* The tick loop of a room: begins the match, closes due ticks, submits jobs and takes their
 * results. */
#ifndef LS_TICK_LOOP_H
#define LS_TICK_LOOP_H

#include "server/room_state.h"

/* Takes the results of finished jobs: roots, snapshots, evidence, recording. */
void ls_tick_loop_collect(ls_room *room, uint64_t now_ns);
/* Begins the match when enough players are ready. Closes due ticks: builds, records and broadcasts
 * their frames. */
void ls_tick_loop_run(ls_room *room, uint64_t now_ns);
/* Starts the schedule: the next tick is due in one period, or earlier at the room's own phase. */
void ls_tick_loop_start_clock(ls_room *room, uint64_t now_ns);
/* Submits the room's jobs and takes the results of those that have already ended. */
void ls_tick_loop_submit(ls_room *room, uint64_t now_ns);
/* Sends unacknowledged ticks again if no new tick repeats them soon enough. */
void ls_tick_loop_resend(ls_room *room, uint64_t now_ns);
/* Returns the time of the next step. */
uint64_t ls_tick_loop_next_ns(const ls_room *room, uint64_t now_ns);

#endif
