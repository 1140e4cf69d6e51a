/* Hints at names that lead nowhere: an event that is never sent, a set without members, and a label
 * that is nearly the name of something else. */
#include "core/schedule/name_hints.h"

#include "core/schedule/lists.h"
#include "core/schedule/name_table.h"
#include "core/schedule/schedule_report_internal.h"

#include <string.h>

static void hint_events(const ls_program *program, ls_schedule_report *report)
{
    uint64_t sent = 0;
    for (uint32_t i = 0; i < program->system_count; i++)
        sent |= program->systems[i].sends;
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        for (uint64_t missing = plan->receives & ~sent; missing; missing &= missing - 1) {
            const char *event = program->events[__builtin_ctzll(missing)]->name;
            ls_schedule_report_add(report, LS_FINDING_HINT, plan->system->name, event,
                                   "\"%s\" receives \"%s\", which no system sends; give a system "
                                   "LS_SENDS(), or take the term out",
                                   plan->system->name, event);
        }
    }
}

/* Whether an order, an independence, a par or a set refers to the label. */
static bool is_used(const ls_sim *sim, const char *label)
{
    bool is_found = false;
    for (uint32_t i = 0; i < sim->system_count && !is_found; i++) {
        const ls_system *system = &sim->systems[i];
        is_found =
            ls_name_list_has(system->before, label) || ls_name_list_has(system->after, label) ||
            ls_name_list_has(system->weakly_before, label) ||
            ls_name_list_has(system->weakly_after, label) || ls_name_list_has(system->needs, label);
    }
    for (uint32_t i = 0; i < sim->set_count && !is_found; i++) {
        const ls_set *set = &sim->sets[i];
        is_found = strcmp(set->name, label) == 0 || ls_name_list_has(set->before, label) ||
                   ls_name_list_has(set->after, label) ||
                   ls_name_list_has(set->weakly_before, label) ||
                   ls_name_list_has(set->weakly_after, label);
    }
    for (uint32_t i = 0; i < sim->independence_count && !is_found; i++)
        is_found = strcmp(sim->independences[i].one, label) == 0 ||
                   strcmp(sim->independences[i].other, label) == 0;
    for (uint32_t i = 0; i < sim->par_count && !is_found; i++)
        is_found = ls_name_list_has(sim->pars[i].sides, label);
    return is_found;
}

/* Whether the label is the prefix that the names of a module's systems have. */
static bool is_of_module(const char *label, const char *system)
{
    size_t bytes = strlen(label);
    return strncmp(system, label, bytes) == 0 && system[bytes] == '.';
}

static void hint_labels(const ls_program *program, const ls_name_table *names,
                        ls_schedule_report *report)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_system *system = program->systems[i].system;
        for (ls_name_list list = ls_name_list_of(system->labels); ls_name_list_next(&list);) {
            const char *near = ls_name_table_nearest(
                names, (ls_name_use){.name = list.name, .owner = system->name});
            if (near && !is_of_module(list.name, system->name) && !is_used(program->sim, list.name))
                ls_schedule_report_add(
                    report, LS_FINDING_HINT, system->name, list.name,
                    "\"%s\" carries the label \"%s\", which nothing refers to; is "
                    "\"%s\" meant?",
                    system->name, list.name, near);
        }
    }
}

static void hint_sets(const ls_program *program, const ls_name_table *names,
                      ls_schedule_report *report)
{
    for (uint32_t i = 0; i < program->sim->set_count; i++) {
        const char *name = program->sim->sets[i].name;
        if (ls_bits_next(ls_name_table_find(names, name), names->words, 0) >= program->system_count)
            ls_schedule_report_add(
                report, LS_FINDING_HINT, name, NULL,
                "set \"%s\" has no members; systems join it by carrying its name "
                "among their labels",
                name);
    }
}

void ls_name_hints_find(const ls_program *program, ls_schedule_report *report)
{
    ls_name_table names;
    ls_name_table_init(&names, program, NULL);
    hint_events(program, report);
    hint_labels(program, &names, report);
    hint_sets(program, &names, report);
    ls_name_table_reset(&names);
}
