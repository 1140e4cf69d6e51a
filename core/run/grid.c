/* The join by distance: a counting sort of entities into square cells. Entries of one cell keep
 * canonical order, so a walk depends only on the state. */
#include "core/run/grid_internal.h"

#include <string.h>

enum { CELLS_MIN = 1024, CELLS_PER_ENTRY = 2, BATCH = 64 };

static void make_room(const ls_plan_grid *plan, ls_grid_index *index)
{
    if (index->count + LS_PAGE_SLOTS <= index->capacity)
        return;
    index->capacity = index->capacity * 2 + LS_PAGE_SLOTS;
    size_t bytes = sizeof *index->entries * index->capacity;
    index->unsorted = ls_realloc(index->unsorted, bytes);
    index->entries = ls_realloc(index->entries, bytes);
    index->cells = ls_realloc(index->cells, sizeof *index->cells * index->capacity);
    if (!plan->carries)
        return;
    bytes = (size_t)index->value_bytes * index->capacity;
    index->unsorted_values = ls_realloc(index->unsorted_values, bytes);
    index->values = ls_realloc(index->values, bytes);
}

static void collect_page(const ls_world *world, const ls_plan_grid *plan, uint32_t lane,
                         uint32_t page, ls_grid_index *index)
{
    ls_page *found = ls_world_page(world, plan->column, lane, page);
    ls_page *with = plan->with == UINT32_MAX ? found : ls_world_page(world, plan->with, lane, page);
    if (!with)
        return;
    const uint32_t *generations =
        ls_page_generations(ls_world_page(world, ls_liveness(world), lane, page));
    size_t bytes = world->sources[plan->column].cell_bytes;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = found->present[word] & with->present[word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint8_t *cell = ls_page_cells(found) + bytes * slot;
            ls_neighbour *entry = &index->unsorted[index->count];
            entry->entity = ls_entity_make(lane, page * LS_PAGE_SLOTS + slot, generations[slot]);
            memcpy(&entry->x, cell + plan->grid.offset_x, sizeof entry->x);
            memcpy(&entry->y, cell + plan->grid.offset_y, sizeof entry->y);
            if (plan->carries)
                memcpy(index->unsorted_values + (size_t)index->value_bytes * index->count,
                       ls_page_cells(with) + (size_t)index->value_bytes * slot, index->value_bytes);
            index->count++;
        }
    }
}

static void collect(const ls_world *world, const ls_plan_grid *plan, ls_grid_index *index)
{
    index->count = 0;
    index->value_bytes = plan->carries ? (uint32_t)world->sources[plan->with].cell_bytes : 0;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, plan->column, lane);
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1)) {
            make_room(plan, index);
            collect_page(world, plan, lane, page, index);
        }
    }
}

/* Chooses the bounding box and the size of the cells. If entities are far apart, cells are larger,
 * so that memory follows the number of entries and not the size of the map. The number of cells
 * stays far below 2^32. */
static void lay_out(ls_grid_index *index, ls_fix cell)
{
    int64_t max_x = INT32_MIN, max_y = INT32_MIN;
    index->min_x = index->min_y = INT32_MAX;
    for (uint32_t i = 0; i < index->count; i++) {
        const ls_neighbour *entry = &index->unsorted[i];
        index->min_x = entry->x < index->min_x ? entry->x : index->min_x;
        index->min_y = entry->y < index->min_y ? entry->y : index->min_y;
        max_x = entry->x > max_x ? entry->x : max_x;
        max_y = entry->y > max_y ? entry->y : max_y;
    }
    index->columns = index->rows = 0;
    index->cell = (uint32_t)cell;
    if (index->count == 0)
        return;
    int64_t limit = (int64_t)index->count * CELLS_PER_ENTRY + CELLS_MIN;
    for (;; index->cell *= 2) {
        int64_t columns = (max_x - index->min_x) / index->cell + 1;
        int64_t rows = (max_y - index->min_y) / index->cell + 1;
        if (columns > limit || rows > limit || columns * rows > limit)
            continue;
        index->columns = (int32_t)columns;
        index->rows = (int32_t)rows;
        return;
    }
}

static uint32_t cell_of(const ls_grid_index *index, const ls_neighbour *entry)
{
    uint32_t column = (uint32_t)(entry->x - index->min_x) / index->cell;
    uint32_t row = (uint32_t)(entry->y - index->min_y) / index->cell;
    return row * (uint32_t)index->columns + column;
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
    for (uint32_t i = 0; i < index->count; i++) {
        index->cells[i] = cell_of(index, &index->unsorted[i]);
        index->starts[index->cells[i] + 2]++;
    }
    for (uint32_t i = 2; i < cells + 2; i++)
        index->starts[i] += index->starts[i - 1];
    for (uint32_t i = 0; i < index->count; i++) {
        uint32_t place = index->starts[index->cells[i] + 1]++;
        index->entries[place] = index->unsorted[i];
        if (index->value_bytes)
            memcpy(index->values + (size_t)index->value_bytes * place,
                   index->unsorted_values + (size_t)index->value_bytes * i, index->value_bytes);
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
    ls_mutex_lock(&world->indexes->lock);
    uint64_t version = world->versions[plan->column];
    uint64_t with = plan->with == UINT32_MAX ? 0
                    : plan->carries          ? world->versions[plan->with]
                                             : world->presences[plan->with];
    if (!index->is_built || index->version != version || index->with_version != with) {
        collect(world, plan, index);
        lay_out(index, plan->grid.cell);
        sort_into_cells(index);
        index->version = version;
        index->with_version = with;
        index->is_built = true;
    }
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}

static int32_t clamp_cell(int64_t offset, uint32_t cell, int32_t count)
{
    if (offset < 0)
        return 0;
    if (offset > UINT32_MAX)
        return count - 1;
    uint32_t at = (uint32_t)offset / cell;
    return at < (uint32_t)count ? (int32_t)at : count - 1;
}

void ls_grid_enter_row(ls_grid_walk *walk)
{
    const uint32_t *starts = walk->index->starts + (size_t)walk->row * walk->index->columns;
    walk->next = starts[walk->column_first];
    walk->end = starts[walk->column_last + 1];
}

void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk)
{
    int64_t reach = radius;
    *walk = (ls_grid_walk){.index = index, .x = x, .y = y, .row = 0, .row_last = -1};
    walk->radius_squared = (uint64_t)(reach * reach);
    bool is_outside = x + reach < index->min_x || y + reach < index->min_y;
    if (index->count == 0 || radius < 0 || is_outside)
        return;
    walk->column_first = clamp_cell(x - reach - index->min_x, index->cell, index->columns);
    walk->column_last = clamp_cell(x + reach - index->min_x, index->cell, index->columns);
    walk->row = clamp_cell(y - reach - index->min_y, index->cell, index->rows);
    walk->row_last = clamp_cell(y + reach - index->min_y, index->cell, index->rows);
    ls_grid_enter_row(walk);
}

/* Bit mask of those of up to 64 entries that are within the radius. Without branches, because the
 * result is unpredictable. Absolute differences are below 2^32: a square needs all 64 bits, the sum
 * of two squares one more. */
static uint64_t find_hits(const ls_grid_walk *walk, const ls_neighbour *batch, uint32_t count)
{
    int64_t x = walk->x, y = walk->y;
    uint64_t limit = walk->radius_squared, hits = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t dx = (uint64_t)(batch[i].x - x), dy = (uint64_t)(batch[i].y - y);
        uint64_t dx_squared = dx * dx;
        uint64_t is_hit = (uint64_t)(dx_squared <= limit) & (dy * dy <= limit - dx_squared);
        hits |= is_hit << i;
    }
    return hits;
}

bool ls_grid_look(ls_grid_walk *walk)
{
    while (walk->row <= walk->row_last) {
        while (walk->next < walk->end) {
            uint32_t left = walk->end - walk->next, count = left < BATCH ? left : BATCH;
            walk->batch = &walk->index->entries[walk->next];
            walk->next += count;
            walk->hits = find_hits(walk, walk->batch, count);
            if (walk->hits)
                return true;
        }
        if (++walk->row <= walk->row_last)
            ls_grid_enter_row(walk);
    }
    return false;
}

const void *ls_grid_next_with(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    const ls_grid_index *index = walk->index;
    LS_ASSERT(index->value_bytes || index->count == 0);
    if (walk->hits == 0 && !ls_grid_look(walk))
        return NULL;
    const ls_neighbour *found = &walk->batch[__builtin_ctzll(walk->hits)];
    walk->hits &= walk->hits - 1;
    *neighbour = *found;
    return index->values + (size_t)index->value_bytes * (size_t)(found - index->entries);
}
