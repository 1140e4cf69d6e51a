#include "core/page_log.h"

#include <string.h>
#include <sys/mman.h>

#define SKIPPED UINT32_MAX
enum { BYTES_MIN = 64 << 10, FORESEEN_BYTES = 2048, LINE_BYTES = 64, HUGE_BYTES = 2 << 20 };

void ls_page_log_init(ls_page_log *log, uint32_t table_count, size_t bytes_max)
{
    *log = (ls_page_log){.capacity_max = bytes_max, .table_count = table_count};
    log->tables = ls_alloc(sizeof *log->tables * table_count);
}

void ls_page_log_reset(ls_page_log *log)
{
    for (uint32_t i = 0; i < log->table_count; i++)
        ls_free(log->tables[i].pages);
    ls_free(log->tables);
    ls_free(log->moving);
    ls_free(log->memory);
    *log = (ls_page_log){0};
}

static ls_page_record *record_at(const ls_page_log *log, uint64_t position)
{
    return (ls_page_record *)(void *)(log->data + position % log->capacity);
}

static uint8_t *content_of(const ls_page_record *record)
{
    return (uint8_t *)(uintptr_t)(record + 1);
}

/* What is left to the ring's end is skipped when the record does not fit there; the end is at
 * least large enough for a record that says so, since all places are multiples of it. */
static size_t skip_before(const ls_page_log *log, size_t place)
{
    size_t left = log->capacity - log->head % log->capacity;
    return left < place ? left : 0;
}

static bool has_room(const ls_page_log *log, size_t place)
{
    return log->head - log->tail + skip_before(log, place) + place <= log->capacity;
}

static ls_page_record *take_place(ls_page_log *log, size_t place)
{
    size_t skip = skip_before(log, place);
    if (skip)
        *record_at(log, log->head) = (ls_page_record){.table = SKIPPED, .place = (uint32_t)skip};
    log->head += skip;
    ls_page_record *record = record_at(log, log->head);
    log->head += place;
    return record;
}

static void note_newest(ls_page_log *log, const ls_page_record *record)
{
    if (record->until == LS_PAGE_LOG_NOW)
        log->tables[record->table].pages[record->page].position = log->head - record->place;
}

/* All records again, in a larger ring. */
static void grow(ls_page_log *log, size_t capacity)
{
    ls_page_log old = *log;
    log->capacity = capacity - capacity % sizeof(ls_page_record);
    /* Each page of memory is come to once in a turn of the ring: the fewer, the better. */
    size_t unit = log->capacity < HUGE_BYTES ? LINE_BYTES : HUGE_BYTES;
    log->memory = ls_alloc(log->capacity + unit);
    log->data = log->memory + unit - (uintptr_t)log->memory % unit;
    if (unit == HUGE_BYTES)
        (void)madvise(log->data, log->capacity, MADV_HUGEPAGE);
    log->head = log->tail = 0;
    log->put = log->moved = 0;
    uint64_t position = old.tail;
    for (const ls_page_record *from; old.data && (from = ls_page_log_next(&old, &position));) {
        ls_page_record *to = take_place(log, from->place);
        memcpy(to, from, from->place);
        note_newest(log, to);
    }
    ls_free(old.memory);
}

/* The oldest record goes, or to the front while a tick of it may be wanted. False when it cannot,
 * for want of a place there. */
static bool pop(ls_page_log *log, uint64_t oldest)
{
    const ls_page_record *record = record_at(log, log->tail);
    size_t place = record->place;
    bool is_wanted = record->table != SKIPPED && record->until > oldest;
    if (is_wanted && place > log->moving_bytes) {
        log->moving = ls_realloc(log->moving, place);
        log->moving_bytes = place;
    }
    if (is_wanted)
        memcpy(log->moving, record, place);
    log->tail += place;
    if (!is_wanted)
        return true;
    if (!has_room(log, place)) {
        log->tail -= place;
        return false;
    }
    ls_page_record *to = take_place(log, place);
    memcpy(to, log->moving, place);
    note_newest(log, to);
    log->moved += place;
    return true;
}

static bool make_room(ls_page_log *log, size_t place, uint64_t oldest)
{
    if (!log->capacity)
        grow(log, log->capacity_max < BYTES_MIN ? log->capacity_max : BYTES_MIN);
    uint64_t start = log->tail;
    while (!has_room(log, place)) {
        bool is_stuck = log->tail == log->head || !pop(log, oldest);
        bool has_turned = log->tail - start > log->capacity;
        /* What stays is more than half of it: rather a larger one than to turn it all the time. */
        bool is_narrow = is_stuck || has_turned || log->moved > log->capacity / 4;
        if (is_narrow && log->capacity * 2 <= log->capacity_max) {
            grow(log, log->capacity * 2);
            start = log->tail;
        } else if (is_stuck || has_turned) {
            return false;
        }
    }
    return true;
}

/* From the first cell that counts to the last. Between them may be absent ones, which are zero: to
 * leave them out would cost more than to copy them. */
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

void ls_page_record_read(const ls_page_record *record, const ls_page_source *source, bool is_whole,
                         ls_page *page)
{
    const uint8_t *bytes = content_of(record);
    size_t unit = source->cell_bytes;
    if (!record->bytes)
        return;
    memcpy(page->present, bytes, sizeof page->present);
    range cells = range_of(page->present, source, is_whole);
    if (unit)
        memcpy(ls_page_cells(page) + unit * cells.first, bytes + sizeof page->present,
               unit * cells.count);
}

/* Where the next record will be, and what will make way for it, no cache holds any more. */
static void foresee(const ls_page_log *log)
{
    const uint8_t *oldest = log->data + log->tail % log->capacity;
    size_t at = log->head % log->capacity, left = log->capacity - at;
    __builtin_prefetch(oldest);
    for (size_t i = 0; i < FORESEEN_BYTES && i < left; i += LINE_BYTES)
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
        at->pages[at->count] = (ls_page_newest){.position = LS_PAGE_LOG_NOW};
    return &at->pages[page];
}

bool ls_page_log_put(ls_page_log *log, const ls_page_change *change, uint64_t oldest)
{
    size_t bytes = content_bytes(change);
    /* A multiple of the record's size, so that one always fits before the ring's end. */
    const size_t unit = sizeof(ls_page_record);
    size_t place = unit + (bytes + unit - 1) / unit * unit;
    ls_page_newest *newest = newest_of(log, change->table, change->page);
    if (!make_room(log, place, oldest))
        return false;
    if (newest->position != LS_PAGE_LOG_NOW)
        record_at(log, newest->position)->until = change->tick;
    ls_page_record *record = take_place(log, place);
    *record = (ls_page_record){.table = change->table,
                               .page = change->page,
                               .bytes = (uint32_t)bytes,
                               .place = (uint32_t)place,
                               .tick = change->tick,
                               .until = LS_PAGE_LOG_NOW,
                               .hash = change->hash};
    if (bytes)
        write_content(change, content_of(record));
    log->put += place;
    if (log->put > log->capacity / 2)
        log->put = log->moved = 0;
    newest->position = log->head - place;
    newest->hash = change->hash;
    foresee(log);
    return true;
}

const ls_page_record *ls_page_log_next(const ls_page_log *log, uint64_t *position)
{
    while (*position != log->head) {
        const ls_page_record *record = record_at(log, *position);
        *position += record->place;
        if (record->table != SKIPPED)
            return record;
    }
    return NULL;
}
