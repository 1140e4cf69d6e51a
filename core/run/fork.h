/* The sides of a par while a tick runs. Each side except the first works in a view: the same world,
 * but with its own tables for the columns that the sides keep apart. These tables share pages with
 * the world's until a page is written. After the last side, the changes of all views are merged
 * into the world, cell by cell.
 *   source  docs/scheduler.md; theorem 4.7 of the Core ECS paper */
#ifndef LS_FORK_H
#define LS_FORK_H
#include "core/run/invocation.h"

/* A cell that two sides of a par changed. */
typedef struct ls_cell_conflict {
    bool is_set;
    uint32_t par, column, lane, slot;
    uint32_t sides[2];
    const ls_plan_system *systems[2]; /* by side: the first to change the cell; NULL: not known */
} ls_cell_conflict;

/* A view is a copy of the world's struct with its own tables, versions and indexes. It shares all
 * else; locks and counters are those of its base world. */
typedef struct ls_views {
    ls_world **worlds;         /* entry 0 is the world itself */
    ls_table ***fork_tables;   /* by par: the tables when its sides began */
    ls_cell_conflict conflict; /* of the current tick */
} ls_views;

/* Creates the views of a world, and room for the tables that pars start from. */
void ls_views_create(ls_world *world);
void ls_views_destroy(ls_world *world);

/* Runs the fork or merge step at `position`. */
void ls_fork_step(ls_world *world, uint32_t position);
/* At the sync point: drops the tables of the pars with a merge at a position from `first` to before
 * `end`. */
void ls_fork_release(ls_world *world, uint32_t first, uint32_t end);
/* Records the system that just ended if it is the first of its side to change the cell that the job
 * watches. */
void ls_fork_watch(const ls_tick_job *job, uint32_t position);
#endif
