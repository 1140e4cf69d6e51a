/* Adds to a report, and prints it. */
#ifndef LS_SCHEDULE_REPORT_INTERNAL_H
#define LS_SCHEDULE_REPORT_INTERNAL_H

#include <lockstep/schedule_report.h>

void ls_schedule_report_add(ls_schedule_report *report, ls_finding_kind kind, const char *one,
                            const char *other, const char *format, ...) LS_PRINTF(5, 6);
/* Adds a remedy: an edge between two systems. */
void ls_schedule_report_add_remedy(ls_schedule_report *report, const char *earlier,
                                   const char *later);
/* Whether the report has a finding that is not a hint. */
static inline bool ls_schedule_report_refuses(const ls_schedule_report *report)
{
    return report->count > report->hint_count;
}
/* Prints the findings' texts one after another, and the number of those that do not fit. */
void ls_schedule_report_print(const ls_schedule_report *report, ls_error *error);

#endif
