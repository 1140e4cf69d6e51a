/* What a room keeps of the recording that it is taken up from. Private to server/. */
#ifndef LS_RESUME_STATE_H
#define LS_RESUME_STATE_H

#include <lockstep/jobs.h>
#include <lockstep/recording_series.h>
#include <lockstep/room.h>

/* A match that is taken up again: the job that simulates its recording. */
typedef struct ls_resume_state {
    ls_job job;
    ls_room *room;
    ls_series *history;  /* NULL: there is none, or it is done */
    uint64_t lost_ticks; /* in front of its later files */
    uint64_t from_tick;  /* of the state that simulating began with */
    uint64_t simulated_ticks;
    uint32_t unfit_count; /* keyframes that were not the state of their tick; the last of them: */
    uint64_t unfit_tick;
    ls_error unfit_why;
    /* Told by the job, on its thread, that it begins and that it has ended; may be NULL. */
    void (*note)(const char *name, bool is_under_way);
    char *name;
    /* Of both, by __atomic builtins: the tick that it is at and one more, 0 before it begins; the
     * job is to end as it stands. */
    uint64_t progress;
    bool is_cancelled;
    uint64_t seen, seen_ns; /* progress, and since when it is that */
    ls_status status;
    ls_error error;
} ls_resume_state;

#endif
