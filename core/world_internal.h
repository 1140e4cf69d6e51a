/* Worlds with an observer, and worlds that run a part of a tick. */
#ifndef LS_WORLD_INTERNAL_H
#define LS_WORLD_INTERNAL_H
#include "core/run/invocation.h"
#include <lockstep/world.h>

/* Like ls_world_advance(), on one thread; calls the observer, which may be NULL. */
ls_status ls_world_advance_observed(ls_world *world, const ls_frame *frame, ls_executor *executor,
                                    const ls_observer *observer, ls_error *error) LS_MUST_USE;

/* Runs the part. Events that parts sent since the last tick are those of this tick. Errors and
 * `frame` are those of ls_world_run_stage(). */
ls_status ls_world_run_part(ls_world *world, const ls_tick_part *part, const ls_frame *frame,
                            ls_executor *executor, ls_error *error) LS_MUST_USE;

/* Like ls_world_create(). Calls the observer, which may be NULL, when the setup has begun; `at` is
 * then the position after the last system. */
ls_status ls_world_create_observed(const ls_program *program, const ls_match *match,
                                   const ls_observer *observer, ls_world **world,
                                   ls_error *error) LS_MUST_USE;

#endif
