/* Shared by core/run/merge.c and core/run/command_merge.c: pending handles and pages of a merge. */
#ifndef LS_MERGE_INTERNAL_H
#define LS_MERGE_INTERNAL_H
#include "core/run/scratch.h"
#include "core/state/store.h"

/* The open page that a term's records changed last, kept to save lookups: consecutive entities are
 * mostly in one page, and nothing closes or replaces the page during a merge. `page` is NULL if
 * there is none yet, or its cells are not small. */
typedef struct ls_last_page {
    ls_page *page;
    /* The generations of its entities, while they cannot move; else NULL. A command that spawns may
     * move them. */
    const uint32_t *generations;
    uint32_t key; /* lane << 16 | page */
} ls_last_page;

/* The spawns of one system during a merge: either of its invocations, or of its commands. */
typedef struct ls_spawn_merge {
    ls_world *world;
    const ls_plan_system *plan;
    ls_run *run;
    bool by_command;
    ls_last_page *last; /* by term */
} ls_spawn_merge;

/* Computes where each segment's entities begin in spawned_entities, and returns their total number.
 * Clears that list, unless all spawns come before the first use of an entity. */
uint32_t ls_merge_number_spawned(const ls_spawn_merge *spawns);
/* The entity of a pending handle for the spawns of this merge; returns any other handle unchanged.
 * A valid pending handle names an entity that the segment's own page spawned. If it does not, it
 * was invented, for example by an input, and the result is LS_ENTITY_NULL. */
ls_entity ls_merge_resolve(const ls_spawn_merge *spawns, uint32_t segment, ls_entity entity);
/* Replaces pending handles in the value of a record, or in the values of a run. */
void ls_merge_resolve_values(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record);
/* ls_merge_attach_at() for a page that is not kept in `last`. Kept out of line, because few records
 * need it. */
void ls_merge_attach_in_next_page(const ls_spawn_merge *spawns, uint32_t at, ls_entity entity,
                                  const void *value);

/* Attaches the component of term `at`. The entity must be alive, or LS_ENTITY_NULL, which changes
 * nothing. */
LS_INLINE void ls_merge_attach_at(const ls_spawn_merge *spawns, uint32_t at, ls_entity entity,
                                  const void *value)
{
    const ls_plan_term *term = &spawns->plan->terms[at];
    const ls_last_page *last = &spawns->last[at];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS, slot = entity % LS_PAGE_SLOTS;
    if (LS_UNLIKELY(!last->page || last->key != key || entity == LS_ENTITY_NULL))
        ls_merge_attach_in_next_page(spawns, at, entity, value);
    else if (ls_cell_put(last->page->present, ls_page_cells(last->page), slot, term->cell_bytes,
                         value))
        ls_store_settle(spawns->world, term->column, entity);
}

/* Applies the record of an attach. False if its entity is not alive. */
bool ls_merge_attach(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record);

#endif
