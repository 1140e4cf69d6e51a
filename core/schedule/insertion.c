/* Insertion order: orders conflicting systems by the simulation's list, in stages that request it.
 *   source  Bevy's implicit order by insertion and access */
#include "core/schedule/insertion.h"

#include "core/base/sort.h"
#include "core/schedule/pars.h"
#include "core/schedule/pars_order.h"

/* Fills in the rank of each position in the simulation's list, without gaps. The fork of a par
 * comes just before its first listed member, the merge just after its last. */
static void find_listed(const ls_program *program, uint32_t *listed)
{
    uint32_t count = program->system_count;
    ls_sort_item *items = ls_alloc(sizeof *items * (count + 1) * 2);
    for (uint32_t i = 0; i < count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        uint64_t first = UINT64_MAX, last = 0;
        for (uint32_t j = 0; plan->step && j < count; j++) {
            if (program->systems[j].step || !ls_bit_has(program->pars[plan->par].inside, j))
                continue;
            uint64_t index = ls_plan_index(program, &program->systems[j]);
            first = index < first ? index : first;
            last = index > last ? index : last;
        }
        items[i].value = i;
        items[i].key = plan->step == LS_STEP_FORK ? 3 * first
                       : plan->step == LS_STEP_MERGE
                           ? 3 * last + 2
                           : 3 * (uint64_t)ls_plan_index(program, plan) + 1;
    }
    ls_sort(items, items + count, count);
    for (uint32_t i = 0; i < count; i++)
        listed[items[i].value] = i;
    ls_free(items);
}

/* Adds the edge between two conflicting systems. To systems outside of it, a par is one node with
 * the rank of its fork. */
static void add_listed_pair(ls_build *build, const uint32_t *rank, uint32_t i, uint32_t j)
{
    const ls_program *program = build->program;
    uint32_t one = ls_pars_around(program, i, j), other = ls_pars_around(program, j, i);
    const ls_plan_par *first = one == UINT32_MAX ? NULL : &program->pars[one];
    const ls_plan_par *second = other == UINT32_MAX ? NULL : &program->pars[other];
    uint32_t earlier = first ? first->merge : i, later = second ? second->fork : j;
    if (rank[first ? first->fork : i] >= rank[second ? second->fork : j] ||
        ls_graph_has(&build->edges, earlier, later))
        return;
    ls_graph_add(&build->edges, earlier, later);
    ls_graph_add(&build->listed, earlier, later);
}

/* The new edges follow a topological order of all other edges, so they add no cycle. */
void ls_insertion_order_add(ls_build *build)
{
    const ls_program *program = build->program;
    uint32_t count = program->system_count;
    uint32_t *memory = ls_alloc(sizeof *memory * 4 * (count + 1));
    uint32_t *listed = memory, *order = listed + count, *place = order + count,
             *rank = place + count;
    ls_graph by_list;
    ls_graph_init(&by_list, count);
    find_listed(program, listed);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *row = ls_graph_row(&build->edges, i);
        for (uint32_t j = ls_bits_next(row, by_list.words, 0); j < count;
             j = ls_bits_next(row, by_list.words, j + 1))
            ls_graph_add(&by_list, listed[i], listed[j]);
    }
    ls_graph_sort(&by_list, order);
    for (uint32_t i = 0; i < count; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < count; i++)
        rank[i] = place[listed[i]];
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *row = ls_graph_row(&build->conflicts, i);
        if (!program->stages[build->groups[i] / LS_SLOT_COUNT].stage->insertion_order)
            continue;
        for (uint32_t j = ls_bits_next(row, by_list.words, 0); j < count;
             j = ls_bits_next(row, by_list.words, j + 1)) {
            if (build->groups[i] == build->groups[j])
                add_listed_pair(build, rank, i, j);
        }
    }
    ls_graph_reset(&by_list);
    ls_free(memory);
}
