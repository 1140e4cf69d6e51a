/* Page tables: find, write and return pages. Everything is reference counted, and copied before it
 * is written while shared; that makes snapshots cheap.
 *   source  docs/design.md section 3 */
#ifndef LS_TABLE_H
#define LS_TABLE_H

#include "core/state/page.h"

/* A spawning system may copy a lane's liveness while others check handles. These acquire loads pair
 * with the release stores that publish the copy. */
static inline ls_directory *ls_table_directory(const ls_table *table, uint32_t page)
{
    return atomic_load_explicit(&table->directories[page / LS_DIRECTORY_PAGES],
                                memory_order_acquire);
}

static inline ls_page *ls_directory_page(const ls_directory *directory, uint32_t page)
{
    return atomic_load_explicit(&directory->entries[page % LS_DIRECTORY_PAGES].page,
                                memory_order_acquire);
}

/* Whether every slot of the page is present. Relaxed, as in ls_table_page_count(): the schedule
 * orders the caller with all systems that change presence. */
static inline bool ls_directory_is_full(const ls_directory *directory, uint32_t page)
{
    uint32_t in = page % LS_DIRECTORY_PAGES;
    return atomic_load_explicit(&directory->full[in / 64], memory_order_relaxed) >> (in % 64) & 1;
}

/* The stale pages of a word (64 pages), if all stale pages of the directory are open; else 0. For
 * these the caller need not read `is_open`. Relaxed, as in ls_table_page_count(). */
static inline uint64_t ls_directory_open_pages(const ls_directory *directory, uint32_t word)
{
    return atomic_load_explicit(&directory->may_be_closed, memory_order_relaxed)
               ? 0
               : atomic_load_explicit(&directory->stale[word], memory_order_relaxed);
}

/* NULL when there is no such page. */
static inline ls_page *ls_table_page(const ls_table *table, uint32_t page)
{
    const ls_directory *directory = table ? ls_table_directory(table, page) : NULL;
    return directory ? ls_directory_page(directory, page) : NULL;
}

/* Like ls_table_page(), for a page that exists. */
static inline ls_page *ls_table_page_known(const ls_table *table, uint32_t page)
{
    return ls_directory_page(ls_table_directory(table, page), page);
}

/* The hash of a page; 0 when it does not exist or counts as absent. Hashes must be up to date, as
 * after a root. */
static inline uint64_t ls_table_page_hash(const ls_table *table, uint32_t page)
{
    const ls_directory *directory = table ? ls_table_directory(table, page) : NULL;
    return directory ? directory->entries[page % LS_DIRECTORY_PAGES].hash : 0;
}

static inline uint32_t ls_table_page_count(const ls_table *table)
{
    return table ? atomic_load_explicit(&table->page_count, memory_order_relaxed) : 0;
}

/* For a page of liveness: the number of generations from slot 0 to the last nonzero one. */
static inline uint32_t ls_page_used_generations(const ls_page *lives)
{
    const uint32_t *generations = ls_page_generations(lives);
    uint32_t count = LS_PAGE_SLOTS;
    while (count > 0 && generations[count - 1] == 0)
        count--;
    return count;
}

ls_table *ls_table_share(ls_table *table);
/* Drops one reference; pages without another owner return to the pools. NULL is allowed. */
void ls_table_release(ls_table *table, const ls_page_source *source);
/* Makes the caller the owner of table and directories (not of pages), so that several workers may
 * then write different pages. Creates a missing table, and directories for `page_count` pages. */
void ls_table_own(ls_table **table, uint32_t page_count, const ls_page_source *source);
/* Creates the directories that an owned table lacks for its first `page_count` pages. */
void ls_table_reserve(ls_table *table, uint32_t page_count, const ls_page_source *source);
/* A new table that shares its pages with `table`; NULL for NULL. */
ls_table *ls_table_copy(ls_table *table, const ls_page_source *source);
/* The first existing page from `from` on; LS_PAGE_NONE after the last. */
uint32_t ls_table_next(const ls_table *table, uint32_t from);
/* occupied: the first page from `from` on with a presence bit. not_full: the first page that lacks
 * a presence bit or does not exist. LS_PAGE_NONE after the last possible page. */
uint32_t ls_table_next_occupied(const ls_table *table, uint32_t from);
uint32_t ls_table_next_not_full(const ls_table *table, uint32_t from);
/* Returns an existing page; copies it first if it is shared. A pointer into it then shows later
 * writes, just as it would without a snapshot. The caller must own the table. */
ls_page *ls_table_unshare(ls_table *table, uint32_t page, const ls_page_source *source);
/* ls_table_write() for a page that is missing or not open. */
ls_page *ls_table_open(ls_table *table, uint32_t page, const ls_page_source *source);

/* Returns a page for writing: creates it if it does not exist, copies it if it is shared, and
 * invalidates its hash. The caller must own the table; a missing directory is created. */
static inline ls_page *ls_table_write(ls_table *table, uint32_t page, const ls_page_source *source)
{
    ls_page *found = ls_table_page(table, page);
    return LS_LIKELY(found && found->is_open) ? found : ls_table_open(table, page, source);
}

/* Removes the cells of `dying`, a mask of an existing page. A page that has no other cells leaves
 * the table; it is neither copied nor zeroed. The caller must own the table; no system runs. */
void ls_table_clear_page(ls_table *table, uint32_t page, const uint64_t *dying,
                         const ls_page_source *source);

/* Updates the summaries of a page from its presence. */
void ls_table_settle(ls_table *table, uint32_t page);

/* Set and clear presence bits in one word of page `at`, which must be open. Code that changes
 * presence in another way must call ls_table_settle() afterwards. */
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

/* The slots in word `word` whose cells differ between two pages, as bits; NULL means an empty page.
 * For liveness also slots whose generations differ. */
uint64_t ls_page_changes(const ls_page_source *source, ls_page *one, ls_page *other, uint32_t word);

/* Returns pages without presence to the pools, when no system runs. Only for columns where such
 * pages have no content: not for liveness. */
void ls_table_reclaim_emptied(ls_table *table, const ls_page_source *source);

/* Calls ls_table_reclaim_emptied() if needed; inline, because tables seldom have such pages. NULL
 * is allowed. Relaxed: no system runs. */
static inline void ls_table_reclaim(ls_table *table, const ls_page_source *source)
{
    if (LS_UNLIKELY(table && atomic_load_explicit(&table->has_emptied, memory_order_relaxed)))
        ls_table_reclaim_emptied(table, source);
}

#endif
