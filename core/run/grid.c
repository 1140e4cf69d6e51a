/* The join by distance: a counting sort of entities into square cells. Entries of one cell keep
 * canonical order, so a walk depends only on the state. */
#include "core/run/grid_internal.h"

#include "core/run/index_build.h"

enum { CELLS_MIN = 1024, CELLS_PER_ENTRY = 2 };

/* The smallest box with all positions; z only counts in a grid with it. */
typedef struct grid_box {
    ls_fix min_x, min_y, min_z, max_x, max_y, max_z;
} grid_box;

/* The bytes of an entry's neighbour and of its value. Constants of the inline function that they
 * are passed to. */
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

typedef struct grid_build {
    ls_index_build base;
    const ls_plan_grid *plan;
    ls_grid_index *index;
    grid_box boxes[LS_INDEX_PIECES_MAX]; /* by piece */
} grid_build;

/* Writes the entries of a page. Members of the index are copied to variables, because a compiler
 * must assume that a store of bytes changes them. Inline, so that a constant number of bytes needs
 * no test of each value. */
LS_INLINE void collect_slots(const grid_build *build, const ls_index_page *from, grid_box *box,
                             grid_parts parts)
{
    const ls_grid *grid = &build->plan->grid;
    const ls_index *index = &build->index->base;
    size_t entry_bytes = index->entry_bytes, value_bytes = parts.value, value_step;
    uint8_t *places = ls_page_cells(from->source), *with = ls_page_cells(from->with);
    uint8_t *to = index->unsorted + entry_bytes * from->first;
    size_t place_bytes = build->base.world->sources[build->plan->column].cell_bytes;
    uint8_t *value = ls_index_unsorted_values(index, &value_step);
    value += value_step * from->first;
    uint32_t offset_x = grid->offset_x, offset_y = grid->offset_y, offset_z = grid->offset_z;
    grid_box all = *box;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = from->source->present[word] & from->with->present[word];
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
                ls_index_copy_value(value, with + value_bytes * slot, value_bytes);
        }
    }
    *box = all;
}

static void collect_page(const grid_build *build, const ls_index_page *from, grid_box *box)
{
    size_t value_bytes = build->index->base.value_bytes;
    if (build->index->has_z)
        collect_slots(build, from, box, (grid_parts){sizeof(ls_neighbour), value_bytes});
    else if (value_bytes == 0)
        collect_slots(build, from, box, (grid_parts){LS_GRID_PLANE_BYTES, 0});
    else if (value_bytes == 8)
        collect_slots(build, from, box, (grid_parts){LS_GRID_PLANE_BYTES, 8});
    else
        collect_slots(build, from, box, (grid_parts){LS_GRID_PLANE_BYTES, value_bytes});
}

static void collect_piece(void *argument, uint32_t number)
{
    grid_build *build = argument;
    const ls_index_piece *piece = &build->base.pieces[number];
    grid_box box = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
    for (uint32_t i = piece->page_first; i < piece->page_end; i++)
        collect_page(build, &build->index->base.pages[i], &box);
    build->boxes[number] = box;
}

static grid_box collect(grid_build *build)
{
    const ls_plan_grid *plan = build->plan;
    ls_grid_index *index = build->index;
    index->has_z = plan->grid.has_z;
    ls_index_set_layout(&build->base, index->has_z ? sizeof(ls_neighbour) : LS_GRID_PLANE_BYTES);
    ls_index_list_pages(&build->base);
    ls_index_collect(&build->base, collect_piece, build);
    grid_box box = build->boxes[0];
    for (uint32_t i = 1; i < build->base.piece_count; i++) {
        const grid_box *one = &build->boxes[i];
        box = (grid_box){smaller_fix(box.min_x, one->min_x), smaller_fix(box.min_y, one->min_y),
                         smaller_fix(box.min_z, one->min_z), larger_fix(box.max_x, one->max_x),
                         larger_fix(box.max_y, one->max_y),  larger_fix(box.max_z, one->max_z)};
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
    if (index->base.count == 0)
        return;
    index->width = (uint32_t)(box->max_x - index->min_x);
    index->height = (uint32_t)(box->max_y - index->min_y);
    index->depth = index->has_z ? (uint32_t)(box->max_z - index->min_z) : 0;
    int64_t limit = (int64_t)index->base.count * CELLS_PER_ENTRY + CELLS_MIN;
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

/* Finds the cell of each entry, and counts the entries of each cell. */
LS_INLINE void count_entries(const ls_grid_index *index, const ls_index_piece *piece, bool has_z)
{
    uint32_t *places = index->base.cells, *counts = piece->counts;
    size_t bytes = index->base.entry_bytes;
    const uint8_t *entry = index->base.unsorted + bytes * piece->first;
    for (uint32_t i = piece->first; i < piece->end; i++, entry += bytes) {
        places[i] = cell_of(index, (const ls_neighbour *)(const void *)entry, has_z);
        counts[places[i]]++;
    }
}

static void count_piece(void *argument, uint32_t number)
{
    const grid_build *build = argument;
    const ls_index_piece *piece = ls_index_begin_counts(&build->base, number);
    if (build->index->has_z)
        count_entries(build->index, piece, true);
    else
        count_entries(build->index, piece, false);
}

/* Two systems that begin at the same time may need the same index; the first one builds it. Its
 * source data cannot change while either runs, because the index counts as a read of the positions
 * and of the presence of `with`. Values of `with` that it does not carry may be written
 * meanwhile. */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid)
{
    const ls_plan_grid *plan = &world->program->grids[grid];
    ls_grid_index *index = &world->indexes->grids[grid];
    grid_build build = {.base = {.world = world,
                                 .index = &index->base,
                                 .column = plan->column,
                                 .with = plan->with,
                                 .carries = plan->carries},
                        .plan = plan,
                        .index = index};
    ls_mutex_lock(&world->indexes->lock);
    if (!ls_index_is_current(&build.base)) {
        const grid_box box = collect(&build);
        lay_out(index, &box, plan->grid.cell);
        ls_index_sort(&build.base, (uint32_t)(index->columns * index->rows * index->layers),
                      count_piece, &build);
        ls_index_finish(&build.base);
    }
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}
