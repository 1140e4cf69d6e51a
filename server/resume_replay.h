/* Restores a match from its recording: a job reads all frames and simulates the last of them. */
#ifndef LS_RESUME_REPLAY_H
#define LS_RESUME_REPLAY_H

#include "server/room_match.h"
#include <lockstep/jobs.h>
#include <lockstep/recording_series.h>

typedef struct ls_resume_state {
    ls_job job;
    ls_room_match *match;
    ls_series *history;  /* the recording's files; NULL: there is none, or it is restored */
    uint64_t lost_ticks; /* before its later files */
    uint64_t from_tick;  /* of the state that simulating began with */
    uint64_t simulated_ticks;
    uint32_t unfit_count; /* keyframes that were not the state of their tick; the last of them: */
    uint64_t unfit_tick;
    ls_error unfit_why;
    /* Called by the job, on its thread, when it begins and when it has ended; may be NULL. */
    void (*note)(const char *name, bool is_under_way);
    char *name;
    /* Shared with the job's thread by __atomic builtins: the present tick + 1 (0: not begun), and
     * the request to stop early. */
    uint64_t progress;
    bool is_cancelled;
    uint64_t seen, seen_ns; /* progress, and since when it has not changed */
    ls_status status;
    ls_error error;
} ls_resume_state;

/* Reads all frames, and simulates from the last keyframe that has enough known roots after it to
 * prove that this server reproduces the recording. An unfit keyframe makes it try an earlier one;
 * with none left, or when a later root differs, it simulates from the first tick on.
 *   errors  DIVERGED for another root than the recording has; those of ls_recording_next() and
 *           ls_world_advance(); REFUSED when is_cancelled was set
 *   thread  the job's; the match is its own until it ends */
ls_status ls_resume_replay(ls_resume_state *resume, ls_error *error) LS_MUST_USE;

#endif
