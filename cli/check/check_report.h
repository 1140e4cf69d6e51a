/* The output of `lockstep check`: a table, the failures with the command that repeats
 * each, and JUnit XML. */
#ifndef LS_CHECK_REPORT_H
#define LS_CHECK_REPORT_H

#include "cli/check/check_cases.h"
#include "core/base/builder.h"

typedef struct ls_check_report {
    const ls_check_case_match *match; /* the last; seed, ticks and mode are in the verdicts */
    const ls_verdict *verdicts;
    uint32_t count;
    uint32_t hint_count; /* of the schedule, which builds */
    const char *imports; /* what it calls and should not, as in ls_sim_imports; "" for nothing */
} ls_check_report;

void ls_check_report_print(const ls_check_report *report);
/* errors  IO: the file cannot be written */
ls_status ls_check_report_junit(const ls_check_report *report, const char *path,
                                ls_error *error) LS_MUST_USE;
/* How the command ends: DIVERGED before INCOMPATIBLE before IO. */
ls_status ls_check_report_status(const ls_check_report *report);

#endif
