/* Refuses a simulation with a list that exceeds its limit, or with a name that no list can
 * contain. */
#include "core/schedule/list_check.h"

#include "core/schedule/lists.h"
#include "core/schedule/program_data.h"
#include "core/schedule/schedule_report_internal.h"

static const char *const relabel = "give some of these systems one label and name that";
static const char *const nest = "let a set carry some of them";
static const char *const split = "split the system";

typedef struct owner {
    const char *what, *name;
    ls_schedule_report *report;
} owner;

static void check_count(const owner *by, const char *list, uint32_t count, uint32_t limit,
                        const char *remedy)
{
    if (count > limit)
        ls_schedule_report_add(by->report, LS_FINDING_DECLARATION, by->name, NULL,
                               "%s \"%s\" lists more than %u %s; %s", by->what, by->name, limit,
                               list, remedy);
}

static void check_length(const owner *by, const char *list, const char *name, uint32_t bytes)
{
    if (bytes > LS_NAME_BYTES_MAX)
        ls_schedule_report_add(by->report, LS_FINDING_DECLARATION, by->name, NULL,
                               "%s \"%s\" has in its %s a name of %u bytes, \"%.40s...\"; a name "
                               "has at most %d",
                               by->what, by->name, list, bytes, name, LS_NAME_BYTES_MAX);
}

static void check_names(const owner *by, const char *list, const char *names, const char *remedy)
{
    check_count(by, list, ls_name_list_count(names), LS_NAMES_MAX, remedy);
    for (ls_name_list walk = ls_name_list_of(names); ls_name_list_next(&walk);)
        check_length(by, list, walk.name, walk.bytes);
}

/* The name of a system, set, par or lane must be one that lists can contain, because lists refer to
 * such parts by name. */
static void check_own_name(const owner *by)
{
    if (!ls_name_is_listable(by->name))
        ls_schedule_report_add(by->report, LS_FINDING_DECLARATION, by->name, NULL,
                               "%s \"%.140s\" has a name that no list can contain: at most %d "
                               "bytes, without a comma, and without a space at its ends; rename it",
                               by->what, by->name, LS_NAME_BYTES_MAX);
}

static void check_system(const char *what, const ls_system *system, ls_schedule_report *report)
{
    const owner by = {what, system->name ? system->name : "", report};
    check_own_name(&by);
    uint32_t terms = 0, grids = 0, joins = 0;
    while (system->terms && terms <= LS_TERMS_MAX && ls_term_is_listed(&system->terms[terms]))
        terms++;
    while (system->grids && grids <= LS_SYSTEM_GRIDS_MAX && system->grids[grids].component)
        grids++;
    while (system->joins && joins <= LS_SYSTEM_JOINS_MAX && system->joins[joins].component)
        joins++;
    check_count(&by, "terms", terms, LS_TERMS_MAX, split);
    check_count(&by, "grids", grids, LS_SYSTEM_GRIDS_MAX, split);
    check_count(&by, "joins", joins, LS_SYSTEM_JOINS_MAX, split);
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
    check_own_name(&by);
    check_names(&by, "labels", set->labels, nest);
    check_names(&by, "names in .before", set->before, relabel);
    check_names(&by, "names in .after", set->after, relabel);
    check_names(&by, "names in .weakly_before", set->weakly_before, relabel);
    check_names(&by, "names in .weakly_after", set->weakly_after, relabel);
}

static void check_par(const ls_par *par, ls_schedule_report *report)
{
    const owner by = {"par", par->name ? par->name : "", report};
    check_own_name(&by);
    check_count(&by, "sides", ls_name_list_count(par->sides), LS_PAR_SIDES_MAX,
                "nest a par inside one of them");
    for (ls_name_list walk = ls_name_list_of(par->sides); ls_name_list_next(&walk);)
        check_length(&by, "sides", walk.name, walk.bytes);
}

ls_status ls_lists_check(const ls_sim *sim, ls_schedule_report *report)
{
    uint32_t before = report->count;
    for (uint32_t i = 0; i < sim->system_count; i++)
        check_system("system", &sim->systems[i], report);
    for (uint32_t i = 0; i < ls_sim_setup_count(sim); i++)
        check_system("setup", &sim->setup[i], report);
    for (uint32_t i = 0; i < sim->set_count; i++) {
        check_set(&sim->sets[i], report);
        if (sim->sets[i].when.criterion)
            check_system("criterion", sim->sets[i].when.criterion, report);
    }
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        if (sim->stages[i].when.criterion)
            check_system("criterion", sim->stages[i].when.criterion, report);
    }
    for (uint32_t i = 0; i < sim->par_count; i++)
        check_par(&sim->pars[i], report);
    for (uint32_t i = 0; i < sim->lane_count; i++) {
        const owner by = {"lane", sim->lanes[i] ? sim->lanes[i] : "", report};
        check_own_name(&by);
    }
    return report->count == before ? LS_OK : LS_ERROR_LIMIT;
}
