/* Continues a run in a forked process: to see how the run ends there, or because this process
 * cannot free the memory of a simulated process. */
#ifndef LS_SIMULATION_FORKED_RUN_H
#define LS_SIMULATION_FORKED_RUN_H

#include "run.h"

enum { TWIN_ENDED = 0, TWIN_LEFT = 2 }; /* the fork's own exit codes */

typedef struct forked_run_end {
    bool has_result;
    int code;         /* the fork's exit code; negative: the signal that ended it */
    char output[512]; /* the fork's output on stderr */
    run_result result;
} forked_run_end;

/* Forks. Returns NULL in the fork. In the parent, returns the result after the fork has ended; the
 * caller frees it. The fork's stderr is captured in `output`, unless `is_heard`. */
forked_run_end *forked_run_begin(bool is_heard);
/* Ends the fork; NULL: without a result. */
_Noreturn void forked_run_leave(const run_result *result);

#endif
