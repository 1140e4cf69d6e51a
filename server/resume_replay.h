/* Brings a room that is RESTORING to the end of its recording. */
#ifndef LS_RESUME_REPLAY_H
#define LS_RESUME_REPLAY_H

#include "server/server_internal.h"

/* Reads all its frames, and simulates them from the last keyframe on that has enough known roots
 * behind it to prove that this server makes of them what was recorded. Where a keyframe is not the
 * state of its tick an earlier one is taken; where what follows from it is not what was recorded,
 * or there is none, all is simulated from the first tick on. room->restore says which it was.
 *   errors  DIVERGED for another root than the recording has; those of ls_recording_next() and
 *           ls_world_advance(); REFUSED when room->restore.is_cancelled was set
 *   thread  the job's; world, ring, referee and seats of the room are its own meanwhile */
ls_status ls_resume_replay(ls_room *room, ls_error *error) LS_MUST_USE;

#endif
