/* Walks over joins from inside a system. Indexes are built from the state when the system starts,
 * and the order of a walk depends only on that state.
 *   thread  the thread that runs the invocation */
#ifndef LS_JOIN_H
#define LS_JOIN_H
#include <lockstep/grid.h>
#include <lockstep/key_join.h>

#ifdef __cplusplus
extern "C" {
#endif

LS_API void ls_grid_begin(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                          ls_fix radius, ls_grid_walk *walk);
/* `join` is an index into the system's list of joins. `key` is the field's value, sign-extended if
 * the field is signed, or the entity that the field refers to. LS_ENTITY_NULL finds nothing. */
LS_API void ls_join_begin(const ls_context *context, uint32_t join, uint64_t key,
                          ls_join_walk *walk);
#ifdef __cplusplus
}
#endif

#endif
