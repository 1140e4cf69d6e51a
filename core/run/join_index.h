/* The join indexes of a world: entities by position and by key. */
#ifndef LS_JOIN_INDEX_H
#define LS_JOIN_INDEX_H
#include "core/base/platform.h"
#include "core/state/world_state.h"

/* The index of a join by distance. An entry begins with a struct ls_neighbour of
 * include/lockstep/grid.h, which ends before `z` in a grid without it. A small value of `with`
 * follows it, so that both are in one cache line; larger values are in an array of their own. */
typedef struct ls_grid_index {
    uint8_t *entries;           /* sorted by cell layer, cell row, cell column, lane, slot */
    uint8_t *values;            /* by index in `entries`, if they are not in the entries */
    struct ls_grid_page *pages; /* that have entries, while the index is built */
    uint32_t page_capacity;
    uint32_t *cells;  /* by number of an entry in canonical order: its cell */
    uint32_t *counts; /* by piece and cell, while several threads build the index */
    size_t count_capacity;
    uint32_t *starts; /* by cell: index of its first entry; plus one for the end */
    uint32_t count, capacity;
    uint32_t cell_capacity;
    int32_t columns, rows, layers; /* layers: 1 without z */
    uint32_t cell;
    uint64_t reciprocal; /* of `cell`: floor(2^32 / cell) */
    int64_t min_x, min_y, min_z;
    uint32_t width, height, depth;     /* from the smallest coordinate to the largest */
    uint32_t entry_bytes, place_bytes; /* place_bytes: of its neighbour */
    uint32_t value_bytes;              /* 0: the grid has no values */
    uint32_t value_offset;             /* in an entry; 0: not in the entries, or none */
    uint64_t version, with_version;    /* of the source columns when the index was built */
    bool has_z, is_built;
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
