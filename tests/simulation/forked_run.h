/* Continues a run in a forked process: to see how that ends, or because memory of it cannot be
 * given back. */
#ifndef LS_SIMULATION_FORKED_RUN_H
#define LS_SIMULATION_FORKED_RUN_H

#include "run.h"

enum { TWIN_ENDED = 0, TWIN_LEFT = 2 }; /* exit codes of its own */

typedef struct forked_run_end {
    bool has_result;
    int code;       /* how its process ended; negative: by that signal */
    char said[512]; /* on stderr */
    run_result result;
} forked_run_end;

/* Returns twice: NULL in the fork, and after the fork has ended its result, which the caller frees.
 * The fork's stderr is kept unless `is_heard`. */
forked_run_end *forked_run_begin(bool is_heard);
/* In the fork: ends it, without a result or with this one. */
_Noreturn void forked_run_leave(const run_result *result);

#endif
