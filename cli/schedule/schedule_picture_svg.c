/* Draws a schedule as SVG; time runs downwards. Colours are set by CSS classes. There are two sets
 * of colours, each with its own background: dark for viewers that prefer it, light for all
 * others. */
#include "cli/common/xml_text.h"
#include "cli/schedule/schedule_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TINTS = 6, STRIPES_MAX = 4, LEGEND_ROW = 24, LEGEND_COLUMN = 200 };

static const char light[] =
    ".ground{fill:#ffffff}.stage{fill:#f6f8fa;stroke:#d0d7de}.slot{fill:#ffffff;stroke:#e4e9ee}"
    ".name,.head{fill:#1f2328}.small,.word{fill:#59636e}"
    ".conc{fill:#ddf1ff;stroke:#2f81c7}.seq{fill:#fff1de;stroke:#c07a2c}"
    ".sync{fill:#57606a}.synctext{fill:#ffffff}"
    ".order{stroke:#6e7781}.needs{stroke:#8250df}.weak{stroke:#1a7f37}.listed{stroke:#9a6700}"
    ".apart{stroke:#bf3989}.main{fill:#1f2328}"
    ".t0{fill:#8250df}.t1{fill:#1a7f37}.t2{fill:#bf3989}.t3{fill:#9a6700}.t4{fill:#0969da}"
    ".t5{fill:#57606a}";
static const char dark[] =
    ".ground{fill:#0d1117}.stage{fill:#151b23;stroke:#3d444d}.slot{fill:#0d1117;stroke:#2a313a}"
    ".name,.head{fill:#f0f6fc}.small,.word{fill:#9198a1}"
    ".conc{fill:#0f2d4a;stroke:#4493f8}.seq{fill:#3a2a12;stroke:#d29922}"
    ".sync{fill:#9198a1}.synctext{fill:#0d1117}"
    ".order{stroke:#9198a1}.needs{stroke:#ab7df8}.weak{stroke:#3fb950}.listed{stroke:#d29922}"
    ".apart{stroke:#db61a2}.main{fill:#f0f6fc}"
    ".t0{fill:#ab7df8}.t1{fill:#3fb950}.t2{fill:#db61a2}.t3{fill:#d29922}.t4{fill:#4493f8}"
    ".t5{fill:#9198a1}";
static const char shapes[] =
    "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',"
    "'Liberation Mono',monospace;font-size:12px}"
    ".middle{text-anchor:middle}.head{font-size:14px;font-weight:bold}"
    ".word,.small,.synctext{font-size:10px}.critical{font-weight:bold}"
    ".line{fill:none;stroke-width:1.4}.weak{stroke-dasharray:7 4}"
    ".listed{stroke-dasharray:1.5 3.5;stroke-linecap:round}.needs{stroke-width:2.2}"
    ".apart{stroke-dasharray:3 3}"
    ".tip{stroke-dasharray:none;stroke-width:1}"
    ".line.bold{stroke-width:3.4}.box{stroke-width:1.2}.box.bold{stroke-width:3}";
static const char light_tips[] =
    ".order.tip{fill:#6e7781}.needs.tip{fill:#8250df}.weak.tip{fill:#1a7f37}"
    ".listed.tip{fill:#9a6700}.apart.tip{fill:#bf3989}";
static const char dark_tips[] =
    ".order.tip{fill:#9198a1}.needs.tip{fill:#ab7df8}.weak.tip{fill:#3fb950}"
    ".listed.tip{fill:#d29922}.apart.tip{fill:#db61a2}";

typedef struct drawing {
    const ls_schedule_picture *picture;
    const ls_schedule_graph *graph;
    ls_graph_layout layout;
    ls_builder *text;
} drawing;

static void draw_text(drawing *to, int x, int y, const char *class_name, const char *words)
{
    ls_builder_add(to->text, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class_name);
    ls_xml_add(to->text, words, strlen(words), false);
    ls_builder_add(to->text, "</text>\n");
}

static void draw_box(drawing *to, const ls_box *box, const char *class_name, int radius)
{
    ls_builder_add(to->text,
                   "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" "
                   "class=\"%s\"/>\n",
                   box->x, box->y, box->width, box->height, radius, class_name);
}

/* Adds a title, which a viewer shows as the tooltip of the group that begins with it. */
static void draw_title(drawing *to, ls_builder *words)
{
    ls_builder_add(to->text, "<title>");
    ls_xml_add(to->text, words->data, words->count, false);
    ls_builder_add(to->text, "</title>\n");
    ls_free(words->data);
}

static const char *link_class(ls_link_kind kind)
{
    static const char *const classes[] = {
        [LS_LINK_ORDER] = "order",    [LS_LINK_NEEDS] = "needs",   [LS_LINK_WEAK] = "weak",
        [LS_LINK_PAR] = "order",      [LS_LINK_LISTED] = "listed", [LS_LINK_INDEPENDENT] = "apart",
        [LS_LINK_FILTERED] = "apart",
    };
    return classes[kind];
}

static void draw_tip(drawing *to, ls_point at, const char *class_name)
{
    ls_builder_add(to->text, "<path d=\"M%d %dl-4 -8h8z\" class=\"%s tip\"/>\n", at.x, at.y,
                   class_name);
}

static void draw_dot(drawing *to, ls_point at, const char *class_name)
{
    ls_builder_add(to->text, "<circle cx=\"%d\" cy=\"%d\" r=\"2.5\" class=\"%s tip\"/>\n", at.x,
                   at.y, class_name);
}

static void draw_curve(drawing *to, ls_point from, ls_point goal)
{
    int bend = (goal.y - from.y) / 2;
    ls_builder_add(to->text, "C%d %d %d %d %d %d", from.x, from.y + bend, goal.x, goal.y - bend,
                   goal.x, goal.y);
}

static void draw_path(drawing *to, const ls_layout_path *path, bool has_tip)
{
    const ls_point *points = path->points;
    ls_builder_add(to->text, "M%d %d", points[0].x, points[0].y);
    if (path->is_arc) {
        ls_builder_add(to->text, "C%d %d %d %d %d %d", points[0].x, points[0].y + 26, points[1].x,
                       points[1].y + 26, points[1].x, points[1].y);
    } else if (points[0].y == points[1].y) {
        ls_builder_add(to->text, "L%d %d", points[1].x, points[1].y);
    } else {
        for (uint32_t i = 0; i < path->count; i += 2) {
            ls_point goal = points[i + 1];
            if (i)
                ls_builder_add(to->text, "L%d %d", points[i].x, points[i].y);
            /* End the line before its tip, which would look blunt otherwise. */
            goal.y -= has_tip && i + 2 == path->count ? 7 : 0;
            draw_curve(to, points[i], goal);
        }
    }
}

static void draw_link(drawing *to, uint32_t index)
{
    const ls_schedule_link *link = &to->graph->links[index];
    const ls_layout_path *path = &to->layout.paths[index];
    const char *class_name = link_class(link->kind);
    bool is_order = ls_link_is_order(link->kind);
    ls_builder words = {0};
    if (path->count == 0)
        return;
    ls_builder_add(to->text, "<g>");
    ls_schedule_picture_about_link(to->picture, link, &words);
    draw_title(to, &words);
    ls_builder_add(to->text, "<path class=\"line %s%s\" d=\"", class_name,
                   link->is_critical ? " bold" : "");
    draw_path(to, path, is_order);
    ls_builder_add(to->text, "\"/>\n");
    if (is_order) {
        draw_tip(to, path->points[path->count - 1], class_name);
    } else {
        draw_dot(to, path->points[0], class_name);
        draw_dot(to, path->points[path->count - 1], class_name);
    }
    ls_builder_add(to->text, "</g>\n");
}

static void draw_stripes(drawing *to, uint32_t position)
{
    const ls_box *box = &to->layout.nodes[position];
    int x = box->x + 4;
    for (uint32_t i = 0, drawn = 0; i < to->graph->gate_count && drawn < STRIPES_MAX; i++) {
        if (!ls_schedule_picture_is_member(&to->graph->gates[i], position))
            continue;
        char tint[8];
        snprintf(tint, sizeof tint, "t%u", i % TINTS);
        draw_box(to, &(ls_box){x, box->y + 5, 3, box->height - 10}, tint, 1);
        x += 4;
        drawn++;
    }
}

static void draw_step(drawing *to, uint32_t position)
{
    const ls_box *box = &to->layout.nodes[position];
    const ls_label *label = &to->layout.labels[position];
    char words[sizeof label->name + sizeof label->badges + 1];
    ls_builder about = {0};
    ls_builder_add(to->text, "<g>");
    ls_schedule_picture_about_system(to->picture, position, &about);
    draw_title(to, &about);
    draw_box(to, box, "box sync", 4);
    snprintf(words, sizeof words, "%s%s%s", label->name, label->badges[0] ? " " : "",
             label->badges);
    draw_text(to, box->x + box->width / 2, box->y + 14, "synctext middle", words);
    ls_builder_add(to->text, "</g>\n");
}

static void draw_node(drawing *to, uint32_t position)
{
    const ls_schedule_node *node = &to->graph->nodes[position];
    const ls_box *box = &to->layout.nodes[position];
    const ls_label *label = &to->layout.labels[position];
    bool is_concurrent = node->system->mode == LS_CONCURRENT;
    ls_builder words = {0};
    char class_name[32];
    ls_builder_add(to->text, "<g>");
    ls_schedule_picture_about_system(to->picture, position, &words);
    draw_title(to, &words);
    snprintf(class_name, sizeof class_name, "box %s%s", is_concurrent ? "conc" : "seq",
             node->is_critical ? " bold" : "");
    draw_box(to, box, class_name, is_concurrent ? 13 : 2);
    draw_stripes(to, position);
    if (node->system->main_thread) /* mark a main-thread system with a folded corner */
        ls_builder_add(to->text, "<path d=\"M%d %dh-10l10 10z\" class=\"main\"/>\n",
                       box->x + box->width, box->y);
    draw_text(to, box->x + box->width / 2, box->y + 18,
              node->is_critical ? "name middle critical" : "name middle", label->name);
    if (label->badges[0])
        draw_text(to, box->x + box->width / 2, box->y + 33, "small middle", label->badges);
    ls_builder_add(to->text, "</g>\n");
}

static void draw_sync(drawing *to, const ls_box *box, const char *words)
{
    if (box->height == 0)
        return;
    draw_box(to, box, "sync", 4);
    draw_text(to, box->x + box->width / 2, box->y + 14, "synctext middle", words);
}

static void draw_slot(drawing *to, const ls_box *box, uint32_t slot)
{
    char words[64];
    if (box->height == 0)
        return;
    draw_box(to, box, "slot", 6);
    snprintf(words, sizeof words, "%s%s", ls_slot_word(slot),
             slot == 1 ? "" : ": exclusive, one at a time");
    draw_text(to, box->x + 10, box->y + 15, "word", words);
}

static void draw_asks(drawing *to, uint32_t stage)
{
    const ls_box *box = &to->layout.stages[stage].box;
    int y = box->y + LS_LAYOUT_STAGE_HEAD - 6;
    for (uint32_t i = 0; i < to->graph->gate_count; i++) {
        if (!ls_schedule_picture_stage_asks(to->picture, stage, i))
            continue;
        char tint[8];
        ls_builder words = {0};
        snprintf(tint, sizeof tint, "t%u", i % TINTS);
        draw_box(to, &(ls_box){box->x + 16, y, 3, 14}, tint, 1);
        const ls_schedule_gate *gate = &to->graph->gates[i];
        if (gate->set)
            ls_builder_add(&words, "set %s: ", gate->set->name);
        else
            ls_builder_add(&words, "the whole stage: ");
        ls_schedule_picture_about_condition(gate->when, &words);
        draw_text(to, box->x + 26, y + 11, "word", words.data);
        ls_free(words.data);
        y += LS_LAYOUT_ASK_HEIGHT;
    }
}

static void draw_stage(drawing *to, uint32_t index)
{
    const ls_schedule_stage *stage = &to->graph->stages[index];
    const ls_layout_stage *placed = &to->layout.stages[index];
    const ls_box *box = &placed->box;
    char work[48], critical[48], words[160];
    draw_box(to, box, "stage", 8);
    snprintf(words, sizeof words, "stage %.60s%s", stage->stage->name,
             stage->stage->insertion_order ? " (in the order of the list)" : "");
    draw_text(to, box->x + 14, box->y + 21, "head", words);
    ls_schedule_picture_weight(to->picture, stage->work, work, sizeof work);
    ls_schedule_picture_weight(to->picture, stage->critical, critical, sizeof critical);
    ls_builder_add(to->text,
                   "<text x=\"%d\" y=\"%d\" class=\"word\" text-anchor=\"end\">%s, critical path "
                   "%s</text>\n",
                   box->x + box->width - 14, box->y + 20, work, critical);
    draw_asks(to, index);
    for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++)
        draw_slot(to, &placed->slots[slot], slot);
    draw_sync(to, &placed->syncs[0], "sync point: commands, then despawns");
    draw_sync(to, &placed->syncs[1], "sync point: commands of the end");
    if (stage->end < to->graph->stage_count &&
        to->graph->stages[stage->end].parent == stage->parent) {
        ls_point from = {box->x + box->width / 2, box->y + box->height};
        ls_point goal = {from.x, to->layout.stages[stage->end].box.y};
        ls_builder_add(to->text, "<path class=\"line order bold\" d=\"M%d %dL%d %d\"/>\n", from.x,
                       from.y, goal.x, goal.y - 7);
        draw_tip(to, goal, "order");
    }
}

typedef struct legend {
    int x, y, columns, used;
} legend;

static ls_point next_entry(legend *at, const char *words, drawing *to)
{
    ls_point place = {at->x + at->used % at->columns * LEGEND_COLUMN,
                      at->y + at->used / at->columns * LEGEND_ROW};
    at->used++;
    draw_text(to, place.x + 44, place.y + 4, "word", words);
    return place;
}

static void draw_legend_box(drawing *to, legend *at, const char *class_name, int radius,
                            const char *words)
{
    ls_point place = next_entry(at, words, to);
    draw_box(to, &(ls_box){place.x, place.y - 8, 36, 16}, class_name, radius);
}

static bool has_kind(const ls_schedule_graph *graph, const char *class_name)
{
    for (uint32_t i = 0; i < graph->link_count; i++) {
        if (strcmp(link_class(graph->links[i].kind), class_name) == 0)
            return true;
    }
    return false;
}

static void draw_legend_line(drawing *to, legend *at, const char *class_name, const char *words)
{
    if (!has_kind(to->graph, class_name))
        return;
    ls_point place = next_entry(at, words, to);
    ls_builder_add(to->text, "<path class=\"line %s\" d=\"M%d %dh36\"/>\n", class_name, place.x,
                   place.y);
    if (strcmp(class_name, "apart") == 0) {
        draw_dot(to, place, class_name);
        draw_dot(to, (ls_point){place.x + 36, place.y}, class_name);
    } else {
        ls_builder_add(to->text, "<path class=\"%s tip\" d=\"M%d %dl-8 -4v8z\"/>\n", class_name,
                       place.x + 36, place.y);
    }
}

static bool has_main_thread(const ls_schedule_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].system->main_thread)
            return true;
    }
    return false;
}

/* Draws a legend of the shapes that occur; returns its height. */
static int draw_legend(drawing *to, int y)
{
    legend at = {.x = LS_LAYOUT_MARGIN, .y = y};
    at.columns = (to->layout.width - 2 * LS_LAYOUT_MARGIN) / LEGEND_COLUMN;
    draw_legend_box(to, &at, "box conc", 8, "concurrent: by page");
    draw_legend_box(to, &at, "box seq", 2, "sequential: one thread");
    draw_legend_box(to, &at, "box conc bold", 8, "on the critical path");
    if (has_main_thread(to->graph)) {
        ls_point place = next_entry(&at, "on the main thread", to);
        ls_builder_add(to->text, "<path d=\"M%d %dh-10l10 10z\" class=\"main\"/>\n", place.x + 23,
                       place.y - 5);
    }
    draw_legend_line(to, &at, "order", "before");
    draw_legend_line(to, &at, "needs", "before, and needed");
    draw_legend_line(to, &at, "weak", "before: they conflict");
    draw_legend_line(to, &at, "listed", "before: list order");
    draw_legend_line(to, &at, "apart", "never at the same time");
    return (at.used + at.columns - 1) / at.columns * LEGEND_ROW;
}

static void draw_heading(drawing *to)
{
    const ls_schedule_graph *graph = to->graph;
    char words[256], weight[48];
    uint64_t critical = 0;
    uint32_t systems = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        systems += graph->nodes[i].kind == LS_NODE_SYSTEM;
    for (uint32_t i = 0; i < graph->stage_count; i++)
        critical += graph->stages[i].critical;
    ls_schedule_picture_weight(to->picture, critical, weight, sizeof weight);
    draw_text(to, LS_LAYOUT_MARGIN, LS_LAYOUT_MARGIN + 10, "head",
              ls_program_sim(graph->program)->name);
    snprintf(words, sizeof words, "a tick: %u system%s in %u stage%s, critical path of %s", systems,
             systems == 1 ? "" : "s", graph->stage_count, graph->stage_count == 1 ? "" : "s",
             weight);
    draw_text(to, LS_LAYOUT_MARGIN, LS_LAYOUT_MARGIN + 28, "word", words);
}

static void place_all(drawing *to)
{
    const ls_schedule_graph *graph = to->graph;
    uint32_t *asks = ls_alloc(sizeof *asks * (graph->stage_count + 1));
    ls_graph_layout_init(&to->layout, graph);
    for (uint32_t i = 0; i < graph->node_count; i++)
        ls_schedule_picture_label(to->picture, i, &to->layout.labels[i]);
    for (uint32_t stage = 0; stage < graph->stage_count; stage++) {
        for (uint32_t set = 0; set < graph->gate_count; set++)
            asks[stage] += ls_schedule_picture_stage_asks(to->picture, stage, set);
    }
    ls_graph_layout_place(&to->layout, graph, asks);
    ls_free(asks);
}

void ls_schedule_picture_svg(const ls_schedule_picture *picture, ls_builder *text)
{
    ls_builder body = {0};
    drawing to = {.picture = picture, .graph = picture->graph, .text = &body};
    place_all(&to);
    draw_heading(&to);
    for (uint32_t i = 0; i < to.graph->stage_count; i++)
        draw_stage(&to, i);
    for (uint32_t i = 0; i < to.graph->link_count; i++)
        draw_link(&to, i);
    for (uint32_t i = 0; i < to.graph->node_count; i++) {
        if (to.graph->nodes[i].kind == LS_NODE_SYSTEM)
            draw_node(&to, i);
        else
            draw_step(&to, i);
    }
    int height = to.layout.height + draw_legend(&to, to.layout.height) + 8;
    const char *name = ls_program_sim(to.graph->program)->name;
    ls_builder_add(text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\">\n<title>Schedule of ",
                   to.layout.width, height, to.layout.width, height);
    ls_xml_add(text, name, strlen(name), false);
    ls_builder_add(text,
                   "</title>\n<style>\n%s\n%s\n%s\n@media (prefers-color-scheme:dark){\n%s\n%s\n}\n"
                   "</style>\n",
                   light, light_tips, shapes, dark, dark_tips);
    ls_builder_add(text, "<rect width=\"100%%\" height=\"100%%\" class=\"ground\"/>\n");
    ls_builder_put(text, body.data, body.count);
    ls_builder_add(text, "</svg>\n");
    ls_free(body.data);
    ls_graph_layout_reset(&to.layout, to.graph);
}
