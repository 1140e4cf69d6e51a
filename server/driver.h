/* Moves a room's world on, as jobs behind its ticks. The owner hands frames over, and finds their
 * roots when the job is done; in between the world belongs to the job. */
#ifndef LS_DRIVER_H
#define LS_DRIVER_H

#include "core/executor.h"
#include "core/world.h"
#include "server/jobs.h"
#include "server/tick_ring.h"

#define LS_DRIVER_TICKS 8 /* in one job */

typedef struct ls_driver {
    ls_job job;
    ls_world *world;
    ls_executor *executor;
    uint64_t next; /* tick of the frame to hand over next */
    /* The job's order. */
    uint32_t count;
    uint16_t bytes[LS_DRIVER_TICKS];
    uint8_t bodies[LS_DRIVER_TICKS][LS_FRAME_BYTES_MAX];
    bool wants_snapshot;
    /* What it has done. */
    uint32_t done;
    uint64_t roots[LS_DRIVER_TICKS]; /* of the world behind each */
    ls_status status;
    ls_error error;
    ls_snapshot *snapshot; /* of the world behind the last; NULL: not wanted */
    /* Given up, until the world is the owner's again. */
    ls_snapshot *discarded[2];
} ls_driver;

/*   owns  world and executor by the caller, who destroys the world behind the reset */
void ls_driver_init(ls_driver *driver, ls_world *world, ls_executor *executor);
/* Waits for the job and gives up what it holds. */
void ls_driver_reset(ls_driver *driver, ls_jobs *jobs);

/* Submits what there is to do: frames of the ring from `next` on, a snapshot. Nothing while the job
 * is under way or has failed before. */
void ls_driver_submit(ls_driver *driver, ls_jobs *jobs, const ls_tick_ring *ring,
                      bool wants_snapshot);
/* True once after a job has ended: roots[0..done-1] are there, and snapshot when it was wanted. A
 * status that is not LS_OK is that of the frame behind them, which did not move the world. */
bool ls_driver_take(ls_driver *driver) LS_MUST_USE;
/* Destroys a snapshot as soon as the world is nobody else's. */
void ls_driver_discard(ls_driver *driver, ls_snapshot *snapshot);

#endif
