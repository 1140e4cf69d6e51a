#include "cli/schedule_check.h"

#include "cli/sim_load.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kind_words[] = {
    [LS_FINDING_UNKNOWN] = "unknown",     [LS_FINDING_DUPLICATE] = "duplicate",
    [LS_FINDING_CYCLE] = "cycle",         [LS_FINDING_CONTRADICTION] = "contradiction",
    [LS_FINDING_EXCLUSIVE] = "exclusive", [LS_FINDING_AMBIGUITY] = "ambiguity",
    [LS_FINDING_HINT] = "hint",
};

static void print_text(const char *sim, const ls_schedule_report *report)
{
    uint32_t faults = report->count - report->hint_count;
    for (uint32_t i = 0; i < report->count; i++)
        printf("%s: %s\n", kind_words[report->findings[i].kind], report->findings[i].text);
    if (report->remedy_count)
        printf("these edges settle every ambiguity%s:\n",
               report->is_smallest ? ", and no fewer do" : "");
    for (uint32_t i = 0; i < report->remedy_count; i++)
        printf("    \"%s\" before \"%s\"\n", report->remedies[i].earlier,
               report->remedies[i].later);
    if (faults)
        printf("%s: does not build, %u finding%s, %u hint%s\n", sim, faults, faults == 1 ? "" : "s",
               report->hint_count, report->hint_count == 1 ? "" : "s");
    else
        printf("%s: builds, nothing is ambiguous, %u hint%s\n", sim, report->hint_count,
               report->hint_count == 1 ? "" : "s");
}

/* Leaves out what is not there. */
static json_t *finding_json(const ls_finding *finding)
{
    json_t *object = json_pack("{s:s, s:s*, s:s*, s:s}", "kind", kind_words[finding->kind], "one",
                               finding->one, "other", finding->other, "text", finding->text);
    return object;
}

static void print_json(const char *sim, const ls_schedule_report *report)
{
    json_t *findings = json_array(), *remedies = json_array();
    for (uint32_t i = 0; i < report->count; i++)
        json_array_append_new(findings, finding_json(&report->findings[i]));
    for (uint32_t i = 0; i < report->remedy_count; i++)
        json_array_append_new(remedies,
                              json_pack("{s:s, s:s}", "earlier", report->remedies[i].earlier,
                                        "later", report->remedies[i].later));
    json_t *root = json_pack("{s:s, s:b, s:o, s:o, s:b}", "simulation", sim, "builds",
                             report->count == report->hint_count, "findings", findings, "edges",
                             remedies, "edges_are_fewest", report->is_smallest);
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    puts(text ? text : "{}");
    free(text);
    json_decref(root);
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
    if (!report) {
        ls_sim_unload(&loaded);
        return ls_command_fail("schedule", status, &error);
    }
    if (is_json)
        print_json(loaded.sim->name, report);
    else
        print_text(loaded.sim->name, report);
    ls_schedule_report_destroy(report);
    ls_sim_unload(&loaded);
    return ls_exit_of(status);
}
