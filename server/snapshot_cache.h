/* Packed snapshots that clients load by ranges. On request, a job packs one from a copy-on-write
 * snapshot: one at a time and not too often. Snapshots that clients are loading stay. */
#ifndef LS_SNAPSHOT_CACHE_H
#define LS_SNAPSHOT_CACHE_H

#include <lockstep/jobs.h>
#include <lockstep/limits.h>
#include <lockstep/world.h>

typedef struct ls_snapshot_blob {
    uint64_t tick;
    uint8_t *bytes;            /* packed (proto/pack.h); NULL: none */
    uint64_t *sums;            /* checksum of each LS_CHUNK_BYTES_MAX bytes */
    uint32_t count, raw_count; /* bytes, packed and unpacked */
    uint64_t asked_ns;         /* time of the last request for it */
    uint64_t made_ns;
} ls_snapshot_blob;

typedef struct ls_snapshot_cache {
    ls_job job; /* packs `snapshot` into `packed` */
    ls_snapshot *snapshot;
    ls_snapshot_blob packed;                     /* the job's output; NULL bytes: too large */
    ls_snapshot_blob blobs[LS_SERVER_SNAPSHOTS]; /* newest first */
    uint64_t encoded, damaged;
    bool is_wanted;    /* a client waits for a new snapshot */
    bool is_too_large; /* the last packed snapshot was too large */
} ls_snapshot_cache;

void ls_snapshot_cache_init(ls_snapshot_cache *cache);
/* Waits for the job. Returns its snapshot, which the caller destroys; NULL: none. */
ls_snapshot *ls_snapshot_cache_reset(ls_snapshot_cache *cache, ls_jobs *jobs);

/* Returns the snapshot of `tick`; for tick 0, the newest that is not older than `oldest`, or the
 * newest of any age while all are being loaded. NULL: none, and a new one is requested.
 *   owns  valid until the next ls_snapshot_cache_take() */
const ls_snapshot_blob *ls_snapshot_cache_get(ls_snapshot_cache *cache, uint64_t tick,
                                              uint64_t oldest, uint64_t now_ns);
/* Checks the checksums of these bytes. False when memory was damaged: discards the blob and
 * requests a new one, so that no client loads garbage. */
bool ls_snapshot_cache_is_sound(ls_snapshot_cache *cache, const ls_snapshot_blob *blob,
                                uint32_t offset, uint32_t bytes) LS_MUST_USE;
/* Returns the newest snapshot, of any age; NULL: none. */
const ls_snapshot_blob *ls_snapshot_cache_newest(const ls_snapshot_cache *cache);
/* True when a snapshot is requested, none is being packed, and a slot can be replaced. */
bool ls_snapshot_cache_is_due(const ls_snapshot_cache *cache, uint64_t now_ns);
/* Submits the job. The cache owns the snapshot until ls_snapshot_cache_take(). */
void ls_snapshot_cache_pack(ls_snapshot_cache *cache, ls_jobs *jobs, ls_snapshot *snapshot);
/* Takes the job's result. Returns the snapshot that was packed, which the caller destroys; NULL:
 * none. */
ls_snapshot *ls_snapshot_cache_take(ls_snapshot_cache *cache, uint64_t now_ns);

#endif
