/* Restores a match from its recording: a job reads all frames and simulates the last ones. */
#ifndef LS_RESUME_REPLAY_H
#define LS_RESUME_REPLAY_H

#include "server/room_match.h"
#include <lockstep/jobs.h>
#include <lockstep/recording_series.h>

typedef struct ls_resume_state {
    ls_job job;
    ls_room_match *match;
    ls_series *series;   /* the recording's files; NULL: none, or already restored */
    uint64_t lost_ticks; /* ticks lost between the recording's files */
    uint64_t end_tick;   /* of the series, when the job began */
    uint64_t from_tick;  /* tick of the state where the simulation began */
    uint64_t simulated_ticks;
    uint32_t unusable_count; /* keyframes with a wrong state; the last one's tick and error: */
    uint64_t unusable_tick;
    ls_error unusable_error;
    /* Called on the job's thread when the job begins and when it has ended; may be NULL. */
    void (*note)(const char *name, bool is_under_way);
    char *name;
    /* Shared with the job's thread by __atomic builtins: the present tick + 1 (0: not begun), and
     * the request to stop early. */
    /* Relaxed: two numbers that publish nothing else. The job's end publishes its results. */
    uint64_t progress;
    bool is_cancelled;
    uint64_t seen, seen_ns; /* the progress last seen, and when it last changed */
    ls_status status;
    ls_error error;
} ls_resume_state;

/* Reads all frames and simulates from the last keyframe with enough recorded roots after it to
 * prove that this server reproduces the recording. If that keyframe's state is wrong, tries an
 * earlier one. If none is left, or a later root differs, simulates from the first tick on.
 *   errors  DIVERGED: a root differs from the recording's; any error of ls_recording_next() or
 *           ls_world_advance(); REFUSED: is_cancelled was set
 *   thread  the job's, which owns the match until the job ends */
ls_status ls_resume_replay(ls_resume_state *resume, ls_error *error) LS_MUST_USE;

#endif
