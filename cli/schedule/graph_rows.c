#include "cli/schedule/graph_rows.h"

#include <string.h>

static const double gap = 26; /* between cells of a row */
enum { PASS_WIDTH = 10, SWEEPS = 16, PLACE_SWEEPS = 40 };

/* Computes how many rows each item needs below itself. */
static void find_heights(const ls_rows *rows, uint32_t *heights)
{
    for (uint32_t item = rows->item_count; item-- > 0;) {
        for (uint32_t i = 0; i < rows->edge_count; i++) {
            const ls_row_edge *edge = &rows->edges[i];
            if (edge->is_order && edge->upper == item && heights[edge->lower] >= heights[item])
                heights[item] = heights[edge->lower] + 1;
        }
    }
}

/* Returns the item with the longest path below it, among those that this row may hold; UINT32_MAX
 * if there is none. */
static uint32_t choose_for_row(const ls_rows *rows, const uint32_t *waiting,
                               const uint32_t *heights)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t item = 0; item < rows->item_count; item++) {
        if (rows->cells[item].row == UINT32_MAX && waiting[item] == 0 &&
            (best == UINT32_MAX || heights[item] > heights[best]))
            best = item;
    }
    return best;
}

/* Counts for each item the predecessors that are not in a row yet. */
static void count_waiting(const ls_rows *rows, uint32_t *waiting)
{
    memset(waiting, 0, sizeof *waiting * rows->item_count);
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        const ls_row_edge *edge = &rows->edges[i];
        waiting[edge->lower] += edge->is_order && rows->cells[edge->upper].row == UINT32_MAX;
    }
}

static void fill_rows(ls_rows *rows, double width_max)
{
    uint32_t *heights = ls_alloc(sizeof *heights * (rows->item_count + 1) * 2);
    uint32_t *waiting = heights + rows->item_count + 1;
    find_heights(rows, heights);
    for (uint32_t item = 0; item < rows->item_count; item++)
        rows->cells[item].row = UINT32_MAX;
    for (uint32_t placed = 0; placed < rows->item_count; rows->row_count++) {
        double width = 0;
        count_waiting(rows, waiting);
        for (uint32_t item; (item = choose_for_row(rows, waiting, heights)) != UINT32_MAX;) {
            bool is_first = width == 0;
            width += rows->cells[item].width + gap;
            if (width > width_max + gap && !is_first)
                break;
            rows->cells[item].row = rows->row_count;
            placed++;
        }
    }
    ls_free(heights);
}

static uint32_t upper_row(const ls_rows *rows, uint32_t edge)
{
    uint32_t one = rows->cells[rows->edges[edge].upper].row;
    uint32_t other = rows->cells[rows->edges[edge].lower].row;
    return one < other ? one : other;
}

static uint32_t lower_row(const ls_rows *rows, uint32_t edge)
{
    uint32_t one = rows->cells[rows->edges[edge].upper].row;
    uint32_t other = rows->cells[rows->edges[edge].lower].row;
    return one < other ? other : one;
}

static void add_passes(ls_rows *rows)
{
    uint32_t count = rows->item_count;
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        uint32_t between = lower_row(rows, i) - upper_row(rows, i);
        count += between ? between - 1 : 0;
    }
    rows->cells = ls_realloc(rows->cells, sizeof *rows->cells * (count + 1));
    rows->cell_count = rows->item_count;
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        rows->passes[i] = rows->cell_count;
        for (uint32_t row = upper_row(rows, i) + 1; row < lower_row(rows, i); row++)
            rows->cells[rows->cell_count++] =
                (ls_row_cell){.row = row, .edge = i, .width = PASS_WIDTH};
    }
    rows->passes[rows->edge_count] = rows->cell_count;
}

static void list_rows(ls_rows *rows)
{
    rows->rows = ls_alloc(sizeof *rows->rows * (rows->cell_count + 1));
    rows->row_first = ls_alloc(sizeof *rows->row_first * (rows->row_count + 1));
    uint32_t at = 0;
    for (uint32_t row = 0; row < rows->row_count; row++) {
        rows->row_first[row] = at;
        for (uint32_t i = 0; i < rows->cell_count; i++) {
            if (rows->cells[i].row != row)
                continue;
            rows->cells[i].order = at - rows->row_first[row];
            rows->rows[at++] = i;
        }
    }
    rows->row_first[rows->row_count] = at;
}

/* A piece of a line, between cells of two neighbouring rows. */
typedef struct joint {
    uint32_t upper, lower;
} joint;

typedef struct joints {
    joint *list; /* by upper row */
    uint32_t count;
    uint32_t *first; /* by upper row; one more entry ends the last row */
} joints;

static void add_joints_of(const ls_rows *rows, uint32_t edge, uint32_t row, joints *all)
{
    uint32_t top = upper_row(rows, edge), bottom = lower_row(rows, edge);
    if (row < top || row >= bottom)
        return;
    bool is_upright = rows->cells[rows->edges[edge].upper].row == top;
    uint32_t start = is_upright ? rows->edges[edge].upper : rows->edges[edge].lower;
    uint32_t end = is_upright ? rows->edges[edge].lower : rows->edges[edge].upper;
    uint32_t upper = row == top ? start : rows->passes[edge] + row - top - 1;
    uint32_t lower = row + 1 == bottom ? end : rows->passes[edge] + row - top;
    all->list[all->count++] = (joint){upper, lower};
}

static void find_joints(const ls_rows *rows, joints *all)
{
    all->list = ls_alloc(sizeof *all->list * (rows->cell_count + rows->edge_count + 1));
    all->first = ls_alloc(sizeof *all->first * (rows->row_count + 2));
    for (uint32_t row = 0; row < rows->row_count; row++) {
        all->first[row] = all->count;
        for (uint32_t i = 0; i < rows->edge_count; i++)
            add_joints_of(rows, i, row, all);
    }
    all->first[rows->row_count] = all->count;
}

/* Counts the joints noted so far with a lower end to the right of `order`. `tree` is a Fenwick
 * tree. */
static uint32_t count_right_of(const uint32_t *tree, uint32_t size, uint32_t order)
{
    uint32_t seen = 0, left = 0;
    for (uint32_t i = size; i > 0; i &= i - 1)
        seen += tree[i];
    for (uint32_t i = order + 1; i > 0; i &= i - 1)
        left += tree[i];
    return seen - left;
}

static void note_end(uint32_t *tree, uint32_t size, uint32_t order)
{
    for (uint32_t i = order + 1; i <= size; i += i & (0 - i))
        tree[i]++;
}

/* Counts the crossings between a row and the next. `memory` has room for a number per joint and per
 * cell, and some more. */
static uint32_t count_row_crossings(const ls_rows *rows, const joints *all, uint32_t row,
                                    uint32_t *memory)
{
    uint32_t first = all->first[row], count = all->first[row + 1] - first, crossings = 0;
    uint32_t uppers = rows->row_first[row + 1] - rows->row_first[row];
    uint32_t lowers = rows->row_first[row + 2] - rows->row_first[row + 1];
    uint32_t *begin = memory, *sorted = begin + uppers + 2, *tree = sorted + count;
    memset(begin, 0, sizeof *begin * (uppers + 2));
    memset(tree, 0, sizeof *tree * (lowers + 1));
    for (uint32_t i = 0; i < count; i++)
        begin[rows->cells[all->list[first + i].upper].order + 2]++;
    for (uint32_t i = 1; i < uppers + 2; i++)
        begin[i] += begin[i - 1];
    for (uint32_t i = 0; i < count; i++)
        sorted[begin[rows->cells[all->list[first + i].upper].order + 1]++] = first + i;
    for (uint32_t upper = 0; upper < uppers; upper++) {
        for (uint32_t i = begin[upper]; i < begin[upper + 1]; i++)
            crossings +=
                count_right_of(tree, lowers, rows->cells[all->list[sorted[i]].lower].order);
        for (uint32_t i = begin[upper]; i < begin[upper + 1]; i++)
            note_end(tree, lowers, rows->cells[all->list[sorted[i]].lower].order);
    }
    return crossings;
}

static uint32_t count_crossings(const ls_rows *rows, const joints *all)
{
    uint32_t *memory = ls_alloc(sizeof *memory * (rows->cell_count * 2 + all->count + 4));
    uint32_t crossings = 0;
    for (uint32_t row = 0; row + 1 < rows->row_count; row++)
        crossings += count_row_crossings(rows, all, row, memory);
    ls_free(memory);
    return crossings;
}

/* Lines that pass through rows get more weight, so that they become straight first. */
static double joint_weight(const ls_rows *rows, const joint *one)
{
    bool is_pass[] = {rows->cells[one->upper].edge != UINT32_MAX,
                      rows->cells[one->lower].edge != UINT32_MAX};
    return is_pass[0] && is_pass[1] ? 8 : is_pass[0] || is_pass[1] ? 2 : 1;
}

/* Computes for each cell of the row the mean position of its neighbours above or below, and the
 * weight of that mean. A cell without neighbours gets its own position. */
static void find_means(const ls_rows *rows, const joints *all, uint32_t row, bool is_above,
                       bool is_order, double *means, double *weights)
{
    uint32_t joint_row = is_above ? row - 1 : row;
    for (uint32_t i = rows->row_first[row]; i < rows->row_first[row + 1]; i++)
        means[rows->rows[i]] = weights[rows->rows[i]] = 0;
    for (uint32_t i = all->first[joint_row]; i < all->first[joint_row + 1]; i++) {
        uint32_t here = is_above ? all->list[i].lower : all->list[i].upper;
        uint32_t there = is_above ? all->list[i].upper : all->list[i].lower;
        double weight = is_order ? 1 : joint_weight(rows, &all->list[i]);
        means[here] += weight * (is_order ? rows->cells[there].order : rows->cells[there].x);
        weights[here] += weight;
    }
    for (uint32_t i = rows->row_first[row]; i < rows->row_first[row + 1]; i++) {
        uint32_t cell = rows->rows[i];
        if (weights[cell] > 0)
            means[cell] /= weights[cell];
        else
            means[cell] = is_order ? rows->cells[cell].order : rows->cells[cell].x;
    }
}

static void sort_row(ls_rows *rows, uint32_t row, const double *keys)
{
    uint32_t *cells = rows->rows + rows->row_first[row];
    uint32_t count = rows->row_first[row + 1] - rows->row_first[row];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t cell = cells[i], at = i;
        for (; at > 0 && keys[cells[at - 1]] > keys[cell]; at--)
            cells[at] = cells[at - 1];
        cells[at] = cell;
    }
    for (uint32_t i = 0; i < count; i++)
        rows->cells[cells[i]].order = i;
}

static void order_rows(ls_rows *rows, const joints *all)
{
    double *keys = ls_alloc(sizeof *keys * (rows->cell_count + 1));
    double *weights = ls_alloc(sizeof *weights * (rows->cell_count + 1));
    uint32_t *best = ls_alloc(sizeof *best * (rows->cell_count + 1));
    memcpy(best, rows->rows, sizeof *best * rows->cell_count);
    uint32_t fewest = count_crossings(rows, all);
    for (uint32_t sweep = 0; sweep < SWEEPS && fewest; sweep++) {
        for (uint32_t step = 1; step < rows->row_count; step++) {
            bool is_down = sweep % 2 == 0;
            uint32_t row = is_down ? step : rows->row_count - 1 - step;
            find_means(rows, all, row, is_down, true, keys, weights);
            sort_row(rows, row, keys);
        }
        uint32_t crossings = count_crossings(rows, all);
        if (crossings >= fewest)
            continue;
        fewest = crossings;
        memcpy(best, rows->rows, sizeof *best * rows->cell_count);
    }
    memcpy(rows->rows, best, sizeof *best * rows->cell_count);
    for (uint32_t row = 0; row < rows->row_count; row++) {
        for (uint32_t i = rows->row_first[row]; i < rows->row_first[row + 1]; i++)
            rows->cells[rows->rows[i]].order = i - rows->row_first[row];
    }
    ls_free(best);
    ls_free(weights);
    ls_free(keys);
}

/* Neighbouring cells at their least distance, which move as one. */
typedef struct cluster {
    double sum, weight; /* sum: weighted starts that the members wish for the cluster */
    uint32_t count;
} cluster;

typedef struct wanted_heights {
    double *means, *weights, *others, *other_weights; /* by cell */
    cluster *clusters;                                /* scratch memory */
} wanted_heights;

static double distance(const ls_row_cell *a, const ls_row_cell *b)
{
    return (a->width + b->width) / 2 +
           gap / (a->edge != UINT32_MAX && b->edge != UINT32_MAX ? 2.0 : 1.0);
}

/* Moves the cells of a row as near to their wished positions as possible (least squares). Their
 * order and least distances are kept. */
static void place_row(ls_rows *rows, uint32_t row, const wanted_heights *wished)
{
    cluster *clusters = wished->clusters;
    uint32_t *cells = rows->rows + rows->row_first[row];
    uint32_t count = rows->row_first[row + 1] - rows->row_first[row], made = 0;
    double offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        ls_row_cell *cell = &rows->cells[cells[i]];
        offset += i ? distance(&rows->cells[cells[i - 1]], cell) : 0;
        double weight = wished->weights[cells[i]] + 0.125;
        clusters[made++] = (cluster){(wished->means[cells[i]] - offset) * weight, weight, 1};
        for (; made > 1 && clusters[made - 2].sum / clusters[made - 2].weight >
                               clusters[made - 1].sum / clusters[made - 1].weight;
             made--) {
            clusters[made - 2].sum += clusters[made - 1].sum;
            clusters[made - 2].weight += clusters[made - 1].weight;
            clusters[made - 2].count += clusters[made - 1].count;
        }
    }
    offset = 0;
    for (uint32_t i = 0, at = 0; i < made; i++) {
        for (uint32_t j = 0; j < clusters[i].count; j++, at++) {
            ls_row_cell *cell = &rows->cells[cells[at]];
            offset += at ? distance(&rows->cells[cells[at - 1]], cell) : 0;
            cell->x = clusters[i].sum / clusters[i].weight + offset;
        }
    }
}

/* Computes the position that each cell wishes: the mean of all its neighbours. */
static void find_wanted_heights(const ls_rows *rows, const joints *all, uint32_t row,
                                wanted_heights *found)
{
    bool has_above = row > 0, has_below = row + 1 < rows->row_count;
    if (has_above)
        find_means(rows, all, row, true, false, found->means, found->weights);
    else
        find_means(rows, all, row, false, false, found->means, found->weights);
    if (!has_above || !has_below)
        return;
    find_means(rows, all, row, false, false, found->others, found->other_weights);
    for (uint32_t i = rows->row_first[row]; i < rows->row_first[row + 1]; i++) {
        uint32_t cell = rows->rows[i];
        double weight = found->weights[cell] + found->other_weights[cell];
        if (weight > 0)
            found->means[cell] = (found->means[cell] * found->weights[cell] +
                                  found->others[cell] * found->other_weights[cell]) /
                                 weight;
        found->weights[cell] = weight;
    }
}

static void place_cells(ls_rows *rows, const joints *all)
{
    size_t count = rows->cell_count + 1;
    double *memory = ls_alloc(sizeof *memory * count * 4);
    wanted_heights found = {memory, memory + count, memory + 2 * count, memory + 3 * count,
                            ls_alloc(sizeof *found.clusters * count)};
    for (uint32_t row = 0; row < rows->row_count; row++)
        place_row(rows, row, &found);
    for (uint32_t sweep = 0; sweep < PLACE_SWEEPS && rows->row_count > 1; sweep++) {
        for (uint32_t step = 0; step < rows->row_count; step++) {
            uint32_t row = sweep % 2 ? rows->row_count - 1 - step : step;
            find_wanted_heights(rows, all, row, &found);
            place_row(rows, row, &found);
        }
    }
    ls_free(found.clusters);
    ls_free(memory);
}

static void move_to_zero(ls_rows *rows)
{
    double left = 0, right = 0;
    for (uint32_t i = 0; i < rows->cell_count; i++) {
        const ls_row_cell *cell = &rows->cells[i];
        double from = cell->x - cell->width / 2, to = cell->x + cell->width / 2;
        left = i == 0 || from < left ? from : left;
        right = i == 0 || to > right ? to : right;
    }
    for (uint32_t i = 0; i < rows->cell_count; i++)
        rows->cells[i].x -= left;
    rows->width = right - left;
}

void ls_rows_init(ls_rows *rows, const double *widths, uint32_t item_count,
                  const ls_row_edge *edges, uint32_t edge_count, double width_max)
{
    *rows = (ls_rows){.item_count = item_count, .edges = edges, .edge_count = edge_count};
    rows->cells = ls_alloc(sizeof *rows->cells * (item_count + 1));
    rows->passes = ls_alloc(sizeof *rows->passes * (edge_count + 1));
    for (uint32_t i = 0; i < item_count; i++)
        rows->cells[i] = (ls_row_cell){.edge = UINT32_MAX, .width = widths[i]};
    fill_rows(rows, width_max);
    add_passes(rows);
    list_rows(rows);
    joints all = {0};
    find_joints(rows, &all);
    order_rows(rows, &all);
    place_cells(rows, &all);
    move_to_zero(rows);
    ls_free(all.list);
    ls_free(all.first);
}

void ls_rows_reset(ls_rows *rows)
{
    ls_free(rows->cells);
    ls_free(rows->passes);
    ls_free(rows->rows);
    ls_free(rows->row_first);
    *rows = (ls_rows){0};
}
