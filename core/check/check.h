/* The check of what systems do: a tick in which every system runs several times from one state, and
 * is reported by name when it did what it did not declare.
 *   writes   all that it may not write is compared byte by byte
 *   reads    all that it may not read gets different values; then it has to do the same as before
 *   the rest from the same state, with pages elsewhere and in a different order, it has to do the
 *            same
 *   source   docs/determinism.md */
#ifndef LS_CHECK_H
#define LS_CHECK_H
#include "core/run/tick_check.h"

typedef struct ls_check ls_check;

/* For the job of the tick. */
ls_tick_check *ls_check_of_tick(ls_check *check);

/* Called before a tick; the tick's job gets the result.
 *   owns    ls_check_end() by the caller */
ls_check *ls_check_begin(ls_world *world);
/* Called after the tick, which ended with `status`.
 *   errors  `status`, or LS_ERROR_DIVERGED with all findings; the state is then as before the tick,
 *           and caches of it are to be dropped */
ls_status ls_check_end(ls_check *check, ls_status status, ls_error *error);

#endif
