/* One tick: stages one after the other, in each its slots, sets and sync point.
 *   source  docs/scheduler.md */
#ifndef LS_TICK_H
#define LS_TICK_H

#include "core/run/run.h"

/* Runs a tick; the world's tick number rises on LS_OK.
 *   errors  LS_ERROR_LIMIT when a set asks for more than its iterations; the world is then in the
 *           middle of the tick */
ls_status ls_tick_run(const ls_tick_job *job, ls_executor *executor, ls_error *error) LS_MUST_USE;
/* The sync point of the systems at positions `first` to `end` - 1: their commands, then death. */
void ls_tick_synchronise(ls_world *world, uint32_t first, uint32_t end);

#endif
