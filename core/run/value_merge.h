/* Accumulated values. They are recorded, and combined with their cells in canonical order when the
 * system ends. A system that runs alone combines them at once if ls_value_merge_is_free(), its
 * pages come in canonical order, and no tool watches the tick.
 *   source  docs/design.md section 4 */
#ifndef LS_VALUE_MERGE_H
#define LS_VALUE_MERGE_H
#include "core/run/scratch.h"
#include "core/state/world_state.h"

/* Whether a run of the system may combine values with their cells at once if no other system runs
 * and its pages come in canonical order: the run does nothing else with these columns but test
 * presence, no value can name an entity without a number, and cells are not larger than a limit. */
bool ls_value_merge_is_free(const ls_plan_system *plan);
/* Combines `value`, NULL for zeros, with the cell of `entity`; false if there is no such cell. */
bool ls_value_merge_add(ls_world *world, const ls_plan_term *term, ls_entity entity,
                        const void *value);
/* Combines what the system has recorded, and counts dropped values and events. Under merge_lock. */
void ls_value_merge_system(ls_world *world, const ls_plan_system *plan, ls_run *run);

#endif
