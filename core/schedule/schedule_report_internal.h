/* Adds to a report, and prints it. */
#ifndef LS_SCHEDULE_REPORT_INTERNAL_H
#define LS_SCHEDULE_REPORT_INTERNAL_H

#include <lockstep/schedule_report.h>

void ls_schedule_report_add(ls_schedule_report *report, ls_finding_kind kind, const char *one,
                            const char *other, const char *format, ...) LS_PRINTF(5, 6);
/* Adds a faulty declaration of the part that has the name, unless `status` is LS_OK. One fault does
 * not hide the next: `*first` keeps the first status. */
void ls_schedule_report_note(ls_schedule_report *report, const char *name, ls_status status,
                             const ls_error *reason, ls_status *first);
/* Adds a remedy: an edge between two systems. */
void ls_schedule_report_add_remedy(ls_schedule_report *report, const char *earlier,
                                   const char *later);
struct ls_independence;
void ls_schedule_report_add_independence(ls_schedule_report *report,
                                         const struct ls_independence *given, uint32_t pair_count);
/* Whether the report has a finding that is not a hint. */
static inline bool ls_schedule_report_refuses(const ls_schedule_report *report)
{
    return report->count > report->hint_count;
}
/* Prints the texts of all findings but hints one after another, then how many did not fit. */
void ls_schedule_report_print(const ls_schedule_report *report, ls_error *error);

#endif
