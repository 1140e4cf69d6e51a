/* Walks over the entities near a point: the join by distance. Functions of <lockstep/join.h> begin
 * a walk. */
#ifndef LS_GRID_H
#define LS_GRID_H
#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An entity that a walk has found, with its position. */
typedef struct ls_neighbour {
    ls_entity entity;
    ls_fix x, y;
} ls_neighbour;

/* A walk over the entities within `radius` of (x, y), border included. Storage of the caller; the
 * members are private. */
typedef struct ls_grid_walk {
    const struct ls_grid_index *index;
    const ls_neighbour *batch; /* up to 64 entities examined together; the bits of `hits` are those
                                  in range and not yet returned */
    uint64_t hits;
    uint64_t radius_squared;
    ls_fix x, y;
    int32_t column_first, column_last, row, row_last;
    uint32_t next, end;
} ls_grid_walk;

/* Used by ls_grid_next(): moves to the next batch with a hit. */
LS_API bool ls_grid_look(ls_grid_walk *walk);
/* Gets the next neighbour; false at the end. Order: by cell row, cell column, then lane and
 * slot. */
static inline bool ls_grid_next(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    if (walk->hits == 0 && !ls_grid_look(walk))
        return false;
    *neighbour = walk->batch[__builtin_ctzll(walk->hits)];
    walk->hits &= walk->hits - 1;
    return true;
}

/* Like ls_grid_next(), but returns the neighbour's value of the component that the grid names in
 * `with`, as it was when the system began; NULL at the end. Cheaper than ls_cell_find() of the
 * neighbour, because the index has the values. The system lists an LS_OTHERS_READ or
 * LS_OTHERS_START term of that component, which is no tag.
 *   errors  asserts that the grid has such values
 *   owns    valid until the system ends */
LS_API const void *ls_grid_next_with(ls_grid_walk *walk, ls_neighbour *neighbour);

#ifdef __cplusplus
}
#endif

#endif
