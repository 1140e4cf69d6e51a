/* The join indexes of a world: entities by place and by key. */
#ifndef LS_JOIN_INDEX_H
#define LS_JOIN_INDEX_H

#include "core/schedule/program_internal.h"
#include "core/state/page.h"
#include <lockstep/join.h>

#include <string.h>

typedef struct ls_grid_index {
    ls_neighbour *entries; /* sorted by cell row, cell column, lane, slot */
    ls_neighbour *unsorted;
    uint32_t *cells;  /* by place in `unsorted` */
    uint32_t *starts; /* by cell: the first entry; one more at the end */
    uint32_t count, capacity;
    uint32_t cell_capacity;
    int32_t columns, rows;
    uint32_t cell;
    int64_t min_x, min_y;
    uint64_t version, with_presence; /* of the columns it was built from */
    bool is_built;
} ls_grid_index;

typedef struct ls_join_entry {
    uint64_t key;
    ls_entity entity;
} ls_join_entry;

typedef struct ls_join_index {
    ls_join_entry *entries; /* by bucket of the key, then in canonical order */
    ls_join_entry *unsorted;
    uint32_t *starts; /* by bucket: the first entry; one more at the end */
    uint32_t count, capacity;
    uint32_t bucket_capacity, bucket_bits;
    uint64_t version; /* of the column it was built from */
    bool is_built;
} ls_join_index;

const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid);
void ls_grid_reset(ls_grid_index *index);
void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk);

/* The value of the field in `cell` as a key; of an array its first item. */
uint64_t ls_join_key(const ls_plan_join *join, const void *cell);
/* How many items of the field in `cell` are keys. */
static inline uint32_t ls_join_items(const ls_plan_join *join, const void *cell)
{
    if (join->count_offset == UINT32_MAX)
        return join->items;
    uint16_t count;
    memcpy(&count, (const uint8_t *)cell + join->count_offset, sizeof count);
    return count < join->items ? count : join->items;
}
const ls_join_index *ls_join_prepare(ls_world *world, uint32_t join);
void ls_join_index_build(const ls_world *world, const ls_plan_join *join, ls_join_index *index);
void ls_join_index_begin(const ls_join_index *index, uint64_t key, ls_join_walk *walk);
void ls_join_reset(ls_join_index *index);

#endif
