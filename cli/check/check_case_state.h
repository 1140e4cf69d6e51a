/* Hands the final state of a case with a different root over to the process that searches for the
 * difference. The byte form of a state has only a hash of the match data, so that data is added. */
#ifndef LS_CHECK_CASE_STATE_H
#define LS_CHECK_CASE_STATE_H

#include "cli/common/child_process.h"
#include <lockstep/diff.h>

ls_status ls_check_case_state_give(ls_child *child, ls_world *world, ls_error *error) LS_MUST_USE;
/* Compares `world` with the state that was handed over: first the match data, then, if equal, the
 * states.
 *   errors  CORRUPT, INCOMPATIBLE: the bytes are no state of this simulation */
ls_status ls_check_case_state_compare(const ls_child *child, ls_world *world,
                                      ls_difference_visit *visit, void *argument,
                                      ls_error *error) LS_MUST_USE;

#endif
