/* The join by distance: a counting sort of entities into square cells. Entries of one cell keep
 * canonical order, so a walk depends only on the state. */
#include "core/run/grid_internal.h"

#include "core/base/bounds.h"
#include "core/run/parallel_for.h"
#include "core/run/scratch.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELLS_MIN = 1024,
    CELLS_PER_ENTRY = 2,
    PIECES_MAX = 8,
    /* Handing a piece over costs about 0.2 us, and collecting an entry some nanoseconds. */
    PIECE_ENTRIES_MIN = 2048,
};

/* One page of the columns that become entries. */
typedef struct ls_grid_page {
    ls_page *places, *with;
    const uint32_t *generations;
    uint32_t lane, first_slot;
    uint32_t first; /* number of its first entry in canonical order */
} ls_grid_page;

static void make_room(ls_grid_index *index)
{
    if (index->count <= index->capacity)
        return;
    index->capacity = index->count + index->count / 2 + LS_PAGE_SLOTS;
    size_t bytes = (size_t)index->entry_bytes * index->capacity;
    index->entries = ls_realloc(index->entries, bytes);
    index->cells = ls_realloc(index->cells, sizeof *index->cells * index->capacity);
    if (!ls_grid_has_value_array(index))
        return;
    bytes = (size_t)index->value_bytes * index->capacity;
    index->values = ls_realloc(index->values, bytes);
}

/* The smallest box with all positions; z only counts in a grid with it. */
typedef struct grid_box {
    ls_fix min_x, min_y, min_z, max_x, max_y, max_z;
} grid_box;

/* The bytes of an entry's neighbour and of its value. Constants of the inline functions that they
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

/* A part of the work that one thread does: consecutive pages, and so consecutive entries. */
typedef struct grid_piece {
    uint32_t page_first, page_end;
    grid_box box;
    uint32_t *counts; /* by cell: the number of its entries; then where the next one goes */
    uint32_t range_entries[PIECES_MAX]; /* by range of cells: the number of its entries */
} grid_piece;

typedef struct grid_build {
    const ls_world *world;
    const ls_plan_grid *plan;
    ls_grid_index *index;
    uint32_t page_count, piece_count, cell_count;
    grid_piece pieces[PIECES_MAX];
} grid_build;

/* The slots of a word of the page that become entries. */
static inline uint64_t slots_of(const ls_grid_page *page, uint32_t word)
{
    return page->places->present[word] & page->with->present[word];
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
    box->min_x = smaller_fix(box->min_x, x);
    box->min_y = smaller_fix(box->min_y, y);
    box->max_x = larger_fix(box->max_x, x);
    box->max_y = larger_fix(box->max_y, y);
    if (has_z) {
        ls_fix z = coordinate(place, grid->offset_z);
        box->min_z = smaller_fix(box->min_z, z);
        box->max_z = larger_fix(box->max_z, z);
    }
}

LS_INLINE void enclose_page(const grid_build *build, const ls_grid_page *from, grid_box *box,
                            bool has_z)
{
    const ls_grid grid = build->plan->grid;
    const uint8_t *places = ls_page_cells(from->places);
    size_t bytes = build->world->sources[build->plan->column].cell_bytes;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++, places += 64 * bytes) {
        for (uint64_t bits = slots_of(from, word); bits; bits &= bits - 1)
            enclose(box, &grid, places + bytes * (uint32_t)__builtin_ctzll(bits), has_z);
    }
}

/* Finds the box around the entries of a piece. */
static void enclose_piece(void *argument, uint32_t number)
{
    grid_build *build = argument;
    grid_piece *piece = &build->pieces[number];
    grid_box box = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
    for (uint32_t i = piece->page_first; i < piece->page_end; i++) {
        if (build->index->has_z)
            enclose_page(build, &build->index->pages[i], &box, true);
        else
            enclose_page(build, &build->index->pages[i], &box, false);
    }
    piece->box = box;
}

static void list_page(grid_build *build, uint32_t lane, uint32_t page)
{
    const ls_world *world = build->world;
    const ls_plan_grid *plan = build->plan;
    ls_grid_index *index = build->index;
    ls_grid_page listed = {.places = ls_world_page(world, plan->column, lane, page),
                           .lane = lane,
                           .first_slot = page * LS_PAGE_SLOTS,
                           .first = index->count};
    listed.with =
        plan->with == UINT32_MAX ? listed.places : ls_world_page(world, plan->with, lane, page);
    uint32_t count = 0;
    for (uint32_t word = 0; listed.with && word < LS_PAGE_WORDS; word++)
        count += (uint32_t)__builtin_popcountll(listed.places->present[word] &
                                                listed.with->present[word]);
    if (count == 0)
        return;
    if (build->page_count == index->page_capacity) {
        index->page_capacity = index->page_capacity * 2 + 16;
        index->pages = ls_realloc(index->pages, sizeof *index->pages * index->page_capacity);
    }
    listed.generations = ls_page_generations(ls_world_page(world, ls_liveness(world), lane, page));
    index->pages[build->page_count++] = listed;
    index->count += count;
}

/* Each piece has about as many pages as the others. */
static void divide(grid_build *build, uint32_t threads)
{
    const ls_grid_index *index = build->index;
    uint32_t count = ls_min_u32(threads, index->count / PIECE_ENTRIES_MIN);
    count = ls_min_u32(count, PIECES_MAX);
    build->piece_count = count ? count : 1;
    for (uint32_t i = 0; i < build->piece_count; i++) {
        grid_piece *piece = &build->pieces[i];
        piece->page_first = (uint32_t)((uint64_t)build->page_count * i / build->piece_count);
        piece->page_end = (uint32_t)((uint64_t)build->page_count * (i + 1) / build->piece_count);
    }
}

static void set_layout(grid_build *build)
{
    const ls_world *world = build->world;
    const ls_plan_grid *plan = build->plan;
    ls_grid_index *index = build->index;
    index->has_z = plan->grid.has_z;
    index->value_bytes = plan->carries ? (uint32_t)world->sources[plan->with].cell_bytes : 0;
    index->place_bytes = index->has_z ? (uint32_t)sizeof(ls_neighbour) : LS_GRID_PLANE_BYTES;
    bool is_in_entry = index->value_bytes && !ls_grid_has_value_array(index);
    index->value_offset = is_in_entry ? index->place_bytes : 0;
    index->entry_bytes = index->place_bytes + (is_in_entry ? (index->value_bytes + 7) / 8 * 8 : 0);
}

static grid_box collect(grid_build *build)
{
    const ls_world *world = build->world;
    ls_parallel_for *loop = world->scratch->loop;
    ls_grid_index *index = build->index;
    index->count = 0;
    set_layout(build);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, build->plan->column, lane);
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1))
            list_page(build, lane, page);
    }
    make_room(index);
    divide(build, loop ? loop->threads : 1);
    ls_parallel_for_run(loop, build->piece_count, enclose_piece, build);
    grid_box box = build->pieces[0].box;
    for (uint32_t i = 1; i < build->piece_count; i++) {
        const grid_box *one = &build->pieces[i].box;
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
LS_INLINE void count_page(const grid_build *build, const ls_grid_page *from, uint32_t *counts,
                          bool has_z)
{
    const ls_grid grid = build->plan->grid;
    const ls_grid_index index = *build->index;
    const uint8_t *places = ls_page_cells(from->places);
    size_t bytes = build->world->sources[build->plan->column].cell_bytes;
    uint32_t *to = index.cells + from->first;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++, places += 64 * bytes) {
        for (uint64_t bits = slots_of(from, word); bits; bits &= bits - 1) {
            const uint8_t *place = places + bytes * (uint32_t)__builtin_ctzll(bits);
            uint32_t cell = cell_of(&index, &grid, place, has_z);
            *to++ = cell;
            counts[cell]++;
        }
    }
}

/* The cells are divided into as many ranges as there are pieces. */
static uint32_t range_first(const grid_build *build, uint32_t range)
{
    return (uint32_t)((uint64_t)build->cell_count * range / build->piece_count);
}

static void count_piece(void *argument, uint32_t number)
{
    grid_build *build = argument;
    grid_piece *piece = &build->pieces[number];
    memset(piece->counts, 0, sizeof *piece->counts * build->cell_count);
    for (uint32_t i = piece->page_first; i < piece->page_end; i++) {
        if (build->index->has_z)
            count_page(build, &build->index->pages[i], piece->counts, true);
        else
            count_page(build, &build->index->pages[i], piece->counts, false);
    }
    for (uint32_t range = 0; range < build->piece_count && build->piece_count > 1; range++) {
        uint32_t sum = 0, end = range_first(build, range + 1);
        for (uint32_t cell = range_first(build, range); cell < end; cell++)
            sum += piece->counts[cell];
        piece->range_entries[range] = sum;
    }
}

static inline void copy_value(uint8_t *to, const uint8_t *value, size_t bytes)
{
    if (LS_LIKELY(ls_cell_is_small(bytes)))
        ls_cell_copy(to, value, bytes);
    else
        memcpy(to, value, bytes);
}

/* Writes the entries of a page into their cells: each to the next place of its cell. Members of the
 * index are copied to variables, because a compiler must assume that a store of bytes changes them.
 * Inline, so that a constant number of bytes needs no test of each value. */
LS_INLINE void place_page(const grid_build *build, const ls_grid_page *from, uint32_t *next,
                          grid_parts parts)
{
    const ls_grid grid = build->plan->grid;
    const ls_grid_index index = *build->index;
    const uint8_t *places = ls_page_cells(from->places);
    const uint8_t *with = ls_page_cells(from->with);
    size_t place_bytes = build->world->sources[build->plan->column].cell_bytes;
    bool is_in_array = parts.value > LS_CELL_BYTES_SMALL;
    size_t entry_bytes = parts.place + (is_in_array ? 0 : (parts.value + 7) / 8 * 8);
    uint8_t *values = is_in_array ? index.values : index.entries + parts.place;
    size_t value_step = is_in_array ? parts.value : entry_bytes;
    const uint32_t *cells = index.cells + from->first;
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
            memcpy(index.entries + entry_bytes * to, &entry, parts.place);
            if (parts.value)
                copy_value(values + value_step * to, with + parts.value * slot, parts.value);
        }
    }
}

static void place_piece(void *argument, uint32_t number)
{
    const grid_build *build = argument;
    const grid_piece *piece = &build->pieces[number];
    size_t value = build->index->value_bytes;
    for (uint32_t i = piece->page_first; i < piece->page_end; i++) {
        const ls_grid_page *from = &build->index->pages[i];
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

/* Makes each count of a cell in the range the place of the piece's first entry there: behind those
 * of earlier pieces, which are earlier in canonical order. */
static void sum_up_range(void *argument, uint32_t range)
{
    const grid_build *build = argument;
    uint32_t *starts = build->index->starts, sum = 0, end = range_first(build, range + 1);
    for (uint32_t i = 0; i < build->piece_count; i++) {
        for (uint32_t before = 0; before < range; before++)
            sum += build->pieces[i].range_entries[before];
    }
    for (uint32_t cell = range_first(build, range); cell < end; cell++) {
        starts[cell] = sum;
        for (uint32_t i = 0; i < build->piece_count; i++) {
            uint32_t *count = &build->pieces[i].counts[cell], here = *count;
            *count = sum;
            sum += here;
        }
    }
    if (end == build->cell_count)
        starts[end] = sum; /* the ranges after it have no cells */
}

/* One piece counts in `starts`, one cell ahead: when all entries have their places, starts[cell +
 * 1] is the end of the cell. */
static void sum_up_alone(const grid_build *build)
{
    uint32_t *next = build->pieces[0].counts, sum = 0;
    for (uint32_t cell = 0; cell < build->cell_count; cell++) {
        uint32_t here = next[cell];
        next[cell] = sum;
        sum += here;
    }
}

static void sort_into_cells(grid_build *build)
{
    ls_grid_index *index = build->index;
    uint32_t cells = (uint32_t)(index->columns * index->rows * index->layers);
    build->cell_count = cells;
    if (cells + 1 > index->cell_capacity) {
        index->cell_capacity = (cells + 1) * 2;
        index->starts = ls_realloc(index->starts, sizeof(uint32_t) * index->cell_capacity);
    }
    index->starts[0] = 0;
    if (index->count == 0)
        return;
    size_t counts = (size_t)cells * build->piece_count;
    bool is_alone = build->piece_count == 1;
    if (!is_alone && counts > index->count_capacity) {
        index->count_capacity = counts * 2;
        index->counts = ls_realloc(index->counts, sizeof *index->counts * index->count_capacity);
    }
    for (uint32_t i = 0; i < build->piece_count; i++)
        build->pieces[i].counts = is_alone ? index->starts + 1 : index->counts + (size_t)cells * i;
    ls_parallel_for *loop = build->world->scratch->loop;
    ls_parallel_for_run(loop, build->piece_count, count_piece, build);
    if (is_alone)
        sum_up_alone(build);
    else
        ls_parallel_for_run(loop, build->piece_count, sum_up_range, build);
    ls_parallel_for_run(loop, build->piece_count, place_piece, build);
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
        grid_build build = {.world = world, .plan = plan, .index = index};
        const grid_box box = collect(&build);
        lay_out(index, &box, plan->grid.cell);
        sort_into_cells(&build);
        index->version = version;
        index->with_version = with;
        index->is_built = true;
    }
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}
