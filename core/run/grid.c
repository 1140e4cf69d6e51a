/* The join by distance: a counting sort of entities into square cells. Entries of one cell keep
 * canonical order, so a walk depends only on the state. */
#include "core/run/grid_internal.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_MIN = 1024, CELLS_PER_ENTRY = 2 };

static void make_room(ls_grid_index *index)
{
    if (index->count + LS_PAGE_SLOTS <= index->capacity)
        return;
    index->capacity = index->capacity * 2 + LS_PAGE_SLOTS;
    size_t bytes = (size_t)index->entry_bytes * index->capacity;
    index->unsorted = ls_realloc(index->unsorted, bytes);
    index->entries = ls_realloc(index->entries, bytes);
    index->cells = ls_realloc(index->cells, sizeof *index->cells * index->capacity);
    if (!ls_grid_has_value_array(index))
        return;
    bytes = (size_t)index->value_bytes * index->capacity;
    index->unsorted_values = ls_realloc(index->unsorted_values, bytes);
    index->values = ls_realloc(index->values, bytes);
}

/* The smallest box with all positions; z only counts in a grid with it. */
typedef struct grid_box {
    ls_fix min_x, min_y, min_z, max_x, max_y, max_z;
} grid_box;

/* The bytes of an entry's neighbour and of its value. Constants of
 * the inline functions that they are passed to. */
typedef struct grid_parts {
    size_t place, value;
} grid_parts;

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
LS_INLINE void collect_slots(const grid_page *from, const ls_grid *grid, ls_grid_index *index,
                             grid_box *box, grid_parts parts)
{
    size_t value_bytes = parts.value;
    uint8_t *places = ls_page_cells(from->places), *with = ls_page_cells(from->with);
    uint8_t *to = index->unsorted + (size_t)index->entry_bytes * index->count;
    size_t entry_bytes = index->entry_bytes, place_bytes = from->place_bytes;
    bool has_array = ls_grid_has_value_array(index);
    uint8_t *value =
        has_array ? index->unsorted_values + value_bytes * index->count : to + parts.place;
    size_t value_step = has_array ? value_bytes : entry_bytes;
    uint32_t offset_x = grid->offset_x, offset_y = grid->offset_y, offset_z = grid->offset_z;
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
            if (parts.place > LS_GRID_PLANE_BYTES) {
                memcpy(&entry.z, place + offset_z, sizeof entry.z);
                all.min_z = smaller_fix(all.min_z, entry.z);
                all.max_z = larger_fix(all.max_z, entry.z);
            }
            memcpy(to, &entry, parts.place);
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
    if (index->has_z)
        collect_slots(&from, &plan->grid, index, box,
                      (grid_parts){sizeof(ls_neighbour), index->value_bytes});
    else if (index->value_bytes == 0)
        collect_slots(&from, &plan->grid, index, box, (grid_parts){LS_GRID_PLANE_BYTES, 0});
    else if (index->value_bytes == 8)
        collect_slots(&from, &plan->grid, index, box, (grid_parts){LS_GRID_PLANE_BYTES, 8});
    else
        collect_slots(&from, &plan->grid, index, box,
                      (grid_parts){LS_GRID_PLANE_BYTES, index->value_bytes});
}

static grid_box collect(const ls_world *world, const ls_plan_grid *plan, ls_grid_index *index)
{
    grid_box box = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
    index->count = 0;
    index->has_z = plan->grid.has_z;
    index->value_bytes = plan->carries ? (uint32_t)world->sources[plan->with].cell_bytes : 0;
    index->place_bytes = index->has_z ? (uint32_t)sizeof(ls_neighbour) : LS_GRID_PLANE_BYTES;
    bool is_in_entry = index->value_bytes && !ls_grid_has_value_array(index);
    index->value_offset = is_in_entry ? index->place_bytes : 0;
    index->entry_bytes = index->place_bytes + (is_in_entry ? (index->value_bytes + 7) / 8 * 8 : 0);
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
    index->min_z = index->has_z ? box->min_z : 0;
    index->columns = index->rows = index->layers = 0;
    index->cell = (uint32_t)cell;
    if (index->count == 0)
        return;
    index->width = (uint32_t)(box->max_x - index->min_x);
    index->height = (uint32_t)(box->max_y - index->min_y);
    index->depth = index->has_z ? (uint32_t)(box->max_z - index->min_z) : 0;
    int64_t limit = (int64_t)index->count * CELLS_PER_ENTRY + CELLS_MIN;
    for (;; index->cell *= 2) {
        int64_t columns = (int64_t)index->width / index->cell + 1;
        int64_t rows = (int64_t)index->height / index->cell + 1;
        int64_t layers = (int64_t)index->depth / index->cell + 1;
        if (columns > limit || rows > limit || layers > limit || columns * rows > limit ||
            columns * rows * layers > limit)
            continue;
        index->columns = (int32_t)columns;
        index->rows = (int32_t)rows;
        index->layers = (int32_t)layers;
        index->reciprocal = (UINT64_C(1) << 32) / index->cell;
        return;
    }
}

LS_INLINE uint32_t cell_of(const ls_grid_index *index, const ls_neighbour *entry, bool has_z)
{
    uint32_t column = ls_grid_cells_in(index, (uint32_t)(entry->x - index->min_x));
    uint32_t row = ls_grid_cells_in(index, (uint32_t)(entry->y - index->min_y));
    if (has_z)
        row += ls_grid_cells_in(index, (uint32_t)(entry->z - index->min_z)) * (uint32_t)index->rows;
    return row * (uint32_t)index->columns + column;
}

/* Finds the cell of each entry, and counts the entries of each cell. Counts are stored two cells
 * ahead, so that after the second pass starts[cell] is the cell's start. */
LS_INLINE void count_entries(ls_grid_index *index, bool has_z)
{
    uint32_t *places = index->cells, *starts = index->starts, count = index->count;
    const uint8_t *entry = index->unsorted;
    for (uint32_t i = 0; i < count; i++, entry += index->entry_bytes) {
        places[i] = cell_of(index, (const ls_neighbour *)(const void *)entry, has_z);
        starts[places[i] + 2]++;
    }
}

/* Copies the entries to their cells: each to the next place of its cell. Inline, for constant
 * sizes. */
LS_INLINE void place_entries(ls_grid_index *index, grid_parts parts)
{
    const uint8_t *entry = index->unsorted;
    uint8_t *entries = index->entries;
    const uint32_t *cells = index->cells;
    uint32_t *starts = index->starts + 1, count = index->count;
    size_t bytes = parts.place + parts.value;
    for (uint32_t i = 0; i < count; i++, entry += bytes) {
        uint8_t *to = entries + bytes * starts[cells[i]]++;
        memcpy(to, entry, parts.place);
        if (parts.value)
            ls_cell_copy(to + parts.place, entry + parts.place, parts.value);
    }
}

/* The same for entries with their values in an array. */
LS_INLINE void place_with_array(ls_grid_index *index, size_t bytes)
{
    for (uint32_t i = 0; i < index->count; i++) {
        uint32_t to = index->starts[index->cells[i] + 1]++;
        memcpy(index->entries + bytes * to, index->unsorted + bytes * i, bytes);
        memcpy(index->values + (size_t)index->value_bytes * to,
               index->unsorted_values + (size_t)index->value_bytes * i, index->value_bytes);
    }
}

static void place(ls_grid_index *index)
{
    size_t value_bytes = index->entry_bytes - index->place_bytes;
    if (ls_grid_has_value_array(index) && index->has_z)
        place_with_array(index, sizeof(ls_neighbour));
    else if (ls_grid_has_value_array(index))
        place_with_array(index, LS_GRID_PLANE_BYTES);
    else if (index->has_z)
        place_entries(index, (grid_parts){sizeof(ls_neighbour), value_bytes});
    else if (value_bytes == 0)
        place_entries(index, (grid_parts){LS_GRID_PLANE_BYTES, 0});
    else if (value_bytes == 8)
        place_entries(index, (grid_parts){LS_GRID_PLANE_BYTES, 8});
    else
        place_entries(index, (grid_parts){LS_GRID_PLANE_BYTES, value_bytes});
}

static void sort_into_cells(ls_grid_index *index)
{
    uint32_t cells = (uint32_t)(index->columns * index->rows * index->layers), sum = 0;
    if (cells + 2 > index->cell_capacity) {
        index->cell_capacity = (cells + 2) * 2;
        index->starts = ls_realloc(index->starts, sizeof(uint32_t) * index->cell_capacity);
    }
    memset(index->starts, 0, sizeof(uint32_t) * (cells + 2));
    if (index->has_z)
        count_entries(index, true);
    else
        count_entries(index, false);
    for (uint32_t i = 2; i < cells + 2; i++)
        index->starts[i] = sum += index->starts[i];
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
