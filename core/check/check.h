/* The check executor's work: runs every system of a tick several times from the same state, and
 * reports systems that do what they did not declare.
 *   writes   compares all cells that the system may not write, byte by byte
 *   reads    gives other values to all cells that it may not read; its results must not change
 *   hidden   runs it from the same state with pages at other addresses and in another order; its
 *            results must not change
 *   laws     tests whether its own operations that combine values are commutative and associative
 *   source   docs/determinism.md */
#ifndef LS_CHECK_H
#define LS_CHECK_H
#include "core/run/tick_check.h"

typedef struct ls_check ls_check;

/* The functions to put into the tick's job. */
ls_tick_check *ls_check_of_tick(ls_check *check);

/* Begins a check, before a tick.
 *   owns    the caller calls ls_check_end() */
ls_check *ls_check_begin(ls_world *world);
/* Ends a check after the tick, which returned `status`.
 *   errors  `status`, or LS_ERROR_DIVERGED with the findings; those that do not fit in the message
 *           are counted. After an error the state is as before the tick, and the caller must drop
 *           caches of it */
ls_status ls_check_end(ls_check *check, ls_status status, ls_error *error);

#endif
