/* A schedule's picture as text: cli/schedule/schedule_picture.h. */
#include "cli/common/system_text.h"
#include "cli/schedule/schedule_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LETTERS_MAX = 26 };

static void cut_name(const char *name, char *cut, size_t bytes)
{
    static const char more[] = "\xe2\x80\xa6";
    size_t used = 0, kept = 0;
    uint32_t letters = 0;
    for (size_t step; name[used]; used += step, letters++) {
        step = ls_utf8_bytes(name + used);
        step = step ? step : 1;
        if (letters < NAME_LETTERS_MAX && used + step + sizeof more <= bytes)
            kept = used + step;
    }
    bool is_whole = kept == used;
    snprintf(cut, bytes, "%.*s%s", (int)kept, name, is_whole ? "" : more);
}

bool ls_schedule_picture_is_member(const ls_schedule_gate *gate, uint32_t position)
{
    for (uint32_t i = 0; i < gate->member_count; i++) {
        if (gate->members[i] == position)
            return true;
    }
    return false;
}

bool ls_schedule_picture_stage_asks(const ls_schedule_picture *picture, uint32_t stage,
                                    uint32_t gate)
{
    const ls_schedule_gate *asked = &picture->graph->gates[gate];
    if (asked->stage == stage)
        return true;
    for (uint32_t i = 0; i < asked->member_count; i++) {
        if (picture->graph->nodes[asked->members[i]].stage == stage)
            return true;
    }
    return false;
}

void ls_schedule_picture_weight(const ls_schedule_picture *picture, uint64_t weight, char *words,
                                size_t bytes)
{
    if (!picture->is_timed)
        snprintf(words, bytes, "%" PRIu64 " system%s", weight, weight == 1 ? "" : "s");
    else if (weight < 1000)
        snprintf(words, bytes, "%" PRIu64 " ns", weight);
    else if (weight < 1000000)
        snprintf(words, bytes, "%" PRIu64 ".%" PRIu64 " us", weight / 1000, weight / 100 % 10);
    else
        snprintf(words, bytes, "%" PRIu64 ".%02" PRIu64 " ms", weight / 1000000,
                 weight / 10000 % 100);
}

static void add_badge(ls_label *label, const char *before, const char *badge)
{
    char words[sizeof label->badges * 3];
    snprintf(words, sizeof words, "%s%s%.40s%s", label->badges, label->badges[0] ? ", " : "",
             before, badge);
    cut_name(words, label->badges, sizeof label->badges);
}

static const char *step_word(const ls_schedule_node *node)
{
    return node->kind == LS_NODE_FORK ? "fork" : "merge";
}

static const char *par_name(const ls_schedule_graph *graph, uint32_t position)
{
    for (uint32_t i = 0; i < graph->par_count; i++) {
        if (graph->pars[i].fork == position || graph->pars[i].merge == position)
            return graph->pars[i].name;
    }
    return "";
}

static void name_step(const ls_schedule_picture *picture, uint32_t position, ls_label *label)
{
    const ls_schedule_node *node = &picture->graph->nodes[position];
    char words[128], weight[32] = "";
    if (picture->is_timed)
        ls_schedule_picture_weight(picture, node->weight, weight, sizeof weight);
    snprintf(words, sizeof words, "%s %.60s", step_word(node), par_name(picture->graph, position));
    cut_name(words, label->name, sizeof label->name);
    snprintf(label->badges, sizeof label->badges, "%s", weight);
}

void ls_schedule_picture_label(const ls_schedule_picture *picture, uint32_t position,
                               ls_label *label)
{
    const ls_schedule_graph *graph = picture->graph;
    const ls_schedule_node *node = &graph->nodes[position];
    *label = (ls_label){.is_step = node->kind != LS_NODE_SYSTEM};
    if (label->is_step) {
        name_step(picture, position, label);
        return;
    }
    cut_name(node->system->name, label->name, sizeof label->name);
    if (picture->is_timed) {
        char words[32];
        ls_schedule_picture_weight(picture, node->weight, words, sizeof words);
        add_badge(label, "", words);
    }
    if (node->system->main_thread)
        add_badge(label, "", "main thread");
    if (node->system->home_thread) {
        char words[8];
        snprintf(words, sizeof words, "%u", node->system->home_thread);
        add_badge(label, "thread ", words);
    }
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        if (ls_schedule_picture_is_member(&graph->gates[i], position))
            add_badge(label, "if ", graph->gates[i].set->name);
    }
    for (uint32_t i = 0; i < graph->par_count; i++) {
        char words[32];
        snprintf(words, sizeof words, ", side %u", graph->pars[i].sides[position]);
        if (graph->pars[i].sides[position])
            add_badge(label, graph->pars[i].name, words);
    }
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const ls_schedule_link *link = &graph->links[i];
        if (link->other == position && link->kind == LS_LINK_NEEDS && ls_link_is_far(graph, link))
            add_badge(label, "needs ", graph->nodes[link->one].system->name);
    }
}

void ls_schedule_picture_about_system(const ls_schedule_picture *picture, uint32_t position,
                                      ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    const ls_schedule_node *node = &graph->nodes[position];
    const ls_system *system = node->system;
    char words[512];
    ls_builder_add(text, "%s\n%s, %s of stage %s%s%s\n", system->name,
                   node->kind != LS_NODE_SYSTEM    ? step_word(node)
                   : system->mode == LS_CONCURRENT ? "concurrent"
                                                   : "sequential",
                   ls_slot_word(node->slot), graph->stages[node->stage].stage->name,
                   system->main_thread ? ", on the main thread" : "",
                   node->is_critical ? ", on the critical path" : "");
    if (system->home_thread)
        ls_builder_add(text, "on thread %u\n", system->home_thread);
    if (picture->is_timed) {
        ls_schedule_picture_weight(picture, node->weight, words, sizeof words);
        ls_builder_add(text, "%s a tick\n", words);
    }
    for (uint32_t i = 0; ls_system_touch(system, i, words, sizeof words); i++)
        ls_builder_add(text, "%s\n", words);
    ls_system_text_names(text, "spawns into ", system->lanes);
    ls_system_text_names(text, "commands spawns into ", system->command_lanes);
    ls_system_text_names(text, "labels ", system->labels);
    ls_system_text_names(text, "needs ", system->needs);
    for (uint32_t i = 0; i < graph->par_count; i++) {
        if (graph->pars[i].sides[position])
            ls_builder_add(text, "side %u of par %s\n", graph->pars[i].sides[position],
                           graph->pars[i].name);
    }
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        if (!ls_schedule_picture_is_member(&graph->gates[i], position))
            continue;
        ls_builder_add(text, "set %s: ", graph->gates[i].set->name);
        ls_schedule_picture_about_condition(graph->gates[i].when, text);
        ls_builder_add(text, "\n");
    }
    ls_builder_cut(text, 1);
}

void ls_schedule_picture_about_link(const ls_schedule_picture *picture,
                                    const ls_schedule_link *link, ls_builder *text)
{
    static const char *const words[] = {
        [LS_LINK_ORDER] = "before",
        [LS_LINK_NEEDS] = "before, and needed by,",
        [LS_LINK_WEAK] = "before, because they conflict,",
        [LS_LINK_LISTED] = "before, as the stage keeps the order of the list,",
        [LS_LINK_PAR] = "before, by a par,",
        [LS_LINK_INDEPENDENT] = "in no order, but never at the same time as,",
        [LS_LINK_FILTERED] = "in no order, but never at the same time as,",
    };
    ls_builder_add(text, "%s %s %s", picture->graph->nodes[link->one].system->name,
                   words[link->kind], picture->graph->nodes[link->other].system->name);
    if (link->why[0])
        ls_builder_add(text, ": %s", link->why);
}

void ls_schedule_picture_about_condition(const ls_condition *when, ls_builder *text)
{
    const char *joint = "";
    if (when->every) {
        ls_builder_add(text, "every %u ticks", when->every);
        if (when->phase)
            ls_builder_add(text, ", offset %u", when->phase);
        joint = ", ";
    }
    if (when->criterion) {
        ls_builder_add(text, "%sif %s", joint, when->criterion->name);
        joint = ", ";
    }
    if (when->iterations_max)
        ls_builder_add(text, "%sup to %u times", joint, when->iterations_max);
}
