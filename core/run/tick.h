/* Runs one tick: the stages one after another, with their slots, sets and sync points.
 *   source  docs/scheduler.md */
#ifndef LS_TICK_H
#define LS_TICK_H

#include "core/run/run.h"

/* Runs a tick and increments the world's tick number; or runs job->part, which leaves the number as
 * it is.
 *   errors  LS_ERROR_LIMIT: a set or stage asks for more runs than its limit; LS_ERROR_REFUSED:
 *           sides of a par conflict, two matches clash over a partner, an entity has incompatible
 *           components or is its own ancestor. The world is then in the middle of the tick */
ls_status ls_tick_run(const ls_tick_job *job, ls_executor *executor, ls_error *error) LS_MUST_USE;
/* Runs a failed tick again on this thread, to see why it failed, and then restores the present
 * state. `job` has the frame and part of the failed one, and what is to be watched. */
ls_status ls_tick_rerun(const ls_tick_job *job) LS_MUST_USE;
/* The sync point for the systems at positions `first` to `end` - 1: applies their commands, then
 * despawns. */
void ls_tick_synchronise(ls_world *world, uint32_t first, uint32_t end);
/* Whether an entity is its own ancestor now, after a sync point; scratch->cycle then tells which.
 */
bool ls_tick_has_cycle(ls_world *world);

#endif
