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
    const uint32_t *starts; /* in the index: where the entries of each cell begin, from the row's
                               first cell on */
    uint64_t radius_squared;
    uint32_t taken, found; /* entries of `batch` */
    uint32_t value_offset; /* in an entry; 0: the value is elsewhere, or there is none */
    ls_fix x, y, z;
    int32_t cells, rows, layers_left; /* cells in a row; rows in a layer; layers after this one */
    int32_t rows_left;                /* rows of the layer after this one; a grid without z has one
                                         layer */
    uint32_t next, end;               /* entries of the row that are left */
    bool is_at_end;                   /* no entry is left */
    bool is_narrow;                   /* squared distances of all its cells fit 64 bits */
    bool has_z;
    /* The entries that were found together. In a grid without z, they end before `z`. */
    const ls_neighbour *batch[LS_GRID_BATCH];
} ls_grid_walk;

/* Used by ls_grid_next(): finds more neighbours. */
LS_API bool ls_grid_look(ls_grid_walk *walk);
/* The value of an entry that does not contain it. Stops the process if the grid has no values. */
LS_API const void *ls_grid_value_far_(const ls_grid_walk *walk, const ls_neighbour *entry);
/* Whether a neighbour is left. */
static inline bool ls_grid_has_next_(ls_grid_walk *walk)
{
    return walk->taken < walk->found || (!walk->is_at_end && ls_grid_look(walk));
}

/* Takes a neighbour that was found, and returns its entry. */
static inline const ls_neighbour *ls_grid_take_(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    const ls_neighbour *entry = walk->batch[walk->taken++];
    neighbour->entity = entry->entity;
    neighbour->x = entry->x;
    neighbour->y = entry->y;
    neighbour->z = walk->has_z ? entry->z : 0;
    neighbour->reserved_ = 0;
    return entry;
}

/* Gets the next neighbour; false at the end. Order: by cell layer (of z), cell row (of y), cell
 * column (of x), then lane and slot. */
static inline bool ls_grid_next(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    if (!ls_grid_has_next_(walk))
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
    if (!ls_grid_has_next_(walk))
        return NULL;
    const ls_neighbour *entry = ls_grid_take_(walk, neighbour);
    return LS_LIKELY(walk->value_offset) ? (const uint8_t *)(const void *)entry + walk->value_offset
                                         : ls_grid_value_far_(walk, entry);
}

#ifdef __cplusplus
}
#endif

#endif
