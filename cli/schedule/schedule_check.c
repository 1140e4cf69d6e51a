#include "cli/schedule/schedule_check.h"

#include "cli/module/sim_load.h"
#include "cli/schedule/source_lines.h"

#include <stdio.h>

/* Prints the independences, which make a schedule unambiguous by its author's word alone. */
static void print_independences(const ls_schedule_report *report)
{
    for (uint32_t i = 0; i < report->independence_count; i++) {
        const ls_independence_use *use = &report->independences[i];
        printf("declared independent: \"%s\" and \"%s\", %u pair%s without an order (%s)\n",
               use->one, use->other, use->pair_count, use->pair_count == 1 ? "" : "s", use->reason);
    }
}

static void print_text(const char *sim, const ls_schedule_report *report)
{
    uint32_t faults = report->count - report->hint_count;
    for (uint32_t i = 0; i < report->count; i++)
        printf("%s: %s\n", ls_finding_word(report->findings[i].kind), report->findings[i].text);
    if (report->remedy_count)
        printf("these edges settle every ambiguity%s:\n",
               report->is_smallest ? ", and no fewer do" : "");
    for (uint32_t i = 0; i < report->remedy_count; i++)
        printf("    \"%s\" before \"%s\"\n", report->remedies[i].earlier,
               report->remedies[i].later);
    print_independences(report);
    if (faults)
        printf("%s: does not build, %u finding%s, %u hint%s\n", sim, faults, faults == 1 ? "" : "s",
               report->hint_count, report->hint_count == 1 ? "" : "s");
    else
        printf("%s: builds, nothing is ambiguous, %u hint%s\n", sim, report->hint_count,
               report->hint_count == 1 ? "" : "s");
}

static void print_place(const ls_source_lines *sources, bool is_found, const ls_source_line *place)
{
    if (is_found)
        printf("%s:%u: ", place->path, place->line);
    else
        printf("%s: ", sources->paths[0]);
}

/* Prints a finding with its line: where an unknown name is used, or else where the system is
 * declared. */
static void print_error(const ls_source_lines *sources, const ls_finding *finding)
{
    ls_source_line place = {NULL, 0}, other = {NULL, 0};
    bool is_found = finding->kind == LS_FINDING_UNKNOWN && finding->one && finding->other &&
                    ls_source_lines_find_item(sources, finding->one, finding->other, &place);
    if (!is_found && finding->one)
        is_found = ls_source_lines_find(sources, finding->one, &place);
    print_place(sources, is_found, &place);
    printf("error: %s: %s\n", ls_finding_word(finding->kind), finding->text);
    if (finding->kind == LS_FINDING_UNKNOWN || !finding->other ||
        !ls_source_lines_find(sources, finding->other, &other))
        return;
    print_place(sources, true, &other);
    printf("note: here is \"%s\"\n", finding->other);
}

static void print_as_compiler(const ls_source_lines *sources, const ls_schedule_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->findings[i].kind != LS_FINDING_HINT)
            print_error(sources, &report->findings[i]);
    }
    for (uint32_t i = 0; i < report->remedy_count; i++)
        printf("%s: note: %s \"%s\" before \"%s\"\n", sources->paths[0],
               i ? "and" : "every ambiguity is settled by", report->remedies[i].earlier,
               report->remedies[i].later);
}

static void print_json(const char *sim, const ls_schedule_report *report)
{
    char *text = ls_schedule_report_json(report, sim);
    fputs(text, stdout);
    ls_free(text);
}

ls_exit ls_schedule_check_print(const char *sim, bool is_json, const char *const *sources,
                                uint32_t source_count)
{
    ls_loaded_sim loaded;
    ls_error error;
    ls_schedule_report *report;
    ls_source_lines lines = {.count = 0};
    ls_status status = ls_sim_find(sim, &loaded, &error);
    for (uint32_t i = 0; status == LS_OK && i < source_count; i++)
        status = ls_source_lines_add(&lines, sources[i], &error);
    if (status)
        return ls_command_fail("schedule", status, &error);
    status = ls_program_check(loaded.sim, &report, &error);
    const char *name = loaded.sim->name ? loaded.sim->name : sim;
    if (source_count)
        print_as_compiler(&lines, report);
    else if (is_json)
        print_json(name, report);
    else
        print_text(name, report);
    ls_schedule_report_destroy(report);
    ls_source_lines_reset(&lines);
    ls_sim_unload(&loaded);
    /* An error of the schedule is always LS_EXIT_REFUSED, whichever status the check gave. */
    return ls_exit_of(status == LS_OK ? LS_OK : LS_ERROR_REFUSED);
}
