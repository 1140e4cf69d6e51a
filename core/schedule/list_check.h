/* Lists of a declaration that are full. */
#ifndef LS_LIST_CHECK_H
#define LS_LIST_CHECK_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Refuses every list of a declaration that has no end within its array.
 *   errors  LS_ERROR_LIMIT, and a finding for each */
ls_status ls_lists_check(const ls_sim *sim, struct ls_schedule_report *report) LS_MUST_USE;

#endif
