/* Earlier contents of pages in a ring of bytes, and a ring of records that describe them: the base
 * of core/state_history.h. A record is written when a page's hash has changed. That costs one copy
 * of the present cells, into memory that nothing else reads. By the time the ring returns there,
 * that memory has left every cache. So only the records, which are few, decide what to drop;
 * contents are read only when they move.
 *
 * A record is valid from its tick until the next record of its page. The oldest records are dropped
 * when none of their ticks can be requested; a record that is still the newest of its page moves to
 * the front instead. */
#ifndef LS_PAGE_LOG_H
#define LS_PAGE_LOG_H
#include "core/state/page.h"

#define LS_PAGE_LOG_NOW UINT64_MAX

typedef struct ls_page_record {
    uint32_t table, page;
    uint32_t bytes;       /* size of the content: presence, then cells; 0: an empty page */
    uint32_t place;       /* bytes that the content uses in the ring: `bytes`, rounded up */
    uint64_t start;       /* position of the content */
    uint64_t tick, until; /* valid from `tick` to before `until`; LS_PAGE_LOG_NOW: still valid */
    uint64_t hash;
} ls_page_record;

/* The newest record of a page (LS_PAGE_LOG_NOW: none). Hash 0: no record, or an empty page. */
typedef struct ls_page_newest {
    uint64_t number, hash;
} ls_page_newest;

typedef struct ls_page_log_table {
    uint64_t hash; /* hash of the table when it was last logged */
    uint32_t count, capacity;
    ls_page_newest *pages;
} ls_page_log_table;

typedef struct ls_page_log {
    uint8_t *data, *memory; /* `data` is the aligned part of `memory` */
    size_t capacity;        /* of `data`, in bytes */
    uint64_t head, tail;    /* positions only rise; the offset is position % capacity */
    ls_page_record *records;
    uint32_t record_capacity;
    uint64_t first, next; /* numbers only rise; the index is number % record_capacity */
    size_t bytes_max;     /* limit for both rings together */
    size_t put, moved;    /* recent bytes: added, and moved to the front */
    uint8_t *moving;      /* buffer for a content that moves to the front */
    size_t moving_bytes;
    ls_page_log_table *tables;
    uint32_t table_count;
} ls_page_log;

/* A page's new content, to be logged. */
typedef struct ls_page_change {
    uint32_t table, page;
    uint64_t tick, hash; /* hash 0: the page is empty */
    const ls_page_source *source;
    ls_page *content; /* NULL when `hash` is 0 */
    bool is_whole;    /* log all cells, not only present ones: for liveness */
} ls_page_change;

void ls_page_log_init(ls_page_log *log, uint32_t table_count, size_t bytes_max);
void ls_page_log_reset(ls_page_log *log);
/* Logs a page. Records that ended at or before `oldest` may be dropped for it. False when there is
 * still not enough space: the page is then not logged, but older records may have been dropped. */
bool ls_page_log_put(ls_page_log *log, const ls_page_change *change, uint64_t oldest) LS_MUST_USE;
/* The page's newest hash; 0: it was never logged, or is empty. */
static inline uint64_t ls_page_log_hash(const ls_page_log *log, uint32_t table, uint32_t page)
{
    const ls_page_log_table *at = &log->tables[table];
    return page < at->count ? at->pages[page].hash : 0;
}

/* The record with a number from `first` up to, not including, `next`. */
static inline ls_page_record *ls_page_log_record(const ls_page_log *log, uint64_t number)
{
    return &log->records[number % log->record_capacity];
}

/* Writes a record's content into an empty page. */
void ls_page_log_read(const ls_page_log *log, const ls_page_record *record,
                      const ls_page_source *source, bool is_whole, ls_page *page);
/* The allocated memory. */
size_t ls_page_log_bytes(const ls_page_log *log);

#endif
