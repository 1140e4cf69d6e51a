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

/* One page of one column, and the generations of its slots. */
typedef struct ls_place {
    ls_page *page; /* without a bit of presence when there is none */
    const uint32_t *generations;
} ls_place;

typedef struct ls_reach {
    uint32_t key;    /* lane << 16 | page, or LS_REACH_NOTHING */
    uint32_t missed; /* the one asked for last that was not here */
    ls_place place;
} ls_reach;

/* Finds the page `key` of a term's column, and remembers it when it is asked for twice in a row:
 * for handles in random order the way through memory would cost more than the tables. */
ls_place ls_reach_find(const ls_context *context, uint32_t term, uint32_t key);
/* After a birth in the lane's page: the generations may be somewhere else now. */
void ls_reach_forget_lives(const ls_context *context, ls_entity newborn);

static inline void ls_reach_forget(const ls_context *context, const ls_plan_term *found)
{
    context->reach[found->slot].key = LS_REACH_NOTHING;
}

static inline void ls_reach_reset(const ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++)
        context->reach[i].key = context->reach[i].missed = LS_REACH_NOTHING;
}

static inline ls_place ls_reach_at(const ls_context *context, uint32_t term,
                                   const ls_plan_term *found, ls_entity entity)
{
    const ls_reach *reach = &context->reach[found->slot];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    return LS_LIKELY(reach->key == key) ? reach->place : ls_reach_find(context, term, key);
}

/* Of an even generation no entity lives. */
static inline bool ls_place_is_alive(const ls_place *place, ls_entity entity)
{
    uint32_t generation = ls_entity_generation(entity);
    return __atomic_load_n(&place->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
               generation &&
           generation & 1;
}

/* Presence first: a slot that has a component lives, and is not being born at this moment. */
static inline bool ls_place_has(const ls_place *place, ls_entity entity)
{
    return ls_page_has(place->page, entity % LS_PAGE_SLOTS) &&
           __atomic_load_n(&place->generations[entity % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
               ls_entity_generation(entity);
}

static inline void *ls_place_cell(const ls_place *place, const ls_plan_term *found,
                                  ls_entity entity)
{
    return ls_page_cells(place->page) + (size_t)found->cell_bytes * (entity % LS_PAGE_SLOTS);
}

#endif
