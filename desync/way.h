/* One way to run a tick: again and again, each time from the state that the world had at first. */
#ifndef LS_WAY_H
#define LS_WAY_H

#include "core/image.h"
#include "core/observer.h"
#include "desync/statics.h"

typedef struct ls_way {
    ls_world *world;       /* stands before the tick, and does so again afterwards */
    uint64_t shuffle_seed; /* as in ls_executor_config; 0 = the serial order */
    /* Not 0: before each system runs, the stack below it is filled with the noise of this byte
     * (desync/noise.h), so that two ways with two bytes differ where a system reads local variables
     * that nobody has set, or compares them. What lies within some hundred bytes of its frame the
     * engine has written over by then. */
    uint8_t stack_fill;
    /* Put in place before each run; NULL: what the simulation keeps to itself goes on from run to
     * run. */
    const ls_statics *statics;
} ls_way;

typedef struct ls_way_keeper {
    ls_way way;
    ls_executor *executor; /* of a shuffled way */
    ls_image start;
} ls_way_keeper;

/* The world belongs to the keeper until ls_way_end(), which leaves it as it was.
 *   errors  those of ls_executor_create(); then there is nothing to end */
ls_status ls_way_begin(const ls_way *way, ls_way_keeper *keeper, ls_error *error) LS_MUST_USE;
/* Runs the tick on the calling thread and tells the observer. The world stays as the tick left it.
 *   errors  as ls_world_advance(), whose checks of the frame the caller has made */
ls_status ls_way_run(ls_way_keeper *keeper, const ls_frame *frame, const ls_observer *observer,
                     ls_error *error) LS_MUST_USE;
/* The world is as it was at the beginning. */
void ls_way_back(ls_way_keeper *keeper);
void ls_way_end(ls_way_keeper *keeper);
/* For an observer, when a system has begun: fills the stack as the way says. */
void ls_way_fill_stack(const ls_way *way);

#endif
