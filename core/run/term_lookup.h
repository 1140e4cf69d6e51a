/* The long way to a cell, and where a term stands afterwards.
 *
 * What is remembered serves while the system runs. Pages of a column that it does not write stay
 * where they are, or give way to copies that are equal in what it may see of them and stay alive
 * until the sync point; what it writes itself makes it forget. */
#ifndef LS_TERM_LOOKUP_H
#define LS_TERM_LOOKUP_H
#include "core/run/invocation.h"

/* Before the context becomes another system's: no term stands anywhere or has a way. */
void ls_term_cursor_reset(ls_context *context);
/* What the terms need for the long way, when the system goes it first: many never do. */
void ls_term_cursor_begin(ls_context *context);
/* Moves the invocation's own terms to its entities, or from where they stood. */
void ls_term_cursor_move_own(ls_context *context);
/* The next invocation's entities are these, of the page that `context` is at. */
static inline void ls_term_cursor_own(ls_context *context, uint32_t first, uint32_t count)
{
    context->front.own_first = first;
    context->front.own_count = count;
    if (context->own_standing)
        ls_term_cursor_move_own(context);
}
/* The term stands at the entity's page from now on. */
void ls_term_cursor_remember(ls_context *context, uint32_t term, ls_entity entity);

/* Called where the term stood elsewhere. What is asked for twice in a row is remembered: for
 * handles in random order the way through memory would cost more than the tables. */
static inline void ls_term_cursor_miss(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_term_cursor *reach = &context->front.reach[term];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(!context->has_reach))
        ls_term_cursor_begin(context);
    if (LS_UNLIKELY(reach->missed == key))
        ls_term_cursor_remember(context, term, entity);
    else
        reach->missed = key;
}

static inline void ls_term_cursor_leave(ls_term_cursor *reach)
{
    for (uint32_t way = 0; way < LS_TERM_CURSOR_WAYS; way++)
        reach->counts[way] = 0;
    reach->key = reach->missed = LS_TERM_CURSOR_NOWHERE;
}

/* After a birth in the lane's page: the generations may be somewhere else now. */
void ls_term_cursor_forget_lives(ls_context *context, ls_entity newborn);
/* Before a page comes to be or is opened: several terms may be of its column. */
static inline void ls_term_cursor_forget(ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++)
        ls_term_cursor_leave(&context->front.reach[i]);
}

/* One page of a term's column and the generations beside it. False when there is no such page. */
typedef struct ls_place {
    ls_page *page;
    const uint32_t *generations;
} ls_place;

/* The tables alone, for a term whose `far` has the way. Both tables exist where a page exists. */
static inline bool ls_term_cursor_find_far(const ls_context *context, const ls_term_cursor *reach,
                                           ls_entity entity, ls_place *place)
{
    const ls_state *state = &context->world->state;
    uint32_t lane = ls_entity_lane(entity), page = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(lane >= state->lanes))
        return false;
    place->page = ls_table_page(reach->tables[lane], page);
    if (LS_UNLIKELY(!place->page))
        return false;
    place->generations = ls_page_generations(ls_table_page_known(state->lives[lane], page));
    return true;
}

/* The same for any term, with what it asks for; a page may be copied for it. */
bool ls_term_cursor_find(const ls_context *context, uint32_t term, ls_entity entity,
                         ls_place *place);

/* Presence first: a slot that has a component lives, and is not being born at this moment. */
static inline bool ls_place_has(const ls_place *place, ls_entity entity)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    return ls_page_has(place->page, slot) &&
           __atomic_load_n(&place->generations[slot], __ATOMIC_ACQUIRE) ==
               ls_entity_generation(entity);
}

#endif
