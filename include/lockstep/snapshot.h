/* Snapshots of a world, and their byte form. */
#ifndef LS_SNAPSHOT_H
#define LS_SNAPSHOT_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_snapshot ls_snapshot;

/* A snapshot shares the world's pages until one of the two writes to them. Costs O(columns).
 *   owns    the caller destroys it on the world's thread, before the world; until then any thread
 *           may encode it */
LS_API ls_snapshot *ls_world_snapshot(ls_world *world);
LS_API void ls_snapshot_destroy(ls_snapshot *snapshot);
LS_API uint64_t ls_snapshot_tick(const ls_snapshot *snapshot);
/* Restores the world from one of its snapshots, or from one of a world that shares its pools
 * (asserted). The snapshot remains valid. */
LS_API void ls_world_restore(ls_world *world, const ls_snapshot *snapshot);

/* Encodes the canonical byte form: equal states give equal bytes, on every machine.
 *   owns  ls_free(*bytes) by the caller */
LS_API void ls_snapshot_encode(const ls_snapshot *snapshot, uint8_t **bytes, size_t *count);
LS_API void ls_world_encode(ls_world *world, uint8_t **bytes, size_t *count); /* as it is now */
/* Replaces the world's state by that of encoded bytes, which may be hostile.
 *   errors  LS_ERROR_CORRUPT, LS_ERROR_INCOMPATIBLE or, beyond ls_world_set_memory_max(),
 *           LS_ERROR_LIMIT; the world is then unchanged */
LS_API ls_status ls_world_decode(ls_world *world, const uint8_t *bytes, size_t count,
                                 ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
