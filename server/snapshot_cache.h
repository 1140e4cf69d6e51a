/* Packed snapshots that clients pull by ranges. Made on request as a job from a copy-on-write
 * snapshot, at most one at a time and not too often; those that transfers are pulling stay. */
#ifndef LS_SNAPSHOT_CACHE_H
#define LS_SNAPSHOT_CACHE_H

#include <lockstep/jobs.h>
#include <lockstep/limits.h>
#include <lockstep/world.h>

typedef struct ls_snapshot_blob {
    uint64_t tick;
    uint8_t *bytes; /* packed (proto/pack.h); NULL: none */
    uint64_t *sums; /* of each LS_CHUNK_BYTES_MAX of them */
    uint32_t count, raw_count;
    uint64_t asked_ns; /* when a client last wanted some of it */
    uint64_t made_ns;
} ls_snapshot_blob;

typedef struct ls_snapshot_cache {
    ls_job job; /* packs: */
    ls_snapshot *snapshot;
    ls_snapshot_blob packed;                     /* what it has made; no bytes: too large */
    ls_snapshot_blob blobs[LS_SERVER_SNAPSHOTS]; /* newest first */
    uint64_t encoded, damaged;
    bool is_wanted;    /* somebody waits for a new one */
    bool is_too_large; /* the last was */
} ls_snapshot_cache;

void ls_snapshot_cache_init(ls_snapshot_cache *cache);
/* Waits for the job. Returns the snapshot that it worked on, to be destroyed; NULL: none. */
ls_snapshot *ls_snapshot_cache_reset(ls_snapshot_cache *cache, ls_jobs *jobs);

/* The snapshot of `tick` when it is kept; for 0 the newest, unless that is older than `oldest`.
 * NULL when there is none: a new one is then wanted.
 *   owns  lives until the next call of ls_snapshot_cache_take */
const ls_snapshot_blob *ls_snapshot_cache_get(ls_snapshot_cache *cache, uint64_t tick,
                                              uint64_t oldest, uint64_t now_ns);
/* Whether these bytes of it are still what was packed. When they are not, memory has failed: the
 * blob is given up and a new one wanted, so that nobody is sent what he cannot load. */
bool ls_snapshot_cache_is_sound(ls_snapshot_cache *cache, const ls_snapshot_blob *blob,
                                uint32_t offset, uint32_t bytes) LS_MUST_USE;
/* The newest that is kept, of whatever age; NULL: none. */
const ls_snapshot_blob *ls_snapshot_cache_newest(const ls_snapshot_cache *cache);
/* Whether a snapshot should be taken now: one is wanted, none is being packed, and there is room.
 */
bool ls_snapshot_cache_is_due(const ls_snapshot_cache *cache, uint64_t now_ns);
/* Begins to pack it; it belongs to the cache until ls_snapshot_cache_take. */
void ls_snapshot_cache_pack(ls_snapshot_cache *cache, ls_jobs *jobs, ls_snapshot *snapshot);
/* The snapshot whose packing has ended, to be destroyed by the caller; NULL: none has. */
ls_snapshot *ls_snapshot_cache_take(ls_snapshot_cache *cache, uint64_t now_ns);

#endif
