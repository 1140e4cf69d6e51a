#include "core/reach.h"

#include "core/cell.h"

/* Where there is nothing. */
static ls_page no_page;
static const uint32_t no_generations[LS_PAGE_SLOTS];

static ls_page *find_page(const ls_context *context, uint32_t term, uint32_t lane, uint32_t page)
{
    const ls_world *world = context->world;
    const ls_plan_term *found = &context->plan->terms[term];
    if (ls_plan_keeps_start(context->plan, term))
        return ls_table_page(context->run->start[term * world->state.lanes + lane], page);
    /* A singleton's cell lies where an entity of index 0 would have one, and belongs to nobody. */
    if (page == 0 && world->sources[found->column].cells == 1)
        return NULL;
    ls_table *table = *ls_world_table(world, found->column, lane);
    ls_page *there = ls_table_page(table, page);
    /* A sequential system that also writes the column could hold a pointer over a write. Whether
     * the write shows through it may not depend on somebody having taken a snapshot. Asked last,
     * because to those who only ask for presence another system may open the page meanwhile. */
    if (there && context->own_count == LS_OWNS_ALL &&
        context->plan->touches[found->column] & LS_TOUCH_WRITE && !there->is_open)
        return ls_table_unshare(table, page, &world->sources[found->column]);
    return there;
}

/* A page that others may be opening meanwhile is asked whether it is open only by those who write.
 */
static uint8_t rights(const ls_plan_system *plan, const ls_plan_term *found, const ls_page *page)
{
    uint32_t may = (found->grant > LS_PRESENCE ? LS_MAY_ASK : 0u) |
                   (found->grant > LS_READ ? LS_MAY_READ : 0u);
    if (found->grant > LS_WRITE && page->is_open)
        may |= LS_MAY_WRITE;
    if (found->grant > LS_STRUCTURE && page->is_open && ls_cell_is_small(found->cell_bytes) &&
        !plan->has_unsettled)
        may |= LS_MAY_SHAPE;
    return (uint8_t)may;
}

ls_place ls_reach_find(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_state *state = &context->world->state;
    uint32_t lane = ls_entity_lane(entity), page = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    ls_place place = {&no_page, no_generations};
    const ls_page *lives = lane < state->lanes ? ls_table_page(state->lives[lane], page) : NULL;
    if (!lives)
        return place;
    ls_page *there = find_page(context, term, lane, page);
    if (there)
        place.page = there;
    place.generations = ls_page_generations(lives);
    return place;
}

void ls_reach_remember(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = &context->plan->terms[term];
    ls_reach *reach = &context->reach[term];
    reach->key = (uint32_t)entity / LS_PAGE_SLOTS;
    reach->place = ls_reach_find(context, term, entity);
    reach->may = rights(context->plan, found, reach->place.page);
    reach->is_own =
        context->own_count != LS_OWNS_ALL && found->kind <= LS_ANYWAY && found->query == 0;
    reach->cell_bytes = (uint16_t)found->cell_bytes;
}

void ls_reach_forget_lives(const ls_context *context, ls_entity newborn)
{
    uint32_t key = (uint32_t)newborn / LS_PAGE_SLOTS;
    const ls_page *lives = ls_table_page(context->world->state.lives[key >> 16], key & 0xffff);
    for (uint32_t i = 0; i < context->plan->term_count; i++) {
        ls_reach *reach = &context->reach[i];
        if (reach->key == key && reach->place.generations != ls_page_generations(lives))
            reach->key = LS_REACH_NOTHING;
    }
}
