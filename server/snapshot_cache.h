/* Packed snapshots that clients pull in ranges. A job packs one on request from a copy-on-write
 * snapshot, one at a time and not too often; those being pulled stay. */
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
    uint64_t asked_ns; /* of a client's last request for it */
    uint64_t made_ns;
} ls_snapshot_blob;

typedef struct ls_snapshot_cache {
    ls_job job; /* packs `snapshot`: */
    ls_snapshot *snapshot;
    ls_snapshot_blob packed;                     /* its output; no bytes: too large */
    ls_snapshot_blob blobs[LS_SERVER_SNAPSHOTS]; /* newest first */
    uint64_t encoded, damaged;
    bool is_wanted;    /* a client waits for a new one */
    bool is_too_large; /* the last was */
} ls_snapshot_cache;

void ls_snapshot_cache_init(ls_snapshot_cache *cache);
/* Waits for the job. Returns the job's snapshot, for the caller to destroy; NULL: none. */
ls_snapshot *ls_snapshot_cache_reset(ls_snapshot_cache *cache, ls_jobs *jobs);

/* The snapshot of `tick` when it is kept; for 0 the newest that is not older than `oldest`. NULL:
 * none, and a new one is wanted.
 *   owns  lives until the next ls_snapshot_cache_take() */
const ls_snapshot_blob *ls_snapshot_cache_get(ls_snapshot_cache *cache, uint64_t tick,
                                              uint64_t oldest, uint64_t now_ns);
/* True when these bytes are still what was packed. Otherwise memory is damaged: discards the blob
 * and wants a new one, so no client loads garbage. */
bool ls_snapshot_cache_is_sound(ls_snapshot_cache *cache, const ls_snapshot_blob *blob,
                                uint32_t offset, uint32_t bytes) LS_MUST_USE;
/* The newest, of any age; NULL: none. */
const ls_snapshot_blob *ls_snapshot_cache_newest(const ls_snapshot_cache *cache);
/* True when a snapshot is wanted, none is being packed, and there is a free slot. */
bool ls_snapshot_cache_is_due(const ls_snapshot_cache *cache, uint64_t now_ns);
/* Submits the job; the snapshot is the cache's until ls_snapshot_cache_take(). */
void ls_snapshot_cache_pack(ls_snapshot_cache *cache, ls_jobs *jobs, ls_snapshot *snapshot);
/* The snapshot that was packed, for the caller to destroy; NULL: none. */
ls_snapshot *ls_snapshot_cache_take(ls_snapshot_cache *cache, uint64_t now_ns);

#endif
