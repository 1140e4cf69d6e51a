/* The join by distance: entities sorted into square cells by counting. Entries of one cell keep the
 * canonical order in which they were found, so that a walk depends on the state alone. */
#include "core/query.h"
#include "core/store.h"

#include <string.h>

enum { CELLS_MIN = 1024, CELLS_PER_ENTRY = 2 };

static void collect(const ls_world *world, const ls_plan_grid *plan, ls_grid_index *index)
{
    const ls_plan_term terms[2] = {
        {.column = plan->column, .kind = LS_INCLUDE, .access = LS_READ},
        {.column = plan->with, .kind = LS_INCLUDE, .access = LS_PRESENCE},
    };
    uint32_t term_count = plan->with == UINT32_MAX ? 1 : 2;
    size_t bytes = world->sources[plan->column].cell_bytes;
    index->count = 0;
    for (uint32_t key = 0; ls_query_next(world, terms, term_count, 0, &key); key++) {
        uint32_t lane = key >> 16, page = key & 0xffff;
        uint64_t mask[LS_PAGE_WORDS];
        if (!ls_query_mask(world, terms, term_count, 0, lane, page, mask))
            continue;
        if (index->count + LS_PAGE_SLOTS > index->capacity) {
            index->capacity = index->capacity * 2 + LS_PAGE_SLOTS;
            size_t size = sizeof *index->entries * index->capacity;
            index->unsorted = ls_realloc(index->unsorted, size);
            index->entries = ls_realloc(index->entries, size);
        }
        const uint8_t *cells = ls_page_cells(ls_world_page(world, plan->column, lane, page));
        const uint32_t *generations = (const uint32_t *)(const void *)ls_page_cells(
            ls_world_page(world, ls_liveness(world), lane, page));
        for (uint32_t slot = ls_mask_next_set(mask, 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(mask, slot + 1)) {
            ls_neighbour *entry = &index->unsorted[index->count++];
            entry->entity = ls_entity_make(lane, page * LS_PAGE_SLOTS + slot, generations[slot]);
            memcpy(&entry->x, cells + bytes * slot + plan->grid.offset_x, sizeof entry->x);
            memcpy(&entry->y, cells + bytes * slot + plan->grid.offset_y, sizeof entry->y);
        }
    }
}

/* The bounding box in cells. Scattered worlds get larger cells, so that memory follows the number
 * of entries and not the extent of the map. */
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
    index->cell = cell;
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
    int64_t column = (entry->x - index->min_x) / index->cell;
    int64_t row = (entry->y - index->min_y) / index->cell;
    return (uint32_t)(row * index->columns + column);
}

static void sort_into_cells(ls_grid_index *index)
{
    uint32_t cells = (uint32_t)(index->columns * index->rows);
    if (cells + 2 > index->cell_capacity) {
        index->cell_capacity = (cells + 2) * 2;
        index->starts = ls_realloc(index->starts, sizeof(uint32_t) * index->cell_capacity);
    }
    /* Counted two places ahead, so that after the second pass starts[cell] is the cell's start. */
    memset(index->starts, 0, sizeof(uint32_t) * (cells + 2));
    for (uint32_t i = 0; i < index->count; i++)
        index->starts[cell_of(index, &index->unsorted[i]) + 2]++;
    for (uint32_t i = 2; i < cells + 2; i++)
        index->starts[i] += index->starts[i - 1];
    for (uint32_t i = 0; i < index->count; i++)
        index->entries[index->starts[cell_of(index, &index->unsorted[i]) + 1]++] =
            index->unsorted[i];
}

/* Two systems that begin at once may want the same index: the first builds it, and what it was
 * built from cannot change while one of them still runs, because the index counts as a read of the
 * positions and of the presence of `with`. Values of `with` may be written meanwhile. */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid)
{
    const ls_plan_grid *plan = &world->program->grids[grid];
    ls_grid_index *index = &world->grids[grid];
    pthread_mutex_lock(&world->grid_lock);
    uint64_t version = world->versions[plan->column];
    uint64_t with = plan->with == UINT32_MAX ? 0 : world->presences[plan->with];
    if (!index->is_built || index->version != version || index->with_presence != with) {
        collect(world, plan, index);
        lay_out(index, plan->grid.cell);
        sort_into_cells(index);
        index->version = version;
        index->with_presence = with;
        index->is_built = true;
    }
    pthread_mutex_unlock(&world->grid_lock);
    return index;
}

void ls_grid_reset(ls_grid_index *index)
{
    ls_free(index->entries);
    ls_free(index->unsorted);
    ls_free(index->starts);
    *index = (ls_grid_index){0};
}

static int32_t clamp_cell(int64_t offset, int64_t cell, int32_t count)
{
    if (offset < 0)
        return 0;
    int64_t at = offset / cell;
    return at < count ? (int32_t)at : count - 1;
}

static void enter_row(ls_grid_walk *walk)
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
    enter_row(walk);
}

bool ls_grid_next(ls_grid_walk *walk, ls_neighbour *neighbour)
{
    while (walk->row <= walk->row_last) {
        while (walk->next < walk->end) {
            const ls_neighbour *entry = &walk->index->entries[walk->next++];
            /* At most 2^32 each way: the squares need all 64 bits, their sum one more. */
            uint64_t dx = (uint64_t)(entry->x > walk->x ? (int64_t)entry->x - walk->x
                                                        : (int64_t)walk->x - entry->x);
            uint64_t dy = (uint64_t)(entry->y > walk->y ? (int64_t)entry->y - walk->y
                                                        : (int64_t)walk->y - entry->y);
            uint64_t dx_squared = dx * dx;
            if (dx > UINT32_MAX || dx_squared > walk->radius_squared || dy > UINT32_MAX ||
                dy * dy > walk->radius_squared - dx_squared)
                continue;
            *neighbour = *entry;
            return true;
        }
        if (++walk->row <= walk->row_last)
            enter_row(walk);
    }
    return false;
}
