/* The join indexes of a world: entities by position and by key. */
#ifndef LS_JOIN_INDEX_H
#define LS_JOIN_INDEX_H
#include "core/base/platform.h"
#include "core/state/world_state.h"

/* The index of a join by distance. include/lockstep/grid.h has struct ls_neighbour. */
typedef struct ls_grid_index {
    struct ls_neighbour *entries; /* sorted by cell row, cell column, lane, slot */
    struct ls_neighbour *unsorted;
    uint8_t *values; /* by index in `entries`: the value of `with`; NULL: the grid has none */
    uint8_t *unsorted_values;
    uint32_t *cells;  /* by index in `unsorted`: its cell */
    uint32_t *starts; /* by cell: index of its first entry; plus one for the end */
    uint32_t count, capacity;
    uint32_t cell_capacity;
    int32_t columns, rows;
    uint32_t cell;
    int64_t min_x, min_y;
    uint32_t value_bytes;
    uint64_t version, with_version; /* of the source columns when the index was built */
    bool is_built;
} ls_grid_index;

typedef struct ls_join_entry {
    uint64_t key;
    ls_entity entity;
} ls_join_entry;

typedef struct ls_join_index {
    ls_join_entry *entries; /* by bucket of the key, then in canonical order */
    ls_join_entry *unsorted;
    uint32_t *starts; /* by bucket: index of its first entry; plus one for the end */
    uint32_t count, capacity;
    uint32_t bucket_capacity, bucket_bits;
    uint64_t version; /* of the source column when the index was built */
    bool is_built;
} ls_join_index;

/* The indexes of one world, or of one view of it. */
typedef struct ls_indexes {
    ls_grid_index *grids; /* in the order of the program's list, like the joins */
    ls_join_index *joins;
    ls_mutex lock; /* two systems may need one index at the same time */
} ls_indexes;

ls_indexes *ls_indexes_create(const ls_program *program);
void ls_indexes_destroy(ls_indexes *indexes, const ls_program *program);

void ls_join_index_reset(ls_join_index *index);

#endif
