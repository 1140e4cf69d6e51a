/* Simulates a room's closed ticks in jobs. The owner submits frames, and takes their roots when the
 * job has ended. The job owns the world while it runs. */
#ifndef LS_DRIVER_H
#define LS_DRIVER_H

#include "server/state_exchange.h"
#include "server/tick_ring.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/executor.h>
#include <lockstep/jobs.h>
#include <lockstep/world.h>

#define LS_DRIVER_TICKS 8 /* the most ticks in a job */

/* Further results of a job: snapshots of the world after its last tick. */
enum { LS_DRIVER_SNAPSHOT = 1, LS_DRIVER_KEYFRAME = 2 };

typedef struct ls_driver {
    ls_job job;
    ls_world *world;
    ls_executor *executor;
    bool has_first;            /* `history` has the first state */
    ls_state_history *history; /* the last states; NULL: none are kept */
    uint64_t next;             /* tick of the next frame to submit */
    /* The world's column hashes are taken before each tick that is a multiple of this; 0: never. At
     * least LS_DRIVER_TICKS, so that a job has at most one. */
    uint32_t columns_ticks;
    /* Input of the job. */
    uint32_t count;
    uint16_t bytes[LS_DRIVER_TICKS];
    uint8_t bodies[LS_DRIVER_TICKS][LS_FRAME_BYTES_MAX];
    uint32_t requests;
    uint32_t exchange_count;
    ls_state_exchange *exchanges[LS_SERVER_INQUIRIES_OPEN]; /* exchanges for the job */
    /* Output of the job. */
    uint32_t done;
    uint64_t roots[LS_DRIVER_TICKS];   /* roots of the world after each frame */
    uint64_t took_ns[LS_DRIVER_TICKS]; /* time of each tick and its root, for statistics only */
    ls_status status;
    ls_error error;
    ls_snapshot *snapshot, *keyframe; /* states after the last frame; NULL: not requested */
    /* The state after the last frame: a bit for each seat in the stream, and whether the match is
     * paused. */
    uint64_t players;
    bool is_paused;
    uint64_t columns_tick; /* UINT64_MAX: none */
    uint64_t columns[LS_COMPONENTS_MAX];
    /* Snapshots discarded while the job owned the world: two for each exchange, one for late
     * joiners, one of a keyframe, and the two that a job may produce. */
    ls_snapshot *discarded[2 * LS_SERVER_INQUIRIES + 4];
} ls_driver;

/* owns  the caller keeps world and executor, and destroys the world after the reset */
void ls_driver_init(ls_driver *driver, ls_world *world, ls_executor *executor);
/* Keeps the states of the last `ticks` in at most `bytes`. No job may be running. */
void ls_driver_keep_history(ls_driver *driver, uint32_t ticks, size_t bytes);
/* Waits for the job and frees what it holds. */
void ls_driver_reset(ls_driver *driver, ls_jobs *jobs);

/* Adds an exchange to the next job. The driver owns it until that job has ended. Does nothing while
 * a job is running or after one has failed. */
void ls_driver_add_exchange(ls_driver *driver, ls_state_exchange *exchange);
/* True while the driver owns the exchange. */
bool ls_driver_has_exchange(const ls_driver *driver, const ls_state_exchange *exchange);
/* Submits a job: the ring's next frames before tick `until`, `requests` (LS_DRIVER_...) and
 * exchanges. Does nothing without work, while a job is running, or after one has failed. */
void ls_driver_submit(ls_driver *driver, ls_jobs *jobs, const ls_tick_ring *ring, uint64_t until,
                      uint32_t requests);
/* True once after a job has ended: roots[0..done-1] and the requested snapshots are valid. A status
 * other than LS_OK belongs to the next frame, which did not change the world. */
bool ls_driver_take(ls_driver *driver) LS_MUST_USE;
/* True when a job has failed, so no further one can run. False while a job is running, because its
 * status is not readable then. */
bool ls_driver_has_failed(const ls_driver *driver);
/* Destroys a snapshot: at once, or while a job owns the world, at the start of the next job. NULL
 * is allowed. */
void ls_driver_discard(ls_driver *driver, ls_snapshot *snapshot);

#endif
