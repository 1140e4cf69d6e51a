#include <lockstep/schedule_graph.h>

#include "core/base/builder.h"
#include "core/base/grow.h"
#include "core/schedule/conflict.h"
#include "core/schedule/name_table.h"

#include <stdio.h>
#include <string.h>

const char *ls_link_word(ls_link_kind kind)
{
    static const char *const words[] = {
        [LS_LINK_ORDER] = "order",       [LS_LINK_NEEDS] = "needs",
        [LS_LINK_WEAK] = "weak",         [LS_LINK_LISTED] = "listed",
        [LS_LINK_PAR] = "par",           [LS_LINK_INDEPENDENT] = "independent",
        [LS_LINK_FILTERED] = "filtered",
    };
    return words[kind];
}

const char *ls_slot_word(uint32_t slot)
{
    static const char *const words[] = {"at start", "parallel", "before commands", "at end"};
    return words[slot];
}

bool ls_link_is_far(const ls_schedule_graph *graph, const ls_schedule_link *link)
{
    const ls_schedule_node *one = &graph->nodes[link->one], *other = &graph->nodes[link->other];
    return one->stage != other->stage || one->slot != other->slot;
}

static void add_link(ls_schedule_graph *graph, uint32_t one, uint32_t other, ls_link_kind kind,
                     const char *why)
{
    graph->links =
        ls_grow(graph->links, graph->link_count, &graph->link_capacity, sizeof *graph->links);
    graph->links[graph->link_count++] =
        (ls_schedule_link){.one = one, .other = other, .kind = kind, .why = ls_text_duplicate(why)};
}

/* Prints conflicts of the two systems, up to the size of the text. */
static void print_conflicts(const ls_program *program, uint32_t one, uint32_t other, char *text,
                            size_t bytes)
{
    ls_conflict conflict = {LS_CONFLICT_COLUMN, 0};
    uint32_t at = 0;
    size_t used = 0;
    text[0] = 0;
    while (used + 1 < bytes && ls_conflict_next(program, &program->systems[one],
                                                &program->systems[other], &at, &conflict)) {
        char words[256];
        ls_conflict_print(program, &program->systems[one], &program->systems[other], &conflict,
                          words, sizeof words);
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? "; " : "", words);
    }
}

static bool needs(const ls_plan_system *plan, uint32_t position)
{
    for (uint32_t i = 0; i < plan->need_count; i++) {
        if (plan->needs[i] == position)
            return true;
    }
    return false;
}

static bool has_successor(const ls_plan_system *plan, uint32_t position)
{
    for (uint32_t i = 0; i < plan->successor_count; i++) {
        if (plan->successors[i] == position)
            return true;
    }
    return false;
}

/* Whether `one` is a step of a par that contains `other`. */
static bool joins_par(const ls_program *program, uint32_t one, uint32_t other)
{
    const ls_plan_system *step = &program->systems[one];
    return step->step && ls_bit_has(program->pars[step->par].inside, other);
}

static ls_link_kind link_kind(const ls_program *program, uint32_t one, uint32_t other)
{
    if (joins_par(program, one, other) || joins_par(program, other, one))
        return LS_LINK_PAR;
    if (ls_graph_has(&program->weak_edges, one, other))
        return LS_LINK_WEAK;
    return ls_graph_has(&program->listed_edges, one, other) ? LS_LINK_LISTED : LS_LINK_ORDER;
}

static void add_orders_from(ls_schedule_graph *graph, uint32_t one)
{
    const ls_program *program = graph->program;
    const ls_plan_system *plan = &program->systems[one];
    for (uint32_t other = one + 1; other < program->system_count; other++) {
        bool is_needed = needs(&program->systems[other], one);
        if (!is_needed && !has_successor(plan, other))
            continue;
        char why[512];
        print_conflicts(program, one, other, why, sizeof why);
        ls_link_kind kind = is_needed ? LS_LINK_NEEDS : link_kind(program, one, other);
        add_link(graph, one, other, kind, kind == LS_LINK_PAR ? "" : why);
    }
}

/* The declaration of independence that covers the pair, or NULL. */
static const ls_independence *find_independence(const ls_program *program,
                                                const ls_name_table *names, uint32_t one,
                                                uint32_t other)
{
    for (uint32_t i = 0; i < program->sim->independence_count; i++) {
        const ls_independence *given = &program->sim->independences[i];
        const uint64_t *some = ls_name_table_find(names, given->one);
        const uint64_t *others = ls_name_table_find(names, given->other);
        if ((ls_bit_has(some, one) && ls_bit_has(others, other)) ||
            (ls_bit_has(some, other) && ls_bit_has(others, one)))
            return given;
    }
    return NULL;
}

static void add_apart_from(ls_schedule_graph *graph, const ls_name_table *names, uint32_t one)
{
    const ls_plan_system *plan = &graph->program->systems[one];
    for (uint32_t i = 0; i < plan->apart_count; i++) {
        uint32_t other = plan->successors[plan->successor_count + i];
        const ls_independence *given = find_independence(graph->program, names, one, other);
        if (given)
            add_link(graph, one, other, LS_LINK_INDEPENDENT, given->reason);
        else
            add_link(graph, one, other, LS_LINK_FILTERED,
                     "their filters exclude each other: no entity is of both");
    }
}

static void add_links(ls_schedule_graph *graph)
{
    ls_name_table names;
    ls_name_table_init(&names, graph->program, NULL);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        add_orders_from(graph, i);
        add_apart_from(graph, &names, i);
    }
    ls_name_table_reset(&names);
}

static ls_node_kind kind_of(const ls_plan_system *plan)
{
    return plan->step == LS_STEP_NONE   ? LS_NODE_SYSTEM
           : plan->step == LS_STEP_FORK ? LS_NODE_FORK
                                        : LS_NODE_MERGE;
}

static void add_stages(ls_schedule_graph *graph)
{
    const ls_program *program = graph->program;
    graph->stage_count = program->stage_count;
    graph->stages = ls_alloc(sizeof *graph->stages * (program->stage_count + 1));
    for (uint32_t i = 0; i < program->stage_count; i++) {
        ls_schedule_stage *stage = &graph->stages[i];
        stage->stage = program->stages[i].stage;
        stage->end = program->stages[i].end;
        stage->parent = UINT32_MAX;
        for (uint32_t outer = 0; outer < i; outer++) {
            if (program->stages[outer].end <= i)
                continue;
            stage->parent = outer;
            stage->depth++;
        }
        memcpy(stage->first, program->stages[i].first, sizeof stage->first);
        for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
            for (uint32_t at = stage->first[slot]; at < stage->first[slot + 1]; at++)
                graph->nodes[at] = (ls_schedule_node){.system = program->systems[at].system,
                                                      .kind = kind_of(&program->systems[at]),
                                                      .stage = i,
                                                      .slot = slot};
        }
    }
}

static void add_gates(ls_schedule_graph *graph)
{
    const ls_program *program = graph->program;
    graph->gate_count = program->gate_count;
    graph->gate_first = ls_plan_first_gate(program);
    graph->gates = ls_alloc(sizeof *graph->gates * (program->gate_count + 1));
    for (uint32_t i = 0; i < program->gate_count; i++) {
        const ls_plan_gate *given = &program->gates[i];
        ls_schedule_gate *gate = &graph->gates[i];
        *gate = (ls_schedule_gate){.set = given->set, .stage = UINT32_MAX, .when = given->when};
        gate->members = ls_alloc(sizeof *gate->members * (program->system_count + 1));
        for (uint32_t at = 0; given->set && at < program->system_count; at++) {
            if (ls_bit_has(given->members, at))
                gate->members[gate->member_count++] = at;
        }
        for (uint32_t at = 0; at < program->stage_count; at++) {
            if (program->stages[at].gate == i)
                gate->stage = at;
        }
    }
}

static void add_pars(ls_schedule_graph *graph)
{
    const ls_program *program = graph->program;
    graph->par_count = program->par_count;
    graph->pars = ls_alloc(sizeof *graph->pars * (program->par_count + 1));
    for (uint32_t i = 0; i < program->par_count; i++) {
        const ls_plan_par *given = &program->pars[i];
        ls_schedule_par *par = &graph->pars[i];
        *par = (ls_schedule_par){.name = given->name,
                                 .side_count = given->side_count,
                                 .fork = given->has_steps ? given->fork : UINT32_MAX,
                                 .merge = given->has_steps ? given->merge : UINT32_MAX};
        par->sides = ls_alloc(graph->node_count + 1);
        for (uint32_t side = 0; side < given->side_count; side++) {
            for (uint32_t at = 0; at < graph->node_count; at++) {
                if (ls_bit_has(given->members[side], at))
                    par->sides[at] = (uint8_t)(side + 1);
            }
        }
    }
}

ls_schedule_graph *ls_schedule_graph_create(const ls_program *program)
{
    ls_schedule_graph *graph = ls_alloc(sizeof *graph);
    graph->program = program;
    graph->node_count = program->system_count;
    graph->nodes = ls_alloc(sizeof *graph->nodes * (program->system_count + 1));
    add_stages(graph);
    add_links(graph);
    add_gates(graph);
    add_pars(graph);
    uint64_t *ones = ls_alloc(sizeof *ones * (graph->node_count + 1));
    for (uint32_t i = 0; i < graph->node_count; i++)
        ones[i] = graph->nodes[i].kind == LS_NODE_SYSTEM;
    ls_schedule_graph_weigh(graph, ones);
    ls_free(ones);
    return graph;
}

void ls_schedule_graph_destroy(ls_schedule_graph *graph)
{
    if (!graph)
        return;
    for (uint32_t i = 0; i < graph->link_count; i++)
        ls_free(graph->links[i].why);
    for (uint32_t i = 0; i < graph->gate_count; i++)
        ls_free(graph->gates[i].members);
    ls_free(graph->links);
    for (uint32_t i = 0; i < graph->par_count; i++)
        ls_free(graph->pars[i].sides);
    ls_free(graph->gates);
    ls_free(graph->pars);
    ls_free(graph->stages);
    ls_free(graph->nodes);
    ls_free(graph);
}

static bool is_path(const ls_schedule_graph *graph, const ls_schedule_link *link)
{
    return ls_link_is_order(link->kind) && !ls_link_is_far(graph, link);
}

/* Marks the heaviest path of the slot and returns its weight; among equal paths, the one with lower
 * positions. */
static uint64_t mark_longest(ls_schedule_graph *graph, uint32_t first, uint32_t end,
                             const uint64_t *ranks)
{
    uint32_t at = first;
    for (uint32_t i = first; i < end; i++)
        at = ranks[i] > ranks[at] ? i : at;
    uint64_t weight = first < end ? ranks[at] : 0;
    for (uint32_t next; first < end; at = next) {
        graph->nodes[at].is_critical = true;
        next = end;
        for (uint32_t i = 0; i < graph->link_count && next == end; i++) {
            ls_schedule_link *link = &graph->links[i];
            if (link->one != at || !is_path(graph, link) ||
                ranks[at] != graph->nodes[at].weight + ranks[link->other])
                continue;
            link->is_critical = true;
            next = link->other;
        }
        if (next == end)
            break;
    }
    return weight;
}

void ls_schedule_graph_weigh(ls_schedule_graph *graph, const uint64_t *weights)
{
    uint64_t *ranks = ls_alloc(sizeof *ranks * (graph->node_count + 1));
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->nodes[i].weight = weights[i];
        graph->nodes[i].is_critical = false;
    }
    for (uint32_t i = graph->link_count; i-- > 0;)
        graph->links[i].is_critical = false;
    /* Links are sorted by `one`. Going backwards, the weights after a node are known when it is
     * reached. */
    uint32_t link = graph->link_count;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        for (; link > 0 && graph->links[link - 1].one == i; link--) {
            const ls_schedule_link *next = &graph->links[link - 1];
            if (is_path(graph, next) && ranks[next->other] > ranks[i])
                ranks[i] = ranks[next->other];
        }
        ranks[i] += weights[i];
    }
    for (uint32_t i = 0; i < graph->stage_count; i++) {
        ls_schedule_stage *stage = &graph->stages[i];
        stage->work = stage->critical = 0;
        for (uint32_t at = stage->first[0]; at < stage->first[LS_SCHEDULE_SLOTS]; at++)
            stage->work += weights[at];
        for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++)
            stage->critical +=
                mark_longest(graph, stage->first[slot], stage->first[slot + 1], ranks);
    }
    ls_free(ranks);
}
