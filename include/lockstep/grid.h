/* Walks over the entities near a point: the join by distance. Functions of <lockstep/join.h> begin
 * a walk. */
#ifndef LS_GRID_H
#define LS_GRID_H
#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An entity that a walk has found, with its position; `z` is 0 in a grid without it. */
typedef struct ls_neighbour {
    ls_entity entity;
    ls_fix x, y, z;
    uint32_t reserved_; /* 0, so that equal neighbours have equal bytes */
} ls_neighbour;

enum { LS_GRID_BATCH = 64 };
/* A walk over the entities within `radius` of a point, border included. Storage of the caller; the
 * members are private. */
typedef struct ls_grid_walk {
    const struct ls_grid_index *index;
    /* In the index. An entry begins with its neighbour; in a grid without z, it ends before `z`. */
    const uint8_t *entries, *values;
    uint32_t entry_bytes, value_bytes;
    uint32_t taken, found; /* of `numbers` */
    uint64_t radius_squared;
    ls_fix x, y, z;
    int32_t column_first, column_last, row, row_last; /* rows are numbered through all layers */
    int32_t row_first, layers_left; /* of the layer, and after it; a grid without `z` has one */
    uint32_t next, end;             /* entries of the row that are left */
    bool is_narrow;                 /* squared distances of all its cells fit 64 bits */
    bool has_z;
    uint32_t numbers[LS_GRID_BATCH]; /* of the entries that were found together */
} ls_grid_walk;

/* Used by ls_grid_next(): finds more neighbours. */
LS_API bool ls_grid_look(ls_grid_walk *walk);
/* Stops the process: the grid has no values. */
LS_API LS_NO_RETURN void ls_grid_lacks_values_(const ls_grid_walk *walk);
/* Takes a neighbour that was found, and returns the number of its entry. */
static inline size_t ls_grid_take_(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    size_t at = walk->numbers[walk->taken++];
    const ls_neighbour *entry =
        (const ls_neighbour *)(const void *)(walk->entries + walk->entry_bytes * at);
    neighbour->entity = entry->entity;
    neighbour->x = entry->x;
    neighbour->y = entry->y;
    neighbour->z = walk->has_z ? entry->z : 0;
    neighbour->reserved_ = 0;
    return at;
}

/* Gets the next neighbour; false at the end. Order: by cell layer (of z), cell row (of y), cell
 * column (of x), then lane and slot. */
static inline bool ls_grid_next(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    if (walk->taken == walk->found && !ls_grid_look(walk))
        return false;
    (void)ls_grid_take_(walk, neighbour);
    return true;
}

/* Like ls_grid_next(), but returns the neighbour's value of the component that the grid names in
 * `with`, as it was when the system began; NULL at the end. Cheaper than LS_READ() of the
 * neighbour, because the index has the values. The system lists an LS_OTHERS_READ or
 * LS_OTHERS_START term of that component, which is no tag.
 *   errors  stops the process if the grid has no such values
 *   owns    valid until the system ends */
static inline const void *ls_grid_next_with(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    if (walk->taken == walk->found && !ls_grid_look(walk))
        return NULL;
    if (LS_UNLIKELY(walk->value_bytes == 0))
        ls_grid_lacks_values_(walk);
    return walk->values + walk->value_bytes * ls_grid_take_(walk, neighbour);
}

#ifdef __cplusplus
}
#endif

#endif
