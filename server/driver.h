/* Moves a room's world on, as jobs behind its ticks. The owner hands frames over, and finds their
 * roots when the job is done; in between the world belongs to the job. */
#ifndef LS_DRIVER_H
#define LS_DRIVER_H

#include "server/state_exchange.h"
#include "server/tick_ring.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/executor.h>
#include <lockstep/jobs.h>
#include <lockstep/world.h>

#define LS_DRIVER_TICKS 8 /* in one job */

/* What else a job is to bring: snapshots of the world behind its last tick. */
enum { LS_DRIVER_SNAPSHOT = 1, LS_DRIVER_KEYFRAME = 2 };

typedef struct ls_driver {
    ls_job job;
    ls_world *world;
    ls_executor *executor;
    bool has_first;
    ls_state_history *history; /* its last states; NULL: none are kept */
    uint64_t next;             /* tick of the frame to hand over next */
    /* Column hashes of the world before each so manieth tick; 0: none. At least LS_DRIVER_TICKS, so
     * that a job has one at most. */
    uint32_t columns_ticks;
    /* The job's order. */
    uint32_t count;
    uint16_t bytes[LS_DRIVER_TICKS];
    uint8_t bodies[LS_DRIVER_TICKS][LS_FRAME_BYTES_MAX];
    uint32_t requests;
    uint32_t exchange_count;
    ls_state_exchange *exchanges[LS_SERVER_INQUIRIES_OPEN]; /* to work on */
    /* What it has done. */
    uint32_t done;
    uint64_t roots[LS_DRIVER_TICKS]; /* of the world behind each */
    ls_status status;
    ls_error error;
    ls_snapshot *snapshot, *keyframe; /* of the world behind the last; NULL: not wanted */
    /* Of that world, as its frames say: who has a seat, whether it stands still. */
    uint64_t players;
    bool is_paused;
    uint64_t columns_tick; /* UINT64_MAX: the job has none */
    uint64_t columns[LS_COMPONENTS_MAX];
    /* Given up, until the world is the owner's again: two of each exchange, one to join with, one
     * of a keyframe, and as many that are due. */
    ls_snapshot *discarded[2 * LS_SERVER_INQUIRIES + 4];
} ls_driver;

/*   owns  world and executor by the caller, who destroys the world behind the reset */
void ls_driver_init(ls_driver *driver, ls_world *world, ls_executor *executor);
/* From now on the states of so many ticks are kept, in so many bytes. No job may be under way. */
void ls_driver_keep_history(ls_driver *driver, uint32_t ticks, size_t bytes);
/* Waits for the job and gives up what it holds. */
void ls_driver_reset(ls_driver *driver, ls_jobs *jobs);

/* The next job works on it too, and it is the caller's again with the end of that job. Nothing
 * while a job is under way or has failed before. */
void ls_driver_add_exchange(ls_driver *driver, ls_state_exchange *exchange);
/* Whether it was handed over. */
bool ls_driver_has_exchange(const ls_driver *driver, const ls_state_exchange *exchange);
/* Submits what there is to do: frames of the ring from `next` on, of ticks before `until`,
 * `requests` (LS_DRIVER_...), exchanges. Nothing while the job is under way or has failed before.
 */
void ls_driver_submit(ls_driver *driver, ls_jobs *jobs, const ls_tick_ring *ring, uint64_t until,
                      uint32_t requests);
/* True once after a job has ended: roots[0..done-1] are there, and what was wished for. A
 * status that is not LS_OK is that of the frame behind them, which did not move the world. */
bool ls_driver_take(ls_driver *driver) LS_MUST_USE;
/* No job can follow. While one is under way its status is the job's alone, and this is false. */
bool ls_driver_has_failed(const ls_driver *driver);
/* Destroys a snapshot as soon as the world is nobody else's; NULL is allowed. */
void ls_driver_discard(ls_driver *driver, ls_snapshot *snapshot);

#endif
