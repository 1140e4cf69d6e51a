/* Walking joins from inside a system. Indexes are built when the system starts, from the state that
 * it finds then, and a walk's order depends on that state alone.
 *   thread  the thread that runs the invocation */
#ifndef LS_JOIN_H
#define LS_JOIN_H

#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A neighbour found through the grid `grid` of the system's list. */
typedef struct ls_neighbour {
    ls_entity entity;
    ls_fix x, y;
} ls_neighbour;

/* A walk over the entities whose position lies within `radius` of (x, y), borders included. The
 * caller's storage; the members are private. */
typedef struct ls_grid_walk {
    const struct ls_grid_index *index;
    const ls_neighbour *batch; /* of those looked at together, `hits` are within and to come */
    uint64_t hits;
    uint64_t radius_squared;
    ls_fix x, y;
    int32_t column_first, column_last, row, row_last;
    uint32_t next, end;
} ls_grid_walk;

LS_API void ls_grid_begin(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                          ls_fix radius, ls_grid_walk *walk);
/* For ls_grid_next(): the next batch with a hit. */
LS_API bool ls_grid_look(ls_grid_walk *walk);
/* False at the end. Order: by cell row, cell column, then lane and slot. */
static inline bool ls_grid_next(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    if (walk->hits == 0 && !ls_grid_look(walk))
        return false;
    *neighbour = walk->batch[__builtin_ctzll(walk->hits)];
    walk->hits &= walk->hits - 1;
    return true;
}

/* A walk over the entities whose field has one key. The members are private. */
typedef struct ls_join_walk {
    const struct ls_join_index *index;
    uint64_t key;
    uint32_t next, end;
} ls_join_walk;

/* `join` is the index in the system's list; `key` the field's value, sign-extended for a signed
 * one, or the entity that is referred to. LS_ENTITY_NULL finds nobody. */
LS_API void ls_join_begin(const ls_context *context, uint32_t join, uint64_t key,
                          ls_join_walk *walk);
/* False at the end. Order: by lane, then slot. */
LS_API bool ls_join_next(ls_join_walk *walk, ls_entity *entity);

#ifdef __cplusplus
}
#endif

#endif
