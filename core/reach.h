/* What a system reached last through each of its columns: the page, and the generations beside it.
 * In order, a handle is then checked and its cell found without a walk through the tables.
 *
 * Such a pointer serves while the system runs. Pages of a column that it does not write stay where
 * they are, or give way to copies that are equal in what it may see of them, and stay alive until
 * the sync point; what it writes itself brings the slot up to date. */
#ifndef LS_REACH_H
#define LS_REACH_H

#include "core/run.h"

#define LS_REACH_NOTHING UINT32_MAX

typedef struct ls_reach {
    uint32_t key;  /* lane << 16 | page, or LS_REACH_NOTHING */
    ls_page *page; /* without a bit of presence when there is none */
    const uint32_t *generations;
} ls_reach;

/* Makes the slot of a term stand at the page `key`. */
void ls_reach_load(const ls_context *context, uint32_t term, uint32_t key);
/* After a birth in the lane's page: the generations may be somewhere else now. */
void ls_reach_forget_lives(const ls_context *context, ls_entity newborn);

static inline void ls_reach_reset(const ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++)
        context->reach[i].key = LS_REACH_NOTHING;
}

static inline ls_reach *ls_reach_at(const ls_context *context, uint32_t term,
                                    const ls_plan_term *found, ls_entity entity)
{
    ls_reach *reach = &context->reach[found->slot];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(reach->key != key))
        ls_reach_load(context, term, key);
    return reach;
}

/* Of an even generation no entity lives. */
static inline bool ls_reach_is_alive(const ls_reach *reach, ls_entity entity)
{
    uint32_t generation = ls_entity_generation(entity);
    return __atomic_load_n(&reach->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
               generation &&
           generation & 1;
}

/* Presence first: a slot that has a component lives, and is not being born at this moment. */
static inline bool ls_reach_has(const ls_reach *reach, ls_entity entity)
{
    return ls_page_has(reach->page, entity % LS_PAGE_SLOTS) &&
           __atomic_load_n(&reach->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
               ls_entity_generation(entity);
}

static inline void *ls_reach_cell(const ls_reach *reach, const ls_plan_term *found,
                                  ls_entity entity)
{
    return ls_page_cells(reach->page) + (size_t)found->cell_bytes * (entity % LS_PAGE_SLOTS);
}

#endif
