/* The nearest entities of a join by distance. */
#ifndef LS_GRID_NEAREST_H
#define LS_GRID_NEAREST_H
#include "core/run/grid_internal.h"

uint32_t ls_grid_index_nearest(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                               uint32_t count, ls_neighbour *neighbours);

#endif
