/* Runs one build in a separate process, into which the other build is not loaded: a library's
 * constructor can change things for the whole process. */
#ifndef LS_BISECT_ALONE_H
#define LS_BISECT_ALONE_H

#include "cli/common/child_process.h"
#include "cli/module/float_mode.h"
#include <lockstep/recording.h>

typedef struct ls_bisect_alone_config {
    ls_recording *recording;
    const char *sim;           /* as ls_sim_load() takes it; unused with a program: */
    const ls_program *program; /* that is loaded already, or NULL */
    uint32_t side;
    uint64_t end_tick; /* it ends before that tick */
    uint64_t patience_ns;
    bool shows_progress;
} ls_bisect_alone_config;

typedef struct ls_bisect_alone {
    uint64_t *roots;                    /* before the first tick, and after each that it ran */
    uint64_t count;                     /* 0: nothing is known */
    char floats[LS_FLOAT_CHANGE_BYTES]; /* what loading it changed, or "" */
    char *end;     /* how its process died or was ended without progress; NULL: it finished */
    uint64_t tick; /* the one that it was in when it died */
} ls_bisect_alone;

/* Loads the build in a child and replays the recording there. A build that cannot be loaded is no
 * error: nothing is known then, and the caller learns the reason when it loads the build itself.
 *   errors  IO: no process; `*alone` is then zeroed
 *   owns    ls_bisect_alone_reset()      thread  as ls_child_start() */
ls_status ls_bisect_alone_run(const ls_bisect_alone_config *config, ls_bisect_alone *alone,
                              ls_error *error) LS_MUST_USE;
void ls_bisect_alone_reset(ls_bisect_alone *alone); /* a zeroed one is allowed */

/* The first state that is not the recording's, as its index among the roots. False: none. */
bool ls_bisect_alone_departs(const ls_bisect_alone *alone, const ls_recording *recording,
                             uint64_t *index) LS_MUST_USE;

/* In a child of `bisect`: says what it runs. */
void ls_bisect_tell(ls_child *child, uint32_t side, uint64_t tick);
/* In the parent, until the child has ended. `ticks_total`: 0 for no progress to be shown. */
void ls_bisect_wait(ls_child *child, uint64_t ticks_total);

#endif
