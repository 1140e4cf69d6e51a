/* Keyframes of a room's recording: when one is due, and the job that encodes it from a snapshot
 * while the match continues.
 *   thread  the room's; the job touches the two snapshots and its output */
#ifndef LS_KEYFRAMES_H
#define LS_KEYFRAMES_H

#include "replays/keyframe.h"
#include "server/driver.h"
#include <lockstep/recording_format.h>

typedef struct ls_keyframes {
    ls_job job;
    uint32_t ticks;    /* the interval; 0: no keyframes; LS_ROOM_TICKS_AUTO: from measured costs */
    uint32_t most;     /* the longest interval from costs */
    uint64_t due;      /* the next keyframe is due at or after this tick */
    ls_snapshot *base; /* state of the last full keyframe, at made.base_tick */
    ls_snapshot *snapshot; /* being encoded; NULL: none */
    uint32_t from_base;    /* keyframes since the base */
    bool wants_full;       /* the next keyframe must be full */
    ls_recording_keyframe made;
    uint8_t *bytes; /* storage of made.data; owned */
    ls_keyframe_costs costs;
    uint64_t bytes_sum; /* sizes of the last `counted` keyframes */
    uint32_t counted;
} ls_keyframes;

/* `s_max`: seconds between keyframes at most, if costs choose; 0: no limit. */
void ls_keyframes_init(ls_keyframes *keyframes, uint32_t ticks, uint32_t s_max, uint32_t tick_rate);
/* Waits for the job. The driver, which must be idle, destroys the snapshots. */
void ls_keyframes_reset(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver);

/* True when a snapshot of the world before `tick` is due. */
bool ls_keyframes_is_due(const ls_keyframes *keyframes, uint64_t tick);
/* Notes the driver's time per tick: the time that a reader needs to simulate from a keyframe on. */
void ls_keyframes_measure(ls_keyframes *keyframes, const ls_driver *driver);
/* Takes ownership of the driver's snapshot and submits a job that encodes it. */
void ls_keyframes_pack(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver);

/* Returns the encoded keyframe once, after the job has ended; NULL: none. It is valid until
 * ls_keyframes_done(). */
const ls_recording_keyframe *ls_keyframes_take(ls_keyframes *keyframes) LS_MUST_USE;
/* Ends the use of a keyframe and computes when the next is due. `is_appended` is false when the
 * keyframe is not in the file, so that no later one may build on it. */
void ls_keyframes_done(ls_keyframes *keyframes, ls_driver *driver, bool is_appended);
/* Called when a new file begins: the next keyframe is full and due at once. */
void ls_keyframes_restart(ls_keyframes *keyframes);
/* Makes no further keyframes. ls_keyframes_reset() waits for a running job. */
void ls_keyframes_stop(ls_keyframes *keyframes);

#endif
