/* Walks over the entities near a point. */
#include "core/run/grid_walk.h"

#include "core/run/grid_internal.h"

#include <stdlib.h>

enum { ROWS_TO_PREFETCH = 8 };

static const ls_neighbour *entry_at(const ls_grid_walk *walk, size_t at)
{
    return (const ls_neighbour *)(const void *)(walk->entries + walk->entry_bytes * at);
}

void ls_grid_enter_row(ls_grid_walk *walk)
{
    const uint32_t *starts = walk->index->starts + (size_t)walk->row * walk->index->columns;
    walk->next = starts[walk->column_first];
    walk->end = starts[walk->column_last + 1];
}

/* The rows of a large grid are far apart in memory. Inlined by force: GCC 12 takes a function that
 * only prefetches for one without effect, and removes its calls. */
LS_INLINE void prefetch_rows(const ls_grid_walk *walk)
{
    const ls_grid_index *index = walk->index;
    if (walk->row_last - walk->row >= ROWS_TO_PREFETCH)
        return;
    const uint32_t *start = index->starts + (size_t)walk->row * index->columns + walk->column_first;
    for (int32_t row = walk->row; row <= walk->row_last; row++, start += index->columns)
        __builtin_prefetch(index->entries + (size_t)index->entry_bytes * *start);
}

/* `has_z` is that of the index, a constant where this is inlined. */
LS_INLINE void init(const ls_grid_index *index, ls_fix3 at, ls_fix radius, bool has_z,
                    ls_grid_walk *walk)
{
    walk->index = index;
    walk->entries = index->entries;
    walk->values = index->entries + (has_z ? sizeof(ls_neighbour) : LS_GRID_PLANE_BYTES);
    walk->entry_bytes = index->entry_bytes;
    walk->value_bytes = index->value_bytes ? index->entry_bytes : 0;
    if (LS_UNLIKELY(ls_grid_has_value_array(index))) {
        walk->values = index->values;
        walk->value_bytes = index->value_bytes;
    }
    walk->taken = walk->found = 0;
    walk->radius_squared = (uint64_t)((int64_t)radius * radius);
    walk->x = at.x;
    walk->y = at.y;
    walk->z = at.z;
    walk->row = walk->layers_left = 0;
    walk->row_last = -1;
    walk->next = walk->end = 0;
    walk->is_narrow = false;
    walk->has_z = has_z;
}

void ls_grid_walk_init(const ls_grid_index *index, ls_fix3 at, ls_fix radius, ls_grid_walk *walk)
{
    init(index, at, radius, index->has_z, walk);
}

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Finds the columns and rows of a layer that are near the point; false when none is. */
LS_INLINE bool find_rows(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk)
{
    int64_t left = (int64_t)x - radius - index->min_x, right = (int64_t)x + radius - index->min_x;
    int64_t low = (int64_t)y - radius - index->min_y, high = (int64_t)y + radius - index->min_y;
    bool is_beside = left > index->width || right < 0 || low > index->height || high < 0;
    if (index->count == 0 || radius < 0 || is_beside)
        return false;
    walk->column_first = (int32_t)ls_grid_cells_in(index, (uint32_t)(left < 0 ? 0 : left));
    walk->column_last = (int32_t)ls_grid_cells_in(index, (uint32_t)smaller(right, index->width));
    walk->row = (int32_t)ls_grid_cells_in(index, (uint32_t)(low < 0 ? 0 : low));
    walk->row_last = (int32_t)ls_grid_cells_in(index, (uint32_t)smaller(high, index->height));
    return true;
}

void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk)
{
    init(index, ls_fix3_make(x, y, 0), radius, false, walk);
    if (!find_rows(index, x, y, radius, walk))
        return;
    /* No entry of these cells is farther from the point than `radius` and a cell, by x or by y. */
    walk->is_narrow = (int64_t)radius + index->cell <= INT32_MAX;
    prefetch_rows(walk);
    ls_grid_enter_row(walk);
}

/* Goes to the rows of a later layer. */
static inline void skip_layers(ls_grid_walk *walk, int32_t layers)
{
    int32_t rows = layers * walk->index->rows;
    walk->row = walk->row_first += rows;
    walk->row_last += rows;
    prefetch_rows(walk);
}

static LS_NOINLINE void enter_next_layer(ls_grid_walk *walk)
{
    walk->layers_left--;
    skip_layers(walk, 1);
}

void ls_grid_index_begin_3d(const ls_grid_index *index, ls_fix3 at, ls_fix radius,
                            ls_grid_walk *walk)
{
    int64_t near = (int64_t)at.z - radius - index->min_z,
            far = (int64_t)at.z + radius - index->min_z;
    init(index, at, radius, true, walk);
    if (near > index->depth || far < 0 || !find_rows(index, at.x, at.y, radius, walk))
        return;
    walk->row_first = walk->row;
    int32_t first = (int32_t)ls_grid_cells_in(index, (uint32_t)(near < 0 ? 0 : near));
    walk->layers_left =
        (int32_t)ls_grid_cells_in(index, (uint32_t)smaller(far, index->depth)) - first;
    skip_layers(walk, first);
    ls_grid_enter_row(walk);
}

/* Adds those of up to LS_GRID_BATCH entries that are within the radius. Without branches, because
 * the result is unpredictable. Absolute differences are below 2^32: a square needs all 64 bits, the
 * sum of two squares one more. So each square is compared with the limit that those before it
 * leave; after one that exceeds its limit, the later comparisons mean nothing. */
LS_INLINE size_t find(ls_grid_walk *walk, uint32_t first, uint32_t end, size_t found, bool has_z)
{
    int64_t x = walk->x, y = walk->y, z = walk->z;
    uint64_t limit = walk->radius_squared;
    for (uint32_t i = first; i < end; i++) {
        const ls_neighbour *entry = entry_at(walk, i);
        uint64_t dx = (uint64_t)(entry->x - x), dy = (uint64_t)(entry->y - y);
        uint64_t dz = has_z ? (uint64_t)(entry->z - z) : 0;
        uint64_t after_x = limit - dx * dx, after_y = after_x - dy * dy;
        walk->numbers[found] = i;
        found += (dx * dx <= limit) & (dy * dy <= after_x) & (!has_z | (dz * dz <= after_y));
    }
    return found;
}

/* Kept out of line, because most walks are narrow. */
static LS_NOINLINE size_t find_far(ls_grid_walk *walk, uint32_t first, uint32_t end, size_t found)
{
    return walk->has_z ? find(walk, first, end, found, true) : find(walk, first, end, found, false);
}

/* The same without z for a narrow walk, with differences below 2^31. */
static inline size_t find_nearby(ls_grid_walk *walk, uint32_t first, uint32_t end, size_t found)
{
    int64_t x = walk->x, y = walk->y;
    uint64_t beyond = walk->radius_squared + 1;
    size_t step = walk->entry_bytes;
    const uint8_t *at = walk->entries + step * first;
    for (uint32_t i = first; i < end; i++, at += step) {
        const ls_neighbour *entry = (const ls_neighbour *)(const void *)at;
        int64_t dx = entry->x - x, dy = entry->y - y;
        walk->numbers[found] = i;
        found += (uint64_t)(dx * dx + dy * dy) < beyond;
    }
    return found;
}

/* Finds neighbours in row after row, as long as there is room for all that it may find. */
static LS_NOINLINE bool look(ls_grid_walk *walk)
{
    size_t found = 0;
    for (;;) {
        uint32_t left = walk->end - walk->next, count = left < LS_GRID_BATCH ? left : LS_GRID_BATCH;
        if (found + count > LS_GRID_BATCH)
            break;
        uint32_t end = walk->next + count;
        found = LS_LIKELY(walk->is_narrow) ? find_nearby(walk, walk->next, end, found)
                                           : find_far(walk, walk->next, end, found);
        walk->next = end;
        if (end < walk->end)
            continue;
        if (walk->row < walk->row_last)
            walk->row++;
        else if (walk->layers_left > 0)
            enter_next_layer(walk);
        else
            break;
        ls_grid_enter_row(walk);
    }
    walk->taken = 0;
    walk->found = (uint32_t)found;
    return found > 0;
}

bool ls_grid_look(ls_grid_walk *walk)
{
    bool is_at_end =
        walk->next == walk->end && walk->row >= walk->row_last && walk->layers_left == 0;
    return !is_at_end && look(walk);
}

void ls_grid_lacks_values_(const ls_grid_walk *walk)
{
    LS_ASSERT(walk->value_bytes);
    abort();
}
