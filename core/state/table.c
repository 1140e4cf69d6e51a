#include "core/state/table.h"

#include <string.h>

_Static_assert(sizeof(ls_page) == LS_PAGE_CELLS_OFFSET, "cells start after the head of a page");

ls_table *ls_table_share(ls_table *table)
{
    if (table)
        /* Relaxed: the caller is an owner, so the count cannot fall to 0 meanwhile. */
        atomic_fetch_add_explicit(&table->refs, 1, memory_order_relaxed);
    return table;
}

/* True for the last owner. Release: this owner reads and writes no more; acquire: the last owner
 * frees after all of that. */
static bool drop(atomic_uint *refs)
{
    return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

/* Acquire: the only owner left writes in place, after the reads of owners that have dropped their
 * references. */
static bool is_shared(const atomic_uint *refs)
{
    return atomic_load_explicit(refs, memory_order_acquire) > 1;
}

/* A system that spawns may create a directory while others look up handles of its lane: the
 * release in set_directory() publishes the directory's zeroed entries to them. */
static ls_directory *directory_at(const ls_table *table, uint32_t at)
{
    return atomic_load_explicit(&table->directories[at], memory_order_acquire);
}

static void set_directory(ls_table *table, uint32_t at, ls_directory *directory)
{
    atomic_store_explicit(&table->directories[at], directory, memory_order_release);
}

static void release_directory(ls_directory *directory, const ls_page_source *source)
{
    if (!drop(&directory->refs))
        return;
    for (uint32_t i = 0; i < LS_DIRECTORY_PAGES; i++) {
        ls_page *page = atomic_load_explicit(&directory->entries[i].page, memory_order_relaxed);
        if (page && drop(&page->refs))
            ls_pool_give(source->pages, page);
    }
    ls_pool_give(source->directories, directory);
}

void ls_table_release(ls_table *table, const ls_page_source *source)
{
    if (!table || !drop(&table->refs))
        return;
    for (uint32_t i = 0; i < table->directory_count; i++) {
        ls_directory *directory = directory_at(table, i);
        if (directory)
            release_directory(directory, source);
    }
    ls_pool_give(source->tables, table);
}

static ls_directory *make_directory(const ls_page_source *source)
{
    ls_directory *directory = ls_pool_take(source->directories);
    memset(directory, 0, sizeof *directory);
    atomic_init(&directory->refs, 1);
    return directory;
}

/* Relaxed, here and in set_bit(): a bit belongs to the worker that may change its page, and the
 * schedule orders it with all that read it. Atomic, because other workers may change other bits of
 * the word. */
static void copy_bits(_Atomic uint64_t *to, const _Atomic uint64_t *from)
{
    for (uint32_t word = 0; word < LS_DIRECTORY_WORDS; word++)
        atomic_init(&to[word], atomic_load_explicit(&from[word], memory_order_relaxed));
}

static void set_bit(_Atomic uint64_t *bits, uint32_t at, bool value)
{
    _Atomic uint64_t *word = &bits[at / 64];
    uint64_t bit = (uint64_t)1 << (at % 64);
    if (((atomic_load_explicit(word, memory_order_relaxed) & bit) != 0) == value)
        return;
    if (value)
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
}

/* Copying a directory closes all its pages. So until the next root, `may_be_closed` must tell in
 * both directories that stale pages, if any, are not open. */
static void note_closed(ls_directory *own, ls_directory *shared)
{
    uint64_t stale = 0;
    for (uint32_t word = 0; word < LS_DIRECTORY_WORDS; word++)
        stale |= atomic_load_explicit(&own->stale[word], memory_order_relaxed);
    atomic_init(&own->may_be_closed, stale != 0);
    if (stale)
        atomic_store_explicit(&shared->may_be_closed, 1, memory_order_relaxed);
}

static ls_directory *copy_directory(ls_directory *shared, const ls_page_source *source)
{
    ls_directory *own = ls_pool_take(source->directories);
    atomic_init(&own->refs, 1);
    copy_bits(own->occupied, shared->occupied);
    copy_bits(own->full, shared->full);
    copy_bits(own->stale, shared->stale);
    own->hash = shared->hash;
    note_closed(own, shared);
    for (uint32_t i = 0; i < LS_DIRECTORY_PAGES; i++) {
        ls_page *page = atomic_load_explicit(&shared->entries[i].page, memory_order_relaxed);
        if (page) {
            /* A page that is closed already is not written, because a snapshot that another thread
             * reads may have it. Relaxed: systems without an order may keep one column as a
             * baseline at the same time; both close it. */
            if (__atomic_load_n(&page->is_open, __ATOMIC_RELAXED))
                __atomic_store_n(&page->is_open, 0, __ATOMIC_RELAXED);
            atomic_fetch_add_explicit(&page->refs, 1, memory_order_relaxed);
        }
        own->entries[i].hash = shared->entries[i].hash;
        atomic_init(&own->entries[i].page, page);
    }
    release_directory(shared, source);
    return own;
}

static ls_table *copy_table(ls_table *shared, const ls_page_source *source)
{
    ls_table *own = ls_pool_take(source->tables);
    memset(own, 0, sizeof *own);
    atomic_init(&own->refs, 1);
    if (!shared)
        return own;
    own->directory_count = shared->directory_count;
    own->hash = shared->hash;
    copy_bits(own->stale, shared->stale);
    copy_bits(own->emptied, shared->emptied);
    atomic_init(&own->has_emptied,
                atomic_load_explicit(&shared->has_emptied, memory_order_relaxed));
    atomic_init(&own->page_count, atomic_load_explicit(&shared->page_count, memory_order_relaxed));
    for (uint32_t i = 0; i < shared->directory_count; i++) {
        ls_directory *directory = directory_at(shared, i);
        if (directory)
            atomic_fetch_add_explicit(&directory->refs, 1, memory_order_relaxed);
        set_directory(own, i, directory);
    }
    ls_table_release(shared, source);
    return own;
}

void ls_table_reserve(ls_table *table, uint32_t page_count, const ls_page_source *source)
{
    uint32_t wanted = (page_count + LS_DIRECTORY_PAGES - 1) / LS_DIRECTORY_PAGES;
    for (uint32_t i = 0; i < wanted; i++) {
        if (!directory_at(table, i))
            set_directory(table, i, make_directory(source));
    }
    if (wanted > table->directory_count)
        table->directory_count = wanted;
}

void ls_table_own(ls_table **table, uint32_t page_count, const ls_page_source *source)
{
    if (!*table || is_shared(&(*table)->refs))
        *table = copy_table(*table, source);
    ls_table *own = *table;
    for (uint32_t i = 0; i < own->directory_count; i++) {
        ls_directory *directory = directory_at(own, i);
        if (directory && is_shared(&directory->refs))
            set_directory(own, i, copy_directory(directory, source));
    }
    ls_table_reserve(own, page_count, source);
}

ls_table *ls_table_copy(ls_table *table, const ls_page_source *source)
{
    ls_table *copy = ls_table_share(table);
    if (copy)
        ls_table_own(&copy, 0, source);
    return copy;
}

/* Release: a thread that sees the new count (ls_page_cache_begin()) sees the new address, too. */
static void note_move(const ls_page_source *source)
{
    atomic_fetch_add_explicit(source->moves, 1, memory_order_release);
}

static ls_page *make_page(const ls_page_source *source)
{
    ls_page *page = ls_pool_take(source->pages);
    memset(page, 0, LS_PAGE_CELLS_OFFSET + source->cell_bytes * source->cells);
    atomic_init(&page->refs, 1);
    return page;
}

static ls_page *copy_page(ls_page *shared, const ls_page_source *source)
{
    ls_page *own = ls_pool_take(source->pages);
    atomic_init(&own->refs, 1);
    atomic_init(&own->spawn_epoch, 0);
    own->is_open = 0;
    memcpy(own->present, shared->present, sizeof own->present);
    memcpy(ls_page_cells(own), ls_page_cells(shared), source->cell_bytes * source->cells);
    if (drop(&shared->refs))
        ls_pool_give(source->pages, shared);
    return own;
}

/* The page of an owned directory; copies it if a snapshot shares it. Readers of liveness may read
 * the entry meanwhile: they see the old page or the new one, which are equal. Release: pairs with
 * ls_directory_page(). Relaxed: only this thread changes the entry. */
static ls_page *own_page(_Atomic(ls_page *) *entry, const ls_page_source *source)
{
    ls_page *found = atomic_load_explicit(entry, memory_order_relaxed);
    if (is_shared(&found->refs)) {
        found = copy_page(found, source);
        atomic_store_explicit(entry, found, memory_order_release);
        note_move(source);
    }
    return found;
}

/* Relaxed: the count publishes nothing, and the schedule orders the systems that iterate up to it
 * after the workers. */
static void raise_page_count(ls_table *table, uint32_t count)
{
    uint32_t seen = atomic_load_explicit(&table->page_count, memory_order_relaxed);
    while (seen < count &&
           !atomic_compare_exchange_weak_explicit(&table->page_count, &seen, count,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

ls_page *ls_table_open(ls_table *table, uint32_t page, const ls_page_source *source)
{
    uint32_t at = page / LS_DIRECTORY_PAGES;
    if (!directory_at(table, at)) {
        set_directory(table, at, make_directory(source));
        if (at >= table->directory_count)
            table->directory_count = at + 1;
    }
    ls_directory *directory = directory_at(table, at);
    _Atomic(ls_page *) *entry = &directory->entries[page % LS_DIRECTORY_PAGES].page;
    ls_page *found = atomic_load_explicit(entry, memory_order_relaxed);
    if (!found) {
        raise_page_count(table, page + 1);
        found = make_page(source);
        atomic_store_explicit(entry, found, memory_order_release);
        note_move(source);
    }
    found = own_page(entry, source);
    set_bit(directory->stale, page % LS_DIRECTORY_PAGES, true);
    set_bit(table->stale, at, true);
    found->is_open = 1;
    return found;
}

ls_page *ls_table_unshare(ls_table *table, uint32_t page, const ls_page_source *source)
{
    ls_directory *directory = directory_at(table, page / LS_DIRECTORY_PAGES);
    return own_page(&directory->entries[page % LS_DIRECTORY_PAGES].page, source);
}

void ls_table_settle(ls_table *table, uint32_t page)
{
    uint32_t at = page / LS_DIRECTORY_PAGES, bit = page % LS_DIRECTORY_PAGES;
    ls_directory *directory = directory_at(table, at);
    const ls_page *found = ls_table_page(table, page);
    const uint64_t *present = found->present;
    bool is_empty = ls_page_is_empty(found);
    set_bit(directory->occupied, bit, !is_empty);
    set_bit(directory->full, bit,
            (present[0] & present[1] & present[2] & present[3]) == UINT64_MAX);
    if (!is_empty)
        return;
    set_bit(table->emptied, at, true);
    /* Relaxed: all workers store the same, and the sync point reads it. */
    atomic_store_explicit(&table->has_emptied, 1, memory_order_relaxed);
}

/* Relaxed, here and below: no system runs. */
static void remove_page(ls_directory *directory, uint32_t at, ls_page *page,
                        const ls_page_source *source)
{
    atomic_store_explicit(&directory->entries[at].page, NULL, memory_order_relaxed);
    note_move(source);
    if (drop(&page->refs))
        ls_pool_give(source->pages, page);
}

void ls_table_clear_page(ls_table *table, uint32_t page, const uint64_t *dying,
                         const ls_page_source *source)
{
    uint32_t at = page / LS_DIRECTORY_PAGES, bit = page % LS_DIRECTORY_PAGES;
    ls_directory *directory = directory_at(table, at);
    ls_page *found = ls_directory_page(directory, page);
    uint64_t left = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        left |= found->present[word] & ~dying[word];
    if (!left) {
        set_bit(directory->occupied, bit, false);
        set_bit(directory->full, bit, false);
        set_bit(directory->stale, bit, true);
        set_bit(table->stale, at, true);
        remove_page(directory, bit, found, source);
        return;
    }
    found = ls_table_write(table, page, source);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t dead = found->present[word] & dying[word];
        found->present[word] &= ~dead;
        ls_cells_zero(found, source->cell_bytes, word, dead);
    }
    ls_table_settle(table, page);
}

/* Returns a directory's empty pages to the pool. Only its first `count` entries can have pages.
 * From the last page on, because the pool gives first what it got last: pages that are then made
 * one after another have ascending addresses, which the processor fetches ahead. */
static void reclaim_directory(ls_directory *directory, uint32_t count, const ls_page_source *source)
{
    for (uint32_t i = count < LS_DIRECTORY_PAGES ? count : LS_DIRECTORY_PAGES; i-- > 0;) {
        ls_page *page = atomic_load_explicit(&directory->entries[i].page, memory_order_relaxed);
        uint64_t occupied =
            atomic_load_explicit(&directory->occupied[i / 64], memory_order_relaxed);
        if (page && !(occupied >> (i % 64) & 1))
            remove_page(directory, i, page, source);
    }
}

/* While a snapshot shares the table or a directory, its empty pages and their bits in `emptied`
 * stay; a call after ls_table_own() releases them. */
void ls_table_reclaim_emptied(ls_table *table, const ls_page_source *source)
{
    if (is_shared(&table->refs))
        return;
    bool is_left = false;
    for (uint32_t word = LS_DIRECTORY_WORDS; word-- > 0;) {
        uint64_t emptied = atomic_load_explicit(&table->emptied[word], memory_order_relaxed);
        while (emptied) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(emptied), at = word * 64 + bit;
            emptied ^= ls_slot_bit(bit);
            ls_directory *directory = directory_at(table, at);
            if (is_shared(&directory->refs)) {
                is_left = true;
                continue;
            }
            uint32_t pages = ls_table_page_count(table) - at * LS_DIRECTORY_PAGES;
            reclaim_directory(directory, pages, source);
            set_bit(table->emptied, at, false);
        }
    }
    atomic_store_explicit(&table->has_emptied, is_left, memory_order_relaxed);
}

uint32_t ls_table_next(const ls_table *table, uint32_t from)
{
    uint32_t count = ls_table_page_count(table);
    while (from < count && !ls_table_page(table, from)) {
        bool has_directory = directory_at(table, from / LS_DIRECTORY_PAGES);
        from = has_directory ? from + 1 : (from / LS_DIRECTORY_PAGES + 1) * LS_DIRECTORY_PAGES;
    }
    return from < count ? from : LS_PAGE_NONE;
}

/* The first bit from `from` on that equals `value`; LS_DIRECTORY_PAGES when there is none. */
static uint32_t next_bit(const _Atomic uint64_t *bits, uint32_t from, bool value)
{
    uint64_t mask = UINT64_MAX << (from % 64);
    for (uint32_t word = from / 64; word < LS_DIRECTORY_WORDS; word++, mask = UINT64_MAX) {
        uint64_t found = atomic_load_explicit(&bits[word], memory_order_relaxed);
        found = (value ? found : ~found) & mask;
        if (found)
            return word * 64 + (uint32_t)__builtin_ctzll(found);
    }
    return LS_DIRECTORY_PAGES;
}

uint32_t ls_table_next_occupied(const ls_table *table, uint32_t from)
{
    uint32_t at = from / LS_DIRECTORY_PAGES, bit = from % LS_DIRECTORY_PAGES;
    for (; table && at < table->directory_count; at++, bit = 0) {
        const ls_directory *directory = directory_at(table, at);
        bit = directory ? next_bit(directory->occupied, bit, true) : LS_DIRECTORY_PAGES;
        if (bit < LS_DIRECTORY_PAGES)
            return at * LS_DIRECTORY_PAGES + bit;
    }
    return LS_PAGE_NONE;
}

uint32_t ls_table_next_not_full(const ls_table *table, uint32_t from)
{
    uint32_t at = from / LS_DIRECTORY_PAGES, bit = from % LS_DIRECTORY_PAGES;
    for (; at < LS_TABLE_DIRECTORIES; at++, bit = 0) {
        const ls_directory *directory = table ? directory_at(table, at) : NULL;
        bit = directory ? next_bit(directory->full, bit, false) : bit;
        if (bit < LS_DIRECTORY_PAGES)
            return at * LS_DIRECTORY_PAGES + bit;
    }
    return LS_PAGE_NONE;
}

uint64_t ls_page_changes(const ls_page_source *source, ls_page *one, ls_page *other, uint32_t word)
{
    size_t bytes = source->cell_bytes;
    uint32_t first = word * 64, end = source->cells < first + 64 ? source->cells : first + 64;
    uint64_t before = one ? one->present[word] : 0, after = other ? other->present[word] : 0;
    uint64_t changed = before ^ after;
    if (one == other || !one || !other || first >= end)
        return one == other ? 0 : changed;
    const uint8_t *cells = ls_page_cells(one), *others = ls_page_cells(other);
    if (memcmp(cells + bytes * first, others + bytes * first, bytes * (end - first)) == 0)
        return changed;
    for (uint32_t slot = first; slot < end; slot++) {
        if (memcmp(cells + bytes * slot, others + bytes * slot, bytes) != 0)
            changed |= (uint64_t)1 << (slot - first);
    }
    return changed;
}
