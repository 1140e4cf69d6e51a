/* The sides of a par while a tick runs. Each but the first works in a view: the same world, but for
 * tables of its own where the sides have to be kept apart, which share pages with the world's until
 * one is written. Behind the last side the views' changes enter the world, cell by cell.
 *   source  docs/scheduler.md; theorem 4.7 of the Core ECS paper */
#ifndef LS_FORK_H
#define LS_FORK_H

#include "core/run/run.h"

/* A world of the program: its views, and room for what pars begin with. */
void ls_views_create(ls_world *world);
void ls_views_destroy(ls_world *world);

/* Does what the step at `position` is. */
void ls_fork_step(ls_world *world, uint32_t position);
/* Looks whether the system that just ended changed the cell that the job watches. */
void ls_fork_watch(const ls_tick_job *job, uint32_t position);
/* core/run/par_conflict.c: the world is as it was before the tick in which two sides changed one
 * cell: runs it again to find out who did, and leaves the world as it was. errors  always
 * LS_ERROR_REFUSED */
ls_status ls_fork_explain(ls_world *world, const ls_frame *frame, ls_error *error);

#endif
