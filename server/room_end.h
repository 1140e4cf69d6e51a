/* The end of a match: no more ticks, a last root, the recording closed, a last message to each
 * client. */
#ifndef LS_ROOM_END_H
#define LS_ROOM_END_H

#include "server/room_state.h"

/* No tick closes from now on; does nothing when the match has ended before. `why` is for people,
 * "" for the usual text of `reason`. */
void ls_room_end(ls_room *room, ls_closing_reason reason, const char *why, uint64_t now_ns);
/* The same with LS_CLOSING_FAILED, and also while the match ends for another reason: a tick that
 * was closed before cannot be simulated. */
void ls_room_end_fail(ls_room *room, const char *why, uint64_t now_ns);
/* Once ENDING: takes the final root when it is there, or gives up a world that does not arrive. */
void ls_room_end_finish(ls_room *room, uint64_t now_ns);
/* Tells the end to clients that have every tick, and after LS_SERVER_LINGER_NS to all. The room has
 * ENDED when none is left and its jobs are done. */
void ls_room_end_dismiss(ls_room *room, uint64_t now_ns);

#endif
