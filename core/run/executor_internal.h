/* What the core asks of executors besides a tick. */
#ifndef LS_EXECUTOR_INTERNAL_H
#define LS_EXECUTOR_INTERNAL_H

#include <lockstep/executor.h>

typedef void ls_range_function(void *argument, uint32_t first, uint32_t count);

/* Calls `function` for ranges that together are 0..count-1, on the workers and the caller, and
 * returns when all are done. NULL, or one thread, is one call on the caller.
 *   thread  not while a tick runs */
void ls_executor_for(ls_executor *executor, uint32_t count, ls_range_function *function,
                     void *argument);
/* Whether its ticks check what systems do: core/check/check.h. False for NULL. */
bool ls_executor_checks(const ls_executor *executor);

/* NULL without an executor, or when it carries none. */
struct ls_trace *ls_executor_trace(const ls_executor *executor);

#endif
