/* The join indexes of a world: entities by position and by key. */
#ifndef LS_JOIN_INDEX_H
#define LS_JOIN_INDEX_H
#include "core/base/platform.h"
#include "core/state/world_state.h"

enum { LS_INDEX_PIECES_MAX = 8 };

/* Runs of entries without gaps. */
typedef struct ls_index_runs {
    uint32_t count, firsts[LS_INDEX_PIECES_MAX], ends[LS_INDEX_PIECES_MAX];
} ls_index_runs;

/* The part that the indexes of both kinds of join have. An entry begins with a head: a struct
 * ls_neighbour of include/lockstep/grid.h, or a struct ls_join_entry of
 * include/lockstep/key_join.h. A small value of `with` follows it, so that both are in one cache
 * line; larger values are in an array of their own. core/run/index_build.h sorts the entries. */
typedef struct ls_index {
    uint8_t *entries; /* sorted by cell, lane, slot; the cells of a join by key are its buckets */
    uint8_t *unsorted;
    uint8_t *values; /* by index in `entries`, if they are not in the entries */
    uint8_t *unsorted_values;
    struct ls_index_page *pages; /* that have entries, while the index is built */
    uint32_t page_capacity;
    uint32_t *cells;  /* by number of the entry before the sort: its cell */
    uint32_t *counts; /* by piece and cell, while several threads build the index */
    size_t count_capacity;
    uint32_t *starts;   /* by cell: index of its first entry; plus one for the end */
    ls_index_runs runs; /* of numbers before the sort, when the index was built */
    uint32_t count, capacity;
    uint32_t cell_capacity;
    uint32_t entry_bytes, head_bytes;
    uint32_t value_bytes;           /* 0: the index has no values */
    uint32_t value_offset;          /* in an entry; 0: not in the entries, or none */
    uint64_t version, with_version; /* of the source columns when the index was built */
    bool is_built;
} ls_index;

/* The index of a join by distance. In a grid without z, the heads of entries end before `z`. */
typedef struct ls_grid_index {
    ls_index base;                 /* sorted by cell layer, cell row, cell column, lane, slot */
    int32_t columns, rows, layers; /* layers: 1 without z */
    uint32_t cell;
    uint64_t reciprocal; /* of `cell`: floor(2^32 / cell) */
    int64_t min_x, min_y, min_z;
    uint32_t width, height, depth; /* from the smallest coordinate to the largest */
    bool has_z;
} ls_grid_index;

/* The index of a join by key. Keys that are close together have a bucket each, by their distance
 * from the least one. For references and for keys that are far apart, a hash chooses the bucket:
 * such buckets are mixed, and entries have the key. */
typedef struct ls_join_index {
    ls_index base;
    uint64_t least;       /* the key of the first bucket */
    uint32_t buckets;     /* 0: there are no entries */
    uint32_t bucket_bits; /* mixed: there are 2^bucket_bits buckets */
    bool is_mixed;
    bool will_be_mixed; /* how the next build begins; that decides its speed only */
} ls_join_index;

/* The indexes of one world, or of one view of it. */
typedef struct ls_indexes {
    ls_grid_index *grids; /* in the order of the program's list, like the joins */
    ls_join_index *joins;
    ls_mutex lock; /* two systems may need one index at the same time */
} ls_indexes;

ls_indexes *ls_indexes_create(const ls_program *program);
void ls_indexes_destroy(ls_indexes *indexes, const ls_program *program);

/* Frees what the index has, and makes it one that is not built. */
void ls_index_reset(ls_index *index);

#endif
