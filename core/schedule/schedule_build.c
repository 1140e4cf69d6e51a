/* Builds the order and finds ambiguities. It turns stages and names into edges, sorts topologically
 * with ties broken by name, and computes reachability as bit sets. It refuses every pair of systems
 * that timing alone would order.
 *   source  docs/scheduler.md */
#include "core/schedule/schedule_build.h"

#include "core/base/sort.h"
#include "core/schedule/algebra.h"
#include "core/schedule/ambiguity.h"
#include "core/schedule/build.h"
#include "core/schedule/conflict.h"
#include "core/schedule/cycles.h"
#include "core/schedule/insertion.h"
#include "core/schedule/lists.h"
#include "core/schedule/pars.h"
#include "core/schedule/pars_order.h"
#include "core/schedule/remedies.h"
#include "core/schedule/resolve.h"
#include "core/schedule/schedule_report_internal.h"

#include <stdio.h>
#include <string.h>

/* The index of each slot in the order in which they run. */
static const uint8_t place_of_slot[LS_SLOT_COUNT] = {
    [LS_AT_START] = 0, [LS_PARALLEL] = 1, [LS_BEFORE_COMMANDS] = 2, [LS_AT_END] = 3};

static uint32_t group_of(const ls_program *program, const ls_system *system)
{
    if (!ls_stages_has_place(program, system)) /* it was reported; any place will do */
        return place_of_slot[LS_PARALLEL];
    return ls_stages_find(program, system->stage) * LS_SLOT_COUNT + place_of_slot[system->slot];
}

static uint64_t name_key(const char *name, size_t chunk)
{
    uint64_t key = 0;
    size_t length = strlen(name);
    for (size_t i = chunk * 8; i < chunk * 8 + 8; i++)
        key = key << 8 | (i < length ? (uint8_t)name[i] : 0);
    return key;
}

static void permute(ls_program *program, const uint32_t *order)
{
    ls_plan_system *moved = ls_alloc(sizeof *moved * (program->system_count + 1));
    for (uint32_t i = 0; i < program->system_count; i++)
        moved[i] = program->systems[order[i]];
    ls_free(program->systems);
    program->systems = moved;
}

/* Sorts by group, and within a group by name. It is a radix sort: the last letters of the names
 * come first, the group last; each pass keeps the order of the previous one. */
static void sort_systems(ls_program *program)
{
    uint32_t count = program->system_count;
    ls_sort_item *items = ls_alloc(sizeof *items * (count + 1) * 2);
    uint32_t *order = ls_alloc(sizeof *order * (count + 1));
    size_t longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(program->systems[i].system->name);
        items[i].value = i;
        longest = length > longest ? length : longest;
    }
    for (size_t chunk = longest / 8 + 1; chunk-- > 0;) {
        for (uint32_t i = 0; i < count; i++)
            items[i].key = name_key(program->systems[items[i].value].system->name, chunk);
        ls_sort(items, items + count, count);
    }
    for (uint32_t i = 0; i < count; i++)
        items[i].key = group_of(program, program->systems[items[i].value].system);
    ls_sort(items, items + count, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = items[i].value;
    permute(program, order);
    ls_free(items);
    ls_free(order);
}

static void check_places(const ls_program *program, ls_schedule_report *report)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_system *system = program->systems[i].system;
        if (ls_stages_find(program, system->stage) == UINT32_MAX)
            ls_schedule_report_add(
                report, LS_FINDING_UNKNOWN, system->name, system->stage,
                "system \"%s\" is of stage \"%s\", which the simulation does not list; list "
                "the stage, or correct its name",
                system->name, system->stage);
        if ((uint32_t)system->slot >= LS_SLOT_COUNT)
            ls_schedule_report_add(report, LS_FINDING_UNKNOWN, system->name, NULL,
                                   "system \"%s\" has slot %d, which does not exist; take one of "
                                   "ls_slot",
                                   system->name, (int)system->slot);
        else if (system->slot != LS_PARALLEL && system->mode != LS_SEQUENTIAL)
            ls_schedule_report_add(report, LS_FINDING_EXCLUSIVE, system->name, NULL,
                                   "system \"%s\" is exclusive, and so has to be LS_SEQUENTIAL",
                                   system->name);
    }
}

/* Adds an edge between each system of `some` and each system with `name`. A system gets an edge to
 * itself only if it was named directly. */
static void relate(ls_build *build, ls_graph *graph, const uint64_t *some, const char *name,
                   bool is_after)
{
    const uint64_t *others = ls_name_table_find(&build->names, name);
    uint32_t words = build->edges.words;
    for (uint32_t i = ls_bits_next(some, words, 0); i < build->program->system_count;
         i = ls_bits_next(some, words, i + 1)) {
        for (uint32_t j = ls_bits_next(others, words, 0); j < build->program->system_count;
             j = ls_bits_next(others, words, j + 1)) {
            if (i != j || strcmp(build->program->systems[i].system->name, name) == 0)
                ls_graph_add(graph, is_after ? j : i, is_after ? i : j);
        }
    }
}

/* Orders `owner` before or after all `names`. An unknown name that is nearly a known one counts as
 * the known one, so that the missing order causes no further findings. */
static void relate_all(ls_build *build, ls_graph *graph, const char *what, const char *owner,
                       const char *names, bool is_after)
{
    const uint64_t *some = ls_name_table_find(&build->names, owner);
    for (ls_name_list list = ls_name_list_of(names); ls_name_list_next(&list);) {
        char advice[LS_NAME_BYTES_MAX + 128];
        const char *name = list.name;
        if (!ls_name_table_find(&build->names, name)) {
            const ls_name_use use = {.name = list.name, .owner = owner};
            name = ls_name_table_advise(&build->names, use, advice, sizeof advice);
            ls_schedule_report_add(build->report, LS_FINDING_UNKNOWN, owner, list.name,
                                   "%s \"%s\" is to run %s \"%s\", but no system has that name or "
                                   "label; %s",
                                   what, owner, is_after ? "after" : "before", list.name, advice);
        }
        if (name)
            relate(build, graph, some, name, is_after);
    }
}

/* Adds the algebra's edges. Nodes of the algebra are indexes of the simulation's list, so they are
 * converted to positions. */
static void add_algebra(ls_build *build)
{
    const ls_program *program = build->program;
    uint32_t words = build->algebra.words;
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *earlier = &program->systems[i];
        const uint64_t *row =
            earlier->step ? NULL : ls_graph_row(&build->algebra, ls_plan_index(program, earlier));
        if (!row || ls_bits_next(row, words, 0) >= build->algebra.count)
            continue;
        for (uint32_t j = 0; j < program->system_count; j++) {
            const ls_plan_system *later = &program->systems[j];
            if (!later->step && ls_bit_has(row, ls_plan_index(program, later)))
                ls_graph_add(&build->edges, i, j);
        }
    }
}

static void add_edges(ls_build *build)
{
    const ls_sim *sim = build->program->sim;
    add_algebra(build);
    for (uint32_t i = 0; i < build->program->system_count; i++) {
        const ls_system *system = build->program->systems[i].system;
        relate_all(build, &build->edges, "system", system->name, system->after, true);
        relate_all(build, &build->edges, "system", system->name, system->before, false);
        relate_all(build, &build->edges, "system", system->name, system->needs, true);
        relate_all(build, &build->weak, "system", system->name, system->weakly_after, true);
        relate_all(build, &build->weak, "system", system->name, system->weakly_before, false);
    }
    for (uint32_t i = 0; i < sim->set_count; i++) {
        const ls_set *set = &sim->sets[i];
        relate_all(build, &build->edges, "set", set->name, set->after, true);
        relate_all(build, &build->edges, "set", set->name, set->before, false);
        relate_all(build, &build->weak, "set", set->name, set->weakly_after, true);
        relate_all(build, &build->weak, "set", set->name, set->weakly_before, false);
    }
}

/* Makes a weak edge an edge if the two systems conflict and have no edge already; removes all other
 * weak edges from `weak`. An edge from a system to itself stays, so that it is reported. */
static void keep_weak_edges(ls_build *build)
{
    for (uint32_t i = 0; i < build->edges.count; i++) {
        uint64_t *weak = ls_graph_row(&build->weak, i);
        for (uint32_t j = ls_bits_next(weak, build->weak.words, 0); j < build->edges.count;
             j = ls_bits_next(weak, build->weak.words, j + 1)) {
            bool is_new = !ls_graph_has(&build->edges, i, j);
            if (!is_new || !(ls_graph_has(&build->conflicts, i, j) || i == j))
                ls_bit_clear(weak, j);
            else
                ls_graph_add(&build->edges, i, j);
        }
    }
}

/* Removes edges that stages and slots imply, and reports edges that contradict them. */
static void drop_edges_between_groups(ls_build *build)
{
    const ls_program *program = build->program;
    for (uint32_t i = 0; i < build->edges.count; i++) {
        uint64_t *row = ls_graph_row(&build->edges, i);
        for (uint32_t j = ls_bits_next(row, build->edges.words, 0); j < build->edges.count;
             j = ls_bits_next(row, build->edges.words, j + 1)) {
            if (build->groups[i] == build->groups[j])
                continue;
            ls_bit_clear(row, j);
            if (build->groups[i] < build->groups[j] || !build->has_stages ||
                !ls_stages_has_place(program, program->systems[i].system) ||
                !ls_stages_has_place(program, program->systems[j].system))
                continue;
            const char *one = program->systems[i].system->name;
            const char *other = program->systems[j].system->name;
            ls_schedule_report_add(
                build->report, LS_FINDING_CONTRADICTION, one, other,
                "%s \"%s\" is to run before \"%s\", but its stage \"%s\" or its slot "
                "in it comes after the other's; move one of the two",
                ls_plan_word(&program->systems[i]), one, other,
                program->stages[build->groups[i] / LS_SLOT_COUNT].stage->name);
        }
    }
}

/* Renumbers the systems in their new order, and with them edges and conflicts. Groups keep their
 * positions. */
static void commit_order(ls_build *build, const uint32_t *order)
{
    uint32_t count = build->program->system_count;
    uint32_t *place = ls_alloc(sizeof *place * (count + 1));
    ls_graph *graphs[] = {&build->edges, &build->conflicts, &build->weak, &build->listed,
                          &build->cyclic};
    for (uint32_t i = 0; i < count; i++)
        place[order[i]] = i;
    for (uint32_t g = 0; g < LS_COUNT_OF(graphs); g++) {
        ls_graph moved;
        if (graphs[g]->count < count) /* `cyclic` of an order without cycles */
            continue;
        ls_graph_init(&moved, count);
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t *row = ls_graph_row(graphs[g], i);
            for (uint32_t j = ls_bits_next(row, moved.words, 0); j < count;
                 j = ls_bits_next(row, moved.words, j + 1))
                ls_graph_add(&moved, place[i], place[j]);
        }
        ls_graph_reset(graphs[g]);
        *graphs[g] = moved;
    }
    permute(build->program, order);
    ls_free(place);
}

/* Sorts the systems topologically. */
static void place_systems(ls_build *build)
{
    uint32_t *order = ls_alloc(sizeof *order * (build->edges.count + 1));
    if (ls_graph_sort(&build->edges, order) < build->edges.count)
        ls_cycles_report(build);
    ls_insertion_order_add(build);
    ls_graph_sort(&build->edges, order);
    commit_order(build, order);
    ls_free(order);
}

static void find_paths(ls_build *build)
{
    ls_program *program = build->program;
    uint32_t *order = ls_alloc(sizeof *order * (program->system_count + 1));
    for (uint32_t i = 0; i < program->system_count; i++)
        order[i] = i;
    ls_graph_init(&program->paths, program->system_count);
    ls_graph_close(&build->edges, order, &program->paths);
    ls_graph_reduce(&build->edges, order, &program->paths);
    ls_free(order);
    program->weak_edges = build->weak;
    program->listed_edges = build->listed;
    build->weak = build->listed = (ls_graph){0};
}

/* Turns edges into lists of positions; find_paths() has removed the edges that other paths imply.
 * The lists have room for the systems to keep apart, which ls_ambiguities_find() adds. */
static void make_lists(ls_build *build)
{
    for (uint32_t i = 0; i < build->edges.count; i++) {
        ls_plan_system *plan = &build->program->systems[i];
        const uint64_t *row = ls_graph_row(&build->edges, i);
        const uint64_t *conflicts = ls_graph_row(&build->conflicts, i);
        uint32_t later = 0, conflict_count = 0;
        for (uint32_t word = 0; word < build->edges.words; word++) {
            later += (uint32_t)__builtin_popcountll(row[word]);
            conflict_count += (uint32_t)__builtin_popcountll(conflicts[word]);
        }
        plan->successors = ls_alloc(sizeof *plan->successors * (later + conflict_count + 1));
        for (uint32_t j = ls_bits_next(row, build->edges.words, 0); j < build->edges.count;
             j = ls_bits_next(row, build->edges.words, j + 1)) {
            plan->successors[plan->successor_count++] = j;
            build->program->systems[j].predecessor_count++;
        }
    }
}

static void find_groups(ls_build *build)
{
    ls_program *program = build->program;
    uint32_t at = 0;
    for (uint32_t i = 0; i < program->system_count; i++)
        build->groups[i] = group_of(program, program->systems[i].system);
    for (uint32_t group = 0; group < program->stage_count * LS_SLOT_COUNT; group++) {
        ls_plan_stage *stage = &program->stages[group / LS_SLOT_COUNT];
        stage->first[group % LS_SLOT_COUNT] = at;
        while (at < program->system_count && build->groups[at] == group)
            at++;
        stage->first[group % LS_SLOT_COUNT + 1] = at;
    }
}

/* Fills in the gates by new positions. Sets without a condition have no gate. */
static void make_gates(ls_program *program, const ls_name_table *names)
{
    for (uint32_t i = 0; i < program->gate_count; i++) {
        ls_plan_gate *gate = &program->gates[i];
        if (!gate->set) {
            program->stages[ls_stages_find(program, gate->stage->name)].gate = i;
            continue;
        }
        const uint64_t *members = ls_name_table_find(names, gate->set->name);
        gate->members = ls_alloc(sizeof *gate->members * names->words);
        ls_bits_or(gate->members, members, names->words);
    }
}

static void make_needs(ls_program *program, const ls_name_table *names)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        ls_plan_system *plan = &program->systems[i];
        if (!plan->system->needs)
            continue;
        plan->needs = ls_alloc(sizeof *plan->needs * program->system_count);
        uint64_t *needed = ls_alloc(sizeof *needed * names->words);
        for (ls_name_list list = ls_name_list_of(plan->system->needs); ls_name_list_next(&list);) {
            if (ls_name_table_find(names, list.name)) /* otherwise it was reported */
                ls_bits_or(needed, ls_name_table_find(names, list.name), names->words);
        }
        for (uint32_t j = ls_bits_next(needed, names->words, 0); j < i;
             j = ls_bits_next(needed, names->words, j + 1)) {
            if (!program->systems[j].step)
                plan->needs[plan->need_count++] = j;
        }
        ls_free(needed);
    }
}

/* Assigns positions by group and name, and rebuilds the groups. */
static void number_systems(ls_build *build)
{
    ls_program *program = build->program;
    sort_systems(program);
    ls_free(build->groups);
    build->groups = ls_alloc(sizeof *build->groups * (program->system_count + 1));
    find_groups(build);
}

/* Reads names, algebra and pars; pars may add systems. With findings about the algebra or the pars,
 * the pars get no forks and merges: their members then need no order, so that no findings about
 * missing orders follow. */
static void read_description(ls_build *build)
{
    ls_program *program = build->program;
    number_systems(build);
    ls_name_table_init(&build->names, program, build->report);
    ls_graph_init(&build->algebra, program->sim->system_count + 1);
    if (!program->sim->par_count && !program->sim->schedule && !program->merged)
        return;
    program->pars = ls_alloc(sizeof *program->pars * LS_PARS_MAX);
    uint32_t findings = build->report->count;
    ls_algebra_read(build);
    ls_pars_read(build);
    if (build->report->count == findings && ls_pars_add_steps(build))
        number_systems(build);
    ls_pars_place(program);
    ls_name_table_reset(&build->names);
    ls_name_table_init(&build->names, program, NULL);
}

static void make_order(ls_build *build)
{
    ls_program *program = build->program;
    ls_graph *graphs[] = {&build->edges, &build->weak, &build->listed, &build->conflicts,
                          &build->ambiguous};
    check_places(program, build->report);
    read_description(build);
    ls_name_table_find_duplicates(program, build->report);
    for (uint32_t i = 0; i < LS_COUNT_OF(graphs); i++)
        ls_graph_init(graphs[i], program->system_count);
    add_edges(build);
    ls_conflicts_find(program, &build->conflicts);
    ls_pars_settle(build);
    keep_weak_edges(build);
    drop_edges_between_groups(build);
    ls_pars_contract(build);
    place_systems(build);
}

static void finish(ls_build *build)
{
    ls_program *program = build->program;
    for (uint32_t i = 0; i < program->system_count; i++)
        program->systems[i].slot_first = program->stages[build->groups[i] / LS_SLOT_COUNT]
                                             .first[build->groups[i] % LS_SLOT_COUNT];
    ls_pars_place(program);
    find_paths(build);
    make_lists(build);
    ls_name_table_reset(&build->names); /* the systems have new positions */
    ls_name_table_init(&build->names, program, NULL);
    make_gates(program, &build->names);
    make_needs(program, &build->names);
    ls_pars_check_paths(build);
    ls_pars_give_views(program);
    ls_ambiguities_find(build);
    if (!build->cyclic.count) /* with a cycle, the edges of its systems are missing */
        ls_remedies_find(program, &build->ambiguous, build->report);
}

void ls_schedule_build(ls_program *program, ls_schedule_report *report)
{
    ls_build build = {.program = program, .report = report};
    ls_graph *graphs[] = {&build.edges,     &build.weak,    &build.listed, &build.conflicts,
                          &build.ambiguous, &build.algebra, &build.cyclic};
    uint32_t before = report->count;
    ls_stages_order(program, report);
    build.has_stages = report->count == before;
    make_order(&build);
    finish(&build);
    for (uint32_t i = 0; i < LS_COUNT_OF(graphs); i++)
        ls_graph_reset(graphs[i]);
    ls_name_table_reset(&build.names);
    ls_free(build.groups);
}
