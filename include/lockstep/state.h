/* The hash and the size of a world's state. */
#ifndef LS_STATE_H
#define LS_STATE_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The root: a hash of everything that can influence a later tick. Hashes only pages written since
 * the last call and caches the results, hence not const. */
LS_API uint64_t ls_world_root(ls_world *world);
/* The hash of each column, in the order of ls_program_component(), which is also the size of
 * `hashes`. */
LS_API void ls_world_column_hashes(ls_world *world, uint64_t *hashes);

#ifdef __cplusplus
}
#endif

#endif
