#include "cli/common/system_text.h"
#include "cli/schedule/schedule_picture.h"

#include <inttypes.h>

static const char *const slot_members[] = {"at_start", "parallel", "before_commands", "at_end"};

static const char *bool_word(bool is_true)
{
    return is_true ? "true" : "false";
}

static void add_member(ls_builder *text, const char *name, const char *value)
{
    ls_builder_add(text, "\"%s\": ", name);
    ls_builder_add_string(text, value);
    ls_builder_add(text, ", ");
}

/* `text` ends with ", " when something was added to a list. */
static void end_list(ls_builder *text, bool is_empty, const char *end)
{
    if (!is_empty)
        ls_builder_cut(text, 2);
    ls_builder_add(text, "]%s", end);
}

static void add_names(ls_builder *text, const char *member, const char *const *names)
{
    uint32_t count = 0;
    ls_builder_add(text, "\"%s\": [", member);
    for (; count < LS_SYSTEM_NAMES_MAX && names[count]; count++) {
        ls_builder_add_string(text, names[count]);
        ls_builder_add(text, ", ");
    }
    end_list(text, count == 0, ", ");
}

static void add_system(const ls_schedule_picture *picture, uint32_t position, ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    const ls_schedule_node *node = &graph->nodes[position];
    char words[512];
    uint32_t count = 0;
    ls_builder_add(text, "%s\n    {", position ? "," : "");
    add_member(text, "name", node->system->name);
    add_member(text, "stage", graph->stages[node->stage].stage->name);
    add_member(text, "slot", slot_members[node->slot]);
    add_member(text, "mode", node->system->mode == LS_CONCURRENT ? "concurrent" : "sequential");
    if (node->kind != LS_NODE_SYSTEM)
        add_member(text, "step", node->kind == LS_NODE_FORK ? "fork" : "merge");
    ls_builder_add(text, "\"main_thread\": %s, ", bool_word(node->system->main_thread));
    add_names(text, "labels", node->system->labels);
    add_names(text, "needs", node->system->needs);
    ls_builder_add(text, "\"sets\": [");
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        if (!ls_schedule_picture_is_member(&graph->gates[i], position))
            continue;
        ls_builder_add_string(text, graph->gates[i].set->name);
        ls_builder_add(text, ", ");
        count++;
    }
    end_list(text, count == 0, ", \"touches\": [");
    for (count = 0; ls_system_touch(node->system, count, words, sizeof words); count++) {
        ls_builder_add_string(text, words);
        ls_builder_add(text, ", ");
    }
    end_list(text, count == 0, ", ");
    ls_builder_add(text, "\"weight\": %" PRIu64 ", \"critical\": %s}", node->weight,
                   bool_word(node->is_critical));
}

static void add_link(const ls_schedule_picture *picture, const ls_schedule_link *link,
                     ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    bool is_order = ls_link_is_order(link->kind);
    ls_builder_add(text, "\n    {");
    add_member(text, is_order ? "from" : "one", graph->nodes[link->one].system->name);
    add_member(text, is_order ? "to" : "other", graph->nodes[link->other].system->name);
    add_member(text, "kind", ls_link_word(link->kind));
    if (is_order)
        ls_builder_add(text, "\"critical\": %s, ", bool_word(link->is_critical));
    add_member(text, is_order ? "conflict" : "reason", link->why);
    ls_builder_cut(text, 2);
    ls_builder_add(text, "},");
}

static void add_links(const ls_schedule_picture *picture, const char *member, bool is_order,
                      ls_builder *text)
{
    uint32_t count = 0;
    ls_builder_add(text, "  \"%s\": [", member);
    for (uint32_t i = 0; i < picture->graph->link_count; i++) {
        if (ls_link_is_order(picture->graph->links[i].kind) != is_order)
            continue;
        add_link(picture, &picture->graph->links[i], text);
        count++;
    }
    if (count)
        ls_builder_cut(text, 1);
    ls_builder_add(text, "%s],\n", count ? "\n  " : "");
}

static void add_condition(const ls_condition *when, ls_builder *text)
{
    if (when->criterion)
        add_member(text, "criterion", when->criterion->name);
    ls_builder_add(text, "\"every\": %u, \"phase\": %u, \"iterations_max\": %u", when->every,
                   when->phase, when->iterations_max);
}

static void add_stage(const ls_schedule_picture *picture, uint32_t index, ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    const ls_schedule_stage *stage = &graph->stages[index];
    ls_builder_add(text, "%s\n    {", index ? "," : "");
    add_member(text, "name", stage->stage->name);
    if (stage->parent != UINT32_MAX)
        add_member(text, "within", graph->stages[stage->parent].stage->name);
    ls_builder_add(text, "\"when\": {");
    add_condition(&stage->stage->when, text);
    ls_builder_add(text, "}, ");
    ls_builder_add(text, "\"insertion_order\": %s, ", bool_word(stage->stage->insertion_order));
    for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
        ls_builder_add(text, "\"%s\": [", slot_members[slot]);
        for (uint32_t i = stage->first[slot]; i < stage->first[slot + 1]; i++) {
            ls_builder_add_string(text, graph->nodes[i].system->name);
            ls_builder_add(text, ", ");
        }
        end_list(text, stage->first[slot] == stage->first[slot + 1], ", ");
    }
    ls_builder_add(
        text,
        "\"sync_points\": [\"before_end\"%s], \"work\": %" PRIu64 ", \"critical\": %" PRIu64 "}",
        stage->first[3] < stage->first[4] ? ", \"after_end\"" : "", stage->work, stage->critical);
}

static void add_sets(const ls_schedule_graph *graph, ls_builder *text)
{
    uint32_t count = 0;
    ls_builder_add(text, "  \"sets\": [");
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        const ls_schedule_gate *gate = &graph->gates[i];
        if (!gate->set)
            continue;
        ls_builder_add(text, "%s\n    {", count++ ? "," : "");
        add_member(text, "name", gate->set->name);
        add_condition(gate->when, text);
        ls_builder_add(text, ", \"members\": [");
        for (uint32_t j = 0; j < gate->member_count; j++) {
            ls_builder_add_string(text, graph->nodes[gate->members[j]].system->name);
            ls_builder_add(text, ", ");
        }
        end_list(text, gate->member_count == 0, "}");
    }
    ls_builder_add(text, "%s],\n", count ? "\n  " : "");
}

static void add_side(const ls_schedule_graph *graph, const ls_schedule_par *par, uint32_t side,
                     ls_builder *text)
{
    uint32_t count = 0;
    ls_builder_add(text, "%s[", side ? ", " : "");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (par->sides[i] != side + 1)
            continue;
        ls_builder_add_string(text, graph->nodes[i].system->name);
        ls_builder_add(text, ", ");
        count++;
    }
    end_list(text, count == 0, "");
}

static void add_pars(const ls_schedule_graph *graph, ls_builder *text)
{
    ls_builder_add(text, "  \"pars\": [");
    for (uint32_t i = 0; i < graph->par_count; i++) {
        const ls_schedule_par *par = &graph->pars[i];
        ls_builder_add(text, "%s\n    {", i ? "," : "");
        add_member(text, "name", par->name);
        if (par->fork != UINT32_MAX) {
            add_member(text, "fork", graph->nodes[par->fork].system->name);
            add_member(text, "merge", graph->nodes[par->merge].system->name);
        }
        ls_builder_add(text, "\"sides\": [");
        for (uint32_t side = 0; side < par->side_count; side++)
            add_side(graph, par, side, text);
        ls_builder_add(text, "]}");
    }
    ls_builder_add(text, "%s],\n", graph->par_count ? "\n  " : "");
}

static void add_critical_path(const ls_schedule_graph *graph, ls_builder *text)
{
    uint32_t count = 0;
    uint64_t weight = 0;
    ls_builder_add(text, "  \"critical_path\": [");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!graph->nodes[i].is_critical)
            continue;
        ls_builder_add_string(text, graph->nodes[i].system->name);
        ls_builder_add(text, ", ");
        weight += graph->nodes[i].weight;
        count++;
    }
    end_list(text, count == 0, ",\n");
    ls_builder_add(text, "  \"critical_weight\": %" PRIu64 "\n}\n", weight);
}

void ls_schedule_picture_json(const ls_schedule_picture *picture, ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    ls_builder_add(text, "{\n  \"format\": 1,\n  ");
    add_member(text, "simulation", ls_program_sim(graph->program)->name);
    ls_builder_add(text, "\n  \"weights\": \"%s\",\n  \"stages\": [",
                   picture->is_timed ? "nanoseconds" : "systems");
    for (uint32_t i = 0; i < graph->stage_count; i++)
        add_stage(picture, i, text);
    ls_builder_add(text, "\n  ],\n  \"systems\": [");
    for (uint32_t i = 0; i < graph->node_count; i++)
        add_system(picture, i, text);
    ls_builder_add(text, "%s],\n", graph->node_count ? "\n  " : "");
    add_links(picture, "edges", true, text);
    add_links(picture, "apart", false, text);
    add_sets(graph, text);
    add_pars(graph, text);
    add_critical_path(graph, text);
}
