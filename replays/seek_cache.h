/* Snapshots kept during a replay, sorted by tick: dense near the reader's tick (the cursor),
 * sparser farther away. Private to this folder.
 *   thread  the world's */
#ifndef LS_SEEK_CACHE_H
#define LS_SEEK_CACHE_H

#include <lockstep/world.h>

typedef struct ls_seek_cache {
    ls_world *world;         /* one of the worlds that share the pools */
    ls_snapshot **snapshots; /* ticks ascend */
    uint32_t count, capacity;
    size_t bytes_max;  /* limit for all pages; above it the least useful snapshots are dropped */
    size_t bytes_seen; /* size of all pages when room was last made */
    uint64_t reach;    /* ticks around the cursor that count as near */
} ls_seek_cache;

/* The last snapshot at or before `tick`, NULL when there is none. */
const ls_snapshot *ls_seek_cache_find(const ls_seek_cache *cache, uint64_t tick);
bool ls_seek_cache_has(const ls_seek_cache *cache, uint64_t tick);
/* Adds a snapshot of `from` if its tick has none; `cursor` is the reader's tick. */
void ls_seek_cache_put(ls_seek_cache *cache, ls_world *from, uint64_t cursor);
/* Whether adding a snapshot near the cursor would remove another one near it. */
bool ls_seek_cache_is_full(const ls_seek_cache *cache, uint64_t cursor);
void ls_seek_cache_reset(ls_seek_cache *cache);

#endif
