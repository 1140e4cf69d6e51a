/* Snapshot functions for this project only. */
#ifndef LS_SNAPSHOT_INTERNAL_H
#define LS_SNAPSHOT_INTERNAL_H
#include "core/state/world_state.h"

/* Gives a world the state of another world, which shares its pools. */
void ls_world_copy(ls_world *to, ls_world *from);
/* Frees the snapshots kept for reuse, before the world is destroyed. */
void ls_snapshot_free_spare(ls_world *world);

#endif
