#include "server/snapshot_cache.h"

#include "core/base/fault_injection.h"
#include "proto/pack.h"
#include <lockstep/hash.h>
#include <lockstep/limits.h>

#include <string.h>

static void free_blob(ls_snapshot_blob *blob)
{
    ls_free(blob->bytes);
    if (!LS_FAULT(SNAPSHOT_LEAKS))
        ls_free(blob->sums);
    *blob = (ls_snapshot_blob){0};
}

static uint64_t sum_of(const ls_snapshot_blob *blob, uint32_t chunk)
{
    uint32_t left = blob->count - chunk * LS_CHUNK_BYTES_MAX;
    return ls_hash_bytes(blob->bytes + chunk * LS_CHUNK_BYTES_MAX,
                         left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX);
}

static void sum_chunks(ls_snapshot_blob *blob)
{
    uint32_t chunks = (blob->count - 1) / LS_CHUNK_BYTES_MAX + 1;
    blob->sums = ls_alloc(chunks * sizeof *blob->sums);
    for (uint32_t i = 0; i < chunks; i++)
        blob->sums[i] = sum_of(blob, i);
}

static void pack(ls_job *job)
{
    ls_snapshot_cache *cache = (ls_snapshot_cache *)job;
    uint8_t *raw, *packed;
    size_t raw_count = 0, count = 0;
    cache->packed = (ls_snapshot_blob){.tick = ls_snapshot_tick(cache->snapshot) +
                                               LS_FAULT(SNAPSHOT_OFF_BY_ONE)};
    ls_snapshot_encode(cache->snapshot, &raw, &raw_count);
    if (raw_count <= LS_SNAPSHOT_BYTES_MAX) {
        ls_pack(raw, raw_count, &packed, &count);
        cache->packed.bytes = packed;
        cache->packed.count = (uint32_t)count;
        cache->packed.raw_count = (uint32_t)raw_count;
    }
    ls_free(raw);
    if (count > LS_SNAPSHOT_BYTES_MAX)
        free_blob(&cache->packed);
    if (cache->packed.bytes)
        sum_chunks(&cache->packed);
}

void ls_snapshot_cache_init(ls_snapshot_cache *cache)
{
    *cache = (ls_snapshot_cache){.job.run = pack};
}

ls_snapshot *ls_snapshot_cache_reset(ls_snapshot_cache *cache, ls_jobs *jobs)
{
    ls_job_wait(jobs, &cache->job);
    for (uint32_t i = 0; i < LS_SERVER_SNAPSHOTS; i++)
        free_blob(&cache->blobs[i]);
    free_blob(&cache->packed);
    ls_snapshot *snapshot = cache->snapshot;
    *cache = (ls_snapshot_cache){0};
    return snapshot;
}

static bool is_pulled(const ls_snapshot_blob *blob, uint64_t now_ns)
{
    return blob->bytes && now_ns - blob->asked_ns < LS_SERVER_SNAPSHOT_KEEP_NS;
}

/* Returns the index of the blob that a new one replaces: the oldest that no client is loading, so
 * that short downloads do not disturb a long one; else the oldest that is old enough.
 * LS_SERVER_SNAPSHOTS: none. */
static uint32_t find_replaced(const ls_snapshot_cache *cache, uint64_t now_ns)
{
    for (uint32_t i = LS_SERVER_SNAPSHOTS; i-- > 0;)
        if (!is_pulled(&cache->blobs[i], now_ns))
            return i;
    for (uint32_t i = LS_SERVER_SNAPSHOTS; i-- > 0;)
        if (now_ns - cache->blobs[i].made_ns >= LS_SERVER_SNAPSHOT_LIFE_NS)
            return i;
    return LS_SERVER_SNAPSHOTS;
}

const ls_snapshot_blob *ls_snapshot_cache_get(ls_snapshot_cache *cache, uint64_t tick,
                                              uint64_t oldest, uint64_t now_ns)
{
    /* While clients load all of them, no newer one can be made. The newest is then used at any age.
     */
    bool is_full = find_replaced(cache, now_ns) == LS_SERVER_SNAPSHOTS;
    for (uint32_t i = 0; i < LS_SERVER_SNAPSHOTS; i++) {
        ls_snapshot_blob *blob = &cache->blobs[i];
        bool is_it = tick ? blob->tick == tick : blob->tick >= oldest || is_full;
        if (blob->bytes && is_it) {
            blob->asked_ns = now_ns;
            return blob;
        }
    }
    cache->is_wanted = true;
    return NULL;
}

static void give_up(ls_snapshot_cache *cache, size_t index)
{
    free_blob(&cache->blobs[index]);
    /* The array stays ordered, newest first, without gaps. */
    size_t after = LS_SERVER_SNAPSHOTS - 1 - index;
    memmove(cache->blobs + index, cache->blobs + index + 1, after * sizeof cache->blobs[0]);
    cache->blobs[LS_SERVER_SNAPSHOTS - 1] = (ls_snapshot_blob){0};
    cache->damaged++;
    cache->is_wanted = true;
}

bool ls_snapshot_cache_is_sound(ls_snapshot_cache *cache, const ls_snapshot_blob *blob,
                                uint32_t offset, uint32_t bytes)
{
    LS_ASSERT(bytes >= 1 && offset < blob->count && bytes <= blob->count - offset);
    uint32_t last = (offset + bytes - 1) / LS_CHUNK_BYTES_MAX;
    for (uint32_t i = offset / LS_CHUNK_BYTES_MAX; i <= last; i++)
        if (sum_of(blob, i) != blob->sums[i] && !LS_FAULT(SNAPSHOT_ROT_IS_SENT)) {
            give_up(cache, (size_t)(blob - cache->blobs));
            return false;
        }
    return true;
}

const ls_snapshot_blob *ls_snapshot_cache_newest(const ls_snapshot_cache *cache)
{
    return cache->blobs[0].bytes ? &cache->blobs[0] : NULL;
}

bool ls_snapshot_cache_is_due(const ls_snapshot_cache *cache, uint64_t now_ns)
{
    return cache->is_wanted && !cache->snapshot &&
           find_replaced(cache, now_ns) < LS_SERVER_SNAPSHOTS;
}

void ls_snapshot_cache_pack(ls_snapshot_cache *cache, ls_jobs *jobs, ls_snapshot *snapshot)
{
    LS_ASSERT(!cache->snapshot && snapshot);
    cache->snapshot = snapshot;
    cache->is_wanted = false;
    ls_job_submit(jobs, &cache->job);
}

ls_snapshot *ls_snapshot_cache_take(ls_snapshot_cache *cache, uint64_t now_ns)
{
    if (!ls_job_take(&cache->job))
        return NULL;
    ls_snapshot *snapshot = cache->snapshot;
    cache->snapshot = NULL;
    cache->is_too_large = !cache->packed.bytes;
    if (cache->is_too_large)
        return snapshot;
    cache->encoded++;
    cache->packed.asked_ns = cache->packed.made_ns = now_ns;
    uint32_t replaced = find_replaced(cache, now_ns);
    /* Clients may have begun to load all blobs during the packing: then replaces the oldest. */
    replaced = replaced < LS_SERVER_SNAPSHOTS ? replaced : LS_SERVER_SNAPSHOTS - 1;
    free_blob(&cache->blobs[replaced]);
    memmove(cache->blobs + 1, cache->blobs, replaced * sizeof cache->blobs[0]);
    cache->blobs[0] = cache->packed;
    cache->packed = (ls_snapshot_blob){0};
    return snapshot;
}
