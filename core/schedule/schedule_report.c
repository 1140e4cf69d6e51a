#include "core/schedule/schedule_report_internal.h"

#include "core/base/grow.h"
#include "core/base/json_writer.h"
#include <lockstep/schedule.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ls_schedule_report_add_remedy(ls_schedule_report *report, const char *earlier,
                                   const char *later)
{
    report->remedies =
        ls_realloc(report->remedies, sizeof *report->remedies * (report->remedy_count + 1));
    report->remedies[report->remedy_count++] =
        (ls_remedy){ls_text_duplicate(earlier), ls_text_duplicate(later)};
}

void ls_schedule_report_add_independence(ls_schedule_report *report, const ls_independence *given,
                                         uint32_t pair_count)
{
    uint32_t count = report->independence_count++;
    report->independences =
        ls_realloc(report->independences, sizeof *report->independences * (count + 1));
    report->independences[count] =
        (ls_independence_use){ls_text_duplicate(given->one), ls_text_duplicate(given->other),
                              ls_text_duplicate(given->reason), pair_count};
}

void ls_schedule_report_add(ls_schedule_report *report, ls_finding_kind kind, const char *one,
                            const char *other, const char *format, ...)
{
    report->findings =
        ls_grow(report->findings, report->count, &report->capacity, sizeof *report->findings);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    LS_ASSERT(length >= 0);
    char *text = ls_alloc((size_t)length + 1);
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    report->findings[report->count++] =
        (ls_finding){kind, ls_text_duplicate(one), ls_text_duplicate(other), text};
    report->hint_count += kind == LS_FINDING_HINT;
}

void ls_schedule_report_note(ls_schedule_report *report, const char *name, ls_status status,
                             const ls_error *reason, ls_status *first)
{
    if (status == LS_OK)
        return;
    ls_schedule_report_add(report, LS_FINDING_DECLARATION, name, NULL, "%s", reason->text);
    *first = *first == LS_OK ? status : *first;
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
        if (used && strlen(finding->text) + 3 > room) { /* 3: separator and terminating zero */
            omitted++;
            continue;
        }
        snprintf(error->text + used, room, "%s%s", used ? "; " : "", finding->text);
        used += strlen(error->text + used); /* the first text may be cut */
    }
    if (omitted)
        snprintf(error->text + used, 40, "; and %u more", omitted);
}

const char *ls_finding_word(ls_finding_kind kind)
{
    static const char *const words[] = {
        [LS_FINDING_DECLARATION] = "declaration",     [LS_FINDING_UNKNOWN] = "unknown",
        [LS_FINDING_DUPLICATE] = "duplicate",         [LS_FINDING_CYCLE] = "cycle",
        [LS_FINDING_CONTRADICTION] = "contradiction", [LS_FINDING_EXCLUSIVE] = "exclusive",
        [LS_FINDING_AMBIGUITY] = "ambiguity",         [LS_FINDING_HINT] = "hint",
    };
    return words[kind];
}

static void add_finding(ls_builder *text, const ls_finding *finding)
{
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "kind", ls_finding_word(finding->kind));
    if (finding->one)
        ls_json_string(text, "one", finding->one);
    if (finding->other)
        ls_json_string(text, "other", finding->other);
    ls_json_string(text, "text", finding->text);
    ls_json_close(text, '}');
}

static void add_independence(ls_builder *text, const ls_independence_use *use)
{
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "one", use->one);
    ls_json_string(text, "other", use->other);
    ls_json_string(text, "reason", use->reason);
    ls_json_u64(text, "pairs", use->pair_count);
    ls_json_close(text, '}');
}

char *ls_schedule_report_json(const ls_schedule_report *report, const char *simulation)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_line(&text, 1);
    ls_json_string(&text, "simulation", simulation);
    ls_json_line(&text, 1);
    ls_json_bool(&text, "builds", !ls_schedule_report_refuses(report));
    ls_json_line(&text, 1);
    ls_json_open(&text, "findings", '[');
    for (uint32_t i = 0; i < report->count; i++)
        add_finding(&text, &report->findings[i]);
    ls_json_close_lines(&text, 1, ']');
    ls_json_line(&text, 1);
    ls_json_open(&text, "edges", '[');
    for (uint32_t i = 0; i < report->remedy_count; i++) {
        ls_json_line(&text, 2);
        ls_json_open(&text, NULL, '{');
        ls_json_string(&text, "earlier", report->remedies[i].earlier);
        ls_json_string(&text, "later", report->remedies[i].later);
        ls_json_close(&text, '}');
    }
    ls_json_close_lines(&text, 1, ']');
    ls_json_line(&text, 1);
    ls_json_bool(&text, "edges_are_fewest", report->is_smallest);
    ls_json_line(&text, 1);
    ls_json_open(&text, "independences", '[');
    for (uint32_t i = 0; i < report->independence_count; i++)
        add_independence(&text, &report->independences[i]);
    ls_json_close_lines(&text, 1, ']');
    ls_json_close_lines(&text, 0, '}');
    ls_builder_add(&text, "\n");
    return text.data;
}

void ls_schedule_report_destroy(ls_schedule_report *report)
{
    if (!report)
        return;
    for (uint32_t i = 0; i < report->count; i++) {
        ls_free(report->findings[i].one);
        ls_free(report->findings[i].other);
        ls_free(report->findings[i].text);
    }
    for (uint32_t i = 0; i < report->remedy_count; i++) {
        ls_free(report->remedies[i].earlier);
        ls_free(report->remedies[i].later);
    }
    for (uint32_t i = 0; i < report->independence_count; i++) {
        ls_free(report->independences[i].one);
        ls_free(report->independences[i].other);
        ls_free(report->independences[i].reason);
    }
    ls_free(report->independences);
    ls_free(report->findings);
    ls_free(report->remedies);
    ls_free(report);
}
