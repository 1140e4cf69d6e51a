/* A variant is one way to run a tick. It can be run repeatedly, each time from the same state. */
#ifndef LS_RUN_VARIANT_H
#define LS_RUN_VARIANT_H

#include "core/run/tick_hook.h"
#include "core/state/image.h"
#include "desync/statics.h"

typedef struct ls_run_variant {
    ls_world *world;       /* in the state before the tick, also afterwards */
    uint64_t shuffle_seed; /* as in ls_executor_config; 0: the serial order */
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
    ls_executor *executor; /* of a shuffled variant, else NULL */
    ls_image start;
} ls_variant_runner;

/* Saves the state of the world. The runner owns the world until ls_run_variant_end(), which
 * restores that state.
 *   errors  those of ls_executor_create(); then there is nothing to end */
ls_status ls_run_variant_begin(const ls_run_variant *variant, ls_variant_runner *runner,
                               ls_error *error) LS_MUST_USE;
/* Runs the tick on the calling thread and calls the hook, which may be NULL. The world stays as the
 * tick left it.
 *   errors  as ls_world_advance(), but the caller has already checked the frame */
ls_status ls_run_variant_run(ls_variant_runner *runner, const ls_frame *frame,
                             const ls_tick_hook *hook, ls_error *error) LS_MUST_USE;
/* Restores the state that ls_run_variant_begin() saved. */
void ls_run_variant_back(ls_variant_runner *runner);
void ls_run_variant_end(ls_variant_runner *runner);
/* Fills the unused stack as the variant says. A hook calls it when a system has begun. */
void ls_run_variant_fill_stack(const ls_run_variant *variant);

#endif
