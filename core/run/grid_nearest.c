/* The nearest entities of a join by distance. The search visits the cells in square rings around
 * the cell of the point, with z in shells of cubes, and ends at a ring that is farther away than
 * all that it has found. The best so far are a heap in the caller's array, the farthest on top, so
 * there is no allocation. */
#include "core/run/grid_nearest.h"

#include "core/base/bounds.h"

typedef struct search {
    ls_grid_walk
        walk; /* `radius_squared` shrinks to the farthest one kept, once the heap is full */
    ls_neighbour *heap;
    uint32_t count, capacity;
    int64_t layer, row, column; /* the cell of the point, which may be outside of the grid */
} search;

/* Decides the order. It is total, because no two entries have the same lane and slot, the
 * low half of a handle. */
typedef struct rank {
    uint64_t distance_squared; /* at most 2^62: entries of a walk are within its radius */
    uint32_t slot;
} rank;

/* `has_z` equals self->walk.has_z, and is a constant where this is inlined. */
LS_INLINE rank rank_of(const search *self, const ls_neighbour *at, bool has_z)
{
    uint64_t dx = (uint64_t)((int64_t)at->x - self->walk.x);
    uint64_t dy = (uint64_t)((int64_t)at->y - self->walk.y);
    uint64_t dz = has_z ? (uint64_t)((int64_t)at->z - self->walk.z) : 0;
    return (rank){dx * dx + dy * dy + dz * dz, (uint32_t)at->entity};
}

LS_INLINE bool is_nearer(rank a, rank b)
{
    return a.distance_squared != b.distance_squared ? a.distance_squared < b.distance_squared
                                                    : a.slot < b.slot;
}

/* Restores the heap of the first `count` items, of which only the one at `at` may be too near for
 * its place. */
LS_INLINE void sift(search *self, uint32_t count, uint32_t at, bool has_z)
{
    ls_neighbour *heap = self->heap, moved = heap[at];
    rank own = rank_of(self, &moved, has_z);
    while (at < count / 2) {
        uint32_t below = 2 * at + 1;
        rank farther = rank_of(self, &heap[below], has_z);
        if (below + 1 < count) {
            rank other = rank_of(self, &heap[below + 1], has_z);
            if (is_nearer(farther, other)) {
                farther = other;
                below++;
            }
        }
        if (!is_nearer(own, farther))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = moved;
}

static void sift_down(search *self, uint32_t count, uint32_t at)
{
    if (self->walk.has_z)
        sift(self, count, at, true);
    else
        sift(self, count, at, false);
}

static void make_heap(search *self)
{
    for (uint32_t at = self->count / 2; at-- > 0;)
        sift_down(self, self->count, at);
}

static void keep(search *self, const ls_neighbour *found)
{
    bool has_z = self->walk.has_z;
    if (self->count < self->capacity) {
        self->heap[self->count++] = *found;
        if (self->count < self->capacity)
            return;
        make_heap(self);
    } else {
        const rank farthest = {self->walk.radius_squared, (uint32_t)self->heap[0].entity};
        if (!is_nearer(rank_of(self, found, has_z), farthest))
            return;
        self->heap[0] = *found;
        sift_down(self, self->count, 0);
    }
    self->walk.radius_squared = rank_of(self, &self->heap[0], has_z).distance_squared;
}

/* Numbers of cells along one axis, of which some may be outside of the grid. */
typedef struct range {
    int64_t first, last;
} range;

static range range_around(int64_t middle, int64_t reach)
{
    return (range){middle - reach, middle + reach};
}

/* Visits the part of the box that is in the grid. */
static void visit(search *self, range layers, range rows, range columns)
{
    const ls_grid_index *index = self->walk.index;
    ls_grid_walk *walk = &self->walk;
    if (rows.first >= index->rows || rows.last < 0 || columns.first >= index->columns ||
        columns.last < 0 || layers.first >= index->layers || layers.last < 0)
        return;
    int64_t layer = ls_max_i64(layers.first, 0), row = ls_max_i64(rows.first, 0);
    int64_t column = ls_max_i64(columns.first, 0);
    walk->layers_left = (int32_t)(ls_min_i64(layers.last, index->layers - 1) - layer);
    walk->rows_left = (int32_t)(ls_min_i64(rows.last, index->rows - 1) - row);
    walk->rows = walk->rows_left + 1;
    walk->cells = (int32_t)(ls_min_i64(columns.last, index->columns - 1) - column + 1);
    walk->starts = index->base.starts + (layer * index->rows + row) * index->columns + column;
    walk->is_at_end = false;
    ls_grid_enter_row(walk);
    ls_neighbour found;
    while (ls_grid_next(walk, &found))
        keep(self, &found);
}

/* Visits the square ring of cells around the point's cell in these layers: the row or the column is
 * `ring` away from the point's, and neither is farther away. */
static void visit_ring(search *self, range layers, int64_t ring)
{
    range columns = range_around(self->column, ring), rows = range_around(self->row, ring - 1);
    visit(self, layers, range_around(self->row - ring, 0), columns);
    if (ring == 0)
        return;
    visit(self, layers, range_around(self->row + ring, 0), columns);
    visit(self, layers, rows, range_around(self->column - ring, 0));
    visit(self, layers, rows, range_around(self->column + ring, 0));
}

/* Visits the shell of cells around the point's cell: the layer, the row or the column is `ring`
 * away from the point's, and none of the three is farther away. */
static void visit_shell(search *self, int64_t ring)
{
    range columns = range_around(self->column, ring), rows = range_around(self->row, ring);
    visit_ring(self, range_around(self->layer, ring ? ring - 1 : 0), ring);
    if (ring == 0)
        return;
    visit(self, range_around(self->layer - ring, 0), rows, columns);
    visit(self, range_around(self->layer + ring, 0), rows, columns);
}

/* The row, column or layer of `offset`, a distance from the grid's least coordinate; it may be
 * outside of the grid. Lowers `gap` to the distance from `offset` to the nearest other row, if that
 * is less. */
static int64_t row_of(int64_t offset, int64_t cell, int64_t *gap)
{
    int64_t row = (offset < 0 ? offset - cell + 1 : offset) / cell;
    int64_t inside = offset - row * cell;
    *gap = ls_min_i64(*gap, ls_min_i64(inside + 1, cell - inside));
    return row;
}

/* The first ring around `row` that has one of the grid's `count` rows (0 or less if `row` is one of
 * them). rings_through() gives the last such ring. */
static int64_t rings_to(int64_t row, int64_t count)
{
    return ls_max_i64(-row, row - (count - 1));
}

static int64_t rings_through(int64_t row, int64_t count)
{
    return ls_max_i64(row, count - 1 - row);
}

/* Each ring from the first to the last one has a cell of the grid, so the work is bounded by the
 * number of cells. */
static void visit_rings(search *self)
{
    const ls_grid_index *index = self->walk.index;
    int64_t cell = index->cell, gap = cell; /* from the point to the nearest cell of ring 1 */
    self->row = row_of(self->walk.y - index->min_y, cell, &gap);
    self->column = row_of(self->walk.x - index->min_x, cell, &gap);
    self->layer = index->has_z ? row_of(self->walk.z - index->min_z, cell, &gap) : 0;
    int64_t first = ls_max_i64(
        rings_to(self->row, index->rows),
        ls_max_i64(rings_to(self->column, index->columns), rings_to(self->layer, index->layers)));
    int64_t last = ls_max_i64(rings_through(self->row, index->rows),
                              ls_max_i64(rings_through(self->column, index->columns),
                                         rings_through(self->layer, index->layers)));
    for (int64_t ring = ls_max_i64(first, 0); ring <= last; ring++) {
        int64_t nearest = ring ? (ring - 1) * cell + gap : 0;
        /* Not if equal: an entity as far away as the farthest one kept may still come before it. */
        if (nearest > INT32_MAX || (uint64_t)(nearest * nearest) > self->walk.radius_squared)
            return;
        if (index->has_z)
            visit_shell(self, ring);
        else
            visit_ring(self, (range){0, 0}, ring);
    }
}

uint32_t ls_grid_index_nearest(const ls_grid_index *index, ls_fix3 at, ls_fix radius,
                               uint32_t count, ls_neighbour *neighbours)
{
    search self = {.heap = neighbours, .capacity = count};
    if (index->base.count == 0 || radius < 0 || count == 0)
        return 0;
    ls_grid_walk_init(index, at, radius, &self.walk);
    visit_rings(&self);
    if (self.count < self.capacity)
        make_heap(&self);
    for (uint32_t end = self.count; end-- > 1;) {
        ls_neighbour farthest = self.heap[0];
        self.heap[0] = self.heap[end];
        self.heap[end] = farthest;
        sift_down(&self, end, 0);
    }
    return self.count;
}
