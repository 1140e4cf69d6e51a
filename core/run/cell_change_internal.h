/* Finds the changes that an observer walks: include/lockstep/cell_change.h. */
#ifndef LS_CELL_CHANGES_H
#define LS_CELL_CHANGES_H
#include "core/run/scratch.h"
#include <lockstep/cell_change.h>

/* Lists the slots that differ from the baselines. Call it when the system begins. */
void ls_cell_changes_find(const ls_world *world, const ls_plan_system *plan, ls_run *run);

#endif
