/* The cell in which a failed case differs from the first. */
#ifndef LS_CHECK_CASE_LOCATE_H
#define LS_CHECK_CASE_LOCATE_H

#include "cli/check/check_case.h"

/* Names component, entity and field of a case that handed over another state than the first case
 * had, by adding to its text; starts a process for it, and waits.
 *   errors  those of the machine alone; what cannot be found out is said in the text */
ls_status ls_check_case_locate(const ls_check_case_match *match, const ls_child *failed,
                               ls_error *text, ls_error *error) LS_MUST_USE;

#endif
