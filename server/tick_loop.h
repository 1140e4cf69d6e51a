/* The pace of a room: when the match begins, which ticks are due, what the jobs behind them have
 * brought, how it ends. */
#ifndef LS_TICK_LOOP_H
#define LS_TICK_LOOP_H

#include "server/room_state.h"

/* Takes up what jobs have done: roots for referee and recording, snapshots for those who wait. */
void ls_tick_loop_collect(ls_room *room, uint64_t now_ns);
/* Begins when enough players are ready, and closes the ticks that are due: frame, recording,
 * broadcast. */
void ls_tick_loop_run(ls_room *room, uint64_t now_ns);
/* Gives the jobs what there is to do now. */
void ls_tick_loop_submit(ls_room *room, uint64_t now_ns);
/* Sends un-acknowledged ticks again where no tick does it soon enough. */
void ls_tick_loop_resend(ls_room *room, uint64_t now_ns);
/* When something is due next. */
uint64_t ls_tick_loop_next_ns(const ls_room *room, uint64_t now_ns);

#endif
