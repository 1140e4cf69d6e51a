/* Computes the positions in a schedule's picture, in pixels from the top left. Stages are placed
 * from top to bottom, with slots and sync points in each, and the systems of a slot in rows. */
#ifndef LS_GRAPH_LAYOUT_H
#define LS_GRAPH_LAYOUT_H

#include <lockstep/schedule_graph.h>

typedef struct ls_box {
    int x, y, width, height;
} ls_box;

typedef struct ls_point {
    int x, y;
} ls_point;

/* The line from one system to another: a curve to the next row, then a straight line and another
 * curve for each row that it passes. */
typedef struct ls_layout_path {
    ls_point *points;
    uint32_t count; /* even; 0 for a link that is not drawn */
    bool is_arc;    /* both ends are in one row: an arc joins two points */
} ls_layout_path;

typedef struct ls_layout_stage {
    ls_box box;
    ls_box slots[LS_SCHEDULE_SLOTS]; /* a height of 0: the slot is empty */
    ls_box syncs[2];                 /* the second one if systems run at the end */
} ls_layout_stage;

/* The texts in a system's box. */
typedef struct ls_label {
    char name[48], badges[64];
    bool is_step; /* a low bar with all texts in one line */
} ls_label;

typedef struct ls_graph_layout {
    ls_box *nodes;    /* by position of the system */
    ls_label *labels; /* by position; the caller sets them before ls_graph_layout_place() */
    ls_layout_stage *stages;
    ls_layout_path *paths; /* by link of the graph */
    int width, height;
} ls_graph_layout;

enum {
    LS_LAYOUT_MARGIN = 24,
    LS_LAYOUT_STAGE_HEAD = 34,
    LS_LAYOUT_SLOT_HEAD = 20,
    LS_LAYOUT_ASK_HEIGHT = 22, /* the line that names a run criterion */
};

void ls_graph_layout_init(ls_graph_layout *layout, const ls_schedule_graph *graph);
/* Places everything. The stage at `index` begins with `ask_counts[index]` lines for run
 * criteria. */
void ls_graph_layout_place(ls_graph_layout *layout, const ls_schedule_graph *graph,
                           const uint32_t *ask_counts);
void ls_graph_layout_reset(ls_graph_layout *layout, const ls_schedule_graph *graph);

#endif
