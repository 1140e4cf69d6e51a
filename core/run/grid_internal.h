/* The index behind a join by distance. */
#ifndef LS_GRID_INTERNAL_H
#define LS_GRID_INTERNAL_H
#include "core/run/join_index.h"
#include <lockstep/grid.h>

/* Brings the index in line with the columns that it is made of. */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid);
void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk);

#endif
