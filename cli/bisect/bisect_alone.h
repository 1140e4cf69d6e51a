/* Runs one build in a separate process, into which the other build is not loaded: a library's
 * constructor can change things for the whole process. */
#ifndef LS_BISECT_ALONE_H
#define LS_BISECT_ALONE_H

#include "cli/common/child_process.h"
#include "cli/module/float_mode.h"
#include "core/base/builder.h"
#include <lockstep/bytes.h>
#include <lockstep/recording.h>

typedef struct ls_bisect_alone_config {
    ls_recording *recording;
    const char *sim;           /* as ls_sim_load() takes it; unused if `program` is set */
    const ls_program *program; /* already loaded, or NULL */
    uint32_t side;
    const char *words; /* of ls_child_start_again() */
    uint64_t end_tick; /* the first tick that is not run */
    uint64_t timeout_ns;
    bool shows_progress;
} ls_bisect_alone_config;

typedef struct ls_bisect_alone {
    uint64_t *roots; /* before the first tick, and after each tick that was run */
    size_t count;    /* of `roots`; 0: nothing is known */
    char floats[LS_FLOAT_CHANGE_BYTES]; /* the float mode that loading the build changed, or "" */
    /* How the process died, also if it was ended because it made no progress; NULL: it finished. */
    char *end;
    uint64_t tick; /* the tick that was running when the process died */
} ls_bisect_alone;

/* Loads the build in a child and replays the recording there. A build that cannot be loaded is no
 * error: nothing is known then, and the caller learns the reason when it loads the build itself.
 *   errors  IO: no process could be started; `*alone` is then zeroed
 *   owns    ls_bisect_alone_reset()      thread  as ls_child_start() */
ls_status ls_bisect_alone_run(const ls_bisect_alone_config *config, ls_bisect_alone *alone,
                              ls_error *error) LS_MUST_USE;
/* Adds roots and floats of a build as bytes; reads them in another process. False: too few bytes.
 *   owns    ls_bisect_alone_reset() */
void ls_bisect_alone_encode(const ls_bisect_alone *alone, ls_builder *bytes);
bool ls_bisect_alone_decode(ls_reader *bytes, ls_bisect_alone *alone) LS_MUST_USE;
void ls_bisect_alone_reset(ls_bisect_alone *alone); /* may be zeroed */

/* Finds the first state that differs from the recording's, as its index in `roots`. False: none. */
bool ls_bisect_alone_diverges(const ls_bisect_alone *alone, const ls_recording *recording,
                              uint64_t *index) LS_MUST_USE;

/* Called in a child of `bisect`; `child` is its ls_child. Reports the side and the tick that it
 * runs. */
void ls_bisect_report_tick(void *child, uint32_t side, uint64_t tick);
/* In the parent: waits until the child has ended. `ticks_total` is for the progress bar; 0: no
 * bar. */
void ls_bisect_wait(ls_child *child, uint64_t ticks_total);

#endif
