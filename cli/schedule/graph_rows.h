/* Places systems in rows from top to bottom: each system below its predecessors, no row wider than
 * a limit, few crossing lines. Lines over several rows bend only between rows.
 *   source  layered drawing after Sugiyama, Tagawa, Toda 1981; places by isotonic regression */
#ifndef LS_GRAPH_ROWS_H
#define LS_GRAPH_ROWS_H

#include <lockstep/base.h>

typedef struct ls_row_edge {
    uint32_t upper, lower; /* items */
    /* False: the two only share a line, and may be in any rows. */
    bool is_order;
} ls_row_edge;

/* A cell of a row: an item, or a point where an edge passes through. */
typedef struct ls_row_cell {
    uint32_t row;
    uint32_t order;  /* from the left, in its row */
    uint32_t edge;   /* the edge that passes; UINT32_MAX: an item */
    double width, x; /* x: of its middle */
} ls_row_cell;

typedef struct ls_rows {
    uint32_t item_count, edge_count;
    const ls_row_edge *edges; /* the caller's; an edge without order may point upwards */
    uint32_t cell_count;
    ls_row_cell *cells; /* items first; then the passes of each edge, by row */
    uint32_t *passes;   /* by edge: its first pass in `cells`; one more entry ends the last edge */
    uint32_t row_count;
    uint32_t *rows;      /* cells by row and order */
    uint32_t *row_first; /* by row: its first entry in `rows`; one more ends the last row */
    double width;
} ls_rows;

/* Places the items in rows. The caller orders items so that each comes before those that wait for
 * it. `widths` has an entry for each item.
 *   owns    ls_rows_reset() */
void ls_rows_init(ls_rows *rows, const double *widths, uint32_t item_count,
                  const ls_row_edge *edges, uint32_t edge_count, double width_max);
void ls_rows_reset(ls_rows *rows);

#endif
