/* Finds hints: orders that come only from a sync point, commands on one component at the same sync
 * point, sides of a par that may change the same cell, and SPAWNS_WITH() in a system without a lane
 * to spawn into. */
#include "core/schedule/hints.h"

#include "core/base/builder.h"
#include "core/schedule/conflict.h"
#include "core/schedule/phases.h"
#include "core/schedule/schedule_report_internal.h"
#include <lockstep/program_view.h>

static const char *stage_name(const ls_program *program, uint32_t position)
{
    return program->stages[ls_program_stage_of(program, position)].stage->name;
}

static void hint_commands(const ls_program *program, uint32_t i, uint32_t j,
                          ls_schedule_report *report)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    uint32_t columns = a->commands && b->commands ? program->column_count : 0;
    for (uint32_t column = 0; column < columns; column++) {
        if (!(a->touches[column] & b->touches[column] & LS_TOUCH_COMMAND))
            continue;
        ls_schedule_report_add(report, LS_FINDING_HINT, a->system->name, b->system->name,
                               "\"%s\" and \"%s\" both give commands for \"%s\"; at the sync point "
                               "of stage \"%s\" those of \"%s\" come first",
                               a->system->name, b->system->name, program->components[column]->name,
                               stage_name(program, i), a->system->name);
        return;
    }
}

static void hint_sync_point(const ls_program *program, uint32_t i, uint32_t j,
                            ls_schedule_report *report)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    ls_conflict conflict = {LS_CONFLICT_COLUMN, 0};
    uint32_t at = 0;
    if (!ls_conflict_next(program, a, b, &at, &conflict))
        return;
    char text[256];
    ls_conflict_print(program, a, b, &conflict, text, sizeof text);
    ls_schedule_report_add(report, LS_FINDING_HINT, a->system->name, b->system->name,
                           "only their stages \"%s\" and \"%s\" order \"%s\" before \"%s\": %s",
                           stage_name(program, i), stage_name(program, j), a->system->name,
                           b->system->name, text);
}

/* Whether a system changes cells of entities that existed when the par began. Entities that it
 * spawns itself cannot conflict. */
static bool changes_cells(const ls_plan_system *plan, uint32_t column)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        bool is_cell =
            term->kind < LS_SPAWNED || term->kind == LS_ACCUMULATED || term->kind == LS_PARTNER;
        if (is_cell && term->column == column && term->access >= LS_ACCESS_WRITE)
            return true;
    }
    return false;
}

/* Whether filters separate the two in the column throughout the par. They do not if any member of
 * the par attaches or detaches a component of the filters, because the other side does not see that
 * change. */
static bool is_kept_apart(const ls_program *program, const ls_plan_par *par,
                          const ls_plan_system *a, const ls_plan_system *b, uint32_t column)
{
    uint32_t touches = 0, filters[2];
    if (!ls_conflict_filter(program, a, b, column, filters))
        return false;
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        if (ls_bit_has(par->inside, i))
            touches |= (uint32_t)(plan->touches[filters[0]] | plan->touches[filters[1]]);
    }
    return !(touches & LS_TOUCH_STRUCTURE);
}

/* Whether both may change the same cell of the column. Any system may read the inputs, without a
 * term for them. So the answer is no only if it is no for all possible inputs. */
static bool may_meet(const ls_program *program, const ls_plan_par *par, const ls_plan_system *a,
                     const ls_plan_system *b, uint32_t column)
{
    return ls_bit_has(par->apart, column) && changes_cells(a, column) && changes_cells(b, column) &&
           !ls_conflict_lanes_differ(a, b, column) && !is_kept_apart(program, par, a, b, column);
}

/* Adds the component's name; if both accumulate into it, also why the par does not combine their
 * values. */
static void add_component(const ls_program *program, const ls_plan_par *par, const uint32_t pair[2],
                          uint32_t column, ls_builder *components)
{
    const char *verb, *name = program->components[column]->name;
    const ls_plan_system *third = ls_conflict_third(program, par, pair[0], pair[1], column, &verb);
    ls_builder_add(components, "%s\"%s\"", components->count ? ", " : "", name);
    if (third)
        ls_builder_add(components,
                       " (their values would combine, but \"%s\" of the par %s it; take \"%s\" "
                       "out of the par)",
                       third->system->name, verb, third->system->name);
}

static void hint_par(const ls_program *program, const ls_plan_par *par, uint32_t i, uint32_t j,
                     ls_schedule_report *report)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    uint32_t one = ls_par_side(par, i), other = ls_par_side(par, j);
    ls_builder components = {0};
    for (uint32_t column = 0; column < program->column_count; column++) {
        if (may_meet(program, par, a, b, column))
            add_component(program, par, (const uint32_t[]){i, j}, column, &components);
    }
    if (components.count)
        ls_schedule_report_add(
            report, LS_FINDING_HINT, a->system->name, b->system->name,
            "\"%s\" and \"%s\", in sides %u and %u of par \"%s\", both change %s: a tick in which "
            "both change one cell fails, and the match ends for all; order the two outside of the "
            "par, let a filter or a lane keep their entities apart, accept no input that leads "
            "there, or let side %u win (LS_PAR_FIRST_WINS)",
            a->system->name, b->system->name, one + 1, other + 1, par->name, components.data,
            (one < other ? one : other) + 1);
    ls_free(components.data);
}

static void hint_pars(const ls_program *program, uint32_t i, uint32_t j, ls_schedule_report *report)
{
    for (uint32_t p = 0; p < program->par_count; p++) {
        if (program->pars[p].has_steps && program->pars[p].clash == LS_PAR_FAILS &&
            ls_par_separates(&program->pars[p], i, j))
            hint_par(program, &program->pars[p], i, j, report);
    }
}

static void hint_pair(const ls_program *program, const ls_graph *conflicts, uint32_t i, uint32_t j,
                      ls_schedule_report *report)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    bool has_conflict = ls_graph_has(conflicts, i, j);
    if (!(program->par_count || has_conflict || (a->commands && b->commands)) || b->step ||
        ls_phases_exclude(program, i, j))
        return;
    hint_pars(program, i, j, report);
    if (ls_program_stage_of(program, i) == ls_program_stage_of(program, j))
        hint_commands(program, i, j, report);
    else if (has_conflict)
        hint_sync_point(program, i, j, report);
}

/* Hints at a system that attaches to what it spawns, and has no lane to spawn into. */
static void hint_spawns(const ls_program *program, const ls_plan_system *plan,
                        ls_schedule_report *report)
{
    uint32_t first = 0;
    while (first < plan->term_count && plan->terms[first].kind != LS_SPAWNED)
        first++;
    if (plan->lane_count == 0 && first < plan->term_count)
        ls_schedule_report_add(
            report, LS_FINDING_HINT, plan->system->name, NULL,
            "\"%s\" has SPAWNS_WITH(%s) and no lane to spawn into, so its first spawn would stop "
            "the process; add .lanes = \"world\" or a lane of the simulation, or take such terms "
            "out",
            plan->system->name, program->components[plan->terms[first].column]->name);
}

void ls_hints_find(const ls_program *program, ls_schedule_report *report)
{
    ls_graph conflicts;
    ls_graph_init(&conflicts, program->system_count);
    ls_conflicts_find(program, &conflicts);
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = i + 1; j < program->system_count && !program->systems[i].step; j++)
            hint_pair(program, &conflicts, i, j, report);
    }
    ls_graph_reset(&conflicts);
    for (uint32_t i = 0; i < program->setup_count; i++)
        hint_spawns(program, &program->setups[i], report);
    for (uint32_t i = 0; i < program->system_count; i++)
        hint_spawns(program, &program->systems[i], report);
}
