/* Snapshot functions for the core only. */
#ifndef LS_SNAPSHOT_INTERNAL_H
#define LS_SNAPSHOT_INTERNAL_H
#include "core/state/world_state.h"

/* Frees the snapshots kept for reuse, before the world is destroyed. */
void ls_snapshot_free_spare(ls_world *world);

#endif
