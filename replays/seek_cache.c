#include "replays/seek_cache.h"

#include "core/base/grow.h"

#include <string.h>

/* The number of snapshots at or before `tick`. */
static uint32_t count_until(const ls_seek_cache *cache, uint64_t tick)
{
    uint32_t first = 0, end = cache->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (ls_snapshot_tick(cache->snapshots[middle]) <= tick)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

const ls_snapshot *ls_seek_cache_find(const ls_seek_cache *cache, uint64_t tick)
{
    uint32_t count = count_until(cache, tick);
    return count ? cache->snapshots[count - 1] : NULL;
}

bool ls_seek_cache_has(const ls_seek_cache *cache, uint64_t tick)
{
    const ls_snapshot *found = ls_seek_cache_find(cache, tick);
    return found && ls_snapshot_tick(found) == tick;
}

static void take_out(ls_seek_cache *cache, uint32_t at)
{
    ls_snapshot_destroy(cache->snapshots[at]);
    cache->count--;
    memmove(&cache->snapshots[at], &cache->snapshots[at + 1],
            sizeof(ls_snapshot *) * (cache->count - at));
}

static uint64_t distance_of(uint64_t tick, uint64_t cursor)
{
    return tick > cursor ? tick - cursor : cursor - tick;
}

/* Finds the most dispensable snapshot: the one with the smallest gap between its neighbours,
 * divided by the square of its distance from the cursor. The distance counts from the edge of
 * `reach`, so snapshots around the cursor stay evenly dense. */
static uint32_t find_least(const ls_seek_cache *cache, uint64_t cursor)
{
    uint32_t min = 0;
    double least_worth = -1;
    for (uint32_t i = 0; i < cache->count; i++) {
        uint64_t tick = ls_snapshot_tick(cache->snapshots[i]);
        uint64_t before = i ? ls_snapshot_tick(cache->snapshots[i - 1]) : 0;
        uint64_t after =
            i + 1 < cache->count ? ls_snapshot_tick(cache->snapshots[i + 1]) : tick + cache->reach;
        uint64_t distance = distance_of(tick, cursor);
        distance = distance > cache->reach ? distance - cache->reach : 0;
        double worth = (double)(after - before) / (double)(distance * distance + cache->reach);
        if (least_worth < 0 || worth < least_worth) {
            min = i;
            least_worth = worth;
        }
    }
    return min;
}

/* Pools never return memory to the system, so an excess cannot be freed. Instead, each new snapshot
 * replaces one; it replaces two if the pools had to grow. */
static void make_room(ls_seek_cache *cache, uint64_t cursor)
{
    size_t bytes = ls_world_memory(cache->world);
    if (bytes <= cache->bytes_max)
        return;
    uint32_t leave = bytes > cache->bytes_seen ? 2 : 1;
    cache->bytes_seen = bytes;
    for (; leave > 0 && cache->count > 0; leave--)
        take_out(cache, find_least(cache, cursor));
}

void ls_seek_cache_put(ls_seek_cache *cache, ls_world *from, uint64_t cursor)
{
    uint64_t tick = ls_world_tick(from);
    if (ls_seek_cache_has(cache, tick))
        return;
    make_room(cache, cursor);
    cache->snapshots =
        ls_grow(cache->snapshots, cache->count, &cache->capacity, sizeof *cache->snapshots);
    uint32_t at = count_until(cache, tick);
    memmove(&cache->snapshots[at + 1], &cache->snapshots[at],
            sizeof(ls_snapshot *) * (cache->count - at));
    cache->snapshots[at] = ls_world_snapshot(from);
    cache->count++;
}

bool ls_seek_cache_is_full(const ls_seek_cache *cache, uint64_t cursor)
{
    if (ls_world_memory(cache->world) <= cache->bytes_max)
        return false;
    for (uint32_t i = 0; i < cache->count; i++) {
        if (distance_of(ls_snapshot_tick(cache->snapshots[i]), cursor) > cache->reach)
            return false;
    }
    return true;
}

void ls_seek_cache_reset(ls_seek_cache *cache)
{
    for (uint32_t i = 0; i < cache->count; i++)
        ls_snapshot_destroy(cache->snapshots[i]);
    ls_free(cache->snapshots);
    cache->snapshots = NULL;
    cache->count = cache->capacity = 0;
}
