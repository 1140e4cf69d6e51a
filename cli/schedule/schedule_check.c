#include "cli/schedule/schedule_check.h"

#include "cli/module/sim_load.h"

#include <stdio.h>

/* These make a schedule unambiguous by its author's word alone. */
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

static void print_json(const char *sim, const ls_schedule_report *report)
{
    char *text = ls_schedule_report_json(report, sim);
    fputs(text, stdout);
    ls_free(text);
}

ls_exit ls_schedule_check_print(const char *sim, bool is_json)
{
    ls_loaded_sim loaded;
    ls_error error;
    ls_schedule_report *report;
    ls_status status = ls_sim_find(sim, &loaded, &error);
    if (status)
        return ls_command_fail("schedule", status, &error);
    status = ls_program_check(loaded.sim, &report, &error);
    const char *name = loaded.sim->name ? loaded.sim->name : sim;
    if (is_json)
        print_json(name, report);
    else
        print_text(name, report);
    ls_schedule_report_destroy(report);
    ls_sim_unload(&loaded);
    /* An error of the schedule is always LS_EXIT_REFUSED, whichever status the check gave. */
    return ls_exit_of(status == LS_OK ? LS_OK : LS_ERROR_REFUSED);
}
