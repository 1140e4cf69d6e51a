/* Walks over the entities near a point, by the index of a join by distance. */
#ifndef LS_GRID_WALK_H
#define LS_GRID_WALK_H
#include "core/run/join_index.h"
#include <lockstep/fix3.h>
#include <lockstep/grid.h>

/* Begins a walk without a row. In an index without z, at.z is 0. */
void ls_grid_walk_init(const ls_grid_index *index, ls_fix3 at, ls_fix radius, ls_grid_walk *walk);
/* Begins a walk over the entries within `radius` of the point, in an index without z. */
void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk);
/* Begins the same kind of walk in an index with z. */
void ls_grid_index_begin_3d(const ls_grid_index *index, ls_fix3 at, ls_fix radius,
                            ls_grid_walk *walk);
/* Sets the walk to the entries of its columns in the row at `starts`. */
void ls_grid_enter_row(ls_grid_walk *walk);

#endif
