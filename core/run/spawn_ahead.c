#include "core/run/spawn_ahead.h"

#include "core/run/merge.h"
#include "core/state/store_spawn.h"

#include <string.h>

ls_spawn_ahead *ls_spawn_ahead_begin(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    if (plan->lane_count == 0 || plan->system->mode != LS_CONCURRENT ||
        !run->commands.is_of_one_lane)
        return NULL;
    ls_spawn_ahead **ahead = &world->scratch->ahead;
    if (!*ahead)
        *ahead = ls_alloc(sizeof **ahead);
    (*ahead)->segment = NULL;
    memset((*ahead)->records, false, plan->term_count);
    return *ahead;
}

/* Whether cells of the term may be written at once: they are small, and the system reaches the
 * column only through what it spawns. Values with references are recorded, because they may name an
 * entity without a number. */
static bool may_write(const ls_plan_system *plan, const ls_plan_term *term)
{
    return !plan->settled_touches[term->column] && !term->has_entities &&
           ls_cell_is_small(term->cell_bytes);
}

static void enter_segment(ls_spawn_ahead *ahead, const ls_world *world, const ls_plan_system *plan,
                          const ls_context *context)
{
    if (!ahead->segment) {
        ahead->segment = context->run->commands.segments;
        ahead->before = ahead->first = ahead->count = 0;
        ahead->page = world->free_hints[plan->lanes[0]];
    }
    for (; ahead->segment < context->segment; ahead->segment++)
        ahead->before += ahead->segment->spawned;
}

/* The slots that ls_store_spawn() will take, in its order. */
static void list_slots(ls_spawn_ahead *ahead, ls_page *lives)
{
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t free = lives ? ls_page_spawnable(lives, word, 64) : UINT64_MAX;
        uint8_t *slots = ahead->slots + ahead->count;
        ahead->count += (uint32_t)__builtin_popcountll(free);
        if (free == UINT64_MAX) {
            for (uint32_t i = 0; i < 64; i++)
                slots[i] = (uint8_t)(word * 64 + i);
            continue;
        }
        for (; free; free &= free - 1)
            *slots++ = (uint8_t)(word * 64 + (uint32_t)__builtin_ctzll(free));
    }
}

/* Moves the window to the next page of the lane with a free slot; false when there is none. */
static bool move(ls_spawn_ahead *ahead, const ls_world *world, const ls_plan_system *plan)
{
    uint32_t lane = plan->lanes[0];
    uint32_t slot = ls_store_next_free(world, lane, ahead->page + (ahead->count > 0));
    ahead->first += ahead->count;
    ahead->count = 0;
    ahead->page = slot / LS_PAGE_SLOTS;
    if (slot == LS_SLOTS_MAX)
        return false;
    list_slots(ahead, ls_table_page(world->state.lives[lane], ahead->page));
    memset(ahead->pages, 0, sizeof *ahead->pages * plan->term_count);
    return true;
}

ls_page *ls_spawn_ahead_find(const ls_context *context, uint32_t term, uint32_t ordinal)
{
    ls_spawn_ahead *ahead = context->run->ahead;
    const ls_plan_system *plan = context->plan;
    const ls_plan_term *found = &plan->terms[term];
    ls_world *world = context->world;
    ahead->records[term] = !may_write(plan, found);
    if (ahead->records[term])
        return NULL;
    enter_segment(ahead, world, plan, context);
    uint32_t number = ahead->before + ordinal;
    while (number >= ahead->first + ahead->count) {
        if (!move(ahead, world, plan))
            return NULL;
    }
    ahead->pending =
        ls_pending_make(false, context->own_page, 0) + ahead->first - (ls_entity)ahead->before;
    if (number < ahead->first)
        return NULL;
    ahead->pages[term] = ls_table_write(*ls_world_table(world, found->column, plan->lanes[0]),
                                        ahead->page, &world->sources[found->column]);
    return ahead->pages[term];
}
