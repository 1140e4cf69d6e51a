/* The index of a join by distance. */
#ifndef LS_GRID_INTERNAL_H
#define LS_GRID_INTERNAL_H
#include "core/run/join_index.h"
#include <lockstep/grid.h>

/* Rebuilds the index if its columns have changed. */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid);
/* Begins a walk without a row. */
void ls_grid_walk_init(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                       ls_grid_walk *walk);
void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk);
/* Begins the walk's row, with its columns. */
void ls_grid_enter_row(ls_grid_walk *walk);

#endif
