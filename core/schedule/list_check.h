/* Checks the lists of a declaration and the names in them. */
#ifndef LS_LIST_CHECK_H
#define LS_LIST_CHECK_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Refuses lists that exceed their limits, and names that no list can contain.
 *   errors  LS_ERROR_LIMIT, with a finding for each */
ls_status ls_lists_check(const ls_sim *sim, struct ls_schedule_report *report) LS_MUST_USE;

#endif
