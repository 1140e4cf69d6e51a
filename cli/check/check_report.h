/* Prints the output of `lockstep check`: a table, the failures with the command that repeats each,
 * and JUnit XML. */
#ifndef LS_CLI_CHECK_REPORT_H
#define LS_CLI_CHECK_REPORT_H

#include "cli/check/check_cases.h"
#include "core/base/builder.h"

typedef struct ls_check_report {
    const ls_check_case_match *match; /* the last one; each verdict has its own */
    const ls_verdict *verdicts;
    uint32_t count;
    uint32_t hint_count; /* hints of the schedule's check */
    /* How many matches ran: one of each seed, with other options, and longer ones. */
    uint32_t seed_matches, option_matches, longer_matches;
    uint64_t ticks_max; /* the ticks of the longest match */
    /* Functions that the simulation calls and should not, as in ls_sim_imports; "" for none. */
    const char *imports;
} ls_check_report;

void ls_check_report_print(const ls_check_report *report);
/* Writes the verdicts as JUnit XML.
 *   errors  IO: the file cannot be written */
ls_status ls_check_report_junit(const ls_check_report *report, const char *path,
                                ls_error *error) LS_MUST_USE;
/* Returns the status of the command. If cases failed in different ways: DIVERGED before
 * INCOMPATIBLE before IO. */
ls_status ls_check_report_status(const ls_check_report *report);

#endif
