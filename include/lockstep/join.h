/* Joins from inside a system. Indexes are built from the state when the system starts, and what a
 * call finds, and in which order, depends only on that state. `grid` and `join` are indexes into
 * the system's lists.
 *   errors  a grid or join that the system does not list stops the process; the message names both
 *   thread  the thread that runs the invocation */
#ifndef LS_JOIN_H
#define LS_JOIN_H
#include <lockstep/fix3.h>
#include <lockstep/grid.h>
#include <lockstep/key_join.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a walk over the entities within `radius` of (x, y). A negative radius finds nothing.
 *   errors  a grid with z stops the process; take ls_grid_begin_3d() */
LS_API void ls_grid_begin(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                          ls_fix radius, ls_grid_walk *walk);
/* Like ls_grid_begin(), but within a ball, by a grid with z.
 *   errors  a grid without z stops the process */
LS_API void ls_grid_begin_3d(const ls_context *context, uint32_t grid, ls_fix3 at, ls_fix radius,
                             ls_grid_walk *walk);
/* Stores the nearest entities within `radius` of (x, y), border included, at most `count` of them,
 * and returns how many. An entity at the point itself counts, also the one that asks.
 *   order  by distance, exactly; equal distances by lane, then slot
 *   shape  `neighbours`: room for `count`; those beyond the result are unchanged
 *   cost   the cells up to the last one found, or up to `radius`, and log2(count) comparisons for
 *          each of their entities; at most all cells of the grid. No memory is allocated */
LS_API uint32_t ls_grid_nearest(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                                ls_fix radius, uint32_t count, ls_neighbour *neighbours);
/* Like ls_grid_nearest(), but within a ball, by a grid with z. */
LS_API uint32_t ls_grid_nearest_3d(const ls_context *context, uint32_t grid, ls_fix3 at,
                                   ls_fix radius, uint32_t count, ls_neighbour *neighbours);

/* Begins a walk over the entities with `key`: the field's value, sign-extended if the field is
 * signed, or the entity that the field refers to. LS_ENTITY_NULL finds nothing. */
LS_API void ls_join_begin(const ls_context *context, uint32_t join, uint64_t key,
                          ls_join_walk *walk);
/* The number of entities that such a walk finds.
 *   cost  one comparison for each of them, and for each entity of another key in their bucket,
 *         which are few */
LS_API uint32_t ls_join_count(const ls_context *context, uint32_t join, uint64_t key);
#ifdef __cplusplus
}
#endif

#endif
