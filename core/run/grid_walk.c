/* Walks over the entities near a point. */
#include "core/run/grid_walk.h"

#include "core/base/bounds.h"
#include "core/run/grid_internal.h"
#include "core/run/index_build.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS_TO_PREFETCH = 8 };

void ls_grid_enter_row(ls_grid_walk *walk)
{
    walk->next = walk->starts[0];
    walk->end = walk->starts[walk->cells];
}

/* Prefetches the first entry of each row except the current one, which is read at once: the rows of
 * a large grid are far apart in memory. Inlined by force: GCC 12 takes a function that only
 * prefetches for one without effect, and removes its calls. */
LS_INLINE void prefetch_rows(const ls_grid_walk *walk)
{
    const ls_grid_index *index = walk->index;
    if (walk->rows_left >= ROWS_TO_PREFETCH)
        return;
    const uint32_t *start = walk->starts;
    for (int32_t left = walk->rows_left; left > 0; left--) {
        start += index->columns;
        __builtin_prefetch(index->base.entries + (size_t)index->base.entry_bytes * *start);
    }
}

/* `has_z` equals index->has_z, and is a constant where this is inlined. */
LS_INLINE void init(const ls_grid_index *index, ls_fix3 at, ls_fix radius, bool has_z,
                    ls_grid_walk *walk)
{
    walk->index = index;
    walk->radius_squared = (uint64_t)((int64_t)radius * radius);
    walk->taken = walk->found = 0;
    walk->value_offset = index->base.value_offset;
    walk->x = at.x;
    walk->y = at.y;
    walk->z = at.z;
    walk->layers_left = 0;
    walk->is_at_end = true;
    walk->is_narrow = false;
    walk->has_z = has_z;
}

void ls_grid_walk_init(const ls_grid_index *index, ls_fix3 at, ls_fix radius, ls_grid_walk *walk)
{
    init(index, at, radius, index->has_z, walk);
}

/* The cell of an offset, or the one before: a walk may begin too early. */
static inline uint32_t cell_from(const ls_grid_index *index, int64_t offset)
{
    return (uint32_t)((uint32_t)(offset < 0 ? 0 : offset) * index->reciprocal >> 32);
}

/* Goes to the rows and columns of the first layer that are near the point; false when none is. */
LS_INLINE bool find_rows(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk)
{
    int64_t left = (int64_t)x - radius - index->min_x, right = (int64_t)x + radius - index->min_x;
    int64_t low = (int64_t)y - radius - index->min_y, high = (int64_t)y + radius - index->min_y;
    bool is_beside = left > index->width || right < 0 || low > index->height || high < 0;
    if (index->base.count == 0 || radius < 0 || is_beside)
        return false;
    uint32_t column = cell_from(index, left), row = cell_from(index, low);
    uint32_t column_last = ls_grid_cells_in(index, (uint32_t)ls_min_i64(right, index->width));
    uint32_t row_last = ls_grid_cells_in(index, (uint32_t)ls_min_i64(high, index->height));
    walk->cells = (int32_t)(column_last - column + 1);
    walk->rows_left = (int32_t)(row_last - row);
    walk->starts = index->base.starts + (size_t)row * (uint32_t)index->columns + column;
    walk->is_at_end = false;
    return true;
}

void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk)
{
    init(index, ls_fix3_make(x, y, 0), radius, false, walk);
    if (!find_rows(index, x, y, radius, walk))
        return;
    /* No entry of these cells is farther from the point than `radius` and two cells, by x or by y:
     * one for the cell that the border is in, one for a cell before. */
    walk->is_narrow = (int64_t)radius + 2 * (int64_t)index->cell <= INT32_MAX;
    prefetch_rows(walk);
    ls_grid_enter_row(walk);
}

/* Goes to the first row of a later layer. */
static inline void skip_rows(ls_grid_walk *walk, int64_t rows)
{
    walk->starts += rows * walk->index->columns;
    walk->rows_left = walk->rows - 1;
    prefetch_rows(walk);
}

static LS_NOINLINE void enter_next_layer(ls_grid_walk *walk)
{
    walk->layers_left--;
    skip_rows(walk, walk->index->rows - (walk->rows - 1));
}

void ls_grid_index_begin_3d(const ls_grid_index *index, ls_fix3 at, ls_fix radius,
                            ls_grid_walk *walk)
{
    int64_t near = (int64_t)at.z - radius - index->min_z,
            far = (int64_t)at.z + radius - index->min_z;
    init(index, at, radius, true, walk);
    if (near > index->depth || far < 0 || !find_rows(index, at.x, at.y, radius, walk))
        return;
    int32_t first = (int32_t)cell_from(index, near);
    walk->rows = walk->rows_left + 1;
    walk->layers_left =
        (int32_t)ls_grid_cells_in(index, (uint32_t)ls_min_i64(far, index->depth)) - first;
    skip_rows(walk, (int64_t)first * index->rows);
    ls_grid_enter_row(walk);
}

/* Whether the entry is within the radius, for a walk that is not narrow. Absolute differences are
 * below 2^32: a square needs all 64 bits, the sum of two squares one more. So each square is
 * compared with the limit that those before it leave; after one that exceeds its limit, the later
 * comparisons mean nothing. */
LS_INLINE bool is_within(const ls_grid_walk *walk, const ls_neighbour *entry, bool has_z)
{
    uint64_t dx = (uint64_t)((int64_t)entry->x - walk->x);
    uint64_t dy = (uint64_t)((int64_t)entry->y - walk->y);
    uint64_t dz = has_z ? (uint64_t)((int64_t)entry->z - walk->z) : 0;
    uint64_t limit = walk->radius_squared, after_x = limit - dx * dx, after_y = after_x - dy * dy;
    return (dx * dx <= limit) & (dy * dy <= after_x) & (!has_z | (dz * dz <= after_y));
}

/* Adds to the batch those of up to LS_GRID_BATCH entries that are within the radius. Without
 * branches, because the result is unpredictable. */
LS_INLINE size_t find(ls_grid_walk *walk, const uint8_t *from, const uint8_t *to, size_t found,
                      bool has_z)
{
    for (size_t step = walk->index->base.entry_bytes; from != to; from += step) {
        const ls_neighbour *entry = (const ls_neighbour *)(const void *)from;
        walk->batch[found] = entry;
        found += is_within(walk, entry, has_z);
    }
    return found;
}

/* Kept out of line, because most walks are narrow. */
static LS_NOINLINE size_t find_far(ls_grid_walk *walk, const uint8_t *from, const uint8_t *to,
                                   size_t found)
{
    return walk->has_z ? find(walk, from, to, found, true) : find(walk, from, to, found, false);
}

/* find() without z for a narrow walk, with differences below 2^31. */
LS_INLINE size_t find_nearby(ls_grid_walk *walk, const uint8_t *from, const uint8_t *to,
                             size_t found)
{
    int64_t x = walk->x, y = walk->y;
    uint64_t beyond = walk->radius_squared + 1;
    for (size_t step = walk->index->base.entry_bytes; from != to; from += step) {
        const ls_neighbour *entry = (const ls_neighbour *)(const void *)from;
        int64_t dx = entry->x - x, dy = entry->y - y;
        walk->batch[found] = entry;
        found += (uint64_t)(dx * dx + dy * dy) < beyond;
    }
    return found;
}

/* Finds neighbours in row after row, as long as there is room for all that it may find. `is_narrow`
 * is a constant where this is inlined. */
LS_INLINE bool look(ls_grid_walk *walk, bool is_narrow)
{
    const uint8_t *entries = walk->index->base.entries;
    size_t found = 0, step = walk->index->base.entry_bytes;
    for (;;) {
        uint32_t left = walk->end - walk->next, count = left < LS_GRID_BATCH ? left : LS_GRID_BATCH;
        if (found + count > LS_GRID_BATCH)
            break;
        const uint8_t *from = entries + step * walk->next, *to = from + step * count;
        found = is_narrow ? find_nearby(walk, from, to, found) : find_far(walk, from, to, found);
        walk->next += count;
        if (walk->next < walk->end)
            continue;
        if (walk->rows_left > 0) {
            walk->rows_left--;
            walk->starts += walk->index->columns;
        } else if (!is_narrow && walk->layers_left > 0) {
            enter_next_layer(walk);
        } else {
            walk->is_at_end = true;
            break;
        }
        ls_grid_enter_row(walk);
    }
    walk->taken = 0;
    walk->found = (uint32_t)found;
    return found > 0;
}

static LS_NOINLINE bool look_far(ls_grid_walk *walk)
{
    return look(walk, false);
}

bool ls_grid_look(ls_grid_walk *walk)
{
    return LS_LIKELY(walk->is_narrow) ? look(walk, true) : look_far(walk);
}

const void *ls_grid_value_far_(const ls_grid_walk *walk, const ls_neighbour *entry)
{
    const ls_grid_index *index = walk->index;
    if (LS_UNLIKELY(index->base.value_bytes == 0)) {
        fputs("lockstep: ls_grid_next_with(): the grid has no values; name a component that is "
              "no tag in its `with`, and list OTHERS_READ(...) or OTHERS_START(...) of it, or call "
              "ls_grid_next()\n",
              stderr);
        abort();
    }
    return ls_index_value(&index->base, entry);
}
