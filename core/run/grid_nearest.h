/* The nearest entities of a join by distance. */
#ifndef LS_GRID_NEAREST_H
#define LS_GRID_NEAREST_H
#include "core/run/grid_walk.h"

/* In an index without z, that of `at` is 0. */
uint32_t ls_grid_index_nearest(const ls_grid_index *index, ls_fix3 at, ls_fix radius,
                               uint32_t count, ls_neighbour *neighbours);

#endif
