/* Finds the cell in which a failed case differs from the first case. */
#ifndef LS_CHECK_CASE_LOCATE_H
#define LS_CHECK_CASE_LOCATE_H

#include "cli/check/check_case.h"

/* Names component, entity and field in which the final state of `failed`, the process of the case,
 * differs from that of the first case. If the case ran the systems in another order, also names the
 * independences that allow this order. Appends the names to `text`. Starts a child process and
 * waits for it.
 *   errors  IO: no process could be started; if nothing is found, the text says so */
ls_status ls_check_case_locate(const ls_check_case *self, const ls_child *failed, ls_error *text,
                               ls_error *error) LS_MUST_USE;

#endif
