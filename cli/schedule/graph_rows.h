/* Places systems in rows from top to bottom: each below all that it waits for, no row wider than a
 * limit, few crossing lines. Lines over several rows bend only between rows.
 *   source  layered drawing after Sugiyama, Tagawa, Toda 1981; places by isotonic regression */
#ifndef LS_GRAPH_ROWS_H
#define LS_GRAPH_ROWS_H

#include <lockstep/base.h>

typedef struct ls_row_edge {
    uint32_t upper, lower; /* items */
    bool is_order;         /* else the two only share a line, in whichever rows they are */
} ls_row_edge;

/* A place in a row: an item, or where an edge passes through. */
typedef struct ls_row_cell {
    uint32_t row;
    uint32_t order;  /* in its row */
    uint32_t edge;   /* UINT32_MAX: an item */
    double width, x; /* of its middle */
} ls_row_cell;

typedef struct ls_rows {
    uint32_t item_count, edge_count;
    const ls_row_edge *edges; /* the caller's; an edge without order may be turned round */
    uint32_t cell_count;
    ls_row_cell *cells; /* items first; those of an edge stand together, by row */
    uint32_t *passes;   /* by edge: its first cell; those of the next one end them */
    uint32_t row_count;
    uint32_t *rows;      /* cells by row and order */
    uint32_t *row_first; /* by row; one more ends the last */
    double width;
} ls_rows;

/* Places the items in rows. An item comes before all items that wait for it; `widths` are those of
 * the items.
 *   owns    ls_rows_reset() */
void ls_rows_init(ls_rows *rows, const double *widths, uint32_t item_count,
                  const ls_row_edge *edges, uint32_t edge_count, double width_max);
void ls_rows_reset(ls_rows *rows);

#endif
