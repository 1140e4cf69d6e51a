/* Taking up a match that was cut off: a job reads its recording again and simulates the end of
 * it (server/resume_replay.h), compared root by root, and the room goes on behind its last tick
 * with all seats empty. */
#ifndef LS_RESUME_MATCH_H
#define LS_RESUME_MATCH_H

#include "server/room_state.h"

/* The room has its history; begins the job. `seats` may be NULL. */
void ls_resume_begin(ls_room *room, const struct ls_seats_file *seats);
/* Looks whether the job is done, and then lets the room go on, or ends it when its recording cannot
 * be reproduced. One that hangs in a tick is given up, and so is one that a server which stops
 * would have to wait for: then the room has ENDED at once, and its recording is as it was. */
void ls_resume_collect(ls_room *room, uint64_t now_ns);

#endif
