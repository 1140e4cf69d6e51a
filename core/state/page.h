/* Pages, and the two-level tables that find them: the storage of one column in one lane. A page
 * holds 256 consecutive slots. Operations on them: core/state/table.h.
 *   source  docs/design.md section 3 */
#ifndef LS_PAGE_H
#define LS_PAGE_H

#include "core/base/pool.h"
#include <lockstep/cell.h>
#include <lockstep/component.h>

enum {
    LS_PAGE_WORDS = LS_PAGE_SLOTS / 64,
    LS_DIRECTORY_PAGES = 256,
    LS_DIRECTORY_WORDS = LS_DIRECTORY_PAGES / 64,
    LS_TABLE_DIRECTORIES = 256, /* 256 directories of 256 pages of 256 slots */
    LS_PAGE_CELLS_OFFSET = 128,
};

_Static_assert(LS_PAGE_WORDS == 4, "ls_presence_differs() in lockstep/cell.h reads four words");

#define LS_PAGE_NONE UINT32_MAX

/* Absent cells are zero: equal content has equal bytes. Pages without presence count as absent. */
typedef struct ls_page {
    /* Only in pages of liveness, and not part of the state: the slots spawned in epoch
     * `spawn_epoch`. Atomic, because systems without an order with the spawner read them. */
    _Atomic uint64_t spawn_epoch;
    _Atomic uint64_t spawned[LS_PAGE_WORDS];
    /* The fields that every access needs share the cache line before the cells. */
    _Alignas(64) atomic_uint refs; /* above 1: shared, so the page is immutable */
    /* Not 0: the page was written since it was last hashed or shared. It then has one owner, and is
     * marked stale in the directory, so further writes check neither. */
    uint32_t is_open;
    uint64_t present[LS_PAGE_WORDS];
    /* at LS_PAGE_CELLS_OFFSET: the cells, by slot */
} ls_page;

typedef struct ls_directory_entry {
    uint64_t hash; /* 0: the page counts as absent */
    _Atomic(ls_page *) page;
} ls_directory_entry;

/* A directory of pages. The bitmaps have a bit per page, and are atomic because workers change
 * different pages at the same time. The layout serves many small worlds that run in turn and exceed
 * the caches. With one page per table, a world touches only the first two cache lines of a
 * directory and the first one of a table. */
typedef struct ls_directory {
    atomic_uint refs;
    atomic_uint may_be_closed;                     /* 0: each page that is stale is open */
    uint64_t hash;                                 /* of the pages' hashes; 0: all of them are 0 */
    _Atomic uint64_t occupied[LS_DIRECTORY_WORDS]; /* the page has a presence bit */
    _Atomic uint64_t full[LS_DIRECTORY_WORDS];     /* the page has all presence bits */
    _Atomic uint64_t stale[LS_DIRECTORY_WORDS];    /* the page's hash is out of date */
    ls_directory_entry entries[LS_DIRECTORY_PAGES];
} ls_directory;

/* A table of directories: one column in one lane. The bitmaps have a bit per directory. */
typedef struct ls_table {
    atomic_uint refs;
    atomic_uint page_count;   /* one past the highest page ever; workers create pages in parallel */
    uint32_t directory_count; /* one past the highest directory */
    atomic_uint has_emptied;  /* 0: no bit of `emptied` is set */
    uint64_t hash;            /* of the directories' hashes; 0: all of them are 0 */
    _Atomic uint64_t stale[LS_DIRECTORY_WORDS]; /* a hash in the directory is out of date */
    _Atomic(ls_directory *) directories[LS_TABLE_DIRECTORIES];
    _Atomic uint64_t emptied[LS_DIRECTORY_WORDS]; /* a page lost its last presence bit */
} ls_table;

/* The pools that the storage of a column uses. All columns of a world share the pools of tables and
 * directories. */
typedef struct ls_page_source {
    ls_pool *pages, *directories, *tables;
    _Atomic uint64_t *moves;       /* rises after a page of the column got or lost an address */
    const ls_component *component; /* for liveness: one u32, the generation */
    size_t cell_bytes;
    uint32_t cells; /* per page: LS_PAGE_SLOTS, or 1 for a singleton */
} ls_page_source;

static inline uint8_t *ls_page_cells(ls_page *page)
{
    return (uint8_t *)page + LS_PAGE_CELLS_OFFSET;
}

/* The cells of a page of liveness are generations. */
static inline uint32_t *ls_page_generations_write(ls_page *lives)
{
    return (uint32_t *)(void *)ls_page_cells(lives);
}

static inline const uint32_t *ls_page_generations(const ls_page *lives)
{
    return (const uint32_t *)(const void *)((const uint8_t *)lives + LS_PAGE_CELLS_OFFSET);
}

static inline bool ls_page_has(const ls_page *page, uint32_t slot)
{
    return page->present[slot % LS_PAGE_SLOTS / 64] >> (slot % 64) & 1;
}

static inline bool ls_page_is_empty(const ls_page *page)
{
    return !(page->present[0] | page->present[1] | page->present[2] | page->present[3]);
}

/* Zeroes the cells of `bits` in a word of the page; small ones without a call of memset(). */
static inline void ls_cells_zero(ls_page *page, size_t bytes, uint32_t word, uint64_t bits)
{
    uint8_t *cells = ls_page_cells(page) + bytes * 64 * word;
    if (bits == UINT64_MAX) {
        memset(cells, 0, bytes * 64);
        return;
    }
    for (; bytes && bits; bits &= bits - 1) {
        uint8_t *cell = cells + bytes * (uint32_t)__builtin_ctzll(bits);
        if (ls_cell_is_small(bytes))
            ls_cell_zero(cell, bytes);
        else
            memset(cell, 0, bytes);
    }
}

/* Finds runs in 256-bit masks: the first set bit from `from` on, or with `flip` all ones, the first
 * clear one; 256 when there is none. */
static inline uint32_t ls_mask_next(const uint64_t *mask, uint32_t from, uint64_t flip)
{
    uint32_t word = from / 64;
    if (word >= LS_PAGE_WORDS)
        return LS_PAGE_SLOTS;
    uint64_t bits = (mask[word] ^ flip) >> (from % 64);
    if (bits)
        return from + (uint32_t)__builtin_ctzll(bits);
    while (++word < LS_PAGE_WORDS) {
        bits = mask[word] ^ flip;
        if (bits)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return LS_PAGE_SLOTS;
}

static inline uint32_t ls_mask_next_set(const uint64_t *mask, uint32_t from)
{
    return ls_mask_next(mask, from, 0);
}

static inline uint32_t ls_mask_next_clear(const uint64_t *mask, uint32_t from)
{
    return ls_mask_next(mask, from, UINT64_MAX);
}

#endif
