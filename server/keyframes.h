/* Keyframes of a room's recording: when one is due, and the job that packs it from a snapshot while
 * the match goes on. The owner hands snapshots over and finds records.
 *   thread  the room's; the job touches the two snapshots and what it makes */
#ifndef LS_KEYFRAMES_H
#define LS_KEYFRAMES_H

#include "replays/keyframe.h"
#include "server/driver.h"
#include <lockstep/recording_format.h>

typedef struct ls_keyframes {
    ls_job job;
    uint32_t ticks;        /* between two; 0: none, LS_ROOM_TICKS_AUTO: as measured */
    uint64_t due;          /* the lowest tick for the next */
    ls_snapshot *base;     /* the last that was packed whole: of made.base_tick */
    ls_snapshot *snapshot; /* that which is packed; NULL: none is */
    uint32_t from_base;    /* how many build on the base */
    bool wants_full;       /* for another file: the next builds on none */
    ls_recording_keyframe made;
    uint8_t *bytes; /* made.data */
    ls_keyframe_costs costs;
    uint64_t bytes_sum; /* of the last `counted` */
    uint32_t counted;
} ls_keyframes;

void ls_keyframes_init(ls_keyframes *keyframes, uint32_t ticks, uint32_t tick_rate);
/* Waits for the job; the snapshots are the driver's to destroy, which must be idle then. */
void ls_keyframes_reset(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver);

/* Whether a snapshot of the world before `tick` is wanted. */
bool ls_keyframes_is_due(const ls_keyframes *keyframes, uint64_t tick);
/* What a reader has to do again, in the time that this machine needs for it: the driver's job has
 * ended. */
void ls_keyframes_measure(ls_keyframes *keyframes, const ls_driver *driver);
/* Begins to pack the driver's snapshot, which it takes over. */
void ls_keyframes_pack(ls_keyframes *keyframes, ls_jobs *jobs, ls_driver *driver);

/* The record to append, once after the job has ended; NULL: there is none. It lives until done. */
const ls_recording_keyframe *ls_keyframes_take(ls_keyframes *keyframes) LS_MUST_USE;
/* It was appended, or not: then no later one builds on it. Says when the next is due. */
void ls_keyframes_done(ls_keyframes *keyframes, ls_driver *driver, bool is_appended);
/* Those to come are for another file: the next is full and due at once. */
void ls_keyframes_begin_anew(ls_keyframes *keyframes);
/* No more of them; a job that is under way is waited for by reset. */
void ls_keyframes_stop(ls_keyframes *keyframes);

#endif
