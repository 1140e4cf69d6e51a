/* The slow path to a cell, and the cursor that it leaves behind for the fast one.
 *
 * A cursor is valid while its system runs. Pages of a column that the system does not write stay in
 * place, or are replaced by copies with equal visible contents and live until the sync point. A
 * write of the system itself resets the cursors. */
#ifndef LS_TERM_LOOKUP_H
#define LS_TERM_LOOKUP_H
#include "core/run/invocation.h"

/* Clears all cursors, before the context becomes another system's. */
void ls_term_cursor_reset(ls_context *context);
/* Prepares the terms for the slow path, at its first use: many systems never need it. */
void ls_term_cursor_begin(ls_context *context);
/* Moves the cursors of the invocation's own terms to its entities, or clears them. */
void ls_term_cursor_move_own(ls_context *context);
/* The next invocation's entities are these, of the page that `context` is at. */
static inline void ls_term_cursor_own(ls_context *context, uint32_t first, uint32_t count)
{
    context->front.own_first = first;
    context->front.own_count = count;
    if (context->own_placed)
        ls_term_cursor_move_own(context);
}
/* Sets the term's cursor to the entity's page. */
void ls_term_cursor_remember(ls_context *context, uint32_t term, ls_entity entity);

/* Called when the cursor is at a different page. The cursor moves when the same page is asked for
 * twice in a row. For handles in random order, moving it each time would cost more than the lookup
 * in the tables. */
static inline void ls_term_cursor_miss(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_term_cursor *cursor = &context->front.cursors[term];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(!context->has_cursors))
        ls_term_cursor_begin(context);
    if (LS_UNLIKELY(cursor->missed == key))
        ls_term_cursor_remember(context, term, entity);
    else
        cursor->missed = key;
}

static inline void ls_term_cursor_leave(ls_term_cursor *cursor)
{
    for (uint32_t operation = 0; operation < LS_TERM_OPERATIONS; operation++)
        cursor->counts[operation] = 0;
    cursor->key = cursor->missed = LS_TERM_CURSOR_NOWHERE;
}

/* After a spawn in the lane's page: its generations may have moved. */
void ls_term_cursor_forget_lives(ls_context *context, ls_entity spawned);
/* Before a page is created or opened: several terms may be of its column. */
static inline void ls_term_cursor_forget(ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++)
        ls_term_cursor_leave(&context->front.cursors[i]);
}

/* One page of a term's column and the generations beside it. False when there is no such page. */
typedef struct ls_place {
    ls_page *page;
    const uint32_t *generations;
} ls_place;

/* The lookup in the tables alone, for an operation in far_allowed. Both tables exist where a page
 * exists. */
static inline bool ls_term_cursor_find_far(const ls_context *context, const ls_term_cursor *cursor,
                                           ls_entity entity, ls_place *place)
{
    const ls_state *state = &context->world->state;
    uint32_t lane = ls_entity_lane(entity), page = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    if (LS_UNLIKELY(lane >= state->lanes))
        return false;
    place->page = ls_table_page(cursor->tables[lane], page);
    if (LS_UNLIKELY(!place->page))
        return false;
    place->generations = ls_page_generations(ls_table_page_known(state->lives[lane], page));
    return true;
}

/* The lookup for any term, with all its checks; a page may be copied for it. */
bool ls_term_cursor_find(const ls_context *context, uint32_t term, ls_entity entity,
                         ls_place *place);

/* Presence first: a slot that has a component lives, and is not being spawned at this moment. */
static inline bool ls_place_has(const ls_place *place, ls_entity entity)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    return ls_page_has(place->page, slot) &&
           __atomic_load_n(&place->generations[slot], __ATOMIC_ACQUIRE) ==
               ls_entity_generation(entity);
}

#endif
