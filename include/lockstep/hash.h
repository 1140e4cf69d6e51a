/* The engine's hash, for state pages, fingerprints and the checksums of recordings. Only
 * core/base/ includes xxHash, so version and variant are chosen in one place. */
#ifndef LS_HASH_H
#define LS_HASH_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* XXH3 of 64 bits with seed 0. The same on every machine and byte order; not a defence against an
 * attacker who chooses the bytes.
 *   shape   any count; `data` may be NULL when count is 0    thread  any
 *   source  the xxHash specification, XXH3 (stable since release 0.8.0) */
LS_API uint64_t ls_hash_bytes(const void *data, size_t count);

#ifdef __cplusplus
}
#endif

#endif
