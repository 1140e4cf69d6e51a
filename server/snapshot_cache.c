#include "server/snapshot_cache.h"

#include <string.h>

void ls_snapshot_cache_init(ls_snapshot_cache *cache)
{
    *cache = (ls_snapshot_cache){0};
}

void ls_snapshot_cache_reset(ls_snapshot_cache *cache)
{
    for (uint32_t i = 0; i < LS_SERVER_SNAPSHOTS; i++)
        ls_free(cache->blobs[i].bytes);
    *cache = (ls_snapshot_cache){0};
}

/* The one place where a snapshot becomes bytes: where a background job would be submitted. */
static bool encode(ls_world *world, ls_snapshot_blob *blob)
{
    ls_snapshot *snapshot = ls_world_snapshot(world);
    size_t count = 0;
    ls_snapshot_encode(snapshot, &blob->bytes, &count);
    blob->tick = ls_snapshot_tick(snapshot);
    ls_snapshot_destroy(snapshot);
    if (count > LS_SNAPSHOT_BYTES_MAX) {
        ls_free(blob->bytes);
        return false;
    }
    blob->count = (uint32_t)count;
    return true;
}

static bool refresh(ls_snapshot_cache *cache, ls_world *world)
{
    ls_snapshot_blob newest;
    if (!encode(world, &newest))
        return false;
    cache->encoded++;
    ls_free(cache->blobs[LS_SERVER_SNAPSHOTS - 1].bytes);
    memmove(cache->blobs + 1, cache->blobs, sizeof cache->blobs - sizeof cache->blobs[0]);
    cache->blobs[0] = newest;
    return true;
}

const ls_snapshot_blob *ls_snapshot_cache_get(ls_snapshot_cache *cache, ls_world *world,
                                              uint64_t tick)
{
    for (uint32_t i = 0; i < LS_SERVER_SNAPSHOTS && tick != 0; i++)
        if (cache->blobs[i].bytes && cache->blobs[i].tick == tick)
            return &cache->blobs[i];
    const ls_snapshot_blob *newest = &cache->blobs[0];
    bool is_fresh = newest->bytes && ls_world_tick(world) - newest->tick < LS_SERVER_SNAPSHOT_TICKS;
    if (!is_fresh && !refresh(cache, world))
        return NULL;
    return newest;
}
