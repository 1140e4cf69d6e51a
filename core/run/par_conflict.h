/* Two sides of a par changed one cell: which systems did it. */
#ifndef LS_PAR_CONFLICT_H
#define LS_PAR_CONFLICT_H
#include "core/state/world_state.h"

/* Finds out which systems of two sides changed one cell. The world is in the state before the tick;
 * the tick is run again, and the world is afterwards as it was.
 *   errors  always LS_ERROR_REFUSED */
ls_status ls_fork_explain(ls_world *world, const ls_frame *frame, ls_error *error);

#endif
