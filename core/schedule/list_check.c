/* Each list of a declaration has one more element than its limit. An item in that last element
 * means that the list is too long, or that the compiler cut its initialiser. */
#include "core/schedule/list_check.h"

#include "core/schedule/program_data.h"
#include "core/schedule/schedule_report_internal.h"

static const char *const relabel = "give some of these systems one label and name that";
static const char *const nest = "let a set carry some of them";
static const char *const split = "split the system";

typedef struct owner {
    const char *what, *name;
    ls_schedule_report *report;
} owner;

static void refuse(const owner *by, const char *list, uint32_t limit, const char *remedy)
{
    ls_schedule_report_add(by->report, LS_FINDING_DECLARATION, by->name, NULL,
                           "%s \"%s\" lists more than %u %s, and a C compiler cuts off the rest "
                           "with a mere warning; %s",
                           by->what, by->name, limit, list, remedy);
}

static void check_names(const owner *by, const char *list, const char *const *names,
                        const char *remedy)
{
    if (names[LS_SYSTEM_NAMES_MAX])
        refuse(by, list, LS_SYSTEM_NAMES_MAX, remedy);
}

static void check_system(const char *what, const ls_system *system, ls_schedule_report *report)
{
    const owner by = {what, system->name ? system->name : "", report};
    if (system->terms[LS_TERMS_MAX].component)
        refuse(&by, "terms", LS_TERMS_MAX, split);
    if (system->grids[LS_SYSTEM_GRIDS_MAX].component)
        refuse(&by, "grids", LS_SYSTEM_GRIDS_MAX, split);
    if (system->joins[LS_SYSTEM_JOINS_MAX].component)
        refuse(&by, "joins", LS_SYSTEM_JOINS_MAX, split);
    check_names(&by, "lanes", system->lanes, split);
    check_names(&by, "command_lanes", system->command_lanes, split);
    check_names(&by, "labels", system->labels, nest);
    check_names(&by, "names in .before", system->before, relabel);
    check_names(&by, "names in .after", system->after, relabel);
    check_names(&by, "names in .weakly_before", system->weakly_before, relabel);
    check_names(&by, "names in .weakly_after", system->weakly_after, relabel);
    check_names(&by, "names in .needs", system->needs, relabel);
}

static void check_set(const ls_set *set, ls_schedule_report *report)
{
    const owner by = {"set", set->name, report};
    check_names(&by, "labels", set->labels, nest);
    check_names(&by, "names in .before", set->before, relabel);
    check_names(&by, "names in .after", set->after, relabel);
    check_names(&by, "names in .weakly_before", set->weakly_before, relabel);
    check_names(&by, "names in .weakly_after", set->weakly_after, relabel);
}

ls_status ls_lists_check(const ls_sim *sim, ls_schedule_report *report)
{
    uint32_t before = report->count;
    for (uint32_t i = 0; i < sim->system_count; i++)
        check_system("system", &sim->systems[i], report);
    if (sim->setup)
        check_system("setup", sim->setup, report);
    for (uint32_t i = 0; i < sim->set_count; i++) {
        check_set(&sim->sets[i], report);
        if (sim->sets[i].when.criterion)
            check_system("criterion", sim->sets[i].when.criterion, report);
    }
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (sim->stages[i].when.criterion)
            check_system("criterion", sim->stages[i].when.criterion, report);
    }
    for (uint32_t i = 0; i < sim->par_count; i++) {
        const owner by = {"par", sim->pars[i].name ? sim->pars[i].name : "", report};
        check_names(&by, "sides", sim->pars[i].sides, "nest a par inside one of them");
    }
    return report->count == before ? LS_OK : LS_ERROR_LIMIT;
}
