/* Worlds with a tick hook, and worlds that run a part of a tick. */
#ifndef LS_WORLD_INTERNAL_H
#define LS_WORLD_INTERNAL_H
#include "core/run/invocation.h"
#include <lockstep/world.h>

/* Like ls_world_advance(), and calls the hook, which may be NULL. With a hook, `executor` must run
 * on one thread. */
ls_status ls_world_advance_hooked(ls_world *world, const ls_frame *frame, ls_executor *executor,
                                  const ls_tick_hook *hook, ls_error *error) LS_MUST_USE;

/* Runs one stage or system, which receives the events that earlier parts have sent since the last
 * tick. Errors and `frame` are as for ls_world_run_stage(). */
ls_status ls_world_run_part(ls_world *world, const ls_tick_part *part, const ls_frame *frame,
                            ls_executor *executor, ls_error *error) LS_MUST_USE;

/* Like ls_world_create(), and calls the hook, which may be NULL, for each setup. The position that
 * the hook gets is the setup's, which is after the positions of all systems. */
ls_status ls_world_create_hooked(const ls_program *program, const ls_match *match,
                                 const ls_tick_hook *hook, ls_world **world,
                                 ls_error *error) LS_MUST_USE;

#endif
