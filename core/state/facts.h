/* Facts that a simulation declares about all its states: no entity has two incompatible components,
 * and no entity is its own ancestor (core/state/parents.h). */
#ifndef LS_FACTS_H
#define LS_FACTS_H
#include "core/state/world_state.h"

/* Finds the first entity, by lane and slot, that has a component in both columns.
 *   cost    reads the presence of all pages of column `one` */
bool ls_facts_find_both(const ls_world *world, uint32_t one, uint32_t other, ls_entity *entity);
/* Checks that no entity has two incompatible components. The state may also have cells of dead
 * entities, as after ls_cells_place(); they are checked, too.
 *   errors  LS_ERROR_CORRUPT names the entity and both components */
LS_MUST_USE ls_status ls_facts_check_incompatibilities(const ls_world *world, ls_error *error);
/* Checks a state from bytes or text for incompatible components and for cycles of parents.
 *   errors  LS_ERROR_CORRUPT names the entity and the fact */
LS_MUST_USE ls_status ls_facts_check(const ls_world *world, ls_error *error);

#endif
