/* The tick loop of a room: begins the match, closes due ticks, runs its jobs and takes their
 * results. */
#ifndef LS_TICK_LOOP_H
#define LS_TICK_LOOP_H

#include "server/room_state.h"

/* Takes the results of jobs: roots, snapshots, evidence, recording. */
void ls_tick_loop_collect(ls_room *room, uint64_t now_ns);
/* Begins when enough players are ready, and closes due ticks: frame, recording, broadcast. */
void ls_tick_loop_run(ls_room *room, uint64_t now_ns);
/* Submits the jobs. */
void ls_tick_loop_submit(ls_room *room, uint64_t now_ns);
/* Sends unacknowledged ticks again where no new tick carries them soon enough. */
void ls_tick_loop_resend(ls_room *room, uint64_t now_ns);
/* The time of the next step. */
uint64_t ls_tick_loop_next_ns(const ls_room *room, uint64_t now_ns);

#endif
