/* Hints at names that lead nowhere: an event that is never sent, a set without members, and a label
 * that is nearly the name of something else. */
#include "core/schedule/name_hints.h"

#include "core/base/grow.h"
#include "core/base/sort.h"
#include "core/schedule/lists.h"
#include "core/schedule/name_table.h"
#include "core/schedule/schedule_report_internal.h"
#include <lockstep/random.h>

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
                                   "SENDS(...), or take the term out",
                                   plan->system->name, event);
        }
    }
}

/* The keys of names to which an order, an independence, a par or a set refers, ascending. */
typedef struct used_names {
    ls_sort_item *keys;
    uint32_t count, capacity;
} used_names;

static void use_name(used_names *used, const char *name)
{
    used->keys = ls_grow(used->keys, used->count, &used->capacity, sizeof *used->keys);
    used->keys[used->count++] = (ls_sort_item){.key = ls_name_key(name)};
}

static void use_list(used_names *used, const char *names)
{
    for (ls_name_list list = ls_name_list_of(names); ls_name_list_next(&list);)
        use_name(used, list.name);
}

static used_names find_used(const ls_sim *sim)
{
    used_names used = {0};
    for (uint32_t i = 0; i < sim->system_count; i++) {
        const ls_system *system = &sim->systems[i];
        const char *const lists[] = {system->before, system->after, system->weakly_before,
                                     system->weakly_after, system->needs};
        for (uint32_t j = 0; j < LS_COUNT_OF(lists); j++)
            use_list(&used, lists[j]);
    }
    for (uint32_t i = 0; i < sim->set_count; i++) {
        const ls_set *set = &sim->sets[i];
        const char *const lists[] = {set->before, set->after, set->weakly_before,
                                     set->weakly_after};
        use_name(&used, set->name);
        for (uint32_t j = 0; j < LS_COUNT_OF(lists); j++)
            use_list(&used, lists[j]);
    }
    for (uint32_t i = 0; i < sim->independence_count; i++) {
        use_name(&used, sim->independences[i].one);
        use_name(&used, sim->independences[i].other);
    }
    for (uint32_t i = 0; i < sim->par_count; i++)
        use_list(&used, sim->pars[i].sides);
    ls_sort_item *other = ls_alloc(sizeof *other * (used.count + 1));
    ls_sort(used.keys, other, used.count);
    ls_free(other);
    return used;
}

static bool is_used(const used_names *used, const char *name)
{
    return ls_sort_has(used->keys, used->count, ls_name_key(name));
}

/* Whether the label is the name of the system's module, or of a module around that. */
static bool is_of_module(const char *label, const char *system)
{
    size_t bytes = strlen(label);
    return strncmp(system, label, bytes) == 0 && system[bytes] == '.';
}

static void hint_labels(const ls_program *program, const ls_name_table *names,
                        ls_schedule_report *report)
{
    used_names used = find_used(program->sim);
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_system *system = program->systems[i].system;
        for (ls_name_list list = ls_name_list_of(system->labels); ls_name_list_next(&list);) {
            if (is_used(&used, list.name) || is_of_module(list.name, system->name))
                continue;
            const char *near = ls_name_table_nearest(
                names, (ls_name_use){.name = list.name, .owner = system->name});
            if (near)
                ls_schedule_report_add(
                    report, LS_FINDING_HINT, system->name, list.name,
                    "\"%s\" carries the label \"%s\", which nothing refers to; is "
                    "\"%s\" meant?",
                    system->name, list.name, near);
        }
    }
    ls_free(used.keys);
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
