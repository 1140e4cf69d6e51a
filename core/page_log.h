/* Contents that pages had, one record behind the other in a ring of bytes: what core/past.h is made
 * of. A record is written when a page's hash has changed, so it costs one copy of what is present
 * in it, into memory that nothing else looks at.
 *
 * A record holds from its tick until that of the page's next one. The oldest go when nobody can
 * want a tick of theirs; one that is still its page's newest moves to the front instead. */
#ifndef LS_PAGE_LOG_H
#define LS_PAGE_LOG_H

#include "core/page.h"

#define LS_PAGE_LOG_NOW UINT64_MAX

/* Cache lines are filled whole. */
typedef struct ls_page_record {
    _Alignas(64) uint32_t table;
    uint32_t page;
    uint32_t bytes;       /* behind the record: presence, then cells; 0: an empty page */
    uint32_t place;       /* what record and content take, or what is skipped at the ring's end */
    uint64_t tick, until; /* LS_PAGE_LOG_NOW: it is its page's newest */
    uint64_t hash;
} ls_page_record;

/* The newest record of a page; hash 0: none, or of an empty one. */
typedef struct ls_page_newest {
    uint64_t position, hash;
} ls_page_newest;

typedef struct ls_page_log_table {
    uint64_t hash; /* of the table that was looked at last */
    uint32_t count, capacity;
    ls_page_newest *pages;
} ls_page_log_table;

typedef struct ls_page_log {
    uint8_t *data, *memory; /* `data` is what of it is aligned */
    size_t capacity, capacity_max;
    uint64_t head, tail; /* positions only rise; the place is position % capacity */
    size_t put, moved;   /* lately: bytes that came, and that went to the front */
    uint8_t *moving;     /* a record on its way to the front */
    size_t moving_bytes;
    ls_page_log_table *tables;
    uint32_t table_count;
} ls_page_log;

/* What a page is written from. */
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

/* The record at a position, and the position behind it; NULL at the head. */
const ls_page_record *ls_page_log_next(const ls_page_log *log, uint64_t *position);
/* Writes a record's content into an empty page. */
void ls_page_record_read(const ls_page_record *record, const ls_page_source *source, bool is_whole,
                         ls_page *page);

#endif
