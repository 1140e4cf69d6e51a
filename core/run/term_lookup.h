/* The slow path to a cell. It also sets the cursors of the fast path.
 *
 * A cursor is valid while its system runs. Pages of a column that the system does not write stay in
 * place; or copies with equal visible contents replace them, and the originals live until the sync
 * point. A write of the system itself resets the cursors. */
#ifndef LS_TERM_LOOKUP_H
#define LS_TERM_LOOKUP_H
#include "core/run/invocation.h"

/* Clears all cursors before another system uses the context. */
void ls_term_cursor_reset(ls_context *context);
/* Prepares the terms for the slow path at its first use, because many systems never need it. */
void ls_term_cursor_begin(ls_context *context);
/* Sets the cursors of the invocation's own terms to its entities; clears cursors that are at
 * another page. */
void ls_term_cursor_move_own(ls_context *context);
/* Sets the entities of the next invocation, in the current page of `context`. */
static inline void ls_term_cursor_own(ls_context *context, uint32_t first, uint32_t count)
{
    context->front.own_first = first;
    context->front.own_count = count;
    if (context->own_placed)
        ls_term_cursor_move_own(context);
}
/* ls_term_pages_keep() keeps a page that a cursor with `pages` has looked up, so that the next use
 * of that page is inline. When a cursor without `pages` has looked up many pages,
 * ls_term_pages_begin() gives it some. */
void ls_term_pages_begin(ls_context *context, ls_term_cursor *cursor, ls_entity entity);
static inline void ls_term_pages_keep(ls_context *context, ls_term_cursor *cursor, ls_entity entity,
                                      ls_page *page, const uint32_t *generations)
{
    uint32_t at = (uint32_t)entity / LS_PAGE_SLOTS - cursor->pages_first;
    if (at < cursor->pages_count + cursor->added_count) /* one of them is 0 */
        cursor->pages[at] = (ls_term_page){ls_page_cells(page), page->present, generations};
    else if (LS_UNLIKELY(++cursor->far_calls == cursor->pages_from))
        ls_term_pages_begin(context, cursor, entity);
}
/* ls_term_pages_keep() for an entity that has just got a value through the term. */
void ls_term_pages_keep_added(ls_context *context, uint32_t term, ls_entity entity);
/* Frees the memory for pages. */
void ls_term_pages_reset(ls_context *context);
/* Sets the term's cursor to the entity's page. */
void ls_term_cursor_remember(ls_context *context, uint32_t term, ls_entity entity);

/* Called when the cursor is at another page. The cursor moves only when the same page is missed
 * twice in a row. For handles in random order, moving it each time would cost more than looking up
 * the tables. */
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
    for (uint32_t use = 0; use < LS_TERM_CURSOR_USES; use++)
        cursor->counts[use] = 0;
    cursor->key = cursor->missed = LS_TERM_CURSOR_NOWHERE;
}

/* Call it after a spawn in the lane's page, which may have replaced the page's generations. */
void ls_term_cursor_forget_liveness(ls_context *context, ls_entity spawned);
/* Clears the cursors of all terms before a page is created or opened, because several terms may use
 * its column. */
static inline void ls_term_cursor_forget(ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++)
        ls_term_cursor_leave(&context->front.cursors[i]);
}

/* One page of a term's column, and the generations of its slots. */
typedef struct ls_place {
    ls_page *page;
    const uint32_t *generations;
} ls_place;

/* Looks up only the tables of the column and of liveness, for a use in far_allowed. Where
 * the column has a page, liveness has one, too. False when the column has no page there. */
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

/* The lookup for any term, with the checks that far_allowed spares; it may copy a page. False when
 * there is no such page, or the entity may not be reached. */
bool ls_term_cursor_find(const ls_context *context, uint32_t term, ls_entity entity,
                         ls_place *place);

/* Tests presence first: a slot with a component is alive, and not being spawned at the moment. So
 * relaxed order would do, as in ls_store_find_page(). */
static inline bool ls_place_has(const ls_place *place, ls_entity entity)
{
    uint32_t slot = entity % LS_PAGE_SLOTS;
    return ls_page_has(place->page, slot) &&
           __atomic_load_n(&place->generations[slot], __ATOMIC_ACQUIRE) ==
               ls_entity_generation(entity);
}

#endif
