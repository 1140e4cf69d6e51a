/* Explains a conflict between two sides of a par. */
#ifndef LS_PAR_CONFLICT_H
#define LS_PAR_CONFLICT_H
#include "core/run/invocation.h"

/* Runs the tick, or the part of it, again to find the systems of two sides that changed one cell.
 * Before and after the call the world is in the state before the tick.
 *   errors  always LS_ERROR_REFUSED. The message has both systems, or says that the tick did not
 *           repeat the conflict */
ls_status ls_fork_explain(const ls_tick_job *failed, ls_error *error);

#endif
