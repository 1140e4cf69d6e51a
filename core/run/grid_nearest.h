/* The nearest entities of a join by distance. */
#ifndef LS_GRID_NEAREST_H
#define LS_GRID_NEAREST_H
#include "core/run/grid_walk.h"

/* Writes the nearest entries within `radius` of `at`, at most `count`, the nearest first, and
 * returns their number. In an index without z, at.z is 0. */
uint32_t ls_grid_index_nearest(const ls_grid_index *index, ls_fix3 at, ls_fix radius,
                               uint32_t count, ls_neighbour *neighbours);

#endif
