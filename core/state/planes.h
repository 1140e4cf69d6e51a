/* A state as byte planes: for each column byte 0 of all cells, then byte 1 of all, and so on, so
 * that a packer finds similar bytes side by side. Either whole, or as the changes against another
 * state of the match. Keyframes of a recording have this form; snapshots that travel and are
 * compared have that of ls_snapshot_encode(). source  docs/replay-format.md */
#ifndef LS_PLANES_H
#define LS_PLANES_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Columns whose pages the two snapshots share cost nothing. Equal states, against equal bases, give
 * equal bytes.
 *   shape   `base` NULL: the whole state; else a snapshot of the same world, or of one that shares
 *           pools with it, asserted
 *   owns    ls_free(*bytes) by the caller      thread  any, while both snapshots live */
LS_API void ls_planes_encode(const ls_snapshot *snapshot, const ls_snapshot *base, uint8_t **bytes,
                             size_t *count);

/* Replaces the world's state by the bytes, which may be hostile; unchanged pages are shared with
 * the base.
 *   shape   `base` as above, and as the bytes say: NULL for a whole state
 *   errors  LS_ERROR_CORRUPT; LS_ERROR_INCOMPATIBLE for another form, simulation, match or base;
 *           the world is then unchanged      thread  the world's */
LS_API ls_status ls_planes_decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                                  size_t count, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
