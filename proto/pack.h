/* Compresses snapshots for the wire: one zstd frame around bytes of a size that both sides know.
 * Private to proto/, server/ and client/.
 *   thread  any */
#ifndef LS_PACK_H
#define LS_PACK_H

#include <lockstep/base.h>

/* Packs 1..LS_SNAPSHOT_BYTES_MAX bytes; asserts the size. Incompressible bytes grow a little.
 *   owns  the caller frees *packed with ls_free */
LS_API void ls_pack(const uint8_t *bytes, size_t count, uint8_t **packed, size_t *packed_bytes);

/* Unpacks bytes that may be hostile. The frame must be the whole input, need no dictionary and
 * declare exactly `raw_bytes`. This is checked before any allocation, so a frame that declares more
 * costs nothing.
 *   errors  LS_ERROR_LIMIT: raw_bytes is 0 or over LS_SNAPSHOT_BYTES_MAX; LS_ERROR_CORRUPT: no such
 *           frame. *bytes is then NULL
 *   owns    the caller frees *bytes, which holds raw_bytes, with ls_free */
LS_API ls_status ls_unpack(const uint8_t *packed, size_t packed_bytes, uint32_t raw_bytes,
                           uint8_t **bytes, ls_error *error) LS_MUST_USE;

#endif
