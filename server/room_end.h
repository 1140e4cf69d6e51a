/* Ends a match: no more ticks, a final root, a closed recording, a last message to each client. */
#ifndef LS_ROOM_END_H
#define LS_ROOM_END_H

#include "server/room_state.h"

/* Begins the end: no tick closes from now on. Does nothing when the match has already ended. `why`
 * is for people; "" selects the usual text of `reason`. */
void ls_room_end(ls_room *room, ls_closing_reason reason, const char *why, uint64_t now_ns);
/* Ends the match with LS_CLOSING_FAILED because a closed tick could not be simulated, even while it
 * already ends for another reason, until it has its final root. */
void ls_room_end_fail(ls_room *room, const char *why, uint64_t now_ns);
/* While ENDING: takes the final root once the last tick is simulated, or gives up a simulation that
 * hangs. */
void ls_room_end_finish(ls_room *room, uint64_t now_ns);
/* Dismisses the clients that have every tick and reported the right final root, or have diverged.
 * Dismisses all after LS_SERVER_LINGER_NS, or at once if the match has failed. The room has ENDED
 * when no session is left and its jobs are done. */
void ls_room_end_dismiss(ls_room *room, uint64_t now_ns);

#endif
