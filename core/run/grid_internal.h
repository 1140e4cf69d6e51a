/* The index of a join by distance. */
#ifndef LS_GRID_INTERNAL_H
#define LS_GRID_INTERNAL_H
#include "core/run/join_index.h"
#include <lockstep/grid.h>

/* The bytes of an entry's neighbour in an index without z. */
enum { LS_GRID_PLANE_BYTES = offsetof(ls_neighbour, z) };

/* Rebuilds the index if its columns have changed. */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid);

/* offset / cell, exactly. The rounded reciprocal makes the quotient smaller by less than 1, so it
 * is at most 1 too small. */
static inline uint32_t ls_grid_cells_in(const ls_grid_index *index, uint32_t offset)
{
    uint32_t quotient = (uint32_t)(offset * index->reciprocal >> 32);
    return quotient + (offset - quotient * index->cell >= index->cell);
}

#endif
