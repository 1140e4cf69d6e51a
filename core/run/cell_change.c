/* Observers: the changes of a component since the system last ended. The entities are listed when
 * the system begins, so no walk follows what the system itself attaches. The kind of a change is
 * found when the walk reaches the entity, by comparing the baseline's cell with the present
 * cell. */
#include "core/run/cell_change_internal.h"

#include "core/run/access_fault.h"
#include "core/run/query.h"
#include "core/state/baseline.h"
#include "core/state/store.h"

#include <string.h>

/* The term's two lists of slots. The first has the entities that had the component in the baseline
 * and have lost it or changed it, the second those that have it now and did not have it then. Both
 * lists have the same pages. */
static ls_page_list *lists_of(const ls_world *world, const ls_plan_system *plan,
                              const ls_plan_term *term, const ls_run *run)
{
    return &run->changed[term->baseline -
                         ls_program_baseline_column(world->program, plan->baseline_first)];
}

static void list_changes(const ls_world *world, const ls_plan_term *term, ls_page_list lists[2])
{
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        uint32_t now = ls_table_page_count(*ls_world_table(world, term->column, lane));
        uint32_t before = ls_table_page_count(*ls_world_table(world->base, term->baseline, lane));
        for (uint32_t page = 0; page < now || page < before; page++) {
            ls_baseline_changes changes;
            if (!ls_baseline_find(world, term, lane, page, &changes))
                continue;
            ls_page_list_add(&lists[0], lane << 16 | page, changes.earlier);
            ls_page_list_add(&lists[1], lane << 16 | page, changes.later);
        }
    }
}

void ls_cell_changes_find(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (term->filter != LS_FILTER_OBSERVED)
            continue;
        ls_page_list *lists = lists_of(world, plan, term, run);
        lists[0].count = lists[1].count = 0;
        /* Nothing differs if nothing may have been written since the system last ended. */
        if (run->kept_versions[(lists - run->changed) / 2] != world->versions[term->column])
            list_changes(world, term, lists);
    }
}

void ls_cell_change_begin(const ls_context *context, uint32_t term, ls_cell_change_walk *walk)
{
    const ls_plan_system *plan = context->plan;
    if (LS_UNLIKELY(term >= plan->term_count || plan->terms[term].filter != LS_FILTER_OBSERVED))
        ls_access_fault(
            context, term, LS_ENTITY_NULL,
            "walks changes of a term that does not observe; declare it with OBSERVES(...)");
    *walk = (ls_cell_change_walk){.context = context, .term = term};
}

/* Finds the change of a listed slot: the change of the baseline's entity or, if `is_later`, of the
 * present entity. False when the system itself has undone the change. */
static bool find_change(const ls_world *world, const ls_plan_term *term, uint32_t lane,
                        uint32_t slot, bool is_later, ls_cell_change *change)
{
    *change = (ls_cell_change){.kind = LS_CELL_ATTACHED};
    if (is_later)
        change->entity = ls_store_entity_at(world, lane, slot);
    else
        change->before = ls_baseline_cell(world, term, lane, slot, &change->entity);
    change->now = ls_store_find(world, term->column, change->entity);
    if (is_later)
        return change->now != NULL;
    if (change->now) {
        change->kind = LS_CELL_CHANGED;
        return memcmp(change->before, change->now, world->sources[term->column].cell_bytes) != 0;
    }
    bool is_alive = ls_store_is_alive(world, change->entity);
    change->kind = is_alive ? LS_CELL_DETACHED : LS_CELL_DESPAWNED;
    return true;
}

/* Moves to the next listed step of the page; false at the page's end. Each slot has two steps:
 * first the baseline's entity, then the present entity. */
static bool next_step(const ls_page_list *lists, ls_cell_change_walk *walk)
{
    uint32_t earlier = ls_mask_next_set(lists[0].masks[walk->page], (walk->step + 1) / 2);
    uint32_t later = ls_mask_next_set(lists[1].masks[walk->page], walk->step / 2);
    walk->step = later < earlier ? 2 * later + 1 : 2 * earlier;
    return walk->step < 2 * LS_PAGE_SLOTS;
}

const ls_cell_change *ls_cell_change_next(ls_cell_change_walk *walk)
{
    const ls_context *context = walk->context;
    const ls_plan_term *term = &context->plan->terms[walk->term];
    const ls_page_list *lists = lists_of(context->world, context->plan, term, context->run);
    for (; walk->page < lists->count; walk->page++, walk->step = 0) {
        uint32_t lane = lists->keys[walk->page] >> 16, page = lists->keys[walk->page] & 0xffff;
        while (next_step(lists, walk)) {
            uint32_t step = walk->step++;
            if (find_change(context->world, term, lane, page * LS_PAGE_SLOTS + step / 2, step & 1,
                            &walk->change))
                return &walk->change;
        }
    }
    return NULL;
}
