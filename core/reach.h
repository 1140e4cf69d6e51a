/* What a system reached last through each of its terms: the page, the generations beside it, and
 * what the term may do there. Handles in order then pay neither for the walk through the tables nor
 * for the checks of access, which were made when the page was remembered.
 *
 * Such a pointer serves while the system runs. Pages of a column that it does not write stay where
 * they are, or give way to copies that are equal in what it may see of them and stay alive until
 * the sync point; what it writes itself makes it forget. */
#ifndef LS_REACH_H
#define LS_REACH_H

#include "core/run.h"

#define LS_REACH_NOTHING UINT32_MAX

/* One page of one column, and the generations of its slots. */
typedef struct ls_place {
    ls_page *page; /* without a bit of presence when there is none */
    const uint32_t *generations;
} ls_place;

enum {
    LS_MAY_ASK = 1 << 0,
    LS_MAY_READ = 1 << 1,
    LS_MAY_WRITE = 1 << 2, /* the page is open */
    LS_MAY_SHAPE = 1 << 3, /* the same, the cells are small, and births elsewhere do not matter */
};

typedef struct ls_reach {
    uint32_t key;    /* lane << 16 | page, or LS_REACH_NOTHING */
    uint32_t missed; /* the key asked for last that was not here */
    ls_place place;
    uint8_t may;
    bool is_own; /* reaches the invocation's own entities alone */
    uint16_t cell_bytes;
} ls_reach;

/* Finds the page of an entity for a term. */
ls_place ls_reach_find(const ls_context *context, uint32_t term, ls_entity entity);
/* The same, and the term stands there from now on. */
void ls_reach_remember(const ls_context *context, uint32_t term, ls_entity entity);

/* Called where the term stood elsewhere. What is asked for twice in a row is remembered: for
 * handles in random order the way through memory would cost more than the tables. */
static inline void ls_reach_miss(const ls_context *context, uint32_t term, ls_entity entity)
{
    ls_reach *reach = &context->reach[term];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(reach->missed == key))
        ls_reach_remember(context, term, entity);
    else
        reach->missed = key;
}

/* After a birth in the lane's page: the generations may be somewhere else now. */
void ls_reach_forget_lives(const ls_context *context, ls_entity newborn);
/* Before a page comes to be or is opened: several terms may be of its column. */
static inline void ls_reach_forget(const ls_context *context)
{
    for (uint32_t i = 0; i < LS_TERMS_MAX; i++)
        context->reach[i].key = context->reach[i].missed = LS_REACH_NOTHING;
}

/* The place of the entity when the term stands there and may do it, else NULL. */
static inline const ls_reach *ls_reach_hit(const ls_context *context, uint32_t term,
                                           ls_entity entity, uint32_t may)
{
    if (LS_UNLIKELY(term >= LS_TERMS_MAX))
        return NULL;
    const ls_reach *reach = &context->reach[term];
    bool is_hit = reach->key == (uint32_t)entity / LS_PAGE_SLOTS && reach->may & may &&
                  (!reach->is_own || (uint32_t)entity - context->own_first < context->own_count);
    return LS_LIKELY(is_hit) ? reach : NULL;
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

static inline void *ls_place_find(const ls_place *place, size_t cell_bytes, ls_entity entity)
{
    return ls_place_has(place, entity)
               ? ls_page_cells(place->page) + cell_bytes * (entity % LS_PAGE_SLOTS)
               : NULL;
}

#endif
