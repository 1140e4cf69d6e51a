/* The join by distance: a counting sort of entities into square cells. Entries of one cell keep
 * canonical order, so a walk depends only on the state. */
#include "core/run/grid_internal.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_MIN = 1024, CELLS_PER_ENTRY = 2, ROWS_TO_PREFETCH = 8 };

static bool has_value_array(const ls_grid_index *index)
{
    return index->value_bytes > LS_CELL_BYTES_SMALL;
}

static const ls_neighbour *entry_at(const ls_grid_index *index, const uint8_t *entries, size_t at)
{
    return (const ls_neighbour *)(const void *)(entries + index->entry_bytes * at);
}

static void make_room(ls_grid_index *index)
{
    if (index->count + LS_PAGE_SLOTS <= index->capacity)
        return;
    index->capacity = index->capacity * 2 + LS_PAGE_SLOTS;
    size_t bytes = (size_t)index->entry_bytes * index->capacity;
    index->unsorted = ls_realloc(index->unsorted, bytes);
    index->entries = ls_realloc(index->entries, bytes);
    index->cells = ls_realloc(index->cells, sizeof *index->cells * index->capacity);
    if (!has_value_array(index))
        return;
    bytes = (size_t)index->value_bytes * index->capacity;
    index->unsorted_values = ls_realloc(index->unsorted_values, bytes);
    index->values = ls_realloc(index->values, bytes);
}

/* The smallest rectangle with all positions. */
typedef struct grid_box {
    ls_fix min_x, min_y, max_x, max_y;
} grid_box;

static inline ls_fix smaller_fix(ls_fix a, ls_fix b)
{
    return a < b ? a : b;
}

static inline ls_fix larger_fix(ls_fix a, ls_fix b)
{
    return a > b ? a : b;
}

/* One page of the columns that become entries. */
typedef struct grid_page {
    ls_page *places, *with;
    const uint32_t *generations;
    uint32_t lane, first_slot;
    size_t place_bytes;
} grid_page;

static inline void copy_value(uint8_t *to, const uint8_t *value, size_t bytes)
{
    if (LS_LIKELY(ls_cell_is_small(bytes)))
        ls_cell_copy(to, value, bytes);
    else
        memcpy(to, value, bytes);
}

/* Appends the entries of a page. Members of the index are copied to variables, because a compiler
 * must assume that a store of bytes changes them. Inline, so that a constant number of bytes needs
 * no test of each value. */
static inline void collect_slots(const grid_page *from, const ls_grid *grid, ls_grid_index *index,
                                 grid_box *box, size_t value_bytes)
{
    uint8_t *places = ls_page_cells(from->places), *with = ls_page_cells(from->with);
    uint8_t *to = index->unsorted + (size_t)index->entry_bytes * index->count;
    size_t entry_bytes = index->entry_bytes, place_bytes = from->place_bytes;
    bool has_array = has_value_array(index);
    uint8_t *value =
        has_array ? index->unsorted_values + value_bytes * index->count : to + sizeof(ls_neighbour);
    size_t value_step = has_array ? value_bytes : entry_bytes;
    uint32_t offset_x = grid->offset_x, offset_y = grid->offset_y;
    grid_box all = *box;
    const uint8_t *begin = to;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = from->places->present[word] & from->with->present[word];
        for (; bits; bits &= bits - 1, to += entry_bytes, value += value_step) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint8_t *place = places + place_bytes * slot;
            ls_neighbour entry = {.entity = ls_entity_make(from->lane, from->first_slot + slot,
                                                           from->generations[slot])};
            memcpy(&entry.x, place + offset_x, sizeof entry.x);
            memcpy(&entry.y, place + offset_y, sizeof entry.y);
            all.min_x = smaller_fix(all.min_x, entry.x);
            all.min_y = smaller_fix(all.min_y, entry.y);
            all.max_x = larger_fix(all.max_x, entry.x);
            all.max_y = larger_fix(all.max_y, entry.y);
            memcpy(to, &entry, sizeof entry);
            if (value_bytes)
                copy_value(value, with + value_bytes * slot, value_bytes);
        }
    }
    index->count += (uint32_t)((size_t)(to - begin) / entry_bytes);
    *box = all;
}

static void collect_page(const ls_world *world, const ls_plan_grid *plan, uint32_t lane,
                         uint32_t page, ls_grid_index *index, grid_box *box)
{
    ls_page *found = ls_world_page(world, plan->column, lane, page);
    grid_page from = {
        .places = found,
        .with = plan->with == UINT32_MAX ? found : ls_world_page(world, plan->with, lane, page),
        .lane = lane,
        .first_slot = page * LS_PAGE_SLOTS,
        .place_bytes = world->sources[plan->column].cell_bytes,
    };
    if (!from.with)
        return;
    from.generations = ls_page_generations(ls_world_page(world, ls_liveness(world), lane, page));
    if (index->value_bytes == 0)
        collect_slots(&from, &plan->grid, index, box, 0);
    else if (index->value_bytes == 8)
        collect_slots(&from, &plan->grid, index, box, 8);
    else
        collect_slots(&from, &plan->grid, index, box, index->value_bytes);
}

static grid_box collect(const ls_world *world, const ls_plan_grid *plan, ls_grid_index *index)
{
    grid_box box = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    index->count = 0;
    index->value_bytes = plan->carries ? (uint32_t)world->sources[plan->with].cell_bytes : 0;
    index->entry_bytes = (uint32_t)sizeof(ls_neighbour) +
                         (has_value_array(index) ? 0 : (index->value_bytes + 7) / 8 * 8);
    make_room(index);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, plan->column, lane);
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1)) {
            make_room(index);
            collect_page(world, plan, lane, page, index, &box);
        }
    }
    return box;
}

/* Chooses the size of the cells. If entities are far apart, cells are larger, so that memory
 * follows the number of entries and not the size of the map. The number of cells stays far below
 * 2^32. */
static void lay_out(ls_grid_index *index, const grid_box *box, ls_fix cell)
{
    index->min_x = box->min_x;
    index->min_y = box->min_y;
    index->columns = index->rows = 0;
    index->cell = (uint32_t)cell;
    if (index->count == 0)
        return;
    index->width = (uint32_t)(box->max_x - index->min_x);
    index->height = (uint32_t)(box->max_y - index->min_y);
    int64_t limit = (int64_t)index->count * CELLS_PER_ENTRY + CELLS_MIN;
    for (;; index->cell *= 2) {
        int64_t columns = (int64_t)index->width / index->cell + 1;
        int64_t rows = (int64_t)index->height / index->cell + 1;
        if (columns > limit || rows > limit || columns * rows > limit)
            continue;
        index->columns = (int32_t)columns;
        index->rows = (int32_t)rows;
        index->reciprocal = (UINT64_C(1) << 32) / index->cell;
        return;
    }
}

/* offset / cell, exactly. The rounded reciprocal makes the quotient smaller by less than 1, so it
 * is at most 1 too small. */
static inline uint32_t cells_in(const ls_grid_index *index, uint32_t offset)
{
    uint32_t quotient = (uint32_t)(offset * index->reciprocal >> 32);
    return quotient + (offset - quotient * index->cell >= index->cell);
}

static uint32_t cell_of(const ls_grid_index *index, const ls_neighbour *entry)
{
    uint32_t column = cells_in(index, (uint32_t)(entry->x - index->min_x));
    uint32_t row = cells_in(index, (uint32_t)(entry->y - index->min_y));
    return row * (uint32_t)index->columns + column;
}

/* Copies the entries to their cells: each to the next place of its cell. Inline, for a constant
 * size of the value in an entry. */
static inline void place_entries(ls_grid_index *index, size_t value_bytes)
{
    const uint8_t *entry = index->unsorted;
    uint8_t *entries = index->entries;
    const uint32_t *cells = index->cells;
    uint32_t *starts = index->starts + 1, count = index->count;
    size_t bytes = sizeof(ls_neighbour) + value_bytes;
    for (uint32_t i = 0; i < count; i++, entry += bytes) {
        uint8_t *to = entries + bytes * starts[cells[i]]++;
        memcpy(to, entry, sizeof(ls_neighbour));
        if (value_bytes)
            ls_cell_copy(to + sizeof(ls_neighbour), entry + sizeof(ls_neighbour), value_bytes);
    }
}

/* The same for entries with their values in an array. */
static void place_with_array(ls_grid_index *index)
{
    const ls_neighbour *unsorted = (const ls_neighbour *)(const void *)index->unsorted;
    ls_neighbour *entries = (ls_neighbour *)(void *)index->entries;
    for (uint32_t i = 0; i < index->count; i++) {
        uint32_t to = index->starts[index->cells[i] + 1]++;
        entries[to] = unsorted[i];
        memcpy(index->values + (size_t)index->value_bytes * to,
               index->unsorted_values + (size_t)index->value_bytes * i, index->value_bytes);
    }
}

static void place(ls_grid_index *index)
{
    size_t value_bytes = index->entry_bytes - sizeof(ls_neighbour);
    if (has_value_array(index))
        place_with_array(index);
    else if (value_bytes == 0)
        place_entries(index, 0);
    else if (value_bytes == 8)
        place_entries(index, 8);
    else
        place_entries(index, value_bytes);
}

static void sort_into_cells(ls_grid_index *index)
{
    uint32_t cells = (uint32_t)(index->columns * index->rows);
    if (cells + 2 > index->cell_capacity) {
        index->cell_capacity = (cells + 2) * 2;
        index->starts = ls_realloc(index->starts, sizeof(uint32_t) * index->cell_capacity);
    }
    /* Counts are stored two cells ahead, so that after the second pass starts[cell] is the cell's
     * start. */
    memset(index->starts, 0, sizeof(uint32_t) * (cells + 2));
    uint32_t *places = index->cells, *starts = index->starts, count = index->count, sum = 0;
    const uint8_t *entry = index->unsorted;
    for (uint32_t i = 0; i < count; i++, entry += index->entry_bytes) {
        places[i] = cell_of(index, (const ls_neighbour *)(const void *)entry);
        starts[places[i] + 2]++;
    }
    for (uint32_t i = 2; i < cells + 2; i++)
        starts[i] = sum += starts[i];
    place(index);
}

/* Two systems that begin at the same time may need the same index; the first one builds it. Its
 * source data cannot change while either runs, because the index counts as a read of the positions
 * and of the presence of `with`. Values of `with` that it does not carry may be written
 * meanwhile. */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid)
{
    const ls_plan_grid *plan = &world->program->grids[grid];
    ls_grid_index *index = &world->indexes->grids[grid];
    ls_mutex_lock(&world->indexes->lock);
    uint64_t version = world->versions[plan->column];
    uint64_t with = plan->with == UINT32_MAX ? 0
                    : plan->carries          ? world->versions[plan->with]
                                             : world->presences[plan->with];
    if (!index->is_built || index->version != version || index->with_version != with) {
        const grid_box box = collect(world, plan, index);
        lay_out(index, &box, plan->grid.cell);
        sort_into_cells(index);
        index->version = version;
        index->with_version = with;
        index->is_built = true;
    }
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}

void ls_grid_enter_row(ls_grid_walk *walk)
{
    const uint32_t *starts = walk->index->starts + (size_t)walk->row * walk->index->columns;
    walk->next = starts[walk->column_first];
    walk->end = starts[walk->column_last + 1];
}

/* The rows of a large grid are far apart in memory. Inlined by force: GCC 12 takes a function that
 * only prefetches for one without effect, and removes its calls. */
__attribute__((always_inline)) static inline void prefetch_rows(const ls_grid_walk *walk)
{
    const ls_grid_index *index = walk->index;
    const uint32_t *start = index->starts + (size_t)walk->row * index->columns + walk->column_first;
    for (int32_t row = walk->row; row <= walk->row_last; row++, start += index->columns)
        __builtin_prefetch(index->entries + (size_t)index->entry_bytes * *start);
}

void ls_grid_walk_init(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                       ls_grid_walk *walk)
{
    walk->index = index;
    walk->entries = index->entries;
    walk->values = index->entries + sizeof(ls_neighbour);
    walk->entry_bytes = index->entry_bytes;
    walk->value_bytes = index->value_bytes ? index->entry_bytes : 0;
    if (LS_UNLIKELY(has_value_array(index))) {
        walk->values = index->values;
        walk->value_bytes = index->value_bytes;
    }
    walk->taken = walk->found = 0;
    walk->radius_squared = (uint64_t)((int64_t)radius * radius);
    walk->x = x;
    walk->y = y;
    walk->row = 0;
    walk->row_last = -1;
    walk->next = walk->end = 0;
    walk->is_narrow = false;
}

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk)
{
    ls_grid_walk_init(index, x, y, radius, walk);
    int64_t left = (int64_t)x - radius - index->min_x, right = (int64_t)x + radius - index->min_x;
    int64_t low = (int64_t)y - radius - index->min_y, high = (int64_t)y + radius - index->min_y;
    bool is_beside = left > index->width || right < 0 || low > index->height || high < 0;
    if (index->count == 0 || radius < 0 || is_beside)
        return;
    walk->column_first = (int32_t)cells_in(index, (uint32_t)(left < 0 ? 0 : left));
    walk->column_last = (int32_t)cells_in(index, (uint32_t)smaller(right, index->width));
    walk->row = (int32_t)cells_in(index, (uint32_t)(low < 0 ? 0 : low));
    walk->row_last = (int32_t)cells_in(index, (uint32_t)smaller(high, index->height));
    /* No entry of these cells is farther from the point than `radius` and a cell, by x or by y. */
    walk->is_narrow = (int64_t)radius + index->cell <= INT32_MAX;
    if (walk->row_last - walk->row < ROWS_TO_PREFETCH)
        prefetch_rows(walk);
    ls_grid_enter_row(walk);
}

/* Adds those of up to LS_GRID_BATCH entries that are within the radius. Without branches, because
 * the result is unpredictable. Absolute differences are below 2^32: a square needs all 64 bits, the
 * sum of two squares one more. */
static size_t find(ls_grid_walk *walk, uint32_t first, uint32_t end, size_t found)
{
    int64_t x = walk->x, y = walk->y;
    uint64_t limit = walk->radius_squared;
    for (uint32_t i = first; i < end; i++) {
        const ls_neighbour *entry = entry_at(walk->index, walk->entries, i);
        uint64_t dx = (uint64_t)(entry->x - x), dy = (uint64_t)(entry->y - y);
        uint64_t dx_squared = dx * dx;
        walk->numbers[found] = i;
        found += (dx_squared <= limit) & (dy * dy <= limit - dx_squared);
    }
    return found;
}

/* The same for a narrow walk, with differences below 2^31. */
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
                                           : find(walk, walk->next, end, found);
        walk->next = end;
        if (end < walk->end)
            continue;
        if (walk->row >= walk->row_last)
            break;
        walk->row++;
        ls_grid_enter_row(walk);
    }
    walk->taken = 0;
    walk->found = (uint32_t)found;
    return found > 0;
}

bool ls_grid_look(ls_grid_walk *walk)
{
    bool is_at_end = walk->next == walk->end && walk->row >= walk->row_last;
    return !is_at_end && look(walk);
}

void ls_grid_lacks_values_(const ls_grid_walk *walk)
{
    LS_ASSERT(walk->value_bytes);
    abort();
}
