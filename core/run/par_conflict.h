/* Two sides of a par changed one cell: which systems did it. */
#ifndef LS_PAR_CONFLICT_H
#define LS_PAR_CONFLICT_H
#include "core/state/world_state.h"

/* The world is as it was before the tick in which two sides changed one
 * cell: runs it again to find out who did, and leaves the world as it was.
 *   errors  always LS_ERROR_REFUSED */
ls_status ls_fork_explain(ls_world *world, const ls_frame *frame, ls_error *error);

#endif
