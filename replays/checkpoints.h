/* Snapshots kept during a replay, sorted by tick: dense near the cursor, sparser farther away.
 * Private to this folder.
 *   thread  the world's */
#ifndef LS_CHECKPOINTS_H
#define LS_CHECKPOINTS_H

#include <lockstep/world.h>

typedef struct ls_checkpoints {
    ls_world *world;         /* one of the worlds that share the pools */
    ls_snapshot **snapshots; /* ticks ascend */
    uint32_t count, capacity;
    size_t bytes_max;  /* limit for all pages; above it the least useful snapshots are dropped */
    size_t bytes_seen; /* size of all pages when room was last made */
    uint64_t reach;    /* ticks around the cursor that count as near */
} ls_checkpoints;

/* The last snapshot at or before `tick`, NULL when there is none. */
const ls_snapshot *ls_checkpoints_find(const ls_checkpoints *checkpoints, uint64_t tick);
bool ls_checkpoints_has(const ls_checkpoints *checkpoints, uint64_t tick);
/* Adds a snapshot of `from` if its tick has none; `cursor` is the reader's tick. */
void ls_checkpoints_put(ls_checkpoints *checkpoints, ls_world *from, uint64_t cursor);
/* Whether adding a snapshot near the cursor would remove another one near it. */
bool ls_checkpoints_is_full(const ls_checkpoints *checkpoints, uint64_t cursor);
void ls_checkpoints_reset(ls_checkpoints *checkpoints);

#endif
