#include "replays/checkpoints.h"

#include "core/base/grow.h"

#include <string.h>

/* The number of snapshots at or before `tick`. */
static uint32_t count_until(const ls_checkpoints *checkpoints, uint64_t tick)
{
    uint32_t first = 0, end = checkpoints->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (ls_snapshot_tick(checkpoints->snapshots[middle]) <= tick)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

const ls_snapshot *ls_checkpoints_find(const ls_checkpoints *checkpoints, uint64_t tick)
{
    uint32_t count = count_until(checkpoints, tick);
    return count ? checkpoints->snapshots[count - 1] : NULL;
}

bool ls_checkpoints_has(const ls_checkpoints *checkpoints, uint64_t tick)
{
    const ls_snapshot *found = ls_checkpoints_find(checkpoints, tick);
    return found && ls_snapshot_tick(found) == tick;
}

static void take_out(ls_checkpoints *checkpoints, uint32_t at)
{
    ls_snapshot_destroy(checkpoints->snapshots[at]);
    checkpoints->count--;
    memmove(&checkpoints->snapshots[at], &checkpoints->snapshots[at + 1],
            sizeof(ls_snapshot *) * (checkpoints->count - at));
}

static uint64_t distance_of(uint64_t tick, uint64_t cursor)
{
    return tick > cursor ? tick - cursor : cursor - tick;
}

/* Finds the most dispensable snapshot: the one with the smallest gap between its neighbours,
 * divided by the square of its distance from the cursor. The distance counts from the edge of
 * `reach`, so snapshots around the cursor stay evenly dense. */
static uint32_t find_least(const ls_checkpoints *checkpoints, uint64_t cursor)
{
    uint32_t min = 0;
    double least_worth = -1;
    for (uint32_t i = 0; i < checkpoints->count; i++) {
        uint64_t tick = ls_snapshot_tick(checkpoints->snapshots[i]);
        uint64_t before = i ? ls_snapshot_tick(checkpoints->snapshots[i - 1]) : 0;
        uint64_t after = i + 1 < checkpoints->count
                             ? ls_snapshot_tick(checkpoints->snapshots[i + 1])
                             : tick + checkpoints->reach;
        uint64_t distance = distance_of(tick, cursor);
        distance = distance > checkpoints->reach ? distance - checkpoints->reach : 0;
        double worth =
            (double)(after - before) / (double)(distance * distance + checkpoints->reach);
        if (least_worth < 0 || worth < least_worth) {
            min = i;
            least_worth = worth;
        }
    }
    return min;
}

/* Pools never return memory to the system, so an excess cannot be freed. Instead, each new snapshot
 * replaces one; it replaces two if the pools had to grow. */
static void make_room(ls_checkpoints *checkpoints, uint64_t cursor)
{
    size_t bytes = ls_world_memory(checkpoints->world);
    if (bytes <= checkpoints->bytes_max)
        return;
    uint32_t leave = bytes > checkpoints->bytes_seen ? 2 : 1;
    checkpoints->bytes_seen = bytes;
    for (; leave > 0 && checkpoints->count > 0; leave--)
        take_out(checkpoints, find_least(checkpoints, cursor));
}

void ls_checkpoints_put(ls_checkpoints *checkpoints, ls_world *from, uint64_t cursor)
{
    uint64_t tick = ls_world_tick(from);
    if (ls_checkpoints_has(checkpoints, tick))
        return;
    make_room(checkpoints, cursor);
    checkpoints->snapshots = ls_grow(checkpoints->snapshots, checkpoints->count,
                                     &checkpoints->capacity, sizeof *checkpoints->snapshots);
    uint32_t at = count_until(checkpoints, tick);
    memmove(&checkpoints->snapshots[at + 1], &checkpoints->snapshots[at],
            sizeof(ls_snapshot *) * (checkpoints->count - at));
    checkpoints->snapshots[at] = ls_world_snapshot(from);
    checkpoints->count++;
}

bool ls_checkpoints_is_full(const ls_checkpoints *checkpoints, uint64_t cursor)
{
    if (ls_world_memory(checkpoints->world) <= checkpoints->bytes_max)
        return false;
    for (uint32_t i = 0; i < checkpoints->count; i++) {
        if (distance_of(ls_snapshot_tick(checkpoints->snapshots[i]), cursor) > checkpoints->reach)
            return false;
    }
    return true;
}

void ls_checkpoints_reset(ls_checkpoints *checkpoints)
{
    for (uint32_t i = 0; i < checkpoints->count; i++)
        ls_snapshot_destroy(checkpoints->snapshots[i]);
    ls_free(checkpoints->snapshots);
    checkpoints->snapshots = NULL;
    checkpoints->count = checkpoints->capacity = 0;
}
