/* The effect of pars on the order: edges and conflicts of their members, and the views that the
 * members run in. */
#include "core/schedule/pars_order.h"

#include "core/schedule/conflict.h"
#include "core/schedule/pars.h"
#include "core/schedule/schedule_report_internal.h"

#include <string.h>

/* Whether the two have a conflict that views of cells cannot resolve: spawns take the lane's next
 * slots, and a query without an include matches every living entity. */
static bool conflicts_beyond_cells(const ls_program *program, uint32_t i, uint32_t j)
{
    const ls_plan_system *one = &program->systems[i], *other = &program->systems[j];
    ls_conflict conflict = {LS_CONFLICT_COLUMN, 0};
    uint32_t at = 0;
    if ((one->lane_count && other->all_matching) || (other->lane_count && one->all_matching))
        return true; /* they share the pages of liveness, even in different lanes */
    while (ls_conflict_next(program, one, other, &at, &conflict)) {
        if (conflict.kind >= LS_CONFLICT_LANE)
            return true;
    }
    return false;
}

void ls_pars_settle(ls_build *build)
{
    ls_program *program = build->program;
    uint32_t count = program->system_count;
    for (uint32_t p = 0; p < program->par_count; p++) {
        const ls_plan_par *par = &program->pars[p];
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; ls_bit_has(par->inside, i) && j < count; j++) {
                if (ls_graph_has(&build->conflicts, i, j) && ls_par_separates(par, i, j) &&
                    !conflicts_beyond_cells(program, i, j))
                    ls_bit_clear(ls_graph_row(&build->conflicts, i), j);
            }
        }
    }
}

/* Moves an edge of a member to the whole par. The new edge is weak only if all edges that it
 * replaces are weak. */
static void move_edge(ls_build *build, uint32_t i, uint32_t j, uint32_t earlier, uint32_t later)
{
    bool is_weak = ls_graph_has(&build->weak, i, j);
    ls_bit_clear(ls_graph_row(&build->weak, i), j);
    if (is_weak && !ls_graph_has(&build->edges, earlier, later))
        ls_graph_add(&build->weak, earlier, later);
    else if (!is_weak)
        ls_bit_clear(ls_graph_row(&build->weak, earlier), later);
    ls_graph_add(&build->edges, earlier, later);
}

static void contract(ls_build *build, const ls_plan_par *par)
{
    uint32_t words = build->edges.words, count = build->edges.count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *row = ls_graph_row(&build->edges, i);
        bool is_inside = ls_bit_has(par->inside, i);
        for (uint32_t j = ls_bits_next(row, words, 0); j < count;
             j = ls_bits_next(row, words, j + 1)) {
            if (is_inside == ls_bit_has(par->inside, j))
                continue;
            ls_bit_clear(row, j);
            move_edge(build, i, j, is_inside ? par->merge : i, is_inside ? j : par->fork);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!ls_bit_has(par->inside, i))
            continue;
        if (i != par->fork)
            ls_graph_add(&build->edges, par->fork, i);
        if (i != par->merge)
            ls_graph_add(&build->edges, i, par->merge);
    }
}

/* Sorts the pars with steps, inner before outer ones, and returns their number. */
static uint32_t sort_by_size(const ls_program *program, const ls_plan_par **sorted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->par_count; i++) {
        const ls_plan_par *par = &program->pars[i];
        if (!par->has_steps)
            continue;
        uint32_t at = count++;
        for (; at > 0 && sorted[at - 1]->size > par->size; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = par;
    }
    return count;
}

void ls_pars_contract(ls_build *build)
{
    const ls_plan_par *sorted[LS_PARS_MAX];
    uint32_t count = sort_by_size(build->program, sorted);
    for (uint32_t i = 0; i < count; i++)
        contract(build, sorted[i]);
}

uint32_t ls_pars_around(const ls_program *program, uint32_t one, uint32_t other)
{
    uint64_t around = program->systems[one].pars & ~program->systems[other].pars;
    uint32_t found = UINT32_MAX, largest = 0;
    for (; around; around &= around - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(around);
        if (program->pars[i].size > largest) {
            largest = program->pars[i].size;
            found = i;
        }
    }
    return found;
}

bool ls_pars_separate(const ls_program *program, uint32_t one, uint32_t other)
{
    uint32_t i = 0;
    while (i < program->par_count && !ls_par_separates(&program->pars[i], one, other))
        i++;
    return i < program->par_count;
}

static void report_path(ls_build *build, const ls_plan_par *par, uint32_t i, uint32_t j)
{
    const ls_plan_system *systems = build->program->systems;
    ls_schedule_report_add(build->report, LS_FINDING_CONTRADICTION, systems[i].system->name,
                           systems[j].system->name,
                           "\"%s\" and \"%s\" are in two sides of par \"%s\", and yet the one is "
                           "to run before the other; take away the order or the par",
                           systems[i].system->name, systems[j].system->name, par->name);
}

/* Reports paths from one member of a side to members of other sides. */
static void check_paths_from(ls_build *build, const ls_plan_par *par, uint32_t side, uint32_t i)
{
    const uint64_t *paths = ls_graph_row(&build->program->paths, i);
    for (uint32_t word = 0; word < build->program->paths.words; word++) {
        uint64_t others = 0;
        for (uint32_t other = 0; other < par->side_count; other++)
            others |= other == side ? 0 : par->members[other][word];
        for (uint64_t found = paths[word] & others; found; found &= found - 1)
            report_path(build, par, i, word * 64 + (uint32_t)__builtin_ctzll(found));
    }
}

void ls_pars_check_paths(ls_build *build)
{
    const ls_program *program = build->program;
    uint32_t words = program->paths.words;
    for (uint32_t p = 0; p < program->par_count; p++) {
        const ls_plan_par *par = &program->pars[p];
        for (uint32_t side = 0; side < par->side_count; side++) {
            for (uint32_t i = ls_bits_next(par->members[side], words, 0); i < program->system_count;
                 i = ls_bits_next(par->members[side], words, i + 1))
                check_paths_from(build, par, side, i);
        }
    }
}

/* Outer pars first, because inner pars override their views. */
void ls_pars_give_views(ls_program *program)
{
    const ls_plan_par *sorted[LS_PARS_MAX];
    uint32_t count = sort_by_size(program, sorted);
    program->view_count = 1;
    for (uint32_t p = count; p-- > 0;) {
        ls_plan_par *par = &program->pars[sorted[p] - program->pars];
        par->view = program->systems[par->fork].view;
        par->first_view = program->view_count;
        program->view_count += par->side_count - 1;
        for (uint32_t side = 1; side < par->side_count; side++) {
            for (uint32_t i = 0; i < program->system_count; i++) {
                if (ls_bit_has(par->members[side], i))
                    program->systems[i].view = par->first_view + side - 1;
            }
        }
    }
}
