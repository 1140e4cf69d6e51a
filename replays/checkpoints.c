#include "replays/checkpoints.h"

#include <string.h>

/* How many have a tick up to `tick`. */
static uint32_t count_until(const ls_checkpoints *shelf, uint64_t tick)
{
    uint32_t first = 0, end = shelf->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (ls_snapshot_tick(shelf->snapshots[middle]) <= tick)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

const ls_snapshot *ls_checkpoints_find(const ls_checkpoints *shelf, uint64_t tick)
{
    uint32_t count = count_until(shelf, tick);
    return count ? shelf->snapshots[count - 1] : NULL;
}

bool ls_checkpoints_has(const ls_checkpoints *shelf, uint64_t tick)
{
    const ls_snapshot *found = ls_checkpoints_find(shelf, tick);
    return found && ls_snapshot_tick(found) == tick;
}

static void take_out(ls_checkpoints *shelf, uint32_t at)
{
    ls_snapshot_destroy(shelf->snapshots[at]);
    shelf->count--;
    memmove(&shelf->snapshots[at], &shelf->snapshots[at + 1],
            sizeof(ls_snapshot *) * (shelf->count - at));
}

static uint64_t distance_of(uint64_t tick, uint64_t cursor)
{
    return tick > cursor ? tick - cursor : cursor - tick;
}

/* The one whose loss makes the smallest gap for its distance from the cursor. Within reach every
 * distance is the same, so that the ticks around the cursor stay evenly dense. */
static uint32_t find_least(const ls_checkpoints *shelf, uint64_t cursor)
{
    uint32_t least = 0;
    double least_worth = -1;
    for (uint32_t i = 0; i < shelf->count; i++) {
        uint64_t tick = ls_snapshot_tick(shelf->snapshots[i]);
        uint64_t before = i ? ls_snapshot_tick(shelf->snapshots[i - 1]) : 0;
        uint64_t after =
            i + 1 < shelf->count ? ls_snapshot_tick(shelf->snapshots[i + 1]) : tick + shelf->reach;
        uint64_t distance = distance_of(tick, cursor);
        distance = distance > shelf->reach ? distance - shelf->reach : 0;
        double worth = (double)(after - before) / (double)(distance * distance + shelf->reach);
        if (least_worth < 0 || worth < least_worth) {
            least = i;
            least_worth = worth;
        }
    }
    return least;
}

/* What the pools took from the system they keep, so what is over the limit cannot be given back.
 * One goes for each that comes, and one more when the pools had to grow although one went. */
static void make_room(ls_checkpoints *shelf, uint64_t cursor)
{
    size_t bytes = ls_world_memory_bytes(shelf->world);
    if (bytes <= shelf->bytes_max)
        return;
    uint32_t leave = bytes > shelf->bytes_seen ? 2 : 1;
    shelf->bytes_seen = bytes;
    for (; leave > 0 && shelf->count > 0; leave--)
        take_out(shelf, find_least(shelf, cursor));
}

void ls_checkpoints_put(ls_checkpoints *shelf, ls_world *from, uint64_t cursor)
{
    uint64_t tick = ls_world_tick(from);
    if (ls_checkpoints_has(shelf, tick))
        return;
    make_room(shelf, cursor);
    if (shelf->count == shelf->capacity) {
        shelf->capacity = shelf->capacity ? shelf->capacity * 2 : 64;
        shelf->snapshots = ls_realloc(shelf->snapshots, sizeof(ls_snapshot *) * shelf->capacity);
    }
    uint32_t at = count_until(shelf, tick);
    memmove(&shelf->snapshots[at + 1], &shelf->snapshots[at],
            sizeof(ls_snapshot *) * (shelf->count - at));
    shelf->snapshots[at] = ls_world_snapshot(from);
    shelf->count++;
}

bool ls_checkpoints_is_full(const ls_checkpoints *shelf, uint64_t cursor)
{
    if (ls_world_memory_bytes(shelf->world) <= shelf->bytes_max)
        return false;
    for (uint32_t i = 0; i < shelf->count; i++) {
        if (distance_of(ls_snapshot_tick(shelf->snapshots[i]), cursor) > shelf->reach)
            return false;
    }
    return true;
}

void ls_checkpoints_reset(ls_checkpoints *shelf)
{
    for (uint32_t i = 0; i < shelf->count; i++)
        ls_snapshot_destroy(shelf->snapshots[i]);
    ls_free(shelf->snapshots);
    shelf->snapshots = NULL;
    shelf->count = shelf->capacity = 0;
}
