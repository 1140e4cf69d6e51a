/* Earlier contents of pages in a ring of bytes, and a record for each in a ring of records: the
 * base of core/state_history.h. A record is written when a page's hash has changed. It costs one
 * copy of the present cells, into memory that nothing else reads. By the time the ring comes round
 * that memory has left every cache, so only the records, which are few, decide what to drop;
 * contents are read only when they move.
 *
 * A record holds from its tick until that of the page's next one. The oldest are dropped when no
 * tick of theirs can be asked for; one that is still its page's newest moves to the front instead.
 */
#ifndef LS_PAGE_LOG_H
#define LS_PAGE_LOG_H
#include "core/state/page.h"

#define LS_PAGE_LOG_NOW UINT64_MAX

typedef struct ls_page_record {
    uint32_t table, page;
    uint32_t bytes;       /* of the content: presence, then cells; 0: an empty page */
    uint32_t place;       /* that the content takes */
    uint64_t start;       /* its position */
    uint64_t tick, until; /* LS_PAGE_LOG_NOW: it is its page's newest */
    uint64_t hash;
} ls_page_record;

/* The newest record of a page (LS_PAGE_LOG_NOW: none); hash 0: none, or of an empty one. */
typedef struct ls_page_newest {
    uint64_t number, hash;
} ls_page_newest;

typedef struct ls_page_log_table {
    uint64_t hash; /* of the table that was looked at last */
    uint32_t count, capacity;
    ls_page_newest *pages;
} ls_page_log_table;

typedef struct ls_page_log {
    uint8_t *data, *memory; /* `data` is what of it is aligned */
    size_t capacity;
    uint64_t head, tail; /* positions only rise; the place is position % capacity */
    ls_page_record *records;
    uint32_t record_capacity;
    uint64_t first, next; /* numbers only rise; the place is number % record_capacity */
    size_t bytes_max;     /* of both rings */
    size_t put, moved;    /* lately: bytes that came, and that went to the front */
    uint8_t *moving;      /* a content on its way to the front */
    size_t moving_bytes;
    ls_page_log_table *tables;
    uint32_t table_count;
} ls_page_log;

/* The source of a page's content. */
typedef struct ls_page_change {
    uint32_t table, page;
    uint64_t tick, hash; /* hash 0: the page is empty */
    const ls_page_source *source;
    ls_page *content;
    bool is_whole; /* all cells count, not only the present: of liveness */
} ls_page_change;

void ls_page_log_init(ls_page_log *log, uint32_t table_count, size_t bytes_max);
void ls_page_log_reset(ls_page_log *log);
/* False when there is no room though all that ended at or before `oldest` went; nothing changes. */
bool ls_page_log_put(ls_page_log *log, const ls_page_change *change, uint64_t oldest) LS_MUST_USE;
/* The page's newest hash; 0 for a page that was never seen. */
static inline uint64_t ls_page_log_hash(const ls_page_log *log, uint32_t table, uint32_t page)
{
    const ls_page_log_table *at = &log->tables[table];
    return page < at->count ? at->pages[page].hash : 0;
}

/* The record of a number from `first` to below `next`. */
static inline ls_page_record *ls_page_log_record(const ls_page_log *log, uint64_t number)
{
    return &log->records[number % log->record_capacity];
}

/* Writes a record's content into an empty page. */
void ls_page_log_read(const ls_page_log *log, const ls_page_record *record,
                      const ls_page_source *source, bool is_whole, ls_page *page);
/* The memory that it has taken. */
size_t ls_page_log_bytes(const ls_page_log *log);

#endif
