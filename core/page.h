/* Pages and page tables: the storage of one column in one lane. A page holds 256 consecutive slots;
 * tables find it in two steps. Everything is reference counted and copied before it is written
 * while shared, which is what makes a snapshot cheap.
 *   source  docs/design.md section 3 */
#ifndef LS_PAGE_H
#define LS_PAGE_H

#include "core/component.h"
#include "core/pool.h"

enum {
    LS_PAGE_SLOTS = 256,
    LS_PAGE_WORDS = LS_PAGE_SLOTS / 64,
    LS_DIRECTORY_PAGES = 256,
    LS_DIRECTORY_WORDS = LS_DIRECTORY_PAGES / 64,
    LS_TABLE_DIRECTORIES = 256, /* 256 * 256 * 256 slots a lane */
    LS_PAGE_CELLS_OFFSET = 128,
};

#define LS_PAGE_NONE UINT32_MAX

/* Absent cells are zero, so that content alone decides the bytes. A page with no bit set counts as
 * one that does not exist. */
typedef struct ls_page {
    /* Of liveness, no part of the state: the slots born in the tick `born_tick` - 1. Atomic,
     * because systems without an order with the spawning one look here. */
    _Atomic uint64_t born_tick;
    _Atomic uint64_t born[LS_PAGE_WORDS];
    /* What every access needs, on one cache line just before the cells. */
    _Alignas(64) atomic_uint refs; /* above 1 the page is immutable */
    /* Written since it was last hashed or shared: one holder, and marked in the directory as stale.
     * While it is so, a write needs no further look at either. */
    uint32_t is_open;
    uint64_t present[LS_PAGE_WORDS];
    /* at LS_PAGE_CELLS_OFFSET: the cells, indexed by slot */
} ls_page;

/* The bitmaps have a bit a page, and are atomic because workers change different pages at once. */
typedef struct ls_directory {
    atomic_uint refs;
    _Atomic uint64_t occupied[LS_DIRECTORY_WORDS]; /* has a bit of presence */
    _Atomic uint64_t full[LS_DIRECTORY_WORDS];     /* has all of them */
    _Atomic uint64_t stale[LS_DIRECTORY_WORDS];    /* its hash is out of date */
    uint64_t hash;                                 /* of `hashes`; 0 when all are */
    uint64_t hashes[LS_DIRECTORY_PAGES];           /* 0 says that the page is the same as none */
    _Atomic(ls_page *) pages[LS_DIRECTORY_PAGES];
} ls_directory;

/* The bitmaps have a bit a directory. */
typedef struct ls_table {
    atomic_uint refs;
    atomic_uint page_count;   /* one past the last page ever made; workers make pages at once */
    uint32_t directory_count; /* one past the last directory that exists */
    _Atomic uint64_t stale[LS_DIRECTORY_WORDS];   /* some hash in it is out of date */
    _Atomic uint64_t emptied[LS_DIRECTORY_WORDS]; /* some page lost its last bit of presence */
    uint64_t hash;                                /* of the directories; 0 when all theirs are */
    _Atomic(ls_directory *) directories[LS_TABLE_DIRECTORIES];
} ls_table;

/* Where the storage of one column takes its blocks from; tables and directories are shared by all
 * columns of a world. */
typedef struct ls_page_source {
    ls_pool *pages;
    ls_pool *directories;
    ls_pool *tables;
    const ls_component *component; /* of liveness: one u32, the generation */
    size_t cell_bytes;
    uint32_t cells; /* a page's: LS_PAGE_SLOTS, or 1 for a singleton */
} ls_page_source;

static inline uint8_t *ls_page_cells(ls_page *page)
{
    return (uint8_t *)page + LS_PAGE_CELLS_OFFSET;
}

static inline bool ls_page_has(const ls_page *page, uint32_t slot)
{
    return page->present[slot % LS_PAGE_SLOTS / 64] >> (slot % 64) & 1;
}

static inline bool ls_page_is_empty(const ls_page *page)
{
    return !(page->present[0] | page->present[1] | page->present[2] | page->present[3]);
}

/* The loads pair with the stores that publish a copy, because a lane's liveness may be copied by
 * the system that spawns while others check handles. */
static inline ls_directory *ls_table_directory(const ls_table *table, uint32_t page)
{
    return atomic_load_explicit(&table->directories[page / LS_DIRECTORY_PAGES],
                                memory_order_acquire);
}

static inline ls_page *ls_directory_page(const ls_directory *directory, uint32_t page)
{
    return atomic_load_explicit(&directory->pages[page % LS_DIRECTORY_PAGES], memory_order_acquire);
}

/* NULL when there is no such page. */
static inline ls_page *ls_table_page(const ls_table *table, uint32_t page)
{
    const ls_directory *directory = table ? ls_table_directory(table, page) : NULL;
    return directory ? ls_directory_page(directory, page) : NULL;
}

/* The same of a page that exists. */
static inline ls_page *ls_table_page_known(const ls_table *table, uint32_t page)
{
    return ls_directory_page(ls_table_directory(table, page), page);
}

static inline uint32_t ls_table_page_count(const ls_table *table)
{
    return table ? atomic_load_explicit(&table->page_count, memory_order_relaxed) : 0;
}

ls_table *ls_table_share(ls_table *table);
/* Drops one reference; what nobody else holds returns to the pools. NULL is allowed. */
void ls_table_release(ls_table *table, const ls_page_source *source);
/* Makes table and directories the caller's own (not the pages), so that several workers may then
 * write different pages. Makes the table if there is none, and directories up to `page_count`. */
void ls_table_own(ls_table **table, uint32_t page_count, const ls_page_source *source);
/* The first page at or after `from` that exists, LS_PAGE_NONE behind the last. */
uint32_t ls_table_next(const ls_table *table, uint32_t from);
/* The same of those that have a bit of presence, and of those that lack one: the latter may not
 * exist, and there is none behind the last that can. */
uint32_t ls_table_next_occupied(const ls_table *table, uint32_t from);
uint32_t ls_table_next_not_full(const ls_table *table, uint32_t from);
/* The page, which exists, copied when it is shared: a pointer into it then sees later writes, as it
 * would if nobody had taken a snapshot. The table is owned already. */
ls_page *ls_table_unshare(ls_table *table, uint32_t page, const ls_page_source *source);
/* ls_table_write() of a page that is missing or not open. */
ls_page *ls_table_open(ls_table *table, uint32_t page, const ls_page_source *source);

/* The page for writing: made when it does not exist, copied when shared, its hash dropped. The
 * table is owned already; a missing directory is made. */
static inline ls_page *ls_table_write(ls_table *table, uint32_t page, const ls_page_source *source)
{
    ls_page *found = ls_table_page(table, page);
    return LS_LIKELY(found && found->is_open) ? found : ls_table_open(table, page, source);
}

/* Brings the summaries of a page in line with its presence. */
void ls_table_settle(ls_table *table, uint32_t page);

/* Set and clear presence of one word of the page `at`, which is open. Whoever changes presence in
 * another way calls ls_table_settle() afterwards. */
static inline void ls_table_set(ls_table *table, uint32_t at, ls_page *page, uint32_t word,
                                uint64_t bits)
{
    uint64_t before = page->present[word], after = before | bits;
    page->present[word] = after;
    if (LS_UNLIKELY(after != before && (before == 0 || after == UINT64_MAX)))
        ls_table_settle(table, at);
}

static inline void ls_table_clear(ls_table *table, uint32_t at, ls_page *page, uint32_t word,
                                  uint64_t bits)
{
    uint64_t before = page->present[word], after = before & ~bits;
    page->present[word] = after;
    if (LS_UNLIKELY(after != before && (after == 0 || before == UINT64_MAX)))
        ls_table_settle(table, at);
}

/* Gives pages without presence back, between ticks; for columns where such pages are nothing. */
void ls_table_reclaim(ls_table *table, const ls_page_source *source);

/* Runs in 256-bit masks: the first set (or clear) bit at or after `from`, 256 when there is none.
 */
uint32_t ls_mask_next_set(const uint64_t *mask, uint32_t from);
uint32_t ls_mask_next_clear(const uint64_t *mask, uint32_t from);

#endif
