#include "core/run/index_build.h"

#include "core/base/bounds.h"
#include "core/base/grow.h"
#include "core/run/scratch.h"

/* A smaller piece is not worth handing over: that costs about 0.2 us, and collecting an entry some
 * nanoseconds. */
enum { PIECE_ENTRIES_MIN = 2048 };

/* The bytes of an entry's head and of its value. They are constants where the function that takes
 * them is inlined. */
typedef struct entry_parts {
    size_t head, value;
} entry_parts;

static uint64_t with_version(const ls_index_build *build)
{
    const ls_world *world = build->world;
    return build->with == UINT32_MAX ? 0
           : build->carries          ? world->versions[build->with]
                                     : world->presences[build->with];
}

bool ls_index_is_current(const ls_index_build *build)
{
    const ls_index *index = build->index;
    return index->is_built && index->version == build->world->versions[build->column] &&
           index->with_version == with_version(build);
}

void ls_index_set_layout(const ls_index_build *build, size_t head_bytes)
{
    ls_index *index = build->index;
    size_t value_bytes = build->carries ? build->world->sources[build->with].cell_bytes : 0;
    index->head_bytes = (uint32_t)head_bytes;
    index->value_bytes = (uint32_t)value_bytes;
    bool is_in_entry = value_bytes && !ls_index_has_value_array(index);
    uint32_t entry_bytes = (uint32_t)(head_bytes + (is_in_entry ? (value_bytes + 7) / 8 * 8 : 0));
    index->value_offset = is_in_entry ? index->head_bytes : 0;
    if (index->entry_bytes != entry_bytes)
        index->capacity = 0; /* entries of another size had room there */
    index->entry_bytes = entry_bytes;
}

static void make_room(ls_index *index, bool has_unsorted)
{
    uint32_t count = index->count;
    if (count <= index->capacity)
        return;
    index->capacity = count + count / 2 + LS_PAGE_SLOTS;
    size_t bytes = (size_t)index->entry_bytes * index->capacity;
    size_t value_bytes = (size_t)index->value_bytes * index->capacity;
    index->entries = ls_realloc(index->entries, bytes);
    index->cells = ls_realloc(index->cells, sizeof *index->cells * index->capacity);
    if (ls_index_has_value_array(index))
        index->values = ls_realloc(index->values, value_bytes);
    if (has_unsorted)
        index->unsorted = ls_realloc(index->unsorted, bytes);
    if (has_unsorted && ls_index_has_value_array(index))
        index->unsorted_values = ls_realloc(index->unsorted_values, value_bytes);
}

static uint32_t count_slots(const ls_index_page *page)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        count +=
            (uint32_t)__builtin_popcountll(page->source->present[word] & page->with->present[word]);
    return count;
}

static void list_page(ls_index_build *build, uint32_t lane, uint32_t page)
{
    const ls_world *world = build->world;
    ls_index *index = build->index;
    ls_index_page listed = {.source = ls_world_page(world, build->column, lane, page),
                            .lane = lane,
                            .first_slot = page * LS_PAGE_SLOTS,
                            .first = index->count};
    listed.with =
        build->with == UINT32_MAX ? listed.source : ls_world_page(world, build->with, lane, page);
    uint32_t count = !listed.with        ? 0
                     : build->count_page ? build->count_page(build, &listed)
                                         : count_slots(&listed);
    if (count == 0)
        return;
    index->pages =
        ls_grow(index->pages, build->page_count, &index->page_capacity, sizeof *index->pages);
    listed.generations = ls_page_generations(ls_world_page(world, ls_liveness(world), lane, page));
    index->pages[build->page_count++] = listed;
    index->count += count;
}

/* Each piece has about as many pages as the others. */
static void divide(ls_index_build *build, uint32_t threads)
{
    const ls_index *index = build->index;
    uint32_t count = ls_min_u32(threads, index->count / PIECE_ENTRIES_MIN);
    count = ls_min_u32(count, LS_INDEX_PIECES_MAX);
    build->piece_count = count ? count : 1;
    for (uint32_t i = 0; i < build->piece_count; i++) {
        ls_index_piece *piece = &build->pieces[i];
        piece->page_first = (uint32_t)((uint64_t)build->page_count * i / build->piece_count);
        piece->page_end = (uint32_t)((uint64_t)build->page_count * (i + 1) / build->piece_count);
        piece->first = piece->page_first < build->page_count ? index->pages[piece->page_first].first
                                                             : index->count;
        piece->end = piece->page_end < build->page_count ? index->pages[piece->page_end].first
                                                         : index->count;
    }
}

void ls_index_list_pages(ls_index_build *build)
{
    const ls_world *world = build->world;
    const ls_parallel_for *loop = world->scratch->loop;
    build->index->count = 0;
    build->page_count = 0;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, build->column, lane);
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1))
            list_page(build, lane, page);
    }
    divide(build, loop ? loop->threads : 1);
}

void ls_index_collect(ls_index_build *build, ls_parallel_body *body, void *argument)
{
    make_room(build->index, build->has_unsorted);
    ls_parallel_for_run(build->world->scratch->loop, build->piece_count, body, argument);
}

/* Copies the entries to their cells: each to the next place of its cell. Inline, for constant
 * sizes. */
LS_INLINE void place_entries(const ls_index *index, const ls_index_piece *piece, entry_parts parts)
{
    size_t bytes = parts.head + parts.value;
    const uint8_t *entry = index->unsorted + bytes * piece->first;
    uint8_t *entries = index->entries;
    const uint32_t *cells = index->cells;
    uint32_t *next = piece->counts, end = piece->end;
    for (uint32_t i = piece->first; i < end; i++, entry += bytes) {
        uint8_t *to = entries + bytes * next[cells[i]]++;
        memcpy(to, entry, parts.head);
        if (parts.value)
            ls_cell_copy(to + parts.head, entry + parts.head, parts.value);
    }
}

/* place_entries() for entries with their values in an array. */
LS_INLINE void place_with_array(const ls_index *index, const ls_index_piece *piece, size_t bytes)
{
    for (uint32_t i = piece->first; i < piece->end; i++) {
        uint32_t to = piece->counts[index->cells[i]]++;
        memcpy(index->entries + bytes * to, index->unsorted + bytes * i, bytes);
        memcpy(index->values + (size_t)index->value_bytes * to,
               index->unsorted_values + (size_t)index->value_bytes * i, index->value_bytes);
    }
}

LS_INLINE void place_by_value(const ls_index *index, const ls_index_piece *piece, size_t head_bytes)
{
    size_t value_bytes = index->entry_bytes - index->head_bytes;
    if (ls_index_has_value_array(index))
        place_with_array(index, piece, head_bytes);
    else if (value_bytes == 0)
        place_entries(index, piece, (entry_parts){head_bytes, 0});
    else if (value_bytes == 8)
        place_entries(index, piece, (entry_parts){head_bytes, 8});
    else
        place_entries(index, piece, (entry_parts){head_bytes, value_bytes});
}

void ls_index_place(void *argument, uint32_t number)
{
    const ls_index_build *build = argument;
    const ls_index *index = build->index;
    const ls_index_piece *piece = &build->pieces[number];
    LS_ASSERT(index->head_bytes == 8 || index->head_bytes == 16 || index->head_bytes == 24);
    if (index->head_bytes == 8)
        place_by_value(index, piece, 8);
    else if (index->head_bytes == 16)
        place_by_value(index, piece, 16);
    else
        place_by_value(index, piece, 24);
}

/* The cells are divided into as many ranges as there are pieces. */
static uint32_t range_first(const ls_index_build *build, uint32_t range)
{
    return (uint32_t)((uint64_t)build->cell_count * range / build->piece_count);
}

static void count_ranges(void *argument, uint32_t number)
{
    ls_index_build *build = argument;
    ls_index_piece *piece = &build->pieces[number];
    for (uint32_t range = 0; range < build->piece_count; range++) {
        uint32_t sum = 0, end = range_first(build, range + 1);
        for (uint32_t cell = range_first(build, range); cell < end; cell++)
            sum += piece->counts[cell];
        piece->range_entries[range] = sum;
    }
}

/* Replaces each count of a cell in the range by the place where the piece's first entry of that
 * cell goes: after the entries of earlier pieces, which are earlier in canonical order. */
static void sum_up_range(void *argument, uint32_t range)
{
    const ls_index_build *build = argument;
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
static void sum_up_alone(const ls_index_build *build)
{
    uint32_t *next = build->pieces[0].counts, sum = 0;
    for (uint32_t cell = 0; cell < build->cell_count; cell++) {
        uint32_t here = next[cell];
        next[cell] = sum;
        sum += here;
    }
}

void ls_index_sort(ls_index_build *build, uint32_t cells, ls_parallel_body *count,
                   ls_parallel_body *place, void *argument)
{
    ls_index *index = build->index;
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
    ls_parallel_for_run(loop, build->piece_count, count, argument);
    if (is_alone) {
        sum_up_alone(build);
    } else {
        ls_parallel_for_run(loop, build->piece_count, count_ranges, build);
        ls_parallel_for_run(loop, build->piece_count, sum_up_range, build);
    }
    ls_parallel_for_run(loop, build->piece_count, place, argument);
}

/* Pieces without a gap between them are one run, so that the number of threads makes no
 * difference. */
static ls_index_runs runs_of(const ls_index_build *build)
{
    ls_index_runs runs = {0};
    for (uint32_t i = 0; i < build->piece_count; i++) {
        const ls_index_piece *piece = &build->pieces[i];
        if (runs.count == 0 || runs.ends[runs.count - 1] != piece->first)
            runs.firsts[runs.count++] = piece->first;
        runs.ends[runs.count - 1] = piece->end;
    }
    return runs;
}

bool ls_index_is_sorted(const ls_index_build *build)
{
    const ls_index *index = build->index;
    const ls_index_runs runs = runs_of(build);
    bool is_same = index->is_built && memcmp(&runs, &index->runs, sizeof runs) == 0;
    for (uint32_t i = 0; is_same && i < build->piece_count; i++)
        is_same = build->pieces[i].is_same;
    return is_same;
}

void ls_index_finish(const ls_index_build *build)
{
    ls_index *index = build->index;
    index->runs = runs_of(build);
    index->version = build->world->versions[build->column];
    index->with_version = with_version(build);
    index->is_built = true;
}
