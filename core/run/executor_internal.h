/* Calls of the core to executors, besides running a tick. */
#ifndef LS_EXECUTOR_INTERNAL_H
#define LS_EXECUTOR_INTERNAL_H
#include "core/base/team.h"
#include "core/run/invocation.h"
#include <lockstep/executor.h>

/* Calls `function` for ranges that together cover 0..count-1, on the workers and the caller, and
 * returns when all are done. With NULL, one thread or a `count` below 2 it makes one call on the
 * caller.
 *   thread  not while a tick runs */
void ls_executor_for(ls_executor *executor, uint32_t count, ls_range_function *function,
                     void *argument);
/* Whether the executor checks what systems do (core/check/check.h). False for NULL. */
bool ls_executor_checks(const ls_executor *executor);

/* The executor's trace; NULL without an executor or trace. */
struct ls_trace *ls_executor_trace(const ls_executor *executor);

/* Called before the first and after the last stage of a tick. Prepares the world for the executor's
 * threads; NULL does nothing. */
void ls_executor_enter(ls_executor *executor, ls_world *world);
void ls_executor_leave(ls_executor *executor);
/* Called between ls_executor_enter() and ls_executor_leave(): runs the systems at positions `first`
 * to `end` - 1, all parallel and of one stage. NULL runs them serially. */
void ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first, uint32_t end);
/* ls_executor_run() with all systems on the calling thread. */
void ls_executor_run_here(ls_executor *executor, const ls_tick_job *job, uint32_t first,
                          uint32_t end);

#endif
