/* Compares the cells that a run wrote with those that the system may write. */
#ifndef LS_CHECK_CELLS_H
#define LS_CHECK_CELLS_H
#include "core/check/check_state.h"

/* Reports the undeclared writes of the run that just ended. */
void ls_check_writes(ls_check *check);
/* Whether the world differs from `check->after`; `check->text` says where. With `is_perturbed`,
 * the values of cells that the system may not read are not compared, because they were scrambled
 * before the run. */
bool ls_check_cells_differ(ls_check *check, bool is_perturbed);

#endif
