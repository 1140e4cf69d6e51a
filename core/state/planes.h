/* A state as byte planes: for each column byte 0 of all cells, then byte 1 of all cells, and so on.
 * A compressor then finds similar bytes side by side. The form is either a whole state, or the
 * changes against another state of the match. Keyframes of recordings use it; snapshots that are
 * sent and compared use ls_snapshot_encode().
 *   source  docs/replay-format.md */
#ifndef LS_PLANES_H
#define LS_PLANES_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Encodes a snapshot as planes. Columns whose pages both snapshots share cost nothing. Equal states
 * with equal bases give equal bytes.
 *   shape   `base` NULL: the whole state; else a snapshot of the same world, or of one that shares
 *           its pools (asserted)
 *   owns    ls_free(*bytes) by the caller
 *   thread  any, while both snapshots exist */
LS_API void ls_planes_encode(const ls_snapshot *snapshot, const ls_snapshot *base, uint8_t **bytes,
                             size_t *count);

/* Replaces the world's state by encoded planes, which may be hostile. Unchanged pages are shared
 * with the base.
 *   shape   `base` must be the base of the encoding; NULL for a whole state
 *   errors  LS_ERROR_CORRUPT; LS_ERROR_INCOMPATIBLE: another form, simulation, match or base; the
 *           world is then unchanged
 *   thread  the thread of the world */
LS_API ls_status ls_planes_decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                                  size_t count, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
