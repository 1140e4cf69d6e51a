#include "core/run/term_lookup.h"

#include "core/run/access_check.h"
#include "core/run/combine.h"

#include <string.h>

/* Stand-ins for a page that does not exist: no slot is present. */
static uint64_t no_presence[LS_PAGE_WORDS];
static const uint32_t no_generations[LS_PAGE_SLOTS];

/* No handle may reach the cell of a singleton: it has the place that the cell of the entity in slot
 * 0 of lane 0 would have. */
static bool is_singleton(const ls_context *context, const ls_plan_term *found)
{
    return context->world->sources[found->column].cells == 1;
}

/* Whether pointers of this read term must show the system's own writes. A sequential system that
 * also writes the column could keep a pointer across a write. The value behind that pointer must
 * not depend on whether a snapshot was taken. */
static bool sees_own_writes(const ls_context *context, const ls_plan_term *found)
{
    return context->plan->system->mode == LS_SEQUENTIAL && found->kind != LS_START &&
           context->plan->touches[found->column] & LS_TOUCH_WRITE;
}

static uint8_t far_allowed(const ls_context *context, const ls_plan_term *found, bool is_own)
{
    /* Terms that need more checks always take the slow path. */
    if (is_own || context->asked || is_singleton(context, found) ||
        ls_is_beside_spawner(context, found))
        return 0;
    uint32_t allowed = (found->grant > LS_ACCESS_PRESENCE ? 1u << LS_TERM_CURSOR_HAS : 0u);
    if (found->grant > LS_ACCESS_READ && !sees_own_writes(context, found))
        allowed |= 1u << LS_TERM_CURSOR_READ;
    if (found->grant > LS_ACCESS_WRITE)
        allowed |= 1u << LS_TERM_CURSOR_WRITE;
    if (found->grant > LS_ACCESS_STRUCTURE && ls_cell_is_small(found->cell_bytes) &&
        !context->plan->has_unsettled)
        allowed |= 1u << LS_TERM_CURSOR_STRUCTURE;
    return (uint8_t)allowed;
}

/* Whether a value that is given through the term needs no check except that the entity has the
 * cell: it is then added to an open page, or recorded. False if the system itself changes presence
 * in the column. */
static bool keeps_added(const ls_context *context, const ls_plan_term *found)
{
    bool is_plain = context->run->adds_at_once ? ls_combine_adds_u32(found)
                                               : context->run->commands.value_bytes != 0;
    return found->kind == LS_ACCUMULATED && is_plain && !is_singleton(context, found) &&
           !(context->plan->settled_touches[found->column] & LS_TOUCH_STRUCTURE) &&
           !ls_is_beside_spawner(context, found);
}

/* After this many lookups of single pages in a run, the term may keep pages. */
enum { LOOKUPS_MIN = 32 };

/* Where the far path may read, the system does not change the column, so its pages stay in place.
 * A page to which it has added at once is open, and stays so until the tick ends; for values that
 * are recorded, the page is only read. A spawn may replace the page of generations, but an entity
 * with a cell there keeps its generation: the old page answers for it as well. Clearing the list
 * costs as much as a few lookups for each 64 pages. It pays after lookups of half as many pages as
 * the lane has. */
void ls_term_pages_begin(ls_context *context, ls_term_cursor *cursor, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), at = context->paged_terms;
    uint32_t count = ls_table_page_count(context->world->state.lives[lane]);
    if (cursor->pages_from == 0 || at == LS_PAGED_TERMS_MAX) /* 0: far_calls wrapped around */
        return;
    if (cursor->far_calls < count / 2) {
        cursor->pages_from = count / 2;
        return;
    }
    context->paged_terms++;
    if (context->term_pages_capacity[at] < count) {
        ls_free(context->term_pages[at]);
        context->term_pages_capacity[at] = count * 2;
        context->term_pages[at] = ls_alloc(sizeof **context->term_pages * count * 2);
    }
    cursor->pages = context->term_pages[at];
    memset(cursor->pages, 0, sizeof *cursor->pages * count);
    cursor->pages_first = lane << 16;
    if (context->plan->terms[cursor - context->front.cursors].kind == LS_ACCUMULATED)
        cursor->added_count = count;
    else
        cursor->pages_count = count;
}

void ls_term_pages_keep_added(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_term_cursor *cursor = &context->front.cursors[term];
    if (LS_UNLIKELY(!context->has_cursors))
        ls_term_cursor_begin(context);
    if (cursor->pages_from == 0)
        return;
    const ls_world *world = context->world;
    uint32_t lane = ls_entity_lane(entity), page = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    ls_term_pages_keep(context, cursor, entity, ls_table_page_known(cursor->tables[lane], page),
                       ls_page_generations(ls_table_page_known(world->state.lives[lane], page)));
}

void ls_term_pages_reset(ls_context *context)
{
    for (uint32_t i = 0; context && i < LS_PAGED_TERMS_MAX; i++)
        ls_free(context->term_pages[i]);
}

static void leave_pages(ls_term_cursor *cursor)
{
    cursor->pages_count = cursor->added_count = cursor->far_calls = cursor->pages_from = 0;
}

void ls_term_cursor_reset(ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++) {
        ls_term_cursor_leave(&context->front.cursors[i]);
        leave_pages(&context->front.cursors[i]);
        context->front.cursors[i].far_allowed = 0;
    }
    context->paged_terms = 0;
    context->has_cursors = false;
}

void ls_term_cursor_begin(ls_context *context)
{
    const ls_plan_system *plan = context->plan;
    ls_term_cursor *cursor = context->front.cursors;
    context->has_cursors = true;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *found = &plan->terms[i];
        ls_term_cursor_leave(&cursor[i]);
        bool is_added = keeps_added(context, found);
        if (found->grant == 0 && !is_added)
            continue;
        cursor[i].cell_bytes = found->cell_bytes;
        cursor[i].is_own =
            plan->system->mode == LS_CONCURRENT && found->kind <= LS_OPTIONAL && found->query == 0;
        cursor[i].far_allowed = far_allowed(context, found, cursor[i].is_own);
        bool may_keep = is_added || cursor[i].far_allowed >> LS_TERM_CURSOR_READ & 1;
        cursor[i].pages_from = may_keep ? LOOKUPS_MIN : 0;
        cursor[i].tables = ls_plan_keeps_start(plan, i)
                               ? &context->run->start[i * context->world->state.lanes]
                               : ls_world_table(context->world, found->column, 0);
    }
}

bool ls_term_cursor_find(const ls_context *context, uint32_t term, ls_entity entity,
                         ls_place *place)
{
    const ls_plan_term *found = &context->plan->terms[term];
    uint32_t page = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    if ((page == 0 && is_singleton(context, found)) ||
        !ls_term_cursor_find_far(context, &context->front.cursors[term], entity, place) ||
        !ls_is_reachable(context, found, entity))
        return false;
    /* is_open is read last, and only if the system writes the column. For a system that only tests
     * presence, another system may be opening the page at this moment. */
    if (sees_own_writes(context, found) && !place->page->is_open)
        place->page = ls_table_unshare(context->front.cursors[term].tables[ls_entity_lane(entity)],
                                       page, &context->world->sources[found->column]);
    return true;
}

static void place_cursor(ls_term_cursor *cursor, uint32_t first, uint32_t count)
{
    cursor->first = first;
    for (uint32_t use = 0; use < LS_TERM_CURSOR_USES; use++)
        cursor->counts[use] = cursor->allowed >> use & 1 ? count : 0;
}

void ls_term_cursor_move_own(ls_context *context)
{
    uint32_t first = context->front.own_first, count = context->front.own_count;
    for (uint32_t terms = context->own_placed; terms; terms &= terms - 1) {
        ls_term_cursor *cursor = &context->front.cursors[__builtin_ctz(terms)];
        if (cursor->key == first / LS_PAGE_SLOTS)
            place_cursor(cursor, first, count);
        else
            ls_term_cursor_leave(cursor);
        if (cursor->key == LS_TERM_CURSOR_NOWHERE)
            context->own_placed &= ~(terms & -terms);
    }
}

/* is_open is read only if the system writes the column. Otherwise another system may be opening the
 * page at this moment. */
static uint8_t allowed_at(const ls_context *context, const ls_plan_term *found, const ls_page *page)
{
    if (ls_is_beside_spawner(context, found))
        return 0;
    uint32_t allowed = (found->grant > LS_ACCESS_PRESENCE ? 1u << LS_TERM_CURSOR_HAS : 0u) |
                       (found->grant > LS_ACCESS_READ ? 1u << LS_TERM_CURSOR_READ : 0u);
    if (found->grant > LS_ACCESS_WRITE && page && page->is_open)
        allowed |= 1u << LS_TERM_CURSOR_WRITE;
    if (found->grant > LS_ACCESS_STRUCTURE && page && page->is_open &&
        ls_cell_is_small(found->cell_bytes) && !context->plan->has_unsettled)
        allowed |= 1u << LS_TERM_CURSOR_STRUCTURE;
    return (uint8_t)allowed;
}

void ls_term_cursor_remember(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_term_cursor *cursor = &context->front.cursors[term];
    ls_place place;
    if (LS_UNLIKELY(context->asked != NULL))
        return;
    bool is_there = ls_term_cursor_find(context, term, entity, &place);
    cursor->present = is_there ? place.page->present : no_presence;
    cursor->cells = is_there ? ls_page_cells(place.page) : NULL;
    cursor->generations = is_there ? place.generations : no_generations;
    cursor->allowed =
        allowed_at(context, &context->plan->terms[term], is_there ? place.page : NULL);
    cursor->missed = LS_TERM_CURSOR_NOWHERE;
    cursor->key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (cursor->is_own) {
        place_cursor(cursor, context->front.own_first, context->front.own_count);
        context->own_placed |= 1u << term;
    } else {
        place_cursor(cursor, cursor->key * LS_PAGE_SLOTS, LS_PAGE_SLOTS);
    }
}

void ls_term_cursor_forget_liveness(ls_context *context, ls_entity spawned)
{
    uint32_t key = (uint32_t)spawned / LS_PAGE_SLOTS;
    const ls_page *lives = ls_table_page(context->world->state.lives[key >> 16], key & 0xffff);
    for (uint32_t i = 0; i < context->plan->term_count; i++) {
        ls_term_cursor *cursor = &context->front.cursors[i];
        if (cursor->key == key && cursor->generations != ls_page_generations(lives))
            ls_term_cursor_leave(cursor);
    }
}
