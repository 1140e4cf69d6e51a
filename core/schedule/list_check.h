/* Checks that lists of a declaration are not too long. */
#ifndef LS_LIST_CHECK_H
#define LS_LIST_CHECK_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Refuses every list of a declaration that has no terminating zero.
 *   errors  LS_ERROR_LIMIT, with a finding for each such list */
ls_status ls_lists_check(const ls_sim *sim, struct ls_schedule_report *report) LS_MUST_USE;

#endif
