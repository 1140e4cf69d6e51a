/* Observers: the changes of a component since the system last ended. The slots are listed when the
 * system begins, so that no walk follows what the system itself attaches. What has happened in a
 * slot is found when the walk is there, from the past and the present page. */
#include "core/run/cell_change.h"

#include "core/run/access_fault.h"
#include "core/run/query.h"
#include "core/state/past.h"

/* The number of the term's pair of pasts among those of its system. */
static uint32_t pair_of(const ls_world *world, const ls_plan_system *plan, const ls_plan_term *term)
{
    return (term->past - ls_program_past_column(world->program, plan->past_first)) / 2;
}

static void list_changes(const ls_world *world, const ls_plan_term *term, ls_page_list *list)
{
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        uint32_t now = ls_table_page_count(*ls_world_table(world, term->column, lane));
        uint32_t before = ls_table_page_count(*ls_world_table(world->base, term->past, lane));
        for (uint32_t page = 0; page < now || page < before; page++) {
            uint64_t mask[LS_PAGE_WORDS];
            if (ls_past_differs(world, term, lane, page, mask))
                ls_page_list_add(list, lane << 16 | page, mask);
        }
    }
}

void ls_cell_changes_find(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (term->filter != LS_FILTER_OBSERVED)
            continue;
        uint32_t pair = pair_of(world, plan, term);
        run->changed[pair].count = 0;
        /* Nothing differs if nothing may have been written since. */
        if (run->kept_versions[pair] != world->versions[term->column])
            list_changes(world, term, &run->changed[pair]);
    }
}

void ls_cell_change_begin(const ls_context *context, uint32_t term, ls_cell_change_walk *walk)
{
    const ls_plan_system *plan = context->plan;
    if (LS_UNLIKELY(term >= plan->term_count || plan->terms[term].filter != LS_FILTER_OBSERVED))
        ls_access_fault(
            context, term, LS_ENTITY_NULL,
            "walks changes of a term that does not observe; declare it with OBSERVES()");
    *walk = (ls_cell_change_walk){.context = context, .term = term};
}

const ls_cell_change *ls_cell_change_next(ls_cell_change_walk *walk)
{
    const ls_context *context = walk->context;
    const ls_plan_term *term = &context->plan->terms[walk->term];
    const ls_page_list *list = &context->run->changed[pair_of(context->world, context->plan, term)];
    for (; walk->page < list->count; walk->page++, walk->step = 0) {
        uint32_t lane = list->keys[walk->page] >> 16, page = list->keys[walk->page] & 0xffff;
        /* Two steps a slot: the entity of the past, then the present one. */
        for (uint32_t slot;
             (slot = ls_mask_next_set(list->masks[walk->page], walk->step / 2)) < LS_PAGE_SLOTS;) {
            bool is_later = walk->step == slot * 2 + 1;
            walk->step = slot * 2 + (is_later ? 2 : 1);
            if (ls_past_change(context->world, term, lane, page * LS_PAGE_SLOTS + slot, is_later,
                               &walk->change))
                return &walk->change;
        }
    }
    return NULL;
}
