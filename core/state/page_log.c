#include "core/state/page_log.h"

#include "core/base/platform.h"

#include <string.h>

enum {
    BYTES_MIN = 64 << 10,
    RECORDS_MIN = 64,
    PREFETCH_BYTES = 2048,
    LINE_BYTES = 64,
    HUGE_BYTES = 2 << 20
};

void ls_page_log_init(ls_page_log *log, uint32_t table_count, size_t bytes_max)
{
    *log = (ls_page_log){.bytes_max = bytes_max, .table_count = table_count};
    log->tables = ls_alloc(sizeof *log->tables * table_count);
}

void ls_page_log_reset(ls_page_log *log)
{
    for (uint32_t i = 0; i < log->table_count; i++)
        ls_free(log->tables[i].pages);
    ls_free(log->tables);
    ls_free(log->moving);
    ls_free(log->records);
    ls_free(log->memory);
    *log = (ls_page_log){0};
}

static size_t ring_bytes(size_t capacity, uint32_t record_capacity)
{
    return capacity + record_capacity * sizeof(ls_page_record);
}

size_t ls_page_log_bytes(const ls_page_log *log)
{
    size_t bytes = ring_bytes(log->capacity, log->record_capacity) + log->moving_bytes;
    for (uint32_t i = 0; i < log->table_count; i++)
        bytes += log->tables[i].capacity * sizeof(ls_page_newest);
    return bytes;
}

static uint8_t *content_of(const ls_page_log *log, const ls_page_record *record)
{
    return log->data + (size_t)(record->start % log->capacity);
}

/* Bytes to skip at the end of the ring if the content does not fit there. */
static size_t skip_before(const ls_page_log *log, size_t place)
{
    size_t left = log->capacity - (size_t)(log->head % log->capacity);
    return left < place ? left : 0;
}

static bool has_place(const ls_page_log *log, size_t place)
{
    return log->head - log->tail + skip_before(log, place) + place <= log->capacity;
}

static bool has_record(const ls_page_log *log)
{
    return log->next - log->first < log->record_capacity;
}

static ls_page_record *add_record(ls_page_log *log, ls_page_record record)
{
    record.start = log->head + skip_before(log, record.place);
    log->head = record.start + record.place;
    ls_page_record *added = ls_page_log_record(log, log->next++);
    *added = record;
    return added;
}

static void note_newest(ls_page_log *log, const ls_page_record *record)
{
    if (record->until == LS_PAGE_LOG_NOW)
        log->tables[record->table].pages[record->page].number = log->next - 1;
}

/* Moves all contents into a larger ring. */
static void grow(ls_page_log *log, size_t capacity)
{
    ls_page_log old = *log;
    log->capacity = capacity - capacity % LINE_BYTES;
    /* Large pages of the memory system: one turn of the ring touches each page only once, so few
     * pages are best. */
    size_t unit = log->capacity < HUGE_BYTES ? LINE_BYTES : HUGE_BYTES;
    log->memory = ls_alloc(log->capacity + unit);
    log->data = log->memory + unit - (uintptr_t)log->memory % unit;
    if (unit == HUGE_BYTES)
        ls_memory_prefer_large_pages(log->data, log->capacity);
    log->head = log->tail = 0;
    log->put = log->moved = 0;
    for (uint64_t number = log->first; number < log->next; number++) {
        ls_page_record *record = ls_page_log_record(log, number);
        const uint8_t *from = content_of(&old, record);
        record->start = log->head + skip_before(log, record->place);
        log->head = record->start + record->place;
        memcpy(content_of(log, record), from, record->bytes);
    }
    ls_free(old.memory);
}

static void grow_records(ls_page_log *log, uint32_t capacity)
{
    ls_page_log old = *log;
    log->records = ls_alloc(sizeof *log->records * capacity);
    log->record_capacity = capacity;
    for (uint64_t number = log->first; number < log->next; number++)
        *ls_page_log_record(log, number) = *ls_page_log_record(&old, number);
    ls_free(old.records);
}

/* Removes the oldest record; moves it to the front instead if its ticks may still be requested.
 * False when there is no space for it at the front. */
static bool pop(ls_page_log *log, uint64_t oldest)
{
    ls_page_record record = *ls_page_log_record(log, log->first);
    uint64_t tail = log->tail;
    bool is_wanted = record.until > oldest;
    if (is_wanted && record.bytes > log->moving_bytes) {
        log->moving = ls_realloc(log->moving, record.bytes);
        log->moving_bytes = record.bytes;
    }
    if (is_wanted && record.bytes)
        memcpy(log->moving, content_of(log, &record), record.bytes);
    log->first++;
    log->tail = log->first == log->next ? log->head : record.start + record.place;
    if (!is_wanted)
        return true;
    if (!has_place(log, record.place)) {
        log->first--;
        log->tail = tail;
        return false;
    }
    ls_page_record *moved = add_record(log, record);
    if (record.bytes)
        memcpy(content_of(log, moved), log->moving, record.bytes);
    note_newest(log, moved);
    log->moved += record.place;
    return true;
}

/* Doubles the ring of records if the oldest record is still needed. False if it is not, or if the
 * budget does not allow it. */
static bool add_places(ls_page_log *log, uint64_t oldest)
{
    bool is_wanted = log->first != log->next && ls_page_log_record(log, log->first)->until > oldest;
    uint32_t capacity = 2 * log->record_capacity;
    if (!is_wanted || ring_bytes(log->capacity, capacity) > log->bytes_max)
        return false;
    grow_records(log, capacity);
    return true;
}

/* Allocates the rings. False when the budget does not suffice for a few pages. */
static bool begin(ls_page_log *log)
{
    size_t records = ring_bytes(0, RECORDS_MIN);
    if (log->bytes_max < 2 * records)
        return false;
    size_t left = log->bytes_max - records;
    grow_records(log, RECORDS_MIN);
    grow(log, left < BYTES_MIN ? left : BYTES_MIN);
    return true;
}

/* Doubles the ring of bytes; at most to the part of the budget that a doubled ring of records would
 * leave. False when that gains too little. */
static bool widen(ls_page_log *log)
{
    size_t capacity = 2 * log->capacity, records = ring_bytes(0, 2 * log->record_capacity);
    size_t left = log->bytes_max < records ? 0 : log->bytes_max - records;
    capacity = capacity < left ? capacity : left;
    if (capacity < log->capacity + log->capacity / 8)
        return false;
    grow(log, capacity);
    return true;
}

static bool make_room(ls_page_log *log, size_t place, uint64_t oldest)
{
    if (!log->record_capacity && !begin(log))
        return false;
    uint64_t turn = log->next;
    while (!has_record(log) || !has_place(log, place)) {
        if (!has_record(log) && add_places(log, oldest))
            continue;
        bool is_stuck = log->first == log->next || !pop(log, oldest);
        bool has_turned = log->first >= turn;
        /* Too much of the ring is still needed: a larger ring costs less than moving records
         * repeatedly. */
        bool is_narrow = is_stuck || has_turned || log->moved > log->capacity / 4;
        if (is_narrow && !has_place(log, place) && widen(log))
            turn = log->next;
        else if (is_stuck || has_turned)
            return has_record(log) && has_place(log, place);
    }
    return true;
}

/* The range from the first present cell to the last. Absent cells in between are zero; copying them
 * is faster than skipping them. */
typedef struct range {
    uint32_t first, count;
} range;

static range range_of(const uint64_t present[LS_PAGE_WORDS], const ls_page_source *source,
                      bool is_whole)
{
    if (is_whole)
        return (range){0, source->cells};
    uint32_t first = ls_mask_next_set(present, 0), last = LS_PAGE_WORDS - 1;
    while (last > 0 && !present[last])
        last--;
    uint32_t end = last * 64 + 64 - (present[last] ? (uint32_t)__builtin_clzll(present[last]) : 64);
    return (range){first, end > first ? end - first : 0};
}

static size_t content_bytes(const ls_page_change *change)
{
    if (!change->hash)
        return 0;
    range cells = range_of(change->content->present, change->source, change->is_whole);
    return sizeof change->content->present + change->source->cell_bytes * cells.count;
}

static void write_content(const ls_page_change *change, uint8_t *bytes)
{
    ls_page *page = change->content;
    size_t unit = change->source->cell_bytes;
    range cells = range_of(page->present, change->source, change->is_whole);
    memcpy(bytes, page->present, sizeof page->present);
    if (unit)
        memcpy(bytes + sizeof page->present, ls_page_cells(page) + unit * cells.first,
               unit * cells.count);
}

void ls_page_log_read(const ls_page_log *log, const ls_page_record *record,
                      const ls_page_source *source, bool is_whole, ls_page *page)
{
    const uint8_t *bytes = content_of(log, record);
    size_t unit = source->cell_bytes;
    if (!record->bytes)
        return;
    memcpy(page->present, bytes, sizeof page->present);
    range cells = range_of(page->present, source, is_whole);
    if (unit)
        memcpy(ls_page_cells(page) + unit * cells.first, bytes + sizeof page->present,
               unit * cells.count);
}

/* The memory for the next content is in no cache, so it is prefetched. */
static void prefetch_next(const ls_page_log *log)
{
    size_t at = (size_t)(log->head % log->capacity), left = log->capacity - at;
    for (size_t i = 0; i < PREFETCH_BYTES && i < left; i += LINE_BYTES)
        __builtin_prefetch(log->data + at + i, 1);
}

static ls_page_newest *newest_of(ls_page_log *log, uint32_t table, uint32_t page)
{
    ls_page_log_table *at = &log->tables[table];
    if (page >= at->capacity) {
        at->capacity = page < 8 ? 8 : page + page / 2;
        at->pages = ls_realloc(at->pages, sizeof *at->pages * at->capacity);
    }
    for (; at->count <= page; at->count++)
        at->pages[at->count] = (ls_page_newest){.number = LS_PAGE_LOG_NOW};
    return &at->pages[page];
}

bool ls_page_log_put(ls_page_log *log, const ls_page_change *change, uint64_t oldest)
{
    size_t bytes = content_bytes(change);
    /* Contents are aligned to cache lines. */
    size_t place = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    ls_page_newest *newest = newest_of(log, change->table, change->page);
    if (!make_room(log, place, oldest))
        return false;
    if (newest->number != LS_PAGE_LOG_NOW)
        ls_page_log_record(log, newest->number)->until = change->tick;
    const ls_page_record *record = add_record(log, (ls_page_record){.table = change->table,
                                                                    .page = change->page,
                                                                    .bytes = (uint32_t)bytes,
                                                                    .place = (uint32_t)place,
                                                                    .tick = change->tick,
                                                                    .until = LS_PAGE_LOG_NOW,
                                                                    .hash = change->hash});
    if (bytes)
        write_content(change, content_of(log, record));
    log->put += place;
    if (log->put > log->capacity / 2)
        log->put = log->moved = 0;
    note_newest(log, record);
    newest->hash = change->hash;
    prefetch_next(log);
    return true;
}
