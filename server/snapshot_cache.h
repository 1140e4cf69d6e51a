/* Encoded snapshots that clients pull by ranges. Made on request, at most once in
 * LS_SERVER_SNAPSHOT_TICKS; the one before stays for transfers under way. */
#ifndef LS_SNAPSHOT_CACHE_H
#define LS_SNAPSHOT_CACHE_H

#include "core/world.h"
#include "server/server_limits.h"

typedef struct ls_snapshot_blob {
    uint64_t tick;
    uint8_t *bytes; /* NULL: none */
    uint32_t count;
} ls_snapshot_blob;

typedef struct ls_snapshot_cache {
    ls_snapshot_blob blobs[LS_SERVER_SNAPSHOTS]; /* newest first */
    uint64_t encoded;
} ls_snapshot_cache;

void ls_snapshot_cache_init(ls_snapshot_cache *cache);
void ls_snapshot_cache_reset(ls_snapshot_cache *cache);

/* The snapshot of `tick` when it is kept, else the newest, taken of `world` now when that is too
 * old. NULL when the world is larger than LS_SNAPSHOT_BYTES_MAX.
 *   owns  lives until the next call */
const ls_snapshot_blob *ls_snapshot_cache_get(ls_snapshot_cache *cache, ls_world *world,
                                              uint64_t tick);

#endif
