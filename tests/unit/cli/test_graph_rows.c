#include "cli/schedule/graph_rows.h"

#include "test.h"

enum { ITEMS_MAX = 60, EDGES_MAX = 300, WIDTH_MAX = 900 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static void assert_rows(const ls_rows *rows)
{
    double slack = 1e-6;
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        const ls_row_edge *edge = &rows->edges[i];
        if (edge->is_order)
            assert_true(rows->cells[edge->upper].row < rows->cells[edge->lower].row);
    }
    for (uint32_t row = 0; row < rows->row_count; row++) {
        double items = 0;
        for (uint32_t i = rows->row_first[row]; i < rows->row_first[row + 1]; i++) {
            const ls_row_cell *cell = &rows->cells[rows->rows[i]];
            assert_int_equal(cell->row, row);
            assert_true(cell->x - cell->width / 2 >= -slack);
            assert_true(cell->x + cell->width / 2 <= rows->width + slack);
            items += cell->edge == UINT32_MAX ? cell->width : 0;
            if (i == rows->row_first[row])
                continue;
            const ls_row_cell *left = &rows->cells[rows->rows[i - 1]];
            assert_true(left->x + left->width / 2 + 5 <= cell->x - cell->width / 2);
        }
        assert_true(items <= WIDTH_MAX);
    }
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        for (uint32_t pass = rows->passes[i] + 1; pass < rows->passes[i + 1]; pass++)
            assert_int_equal(rows->cells[pass].row, rows->cells[pass - 1].row + 1);
    }
}

TEST(test_graph_rows_keep_order_and_distance)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t source = seed;
        double widths[ITEMS_MAX];
        ls_row_edge edges[EDGES_MAX];
        uint32_t items = draw(&source, ITEMS_MAX), edge_count = items > 1 ? draw(&source, 300) : 0;
        for (uint32_t i = 0; i < items; i++)
            widths[i] = 40 + draw(&source, 160);
        for (uint32_t i = 0; i < edge_count; i++) {
            uint32_t lower = 1 + draw(&source, items - 1);
            edges[i] = (ls_row_edge){draw(&source, lower), lower, draw(&source, 8) > 0};
        }
        ls_rows rows, again;
        ls_rows_init(&rows, widths, items, edges, edge_count, WIDTH_MAX);
        assert_rows(&rows);
        ls_rows_init(&again, widths, items, edges, edge_count, WIDTH_MAX);
        assert_memory_equal(rows.rows, again.rows, sizeof *rows.rows * rows.cell_count);
        ls_rows_reset(&again);
        ls_rows_reset(&rows);
    }
}

TEST(test_graph_rows_are_straight_without_crossings)
{
    /* Two chains that begin side by side in the wrong order. */
    static const double widths[] = {50, 50, 50, 50};
    static const ls_row_edge edges[] = {{0, 3, true}, {1, 2, true}};
    ls_rows rows;
    ls_rows_init(&rows, widths, 4, edges, 2, WIDTH_MAX);
    for (uint32_t i = 0; i < 2; i++) {
        double lean = rows.cells[edges[i].upper].x - rows.cells[edges[i].lower].x;
        assert_true(lean < 1 && lean > -1);
    }
    ls_rows_reset(&rows);
}

TEST(test_graph_rows_hold_one_that_is_too_wide)
{
    static const double widths[] = {5000, 50};
    ls_rows rows;
    ls_rows_init(&rows, widths, 2, NULL, 0, WIDTH_MAX);
    assert_int_equal(rows.row_count, 2);
    assert_true(rows.width >= 5000);
    ls_rows_reset(&rows);
}
