/* Baselines: what filters by change and observers compare with. They are part of the state, because
 * a system may be off for any number of ticks: what it saw last does not follow from the present
 * state.
 *
 * Keeping a baseline copies tables and shares their pages, so a page that was not written since
 * is the same page. Only such pages are skipped; all others are compared by value. So the result
 * depends on the state alone, and is the same in a world that was read from bytes and shares no
 * page. */
#ifndef LS_BASELINE_H
#define LS_BASELINE_H
#include "core/state/world_state.h"

/* Keeps a component's column as it is in `world`, which may be the view of a side of a par.
 * `baseline` is an index of the program's baselines, the first of a pair: the second keeps the
 * generations of the entities. Called for the system that has the baseline, after its invocations
 * and merges. */
void ls_baseline_keep(ls_world *world, uint32_t baseline);
/* At the sync point: drops the tables that kept ones have replaced. Until then another system may
 * read presence from a page that only such a table still has. */
void ls_baseline_release(ls_world *world);
/* Removes from the mask of a page the slots that the filter of a term refuses. */
void ls_baseline_filter(const ls_world *world, const ls_plan_term *term, uint32_t lane,
                        uint32_t page, uint64_t mask[LS_PAGE_WORDS]);
/* The slots of a page with a change of the component that a term observes. `earlier`: the entity
 * had the component in the baseline, and has lost it or has another value now. `later`: the entity
 * has it now, and did not have it in the baseline. */
typedef struct ls_baseline_changes {
    uint64_t earlier[LS_PAGE_WORDS], later[LS_PAGE_WORDS];
} ls_baseline_changes;
/* False when there is no change. */
bool ls_baseline_find(const ls_world *world, const ls_plan_term *term, uint32_t lane, uint32_t page,
                      ls_baseline_changes *changes);
/* The cell of the baseline in the slot, and the entity that had it; NULL when there was none. */
const void *ls_baseline_cell(const ls_world *world, const ls_plan_term *term, uint32_t lane,
                             uint32_t slot, ls_entity *entity);

#endif
