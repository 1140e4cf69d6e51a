/* Merges in canonical order what a system's invocations left behind: spawns, references to them,
 * commands, accumulated values. Until then, a pending handle names a spawned entity.
 *   source  docs/design.md section 4 */
#ifndef LS_MERGE_H
#define LS_MERGE_H
#include "core/state/world_state.h"

/* A pending handle: the top bit, which no generation has; whether a command spawns it; the page of
 * the invocation (lane << 16 | page); which of that page's spawned entities. */
#define LS_PENDING_BIT         ((ls_entity)1 << 63)
#define LS_PENDING_COMMAND_BIT ((ls_entity)1 << 62)
#define LS_PENDING_PAGE_SHIFT  38

static inline ls_entity ls_pending_make(bool by_command, uint32_t page, uint32_t ordinal)
{
    return LS_PENDING_BIT | (by_command ? LS_PENDING_COMMAND_BIT : 0) |
           (ls_entity)page << LS_PENDING_PAGE_SHIFT | ordinal;
}

/* True for one of the first `count` spawned entities of the page that its invocations spawned. */
static inline bool ls_pending_is_of(ls_entity entity, uint32_t page, uint32_t count)
{
    ls_entity first = ls_pending_make(false, page, 0);
    return entity >= first && entity - first < count;
}

/* When the system at `position` has run: spawns, references to them, accumulated values. */
void ls_merge_system(ls_world *world, uint32_t position);
/* The sync point: the commands of the system at `position`. */
void ls_merge_commands(ls_world *world, uint32_t position);

#endif
