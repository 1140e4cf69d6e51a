#include "cli/schedule/graph_layout.h"

#include "cli/schedule/graph_rows.h"

#include <string.h>

enum {
    WIDTH_MAX = 1160, /* of a row of systems */
    WIDTH_MIN = 460,
    LETTER_TENTHS = 73, /* of a letter in a name; letters of badges are narrower */
    BADGE_LETTER_TENTHS = 58,
    NODE_PADDING = 30,
    NODE_HEIGHT = 28,
    BADGES_HEIGHT = 14,
    ROW_GAP = 34,
    SLOT_PADDING = 14,
    SYNC_HEIGHT = 20,
    STAGE_GAP = 30,
    STAGE_PADDING = 14,
};

void ls_graph_layout_init(ls_graph_layout *layout, const ls_schedule_graph *graph)
{
    *layout = (ls_graph_layout){0};
    layout->nodes = ls_alloc(sizeof *layout->nodes * (graph->node_count + 1));
    layout->labels = ls_alloc(sizeof *layout->labels * (graph->node_count + 1));
    layout->stages = ls_alloc(sizeof *layout->stages * (graph->stage_count + 1));
    layout->paths = ls_alloc(sizeof *layout->paths * (graph->link_count + 1));
}

void ls_graph_layout_reset(ls_graph_layout *layout, const ls_schedule_graph *graph)
{
    for (uint32_t i = 0; i < graph->link_count; i++)
        ls_free(layout->paths[i].points);
    ls_free(layout->nodes);
    ls_free(layout->labels);
    ls_free(layout->stages);
    ls_free(layout->paths);
    *layout = (ls_graph_layout){0};
}

/* Counts letters and not bytes: later bytes of a UTF-8 letter begin with the bits 10. */
static int letters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((uint8_t)*text & 0xc0) != 0x80;
    return count;
}

static void size_nodes(ls_graph_layout *layout, const ls_schedule_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const ls_label *label = &layout->labels[i];
        int name = letters(label->name) * LETTER_TENTHS / 10;
        int badges = letters(label->badges) * BADGE_LETTER_TENTHS / 10;
        if (label->is_step) {
            layout->nodes[i].width = name + badges + NODE_PADDING;
            layout->nodes[i].height = SYNC_HEIGHT;
            continue;
        }
        layout->nodes[i].width = (name > badges ? name : badges) + NODE_PADDING;
        layout->nodes[i].height = NODE_HEIGHT + (label->badges[0] ? BADGES_HEIGHT : 0);
    }
}

/* A slot of a stage while its systems are placed. */
typedef struct slot_work {
    ls_graph_layout *layout;
    const ls_schedule_graph *graph;
    uint32_t first, count;
    ls_rows rows;
    ls_row_edge *edges;
    uint32_t *links;     /* by edge: its index in the graph's links */
    int *tops, *heights; /* by row */
} slot_work;

static void collect_edges(slot_work *work)
{
    const ls_schedule_graph *graph = work->graph;
    uint32_t count = 0;
    work->edges = ls_alloc(sizeof *work->edges * (graph->link_count + 1));
    work->links = ls_alloc(sizeof *work->links * (graph->link_count + 1));
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const ls_schedule_link *link = &graph->links[i];
        if (link->one < work->first || link->one >= work->first + work->count ||
            ls_link_is_far(graph, link))
            continue;
        work->links[count] = i;
        work->edges[count++] = (ls_row_edge){link->one - work->first, link->other - work->first,
                                             ls_link_is_order(link->kind)};
    }
    double *widths = ls_alloc(sizeof *widths * (work->count + 1));
    for (uint32_t i = 0; i < work->count; i++)
        widths[i] = work->layout->nodes[work->first + i].width;
    ls_rows_init(&work->rows, widths, work->count, work->edges, count, WIDTH_MAX);
    ls_free(widths);
}

static void size_rows(slot_work *work, int top)
{
    work->tops = ls_alloc(sizeof *work->tops * (work->rows.row_count + 1));
    work->heights = ls_alloc(sizeof *work->heights * (work->rows.row_count + 1));
    for (uint32_t i = 0; i < work->count; i++) {
        int height = work->layout->nodes[work->first + i].height;
        int *row = &work->heights[work->rows.cells[i].row];
        *row = height > *row ? height : *row;
    }
    for (uint32_t row = 0; row < work->rows.row_count; row++) {
        work->tops[row] = top;
        top += work->heights[row] + ROW_GAP;
    }
    work->tops[work->rows.row_count] = top - ROW_GAP;
}

static int middle(const ls_box *box)
{
    return box->x + box->width / 2;
}

/* Returns the x position at which this end of the edge meets its node. Ends on one side of a node
 * are spread in the order of the nodes that they lead to. */
static int find_port(const slot_work *work, uint32_t edge, uint32_t item, bool is_below,
                     const double *leads)
{
    const ls_box *box = &work->layout->nodes[work->first + item];
    const ls_rows *rows = &work->rows;
    uint32_t count = 0, before = 0;
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        bool is_upper = rows->edges[i].upper == item;
        if (!is_upper && rows->edges[i].lower != item)
            continue;
        uint32_t other = is_upper ? rows->edges[i].lower : rows->edges[i].upper;
        int64_t steps = (int64_t)rows->cells[other].row - rows->cells[item].row;
        if (steps == 0 || (steps > 0) != is_below)
            continue;
        double here = leads[i * 2 + is_below], mine = leads[edge * 2 + is_below];
        before += here < mine || (here == mine && i < edge);
        count++;
    }
    int room = box->width * 6 / 10;
    int step = count > 1 ? room / (int)(count - 1) : 0;
    step = step > 14 ? 14 : step;
    return middle(box) + (int)before * step - (int)(count - 1) * step / 2;
}

/* Returns two x positions for each edge: of the next cell above its lower end, and of the next cell
 * below its upper end. */
static double *find_leads(const slot_work *work)
{
    const ls_rows *rows = &work->rows;
    double *leads = ls_alloc(sizeof *leads * 2 * (rows->edge_count + 1));
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        const ls_row_edge *edge = &rows->edges[i];
        bool is_upright = rows->cells[edge->upper].row <= rows->cells[edge->lower].row;
        uint32_t top = is_upright ? edge->upper : edge->lower;
        uint32_t bottom = is_upright ? edge->lower : edge->upper;
        bool has_passes = rows->passes[i] < rows->passes[i + 1];
        leads[i * 2] = rows->cells[has_passes ? rows->passes[i + 1] - 1 : top].x;
        leads[i * 2 + 1] = rows->cells[has_passes ? rows->passes[i] : bottom].x;
    }
    return leads;
}

static void place_arc(const slot_work *work, uint32_t edge, ls_layout_path *path)
{
    const ls_row_edge *ends = &work->edges[edge];
    const ls_box *one = &work->layout->nodes[work->first + ends->upper];
    const ls_box *other = &work->layout->nodes[work->first + ends->lower];
    if (one->x > other->x) {
        const ls_box *left = other;
        other = one;
        one = left;
    }
    uint32_t orders[2] = {work->rows.cells[ends->upper].order, work->rows.cells[ends->lower].order};
    path->is_arc = orders[0] + 1 != orders[1] && orders[1] + 1 != orders[0];
    path->count = 2;
    path->points = ls_alloc(sizeof *path->points * 2);
    if (path->is_arc) {
        path->points[0] = (ls_point){middle(one), one->y + one->height};
        path->points[1] = (ls_point){middle(other), other->y + other->height};
    } else {
        int y = one->y + NODE_HEIGHT / 2;
        path->points[0] = (ls_point){one->x + one->width, y};
        path->points[1] = (ls_point){other->x, y};
    }
}

static void place_path(const slot_work *work, uint32_t edge, int left, const double *leads)
{
    const ls_rows *rows = &work->rows;
    ls_layout_path *path = &work->layout->paths[work->links[edge]];
    const ls_row_edge *ends = &work->edges[edge];
    if (rows->cells[ends->upper].row == rows->cells[ends->lower].row) {
        place_arc(work, edge, path);
        return;
    }
    bool is_upright = rows->cells[ends->upper].row < rows->cells[ends->lower].row;
    uint32_t top = is_upright ? ends->upper : ends->lower;
    uint32_t bottom = is_upright ? ends->lower : ends->upper;
    const ls_box *from = &work->layout->nodes[work->first + top];
    const ls_box *to = &work->layout->nodes[work->first + bottom];
    uint32_t passes = rows->passes[edge + 1] - rows->passes[edge];
    path->points = ls_alloc(sizeof *path->points * (2 + 2 * (size_t)passes));
    path->points[path->count++] =
        (ls_point){find_port(work, edge, top, true, leads), from->y + from->height};
    for (uint32_t i = 0; i < passes; i++) {
        const ls_row_cell *cell = &rows->cells[rows->passes[edge] + i];
        int x = left + (int)cell->x;
        path->points[path->count++] = (ls_point){x, work->tops[cell->row]};
        path->points[path->count++] =
            (ls_point){x, work->tops[cell->row] + work->heights[cell->row]};
    }
    path->points[path->count++] = (ls_point){find_port(work, edge, bottom, false, leads), to->y};
}

/* Places the slot's rows and returns the slot's height. The rows are centred later, when the width
 * of the picture is known. */
static int place_slot(slot_work *work, ls_box *box, int top)
{
    *box = (ls_box){.y = top};
    collect_edges(work);
    size_rows(work, top + LS_LAYOUT_SLOT_HEAD + SLOT_PADDING / 2);
    box->width = (int)work->rows.width + 2 * SLOT_PADDING;
    box->height = work->tops[work->rows.row_count] + SLOT_PADDING - top;
    return box->height;
}

static void centre_slot(slot_work *work, const ls_box *box)
{
    int left = box->x + (box->width - (int)work->rows.width) / 2;
    for (uint32_t i = 0; i < work->count; i++) {
        ls_box *node = &work->layout->nodes[work->first + i];
        const ls_row_cell *cell = &work->rows.cells[i];
        node->x = left + (int)(cell->x - cell->width / 2);
        node->y = work->tops[cell->row] + (work->heights[cell->row] - node->height) / 2;
    }
    double *leads = find_leads(work);
    for (uint32_t i = 0; i < work->rows.edge_count; i++)
        place_path(work, i, left, leads);
    ls_free(leads);
}

static void free_slot(slot_work *work)
{
    ls_rows_reset(&work->rows);
    ls_free(work->edges);
    ls_free(work->links);
    ls_free(work->tops);
    ls_free(work->heights);
}

/* The layout while it is computed. */
typedef struct layout_work {
    ls_graph_layout *layout;
    const ls_schedule_graph *graph;
    const uint32_t *ask_counts;
    slot_work *slots; /* by stage, LS_SCHEDULE_SLOTS each */
    int inner;        /* width inside an outermost stage */
} layout_work;

/* Places the slots of a stage from top to bottom and returns the y below them. Horizontal positions
 * follow later, because the width of the picture depends on all slots. */
static int place_slots(const layout_work *work, uint32_t index, int y)
{
    enum { AT_END = 3 };
    const ls_schedule_stage *stage = &work->graph->stages[index];
    ls_layout_stage *placed = &work->layout->stages[index];
    slot_work *slots = &work->slots[(size_t)index * LS_SCHEDULE_SLOTS];
    for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
        if (slot == AT_END) {
            placed->syncs[0] = (ls_box){.y = y, .height = SYNC_HEIGHT};
            y += SYNC_HEIGHT + STAGE_PADDING;
        }
        slots[slot].first = stage->first[slot];
        slots[slot].count = stage->first[slot + 1] - stage->first[slot];
        if (slots[slot].count)
            y += place_slot(&slots[slot], &placed->slots[slot], y) + STAGE_PADDING;
    }
    if (slots[AT_END].count) {
        placed->syncs[1] = (ls_box){.y = y, .height = SYNC_HEIGHT};
        y += SYNC_HEIGHT + STAGE_PADDING;
    }
    return y;
}

/* Places the stages from `first` to before `end`, with the stages inside them, and returns the y
 * below them. Recursion is as deep as stages are nested. */
static int place_stages(const layout_work *work, uint32_t first, uint32_t end, int y)
{
    for (uint32_t i = first; i < end; i = work->graph->stages[i].end) {
        ls_box *box = &work->layout->stages[i].box;
        y += i == first ? 0 : STAGE_GAP;
        box->y = y;
        y += LS_LAYOUT_STAGE_HEAD + (int)work->ask_counts[i] * LS_LAYOUT_ASK_HEIGHT;
        y = place_slots(work, i, y);
        if (i + 1 < work->graph->stages[i].end)
            y = place_stages(work, i + 1, work->graph->stages[i].end, y) + STAGE_PADDING;
        box->height = y - box->y;
    }
    return y;
}

static int widest_stage(const layout_work *work)
{
    int widest = WIDTH_MIN;
    for (uint32_t i = 0; i < work->graph->stage_count; i++) {
        int around = 2 * STAGE_PADDING * (int)work->graph->stages[i].depth;
        for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
            int width = work->layout->stages[i].slots[slot].width + around;
            widest = width > widest ? width : widest;
        }
    }
    return widest;
}

static void widen(ls_box *box, int x, int width)
{
    box->x = x;
    box->width = width;
}

static void widen_stage(const layout_work *work, uint32_t index)
{
    ls_layout_stage *stage = &work->layout->stages[index];
    int inset = STAGE_PADDING * (int)work->graph->stages[index].depth;
    int x = LS_LAYOUT_MARGIN + inset + STAGE_PADDING, width = work->inner - 2 * inset;
    widen(&stage->box, x - STAGE_PADDING, width + 2 * STAGE_PADDING);
    widen(&stage->syncs[0], x, width);
    widen(&stage->syncs[1], x, width);
    for (uint32_t slot = 0; slot < LS_SCHEDULE_SLOTS; slot++) {
        slot_work *placed = &work->slots[(size_t)index * LS_SCHEDULE_SLOTS + slot];
        widen(&stage->slots[slot], x, width);
        if (placed->count)
            centre_slot(placed, &stage->slots[slot]);
        free_slot(placed);
    }
}

void ls_graph_layout_place(ls_graph_layout *layout, const ls_schedule_graph *graph,
                           const uint32_t *ask_counts)
{
    layout_work work = {.layout = layout, .graph = graph, .ask_counts = ask_counts};
    size_t slot_count = (size_t)graph->stage_count * LS_SCHEDULE_SLOTS;
    work.slots = ls_alloc(sizeof *work.slots * (slot_count + 1));
    for (size_t i = 0; i < slot_count; i++)
        work.slots[i] = (slot_work){.layout = layout, .graph = graph};
    size_nodes(layout, graph);
    int bottom = place_stages(&work, 0, graph->stage_count, LS_LAYOUT_MARGIN * 2 + 16);
    work.inner = widest_stage(&work);
    for (uint32_t i = 0; i < graph->stage_count; i++)
        widen_stage(&work, i);
    ls_free(work.slots);
    layout->width = work.inner + 2 * (STAGE_PADDING + LS_LAYOUT_MARGIN);
    layout->height = bottom + LS_LAYOUT_MARGIN;
}
