#include "core/run/term_lookup.h"

/* Where there is no page. */
static uint64_t nobody[LS_PAGE_WORDS];
static const uint32_t no_generations[LS_PAGE_SLOTS];

/* A singleton's cell lies where an entity of index 0 would have one, and belongs to nobody. */
static bool is_singleton(const ls_context *context, const ls_plan_term *found)
{
    return context->world->sources[found->column].cells == 1;
}

/* A sequential system that also writes the column could hold a pointer over a write. Whether the
 * write shows through it may not depend on somebody having taken a snapshot. */
static bool sees_own_writes(const ls_context *context, const ls_plan_term *found)
{
    return context->plan->system->mode == LS_SEQUENTIAL && found->kind != LS_START &&
           context->plan->touches[found->column] & LS_TOUCH_WRITE;
}

static uint8_t far_ways(const ls_context *context, const ls_plan_term *found, bool is_own)
{
    /* What has more to be asked is left to the functions that ask it. */
    if (is_own || context->asked || is_singleton(context, found))
        return 0;
    uint32_t ways = (found->grant > LS_PRESENCE ? 1u << LS_TERM_CURSOR_ASK : 0u);
    if (found->grant > LS_READ && !sees_own_writes(context, found))
        ways |= 1u << LS_TERM_CURSOR_READ;
    if (found->grant > LS_WRITE)
        ways |= 1u << LS_TERM_CURSOR_WRITE;
    if (found->grant > LS_STRUCTURE && ls_cell_is_small(found->cell_bytes) &&
        !context->plan->has_unsettled)
        ways |= 1u << LS_TERM_CURSOR_SHAPE;
    return (uint8_t)ways;
}

void ls_term_cursor_reset(ls_context *context)
{
    for (uint32_t i = 0; i < context->plan->term_count; i++) {
        ls_term_cursor_leave(&context->front.reach[i]);
        context->front.reach[i].far_ways = 0;
    }
    context->has_reach = false;
}

void ls_term_cursor_begin(ls_context *context)
{
    const ls_plan_system *plan = context->plan;
    ls_term_cursor *reach = context->front.reach;
    context->has_reach = true;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *found = &plan->terms[i];
        ls_term_cursor_leave(&reach[i]);
        if (found->grant == 0)
            continue;
        reach[i].cell_bytes = found->cell_bytes;
        reach[i].is_own =
            plan->system->mode == LS_CONCURRENT && found->kind <= LS_ANYWAY && found->query == 0;
        reach[i].far_ways = far_ways(context, found, reach[i].is_own);
        reach[i].tables = ls_plan_keeps_start(plan, i)
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
        !ls_term_cursor_find_far(context, &context->front.reach[term], entity, place))
        return false;
    /* Asked last, because to those who only ask for presence another system may open the page
     * meanwhile. */
    if (sees_own_writes(context, found) && !place->page->is_open)
        place->page = ls_table_unshare(context->front.reach[term].tables[ls_entity_lane(entity)],
                                       page, &context->world->sources[found->column]);
    return true;
}

static void stand(ls_term_cursor *reach, uint32_t first, uint32_t count)
{
    reach->first = first;
    for (uint32_t way = 0; way < LS_TERM_CURSOR_WAYS; way++)
        reach->counts[way] = reach->ways >> way & 1 ? count : 0;
}

void ls_term_cursor_move_own(ls_context *context)
{
    uint32_t first = context->front.own_first, count = context->front.own_count;
    for (uint32_t terms = context->own_standing; terms; terms &= terms - 1) {
        ls_term_cursor *reach = &context->front.reach[__builtin_ctz(terms)];
        if (reach->key == first / LS_PAGE_SLOTS)
            stand(reach, first, count);
        else
            ls_term_cursor_leave(reach);
        if (reach->key == LS_TERM_CURSOR_NOWHERE)
            context->own_standing &= ~(terms & -terms);
    }
}

/* A page that others may be opening meanwhile is asked whether it is open only by those who write.
 */
static uint8_t ways_at(const ls_context *context, const ls_plan_term *found, const ls_page *page)
{
    uint32_t ways = (found->grant > LS_PRESENCE ? 1u << LS_TERM_CURSOR_ASK : 0u) |
                    (found->grant > LS_READ ? 1u << LS_TERM_CURSOR_READ : 0u);
    if (found->grant > LS_WRITE && page && page->is_open)
        ways |= 1u << LS_TERM_CURSOR_WRITE;
    if (found->grant > LS_STRUCTURE && page && page->is_open &&
        ls_cell_is_small(found->cell_bytes) && !context->plan->has_unsettled)
        ways |= 1u << LS_TERM_CURSOR_SHAPE;
    return (uint8_t)ways;
}

void ls_term_cursor_remember(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_term_cursor *reach = &context->front.reach[term];
    ls_place place;
    if (LS_UNLIKELY(context->asked != NULL))
        return;
    bool is_there = ls_term_cursor_find(context, term, entity, &place);
    reach->present = is_there ? place.page->present : nobody;
    reach->cells = is_there ? ls_page_cells(place.page) : NULL;
    reach->generations = is_there ? place.generations : no_generations;
    reach->ways = ways_at(context, &context->plan->terms[term], is_there ? place.page : NULL);
    reach->missed = LS_TERM_CURSOR_NOWHERE;
    reach->key = (uint32_t)entity / LS_PAGE_SLOTS;
    if (reach->is_own) {
        stand(reach, context->front.own_first, context->front.own_count);
        context->own_standing |= 1u << term;
    } else {
        stand(reach, reach->key * LS_PAGE_SLOTS, LS_PAGE_SLOTS);
    }
}

void ls_term_cursor_forget_lives(ls_context *context, ls_entity newborn)
{
    uint32_t key = (uint32_t)newborn / LS_PAGE_SLOTS;
    const ls_page *lives = ls_table_page(context->world->state.lives[key >> 16], key & 0xffff);
    for (uint32_t i = 0; i < context->plan->term_count; i++) {
        ls_term_cursor *reach = &context->front.reach[i];
        if (reach->key == key && reach->generations != ls_page_generations(lives))
            ls_term_cursor_leave(reach);
    }
}
