/* A schedule's picture in DOT: cli/schedule/schedule_picture.h. */
#include "cli/schedule/schedule_picture.h"

#include <stdio.h>

/* Adds a quoted string of DOT. */
static void add_string(ls_builder *text, const char *words)
{
    ls_builder_put(text, "\"", 1);
    for (; *words; words++) {
        if (*words == '\n')
            ls_builder_put(text, "\\n", 2);
        else if (*words == '"' || *words == '\\')
            ls_builder_add(text, "\\%c", *words);
        else
            ls_builder_put(text, words, 1);
    }
    ls_builder_put(text, "\"", 1);
}

static void add_attribute(ls_builder *text, const char *name, const char *value)
{
    ls_builder_add(text, "%s=", name);
    add_string(text, value);
    ls_builder_put(text, " ", 1);
}

static void add_tooltip(ls_builder *text, ls_builder *words)
{
    add_attribute(text, "tooltip", words->data);
    ls_free(words->data);
}

static void add_node(const ls_schedule_picture *picture, uint32_t position, ls_builder *text)
{
    const ls_schedule_node *node = &picture->graph->nodes[position];
    bool is_concurrent = node->system->mode == LS_CONCURRENT;
    bool is_step = node->kind != LS_NODE_SYSTEM;
    ls_label label;
    char words[sizeof label.name + sizeof label.badges + 2];
    ls_builder about = {0};
    ls_schedule_picture_label(picture, position, &label);
    snprintf(words, sizeof words, "%s%s%s", label.name, label.badges[0] ? "\n" : "", label.badges);
    ls_builder_add(text, "      s%u [", position);
    add_attribute(text, "label", words);
    ls_builder_add(text,
                   "shape=box style=\"filled%s\" fillcolor=\"%s\" penwidth=%u peripheries=%u ",
                   is_concurrent ? ",rounded" : "",
                   is_step         ? "#d0d7de"
                   : is_concurrent ? "#ddf1ff"
                                   : "#fff1de",
                   node->is_critical ? 3 : 1, node->system->main_thread ? 2 : 1);
    ls_schedule_picture_about_system(picture, position, &about);
    add_tooltip(text, &about);
    ls_builder_add(text, "];\n");
}

static void add_sync(ls_builder *text, uint32_t stage, uint32_t index)
{
    ls_builder_add(
        text,
        "    sync%u_%u [label=\"sync point\" shape=box style=filled fillcolor=\"#57606a\" "
        "fontcolor=white height=0.2 width=3 ];\n",
        stage, index);
}

/* Adds a stage with the stages inside it. Recursion is as deep as stages are nested. */
static void add_stage(const ls_schedule_picture *picture, uint32_t index, ls_builder *text)
{
    enum { AT_END = 3 };
    const ls_schedule_stage *stage = &picture->graph->stages[index];
    ls_builder_add(text, "  subgraph cluster_%u {\n    ", index);
    add_attribute(text, "label", stage->stage->name);
    ls_builder_add(text, ";\n");
    for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
        if (slot == AT_END)
            add_sync(text, index, 0);
        if (stage->first[slot] == stage->first[slot + 1])
            continue;
        ls_builder_add(text, "    subgraph cluster_%u_%u {\n      ", index, slot);
        add_attribute(text, "label", ls_slot_word(slot));
        ls_builder_add(text, "style=dotted;\n");
        for (uint32_t i = stage->first[slot]; i < stage->first[slot + 1]; i++)
            add_node(picture, i, text);
        ls_builder_add(text, "    }\n");
    }
    if (stage->first[AT_END] < stage->first[AT_END + 1])
        add_sync(text, index, 1);
    for (uint32_t i = index + 1; i < stage->end; i = picture->graph->stages[i].end)
        add_stage(picture, i, text);
    ls_builder_add(text, "  }\n");
}

/* Adds an invisible edge, which keeps slots and stages in their order. */
static void add_joint(ls_builder *text, const char *from, const char *to)
{
    ls_builder_add(text, "  %s -> %s [style=invis];\n", from, to);
}

static void add_slot_joints(const ls_schedule_stage *stage, uint32_t slot, const char *before,
                            const char *after, ls_builder *text)
{
    for (uint32_t i = stage->first[slot]; i < stage->first[slot + 1]; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        if (before[0])
            add_joint(text, before, name);
        add_joint(text, name, after);
    }
}

/* Puts the systems of slot 0 above all parallel systems, and those above the systems of slot 2. */
static void add_order_of_slots(const ls_schedule_stage *stage, ls_builder *text)
{
    for (uint32_t one = stage->first[0]; one < stage->first[2]; one++) {
        uint32_t next = one < stage->first[1] ? 1 : 2;
        if (stage->first[next] == stage->first[next + 1]) /* the slot is empty */
            next = 2;
        for (uint32_t other = stage->first[next]; other < stage->first[next + 1]; other++)
            ls_builder_add(text, "  s%u -> s%u [style=invis];\n", one, other);
    }
}

static void add_joints(const ls_schedule_picture *picture, ls_builder *text)
{
    char before[32] = "", sync[32], end[32];
    for (uint32_t i = 0; i < picture->graph->stage_count; i++) {
        const ls_schedule_stage *stage = &picture->graph->stages[i];
        snprintf(sync, sizeof sync, "sync%u_0", i);
        for (uint32_t slot = 0; slot < 3; slot++)
            add_slot_joints(stage, slot, before, sync, text);
        add_order_of_slots(stage, text);
        if (stage->first[0] == stage->first[3] && before[0])
            add_joint(text, before, sync);
        snprintf(before, sizeof before, "%s", sync);
        if (stage->first[3] == stage->first[4])
            continue;
        snprintf(end, sizeof end, "sync%u_1", i);
        add_slot_joints(stage, 3, before, end, text);
        snprintf(before, sizeof before, "%s", end);
    }
}

static void add_link(const ls_schedule_picture *picture, const ls_schedule_link *link,
                     ls_builder *text)
{
    static const char *const styles[] = {
        [LS_LINK_ORDER] = "color=\"#6e7781\"",
        [LS_LINK_NEEDS] = "color=\"#8250df\" arrowhead=normalnormal",
        [LS_LINK_WEAK] = "color=\"#1a7f37\" style=dashed",
        [LS_LINK_LISTED] = "color=\"#9a6700\" style=dotted",
        [LS_LINK_PAR] = "color=\"#6e7781\"",
        [LS_LINK_INDEPENDENT] = "color=\"#bf3989\" style=dashed dir=none constraint=false",
        [LS_LINK_FILTERED] = "color=\"#bf3989\" style=dashed dir=none constraint=false",
    };
    ls_builder about = {0};
    ls_builder_add(text, "  s%u -> s%u [%s penwidth=%u ", link->one, link->other,
                   styles[link->kind], link->is_critical ? 3 : 1);
    add_attribute(text, "class", ls_link_word(link->kind));
    ls_schedule_picture_about_link(picture, link, &about);
    add_tooltip(text, &about);
    ls_builder_add(text, "];\n");
}

void ls_schedule_picture_dot(const ls_schedule_picture *picture, ls_builder *text)
{
    const ls_schedule_graph *graph = picture->graph;
    ls_builder_add(text, "digraph ");
    add_string(text, ls_program_sim(graph->program)->name);
    ls_builder_add(text, " {\n  rankdir=TB; newrank=true; node [fontname=\"monospace\"];\n");
    for (uint32_t i = 0; i < graph->stage_count; i = graph->stages[i].end)
        add_stage(picture, i, text);
    add_joints(picture, text);
    for (uint32_t i = 0; i < graph->link_count; i++)
        add_link(picture, &graph->links[i], text);
    ls_builder_add(text, "}\n");
}
