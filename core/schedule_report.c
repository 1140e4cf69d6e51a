#include "core/schedule_report_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ls_schedule_report_add(ls_schedule_report *report, ls_finding_kind kind, const char *one,
                            const char *other, const char *format, ...)
{
    if (report->count == report->capacity) {
        report->capacity = report->capacity ? report->capacity * 2 : 16;
        report->findings =
            ls_realloc(report->findings, sizeof *report->findings * report->capacity);
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    LS_ASSERT(length >= 0);
    char *text = ls_alloc((size_t)length + 1);
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    report->findings[report->count++] = (ls_finding){kind, one, other, text};
    report->hint_count += kind == LS_FINDING_HINT;
}

void ls_schedule_report_print(const ls_schedule_report *report, ls_error *error)
{
    if (!error)
        return;
    size_t used = 0;
    uint32_t omitted = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const ls_finding *finding = &report->findings[i];
        size_t room = LS_ERROR_TEXT_BYTES - 40 - used;
        if (finding->kind == LS_FINDING_HINT)
            continue;
        if (strlen(finding->text) + 3 > room) { /* with what joins and ends it */
            omitted++;
            continue;
        }
        used += (size_t)snprintf(error->text + used, room, "%s%s", used ? "; " : "", finding->text);
    }
    if (omitted)
        snprintf(error->text + used, 40, "; and %u more", omitted);
}

void ls_schedule_report_destroy(ls_schedule_report *report)
{
    if (!report)
        return;
    for (uint32_t i = 0; i < report->count; i++)
        ls_free(report->findings[i].text);
    ls_free(report->findings);
    ls_free(report->remedies);
    ls_free(report);
}
