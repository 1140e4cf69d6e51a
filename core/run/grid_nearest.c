/* The nearest entities of a join by distance. The search visits the cells in square rings around
 * the cell of the point, and ends at a ring that is farther away than all that it has found. The
 * best so far are a heap in the caller's array, the farthest on top, so there is no allocation. */
#include "core/run/grid_nearest.h"

typedef struct search {
    ls_grid_walk
        walk; /* `radius_squared` shrinks to the farthest one kept, once the heap is full */
    ls_neighbour *heap;
    uint32_t count, capacity;
} search;

/* At most 2^62: entries of a walk are within its radius. */
static uint64_t distance_squared(const search *self, const ls_neighbour *at)
{
    uint64_t dx = (uint64_t)((int64_t)at->x - self->walk.x);
    uint64_t dy = (uint64_t)((int64_t)at->y - self->walk.y);
    return dx * dx + dy * dy;
}

/* A total order: no two entries have the same lane and slot, the low half of a handle. */
static bool is_nearer(const search *self, const ls_neighbour *a, const ls_neighbour *b)
{
    uint64_t to_a = distance_squared(self, a), to_b = distance_squared(self, b);
    return to_a != to_b ? to_a < to_b : (uint32_t)a->entity < (uint32_t)b->entity;
}

static void swap(ls_neighbour *a, ls_neighbour *b)
{
    ls_neighbour kept = *a;
    *a = *b;
    *b = kept;
}

/* Restores the heap of the first `count` items, of which only the one at `at` may be too near for
 * its place. */
static void sift_down(search *self, uint32_t count, uint32_t at)
{
    ls_neighbour *heap = self->heap;
    while (at < count / 2) {
        uint32_t below = 2 * at + 1;
        if (below + 1 < count && is_nearer(self, &heap[below], &heap[below + 1]))
            below++;
        if (!is_nearer(self, &heap[at], &heap[below]))
            return;
        swap(&heap[at], &heap[below]);
        at = below;
    }
}

static void make_heap(search *self)
{
    for (uint32_t at = self->count / 2; at-- > 0;)
        sift_down(self, self->count, at);
}

static void keep(search *self, const ls_neighbour *found)
{
    if (self->count < self->capacity) {
        self->heap[self->count++] = *found;
        if (self->count < self->capacity)
            return;
        make_heap(self);
    } else if (is_nearer(self, found, &self->heap[0])) {
        self->heap[0] = *found;
        sift_down(self, self->count, 0);
    }
    self->walk.radius_squared = distance_squared(self, &self->heap[0]);
}

/* Visits the part of the rectangle that is in the grid. */
static void visit(search *self, int64_t row, int64_t row_last, int64_t column, int64_t column_last)
{
    const ls_grid_index *index = self->walk.index;
    int64_t rows = index->rows, columns = index->columns;
    if (row >= rows || row_last < 0 || column >= columns || column_last < 0)
        return;
    self->walk.row = (int32_t)(row < 0 ? 0 : row);
    self->walk.row_last = (int32_t)(row_last < rows ? row_last : rows - 1);
    self->walk.column_first = (int32_t)(column < 0 ? 0 : column);
    self->walk.column_last = (int32_t)(column_last < columns ? column_last : columns - 1);
    ls_grid_enter_row(&self->walk);
    ls_neighbour found;
    while (ls_grid_next(&self->walk, &found))
        keep(self, &found);
}

/* Visits the cells whose row or column is `ring` away from the given one, and none is farther. */
static void visit_ring(search *self, int64_t row, int64_t column, int64_t ring)
{
    visit(self, row - ring, row - ring, column - ring, column + ring);
    if (ring == 0)
        return;
    visit(self, row + ring, row + ring, column - ring, column + ring);
    visit(self, row - ring + 1, row + ring - 1, column - ring, column - ring);
    visit(self, row - ring + 1, row + ring - 1, column + ring, column + ring);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The row or column of a coordinate, which may be outside of the grid; `inside` is its distance
 * from the first coordinate of that row. */
static int64_t row_of(int64_t offset, int64_t cell, int64_t *inside)
{
    int64_t row = (offset < 0 ? offset - cell + 1 : offset) / cell;
    *inside = offset - row * cell;
    return row;
}

/* Each ring from the first to the last one has a cell of the grid, so the work is bounded by the
 * number of cells. */
static void visit_rings(search *self)
{
    const ls_grid_index *index = self->walk.index;
    int64_t cell = index->cell, in_row, in_column;
    int64_t row = row_of(self->walk.y - index->min_y, cell, &in_row);
    int64_t column = row_of(self->walk.x - index->min_x, cell, &in_column);
    int64_t after_row = index->rows - 1 - row, after_column = index->columns - 1 - column;
    int64_t first = larger(larger(-row, -after_row), larger(-column, -after_column));
    int64_t last = larger(larger(row, after_row), larger(column, after_column));
    /* From the point to the nearest coordinate of ring 1. */
    int64_t gap =
        smaller(smaller(in_row + 1, cell - in_row), smaller(in_column + 1, cell - in_column));
    for (int64_t ring = larger(first, 0); ring <= last; ring++) {
        int64_t nearest = ring ? (ring - 1) * cell + gap : 0;
        /* An entity at the distance of the farthest one kept may still come before it. */
        if (nearest > INT32_MAX || (uint64_t)(nearest * nearest) > self->walk.radius_squared)
            return;
        visit_ring(self, row, column, ring);
    }
}

uint32_t ls_grid_index_nearest(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                               uint32_t count, ls_neighbour *neighbours)
{
    search self = {.heap = neighbours, .capacity = count};
    if (index->count == 0 || radius < 0 || count == 0)
        return 0;
    ls_grid_walk_init(index, x, y, radius, &self.walk);
    visit_rings(&self);
    if (self.count < self.capacity)
        make_heap(&self);
    for (uint32_t end = self.count; end-- > 1;) {
        swap(&self.heap[0], &self.heap[end]);
        sift_down(&self, end, 0);
    }
    return self.count;
}
