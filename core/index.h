/* The join indexes of a world: entities by place and by key. */
#ifndef LS_INDEX_H
#define LS_INDEX_H

#include "core/join.h"
#include "core/page.h"
#include "core/program_internal.h"

typedef struct ls_grid_index {
    ls_neighbour *entries; /* sorted by cell row, cell column, lane, slot */
    ls_neighbour *unsorted;
    uint32_t *starts; /* by cell: the first entry; one more at the end */
    uint32_t count, capacity;
    uint32_t cell_capacity;
    int32_t columns, rows;
    int64_t min_x, min_y, cell;
    uint64_t version, with_presence; /* of the columns it was built from */
    bool is_built;
} ls_grid_index;

const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid);
void ls_grid_reset(ls_grid_index *index);
void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk);

#endif
