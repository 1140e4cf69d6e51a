/* Resumes an unfinished match: a job restores it from its recording (server/resume_replay.h), and
 * the room continues after the last tick without sessions. Its players may return to seats that are
 * kept; the others leave. */
#ifndef LS_RESUME_MATCH_H
#define LS_RESUME_MATCH_H

#include "server/room_state.h"

/* Submits the job of a room that has its series of files. Without `seats` (NULL) no former player
 * can claim a seat. */
void ls_resume_begin(ls_room *room, const struct ls_seats_file *seats);
/* Lets the room continue when the job has ended, or ends it when the recording cannot be
 * reproduced. A job that hangs, or delays a server that stops, is abandoned: the room has then
 * ENDED and its recording is unchanged. */
void ls_resume_collect(ls_room *room, uint64_t now_ns);

#endif
