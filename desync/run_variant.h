/* One way to run a tick: again and again, each time from the state that the world had at first. */
#ifndef LS_RUN_VARIANT_H
#define LS_RUN_VARIANT_H

#include "core/run/observer.h"
#include "core/state/image.h"
#include "desync/statics.h"

typedef struct ls_run_variant {
    ls_world *world;       /* is before the tick, also afterwards */
    uint64_t shuffle_seed; /* as in ls_executor_config; 0 = the serial order */
    /* Not 0: before each system runs, the unused stack is filled with the noise of this byte
     * (desync/memory_fill.h). Runs with two different bytes differ if a system reads local
     * variables that were never set. Some hundred bytes next to the system's frame are not covered:
     * the engine has overwritten them by then. */
    uint8_t stack_fill;
    /* The static variables of the simulation's module are set to this image before each run. NULL:
     * they keep the values that the previous run left. */
    const ls_statics *statics;
} ls_run_variant;

typedef struct ls_variant_runner {
    ls_run_variant variant;
    ls_executor *executor; /* of a shuffled way */
    ls_image start;
} ls_variant_runner;

/* The runner owns the world until ls_run_variant_end(), which leaves it as it was.
 *   errors  those of ls_executor_create(); then there is nothing to end */
ls_status ls_run_variant_begin(const ls_run_variant *variant, ls_variant_runner *runner,
                               ls_error *error) LS_MUST_USE;
/* Runs the tick on the calling thread and calls the observer. The world stays as the tick left it.
 *   errors  as ls_world_advance(), whose checks of the frame the caller has made */
ls_status ls_run_variant_run(ls_variant_runner *runner, const ls_frame *frame,
                             const ls_observer *observer, ls_error *error) LS_MUST_USE;
/* The world is as it was at the beginning. */
void ls_run_variant_back(ls_variant_runner *runner);
void ls_run_variant_end(ls_variant_runner *runner);
/* For an observer, when a system has begun: fills the stack as the way says. */
void ls_run_variant_fill_stack(const ls_run_variant *variant);

#endif
