/* For tests of pages that are kept from run to run (core/run/page_cache.h): how many there are, and
 * a world without any to compare with. */
#ifndef LS_KEPT_PAGES_H
#define LS_KEPT_PAGES_H

#include "core/run/scratch.h"
#include "harness.h"

/* The number of pages of system `name` that are kept for its next run. */
static inline uint32_t count_kept(const ls_world *world, const char *name)
{
    uint32_t count = 0, at = 0;
    while (strcmp(world->program->systems[at].system->name, name) != 0)
        at++;
    const ls_run *run = &world->scratch->runs[at];
    for (uint32_t i = 0; run->cache.stamp && i < run->queries[0].count; i++) {
        const ls_cached_page *page = ls_page_cache_at(&run->cache, i);
        count += page->stamp == run->cache.stamp;
    }
    return count;
}

/* Runs a tick of a world that keeps nothing: it is restored from its own snapshot before. */
static inline void tick_cold(ls_world *world)
{
    ls_snapshot *now = ls_world_snapshot(world);
    ls_world_restore(world, now);
    ls_snapshot_destroy(now);
    harness_tick(world, NULL);
}

#endif
