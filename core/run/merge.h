/* Merges the deferred changes of a system's invocations in canonical order: spawns, references to
 * new entities, accumulated values. Until then, pending handles stand for new entities.
 *   source  docs/design.md section 4 */
#ifndef LS_MERGE_H
#define LS_MERGE_H
#include "core/state/world_state.h"

/* A pending handle: the top bit, which no generation has; a bit that tells whether a command spawns
 * the entity; the invocation's page (lane << 16 | page); an index among the page's new entities. */
#define LS_PENDING_BIT         ((ls_entity)1 << 63)
#define LS_PENDING_COMMAND_BIT ((ls_entity)1 << 62)
#define LS_PENDING_PAGE_SHIFT  38

static inline ls_entity ls_pending_make(bool by_command, uint32_t page, uint32_t ordinal)
{
    return LS_PENDING_BIT | (by_command ? LS_PENDING_COMMAND_BIT : 0) |
           (ls_entity)page << LS_PENDING_PAGE_SHIFT | ordinal;
}

/* True for the first `count` pending handles of entities that invocations on `page` spawned. */
static inline bool ls_pending_is_of(ls_entity entity, uint32_t page, uint32_t count)
{
    ls_entity first = ls_pending_make(false, page, 0);
    return entity >= first && entity - first < count;
}

/* After the system at `position` has run: merges spawns, references to them, and accumulated
 * values. */
void ls_merge_system(ls_world *world, uint32_t position);

#endif
