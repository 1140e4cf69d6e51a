/* The part of building an index that both kinds share: a counting sort of entries into cells, by
 * pieces that idle threads take. Entries of one cell keep canonical order, so that what a walk
 * finds depends only on the state. */
#ifndef LS_INDEX_BUILD_H
#define LS_INDEX_BUILD_H
#include "core/run/join_index.h"
#include "core/run/parallel_for.h"

#include <string.h>

/* One page of the columns that become entries. */
typedef struct ls_index_page {
    ls_page *source, *with; /* with: `source` if the index has no such column */
    const uint32_t *generations;
    uint32_t lane, first_slot;
    uint32_t first; /* number of its first entry in canonical order */
} ls_index_page;

/* A part of the work that one thread does: consecutive pages, and so consecutive entries. */
typedef struct ls_index_piece {
    uint32_t page_first, page_end;
    uint32_t first, end; /* entries; collecting may lower `end` */
    bool is_same;        /* collecting found the entries of the last build */
    uint32_t *counts;    /* by cell: the number of its entries; then where the next one goes */
    uint32_t range_entries[LS_INDEX_PIECES_MAX]; /* by range of cells: the number of its entries */
} ls_index_piece;

typedef struct ls_index_build {
    const ls_world *world;
    ls_index *index;
    uint32_t column, with; /* with: UINT32_MAX for none */
    bool carries;          /* the index has the values of `with` */
    bool has_unsorted;     /* entries are listed before they are sorted */
    /* The most entries that a page can have; NULL: one for each slot with both columns. */
    uint32_t (*count_page)(const struct ls_index_build *build, const ls_index_page *page);
    uint32_t page_count, piece_count, cell_count;
    ls_index_piece pieces[LS_INDEX_PIECES_MAX];
} ls_index_build;

/* Whether the index was built from the columns as they are now. Values of `with` that it does not
 * carry do not count. */
bool ls_index_is_current(const ls_index_build *build);
/* Sets the sizes of an entry, whose head has 8, 16 or 24 bytes. */
void ls_index_set_layout(const ls_index_build *build, size_t head_bytes);
/* Lists the pages, and divides them into pieces. `count` of the index is then the sum of the pages'
 * counts. */
void ls_index_list_pages(ls_index_build *build);
/* Makes room for `count` entries, and runs `body` for each piece. `body` finds the range of the
 * piece's positions or keys, and writes the piece's entries to `unsorted` if has_unsorted. The
 * build is the first member of `argument`. */
void ls_index_collect(ls_index_build *build, ls_parallel_body *body, void *argument);
/* Whether all pieces have the entries of the last build, so that they are sorted already. */
bool ls_index_is_sorted(const ls_index_build *build);
/* Notes the versions of the columns: the index is built. */
void ls_index_finish(const ls_index_build *build);
/* Sorts the entries into `cells` cells, and sets `starts`. `count` begins the piece's counts, sets
 * the cell of each of its entries, and counts them. The counts then become places; `place` writes
 * each entry to the next place of its cell, and moves that place on. */
void ls_index_sort(ls_index_build *build, uint32_t cells, ls_parallel_body *count,
                   ls_parallel_body *place, void *argument);
/* For `place`: copies the entries from `unsorted`. The build is the first member of `argument`. */
void ls_index_place(void *argument, uint32_t piece);

/* Returns the piece with its counts set to 0. */
static inline const ls_index_piece *ls_index_begin_counts(const ls_index_build *build,
                                                          uint32_t number)
{
    const ls_index_piece *piece = &build->pieces[number];
    memset(piece->counts, 0, sizeof *piece->counts * build->cell_count);
    return piece;
}

/* Whether values are not in the entries, but in an array. */
static inline bool ls_index_has_value_array(const ls_index *index)
{
    return index->value_bytes > LS_CELL_BYTES_SMALL;
}

/* Where the values of collected entries go: the value of entry `i` is `step` * i bytes after the
 * returned place. */
static inline uint8_t *ls_index_unsorted_values(const ls_index *index, size_t *step)
{
    bool has_array = ls_index_has_value_array(index);
    *step = has_array ? index->value_bytes : index->entry_bytes;
    return has_array ? index->unsorted_values : index->unsorted + index->head_bytes;
}

/* The value of a sorted entry. */
static inline const void *ls_index_value(const ls_index *index, const void *entry)
{
    if (index->value_offset)
        return (const uint8_t *)entry + index->value_offset;
    size_t offset = (size_t)((const uint8_t *)entry - index->entries);
    return index->values + offset / index->entry_bytes * index->value_bytes;
}

static inline void ls_index_copy_value(uint8_t *to, const uint8_t *value, size_t bytes)
{
    if (LS_LIKELY(ls_cell_is_small(bytes)))
        ls_cell_copy(to, value, bytes);
    else
        memcpy(to, value, bytes);
}

#endif
