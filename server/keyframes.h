/* Keyframes of a room's recording: when one is due, and the job that encodes it from a snapshot
 * while the match goes on.
 *   thread  the room's; the job touches the two snapshots and its output */
#ifndef LS_KEYFRAMES_H
#define LS_KEYFRAMES_H

#include "replays/keyframe.h"
#include "server/driver.h"
#include <lockstep/recording_format.h>

typedef struct ls_keyframes {
    ls_job job;
    uint32_t ticks;    /* between two; 0: none, LS_ROOM_TICKS_AUTO: chosen from measured costs */
    uint64_t due;      /* the next is due at or after this tick */
    ls_snapshot *base; /* of the last full keyframe, at made.base_tick */
    ls_snapshot *snapshot; /* being encoded; NULL: none */
    uint32_t from_base;    /* keyframes since the base */
    bool wants_full;       /* the next is full */
    ls_recording_keyframe made;
    uint8_t *bytes; /* made.data */
    ls_keyframe_costs costs;
    uint64_t bytes_sum; /* of the last `counted` */
    uint32_t counted;
} ls_keyframes;

void ls_keyframes_init(ls_keyframes *keyframes, uint32_t ticks, uint32_t tick_rate);
/* Waits for the job. The idle driver destroys the snapshots. */
void ls_keyframes_reset(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver);

/* True when a snapshot of the world before `tick` is due. */
bool ls_keyframes_is_due(const ls_keyframes *keyframes, uint64_t tick);
/* Measures the time per tick of the driver's job: a reader has to simulate from a keyframe on. */
void ls_keyframes_measure(ls_keyframes *keyframes, const ls_driver *driver);
/* Begins to encode the driver's snapshot, and owns it. */
void ls_keyframes_pack(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver);

/* The encoded keyframe, once after the job has ended, valid until ls_keyframes_done(); NULL: none.
 */
const ls_recording_keyframe *ls_keyframes_take(ls_keyframes *keyframes) LS_MUST_USE;
/* `is_appended` false: no later keyframe builds on this one. Computes when the next is due. */
void ls_keyframes_done(ls_keyframes *keyframes, ls_driver *driver, bool is_appended);
/* A new file begins: the next keyframe is full and due at once. */
void ls_keyframes_begin_anew(ls_keyframes *keyframes);
/* No further keyframes; reset waits for the job under way. */
void ls_keyframes_stop(ls_keyframes *keyframes);

#endif
