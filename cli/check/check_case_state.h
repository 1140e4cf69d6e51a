/* Sends the final world of a case with a different root to the process that searches for the
 * difference: the state's byte form, and the match data, of which that form has only a hash. */
#ifndef LS_CHECK_CASE_STATE_H
#define LS_CHECK_CASE_STATE_H

#include "cli/common/child_process.h"
#include <lockstep/diff.h>

ls_status ls_check_case_state_give(ls_child *child, ls_world *world, ls_error *error) LS_MUST_USE;
/* Compares `world` with what was handed over: the match data first, and the states where that is
 * equal.
 *   errors  CORRUPT, INCOMPATIBLE: the bytes are of no such world */
ls_status ls_check_case_state_compare(const ls_child *child, ls_world *world,
                                      ls_difference_visit *visit, void *argument,
                                      ls_error *error) LS_MUST_USE;

#endif
