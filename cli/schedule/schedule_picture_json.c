/* A schedule's picture as JSON: cli/schedule/schedule_picture.h. */
#include "cli/common/system_text.h"
#include "cli/schedule/schedule_picture.h"
#include "core/base/json_writer.h"
#include "core/schedule/lists.h"

static const char *const slot_members[] = {"at_start", "parallel", "before_commands", "at_end"};

static const char *system_name(const ls_schedule_graph *graph, uint32_t position)
{
    return graph->nodes[position].system->name;
}

static void add_names(ls_builder *text, const char *member, const char *names)
{
    ls_json_open(text, member, '[');
    for (ls_name_list list = ls_name_list_of(names); ls_name_list_next(&list);)
        ls_json_string(text, NULL, list.name);
    ls_json_close(text, ']');
}

static void add_sets_of(const ls_schedule_graph *graph, uint32_t position, ls_builder *text)
{
    ls_json_open(text, "sets", '[');
    for (uint32_t i = 0; i < graph->gate_count; i++)
        if (ls_schedule_picture_is_member(&graph->gates[i], position))
            ls_json_string(text, NULL, graph->gates[i].set->name);
    ls_json_close(text, ']');
}

static void add_system(const ls_schedule_graph *graph, uint32_t position, ls_builder *text)
{
    const ls_schedule_node *node = &graph->nodes[position];
    const ls_system *system = node->system;
    char words[512];
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", system->name);
    ls_json_string(text, "stage", graph->stages[node->stage].stage->name);
    ls_json_string(text, "slot", slot_members[node->slot]);
    ls_json_string(text, "mode", system->mode == LS_CONCURRENT ? "concurrent" : "sequential");
    if (node->kind != LS_NODE_SYSTEM)
        ls_json_string(text, "step", node->kind == LS_NODE_FORK ? "fork" : "merge");
    ls_json_bool(text, "main_thread", system->main_thread);
    ls_json_u64(text, "home_thread", system->home_thread);
    add_names(text, "labels", system->labels);
    add_names(text, "needs", system->needs);
    add_sets_of(graph, position, text);
    ls_json_open(text, "touches", '[');
    for (uint32_t i = 0; ls_system_touch(system, i, words, sizeof words); i++)
        ls_json_string(text, NULL, words);
    ls_json_close(text, ']');
    ls_json_u64(text, "weight", node->weight);
    ls_json_bool(text, "critical", node->is_critical);
    ls_json_close(text, '}');
}

static void add_link(const ls_schedule_graph *graph, const ls_schedule_link *link, ls_builder *text)
{
    bool is_order = ls_link_is_order(link->kind);
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, is_order ? "from" : "one", system_name(graph, link->one));
    ls_json_string(text, is_order ? "to" : "other", system_name(graph, link->other));
    ls_json_string(text, "kind", ls_link_word(link->kind));
    if (is_order)
        ls_json_bool(text, "critical", link->is_critical);
    ls_json_string(text, is_order ? "conflict" : "reason", link->why);
    ls_json_close(text, '}');
}

static void add_links(const ls_schedule_graph *graph, const char *member, bool is_order,
                      ls_builder *text)
{
    ls_json_line(text, 1);
    ls_json_open(text, member, '[');
    for (uint32_t i = 0; i < graph->link_count; i++)
        if (ls_link_is_order(graph->links[i].kind) == is_order)
            add_link(graph, &graph->links[i], text);
    ls_json_close_lines(text, 1, ']');
}

static void add_condition(const ls_condition *when, ls_builder *text)
{
    if (when->criterion)
        ls_json_string(text, "criterion", when->criterion->name);
    ls_json_u64(text, "every", when->every);
    ls_json_u64(text, "phase", when->phase);
    ls_json_u64(text, "iterations_max", when->iterations_max);
}

static void add_stage(const ls_schedule_graph *graph, uint32_t index, ls_builder *text)
{
    const ls_schedule_stage *stage = &graph->stages[index];
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", stage->stage->name);
    if (stage->parent != UINT32_MAX)
        ls_json_string(text, "within", graph->stages[stage->parent].stage->name);
    ls_json_open(text, "when", '{');
    add_condition(&stage->stage->when, text);
    ls_json_close(text, '}');
    ls_json_bool(text, "insertion_order", stage->stage->insertion_order);
    for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
        ls_json_open(text, slot_members[slot], '[');
        for (uint32_t i = stage->first[slot]; i < stage->first[slot + 1]; i++)
            ls_json_string(text, NULL, system_name(graph, i));
        ls_json_close(text, ']');
    }
    ls_json_open(text, "sync_points", '[');
    ls_json_string(text, NULL, "before_end");
    if (stage->first[3] < stage->first[4])
        ls_json_string(text, NULL, "after_end");
    ls_json_close(text, ']');
    ls_json_u64(text, "work", stage->work);
    ls_json_u64(text, "critical", stage->critical);
    ls_json_close(text, '}');
}

static void add_sets(const ls_schedule_graph *graph, ls_builder *text)
{
    ls_json_line(text, 1);
    ls_json_open(text, "sets", '[');
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        const ls_schedule_gate *gate = &graph->gates[i];
        if (!gate->set)
            continue;
        ls_json_line(text, 2);
        ls_json_open(text, NULL, '{');
        ls_json_string(text, "name", gate->set->name);
        add_condition(gate->when, text);
        ls_json_open(text, "members", '[');
        for (uint32_t j = 0; j < gate->member_count; j++)
            ls_json_string(text, NULL, system_name(graph, gate->members[j]));
        ls_json_close(text, ']');
        ls_json_close(text, '}');
    }
    ls_json_close_lines(text, 1, ']');
}

static void add_par(const ls_schedule_graph *graph, const ls_schedule_par *par, ls_builder *text)
{
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", par->name);
    if (par->fork != UINT32_MAX) {
        ls_json_string(text, "fork", system_name(graph, par->fork));
        ls_json_string(text, "merge", system_name(graph, par->merge));
    }
    ls_json_open(text, "sides", '[');
    for (uint32_t side = 0; side < par->side_count; side++) {
        ls_json_open(text, NULL, '[');
        for (uint32_t i = 0; i < graph->node_count; i++)
            if (par->sides[i] == side + 1)
                ls_json_string(text, NULL, system_name(graph, i));
        ls_json_close(text, ']');
    }
    ls_json_close(text, ']');
    ls_json_close(text, '}');
}

static void add_critical_path(const ls_schedule_graph *graph, ls_builder *text)
{
    uint64_t weight = 0;
    ls_json_line(text, 1);
    ls_json_open(text, "critical_path", '[');
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!graph->nodes[i].is_critical)
            continue;
        ls_json_string(text, NULL, system_name(graph, i));
        weight += graph->nodes[i].weight;
    }
    ls_json_close(text, ']');
    ls_json_line(text, 1);
    ls_json_u64(text, "critical_weight", weight);
}

void ls_schedule_picture_json(const ls_schedule_picture *picture, ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    ls_json_open(text, NULL, '{');
    ls_json_line(text, 1);
    ls_json_u64(text, "format", 1);
    ls_json_line(text, 1);
    ls_json_string(text, "simulation", ls_program_sim(graph->program)->name);
    ls_json_line(text, 1);
    ls_json_string(text, "weights", picture->is_timed ? "nanoseconds" : "systems");
    ls_json_line(text, 1);
    ls_json_open(text, "stages", '[');
    for (uint32_t i = 0; i < graph->stage_count; i++)
        add_stage(graph, i, text);
    ls_json_close_lines(text, 1, ']');
    ls_json_line(text, 1);
    ls_json_open(text, "systems", '[');
    for (uint32_t i = 0; i < graph->node_count; i++)
        add_system(graph, i, text);
    ls_json_close_lines(text, 1, ']');
    add_links(graph, "edges", true, text);
    add_links(graph, "apart", false, text);
    add_sets(graph, text);
    ls_json_line(text, 1);
    ls_json_open(text, "pars", '[');
    for (uint32_t i = 0; i < graph->par_count; i++)
        add_par(graph, &graph->pars[i], text);
    ls_json_close_lines(text, 1, ']');
    add_critical_path(graph, text);
    ls_json_close_lines(text, 0, '}');
    ls_builder_add(text, "\n");
}
