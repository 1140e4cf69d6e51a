/* A run goes on in a process of its own: to see how that ends, or because something of it must be
 * left behind that cannot be given back. */
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

/* Returns twice: NULL in the twin, and when that has ended its end, which the caller frees. What
 * the twin says on stderr is kept unless `is_heard`. */
forked_run_end *forked_run_begin(bool is_heard);
/* In the twin: there is no result, or this. */
_Noreturn void forked_run_leave(const run_result *result);

#endif
