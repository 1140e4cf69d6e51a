/* The join by distance: a counting sort of entities into square cells. Entries of one cell keep
 * canonical order, so a walk depends only on the state. */
#include "core/run/grid_internal.h"

#include "core/run/index_build.h"

enum { CELLS_MIN = 1024, CELLS_PER_ENTRY = 2 };

/* The smallest box with all positions; z counts only in a grid that has z. */
typedef struct grid_box {
    ls_fix min_x, min_y, min_z, max_x, max_y, max_z;
} grid_box;

/* The bytes of an entry's two parts: of its ls_neighbour, which ends before `z` in a grid without
 * z, and of its value. They are constants where a function that takes them is inlined. */
typedef struct grid_parts {
    size_t place, value;
} grid_parts;

typedef struct grid_build {
    ls_index_build base;
    const ls_plan_grid *plan;
    ls_grid_index *index;
    grid_box boxes[LS_INDEX_PIECES_MAX]; /* by piece */
} grid_build;

/* The slots of a word of the page that become entries. */
static inline uint64_t slots_of(const ls_index_page *page, uint32_t word)
{
    return page->source->present[word] & page->with->present[word];
}

static inline ls_fix coordinate(const uint8_t *place, uint32_t offset)
{
    ls_fix value;
    memcpy(&value, place + offset, sizeof value);
    return value;
}

LS_INLINE void enclose(grid_box *box, const ls_grid *grid, const uint8_t *place, bool has_z)
{
    ls_fix x = coordinate(place, grid->offset_x), y = coordinate(place, grid->offset_y);
    box->min_x = ls_fix_min(box->min_x, x);
    box->min_y = ls_fix_min(box->min_y, y);
    box->max_x = ls_fix_max(box->max_x, x);
    box->max_y = ls_fix_max(box->max_y, y);
    if (has_z) {
        ls_fix z = coordinate(place, grid->offset_z);
        box->min_z = ls_fix_min(box->min_z, z);
        box->max_z = ls_fix_max(box->max_z, z);
    }
}

LS_INLINE void enclose_page(const grid_build *build, const ls_index_page *from, grid_box *box,
                            bool has_z)
{
    const ls_grid grid = build->plan->grid;
    const uint8_t *places = ls_page_cells(from->source);
    size_t bytes = build->base.world->sources[build->plan->column].cell_bytes;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++, places += 64 * bytes) {
        for (uint64_t bits = slots_of(from, word); bits; bits &= bits - 1)
            enclose(box, &grid, places + bytes * (uint32_t)__builtin_ctzll(bits), has_z);
    }
}

/* Finds the box around the entries of a piece. */
static void enclose_piece(void *argument, uint32_t number)
{
    grid_build *build = argument;
    const ls_index_piece *piece = &build->base.pieces[number];
    grid_box box = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
    for (uint32_t i = piece->page_first; i < piece->page_end; i++) {
        if (build->index->has_z)
            enclose_page(build, &build->index->base.pages[i], &box, true);
        else
            enclose_page(build, &build->index->base.pages[i], &box, false);
    }
    build->boxes[number] = box;
}

static grid_box collect(grid_build *build)
{
    const ls_plan_grid *plan = build->plan;
    ls_grid_index *index = build->index;
    index->has_z = plan->grid.has_z;
    ls_index_set_layout(&build->base, index->has_z ? sizeof(ls_neighbour) : LS_GRID_PLANE_BYTES);
    ls_index_list_pages(&build->base);
    ls_index_collect(&build->base, enclose_piece, build);
    grid_box box = build->boxes[0];
    for (uint32_t i = 1; i < build->base.piece_count; i++) {
        const grid_box *one = &build->boxes[i];
        box = (grid_box){ls_fix_min(box.min_x, one->min_x), ls_fix_min(box.min_y, one->min_y),
                         ls_fix_min(box.min_z, one->min_z), ls_fix_max(box.max_x, one->max_x),
                         ls_fix_max(box.max_y, one->max_y), ls_fix_max(box.max_z, one->max_z)};
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

LS_INLINE uint32_t cell_of(const ls_grid_index *index, const ls_grid *grid, const uint8_t *place,
                           bool has_z)
{
    uint32_t x = (uint32_t)(coordinate(place, grid->offset_x) - index->min_x);
    uint32_t y = (uint32_t)(coordinate(place, grid->offset_y) - index->min_y);
    uint32_t row = ls_grid_cells_in(index, y);
    if (has_z) {
        uint32_t z = (uint32_t)(coordinate(place, grid->offset_z) - index->min_z);
        row += ls_grid_cells_in(index, z) * (uint32_t)index->rows;
    }
    return row * (uint32_t)index->columns + ls_grid_cells_in(index, x);
}

/* Finds the cell of each entry of a page, and counts the entries of each cell. */
LS_INLINE void count_page(const grid_build *build, const ls_index_page *from, uint32_t *counts,
                          bool has_z)
{
    const ls_grid grid = build->plan->grid;
    const ls_grid_index index = *build->index;
    const uint8_t *places = ls_page_cells(from->source);
    size_t bytes = build->base.world->sources[build->plan->column].cell_bytes;
    uint32_t *to = index.base.cells + from->first;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++, places += 64 * bytes) {
        for (uint64_t bits = slots_of(from, word); bits; bits &= bits - 1) {
            const uint8_t *place = places + bytes * (uint32_t)__builtin_ctzll(bits);
            uint32_t cell = cell_of(&index, &grid, place, has_z);
            *to++ = cell;
            counts[cell]++;
        }
    }
}

static void count_piece(void *argument, uint32_t number)
{
    const grid_build *build = argument;
    const ls_index_piece *piece = ls_index_begin_counts(&build->base, number);
    for (uint32_t i = piece->page_first; i < piece->page_end; i++) {
        const ls_index_page *from = &build->index->base.pages[i];
        if (build->index->has_z)
            count_page(build, from, piece->counts, true);
        else
            count_page(build, from, piece->counts, false);
    }
}

/* Writes the entries of a page into their cells: each to the next place of its cell. Members of the
 * index are copied to variables, because a compiler must assume that a store of bytes changes them.
 * Inline, so that a constant number of bytes needs no test of each value. */
LS_INLINE void place_page(const grid_build *build, const ls_index_page *from, uint32_t *next,
                          grid_parts parts)
{
    const ls_grid grid = build->plan->grid;
    const ls_grid_index index = *build->index;
    const uint8_t *places = ls_page_cells(from->source);
    const uint8_t *with = ls_page_cells(from->with);
    size_t place_bytes = build->base.world->sources[build->plan->column].cell_bytes;
    bool is_in_array = parts.value > LS_CELL_BYTES_SMALL;
    size_t entry_bytes = parts.place + (is_in_array ? 0 : (parts.value + 7) / 8 * 8);
    uint8_t *values = is_in_array ? index.base.values : index.base.entries + parts.place;
    size_t value_step = is_in_array ? parts.value : entry_bytes;
    const uint32_t *cells = index.base.cells + from->first;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = slots_of(from, word); bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint8_t *place = places + place_bytes * slot;
            ls_neighbour entry = {.entity = ls_entity_make(from->lane, from->first_slot + slot,
                                                           from->generations[slot]),
                                  .x = coordinate(place, grid.offset_x),
                                  .y = coordinate(place, grid.offset_y)};
            if (parts.place > LS_GRID_PLANE_BYTES)
                entry.z = coordinate(place, grid.offset_z);
            size_t to = next[*cells++]++;
            memcpy(index.base.entries + entry_bytes * to, &entry, parts.place);
            if (parts.value)
                ls_index_copy_value(values + value_step * to, with + parts.value * slot,
                                    parts.value);
        }
    }
}

static void place_piece(void *argument, uint32_t number)
{
    const grid_build *build = argument;
    const ls_index_piece *piece = &build->base.pieces[number];
    size_t value = build->index->base.value_bytes;
    for (uint32_t i = piece->page_first; i < piece->page_end; i++) {
        const ls_index_page *from = &build->index->base.pages[i];
        if (build->index->has_z)
            place_page(build, from, piece->counts, (grid_parts){sizeof(ls_neighbour), value});
        else if (value == 0)
            place_page(build, from, piece->counts, (grid_parts){LS_GRID_PLANE_BYTES, 0});
        else if (value == 8)
            place_page(build, from, piece->counts, (grid_parts){LS_GRID_PLANE_BYTES, 8});
        else
            place_page(build, from, piece->counts, (grid_parts){LS_GRID_PLANE_BYTES, value});
    }
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
                      count_piece, place_piece, &build);
        ls_index_finish(&build.base);
    }
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}
