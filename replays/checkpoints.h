/* Snapshots kept during a replay, by tick: dense near the cursor, ever sparser away from it.
 * Private to this folder.
 *   thread  the world's */
#ifndef LS_CHECKPOINTS_H
#define LS_CHECKPOINTS_H

#include <lockstep/world.h>

typedef struct ls_checkpoints {
    ls_world *world;         /* one of those that share the pools */
    ls_snapshot **snapshots; /* ticks ascend */
    uint32_t count, capacity;
    size_t bytes_max;  /* of all pages; beyond it the least useful snapshots go */
    size_t bytes_seen; /* of them when room was last made */
    uint64_t reach;    /* ticks from the cursor that count as near */
} ls_checkpoints;

/* The last at or before `tick`, NULL when there is none. */
const ls_snapshot *ls_checkpoints_find(const ls_checkpoints *checkpoints, uint64_t tick);
bool ls_checkpoints_has(const ls_checkpoints *checkpoints, uint64_t tick);
/* Keeps a snapshot of `from` when there is none of its tick; `cursor` is where the reader is. */
void ls_checkpoints_put(ls_checkpoints *checkpoints, ls_world *from, uint64_t cursor);
/* Whether one more near the cursor would cost another one there. */
bool ls_checkpoints_is_full(const ls_checkpoints *checkpoints, uint64_t cursor);
void ls_checkpoints_reset(ls_checkpoints *checkpoints);

#endif
