/* Filling a report. */
#ifndef LS_SCHEDULE_REPORT_INTERNAL_H
#define LS_SCHEDULE_REPORT_INTERNAL_H

#include <lockstep/schedule_report.h>

void ls_schedule_report_add(ls_schedule_report *report, ls_finding_kind kind, const char *one,
                            const char *other, const char *format, ...) LS_PRINTF(5, 6);
/* An edge from the one to the other. */
void ls_schedule_report_add_remedy(ls_schedule_report *report, const char *earlier,
                                   const char *later);
/* Whether it has a finding that refuses. */
static inline bool ls_schedule_report_refuses(const ls_schedule_report *report)
{
    return report->count > report->hint_count;
}
/* The texts one after the other; what does not fit is counted. */
void ls_schedule_report_print(const ls_schedule_report *report, ls_error *error);

#endif
