/* Applies commands at the sync point, in canonical order: by system, match and call. */
#ifndef LS_COMMAND_MERGE_H
#define LS_COMMAND_MERGE_H
#include "core/state/world_state.h"

/* Applies the commands of the system at `position`. */
void ls_merge_commands(ls_world *world, uint32_t position);

#endif
