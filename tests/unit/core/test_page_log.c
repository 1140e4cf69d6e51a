#include "core/state/page_log.h"
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TABLES = 3, PAGES = 8, TICKS = 600, KEPT = 12, CELL_BYTES = 8 };

/* The expected content of each page at each tick: the number that it was made from, 0 when
 * empty. */
typedef struct model {
    ls_page_log log;
    ls_page_source source;
    uint64_t oldest, tick;
    uint64_t numbers[TICKS][TABLES][PAGES];
    _Alignas(64) uint8_t page[LS_PAGE_CELLS_OFFSET + CELL_BYTES * LS_PAGE_SLOTS];
} model;

static ls_page *blank(model *self)
{
    memset(self->page, 0, sizeof self->page);
    return (ls_page *)(void *)self->page;
}

/* Fills a page with one to all cells, contiguous or with gaps, depending on the number. */
static ls_page *make(model *self, uint64_t number)
{
    ls_page *page = blank(self);
    uint64_t random = number;
    uint32_t count = test_below(&random, LS_PAGE_SLOTS) + 1;
    uint32_t first = test_below(&random, LS_PAGE_SLOTS - count + 1);
    for (uint32_t slot = first; slot < first + count; slot++) {
        if (number % 3 == 0 && slot % 2)
            continue;
        page->present[slot / 64] |= UINT64_C(1) << slot % 64;
        uint64_t value = number * LS_PAGE_SLOTS + slot;
        memcpy(ls_page_cells(page) + (size_t)CELL_BYTES * slot, &value, CELL_BYTES);
    }
    return page;
}

static void begin(model *self, size_t bytes_max)
{
    self->source = (ls_page_source){.cell_bytes = CELL_BYTES, .cells = LS_PAGE_SLOTS};
    self->oldest = self->tick = 0;
    memset(self->numbers, 0, sizeof self->numbers);
    ls_page_log_init(&self->log, TABLES, bytes_max);
}

/* Adds a change like core/state_history.c: removes the oldest tick as long as there is no room. */
static bool put(model *self, uint32_t table, uint32_t page, uint64_t number)
{
    ls_page_change change = {.table = table,
                             .page = page,
                             .tick = self->tick,
                             .hash = number,
                             .source = &self->source,
                             .content = number ? make(self, number) : NULL};
    while (!ls_page_log_put(&self->log, &change, self->oldest))
        if (self->oldest++ >= self->tick)
            return false;
    return true;
}

/* Asserts that the log has one record with the right content for every page at a kept tick. */
static void check_tick(model *self, uint64_t tick)
{
    uint32_t found[TABLES][PAGES] = {{0}};
    for (uint64_t number = self->log.first; number < self->log.next; number++) {
        const ls_page_record *record = ls_page_log_record(&self->log, number);
        if (tick < record->tick || tick >= record->until)
            continue;
        found[record->table][record->page]++;
        assert_int_equal(record->hash, self->numbers[tick][record->table][record->page]);
        uint8_t wanted[sizeof self->page];
        memcpy(wanted, record->hash ? make(self, record->hash) : blank(self), sizeof wanted);
        ls_page_log_read(&self->log, record, &self->source, false, blank(self));
        assert_memory_equal(self->page, wanted, sizeof wanted);
    }
    for (uint32_t i = 0; i < TABLES * PAGES; i++) {
        uint32_t table = i / PAGES, page = i % PAGES;
        assert_true(found[table][page] <= 1);
        assert_true(found[table][page] || !self->numbers[tick][table][page]);
    }
}

/* Returns false if even the current state does not fit. */
static bool run_tick(model *self, uint64_t *random, uint32_t empty_percent)
{
    uint64_t tick = self->tick;
    if (tick)
        memcpy(self->numbers[tick], self->numbers[tick - 1], sizeof self->numbers[0]);
    for (uint32_t i = 0; i < TABLES * PAGES; i++) {
        uint64_t *number = &self->numbers[tick][i / PAGES][i % PAGES];
        if (test_below(random, 100) < 40)
            continue;
        bool is_empty = test_below(random, 100) < empty_percent;
        *number = is_empty ? 0 : tick * 100 + i + 1;
        if (!put(self, i / PAGES, i % PAGES, *number))
            return false;
    }
    if (tick >= KEPT && self->oldest < tick - KEPT)
        self->oldest = tick - KEPT;
    check_tick(self, self->oldest + test_below(random, (uint32_t)(tick - self->oldest) + 1));
    assert_true(ls_page_log_hash(&self->log, 0, 0) == self->numbers[tick][0][0]);
    return true;
}

TEST(test_page_log_keeps_what_pages_were)
{
    model *self = ls_alloc(sizeof *self);
    uint64_t seed = harness_seed("page_log");
    uint32_t whole = 0, small = 0;
    for (uint32_t round = 0; round < 60; round++) {
        uint64_t random = seed + round;
        size_t bytes_max = (size_t)4 << 10 << round % 9;
        begin(self, bytes_max + round);
        bool has_room = true;
        for (self->tick = 0; has_room && self->tick < TICKS; self->tick++)
            has_room = run_tick(self, &random, round % 5 * 24);
        size_t rings = self->log.capacity + self->log.record_capacity * sizeof(ls_page_record);
        assert_true(rings <= self->log.bytes_max);
        whole += has_room && self->oldest == TICKS - 1 - KEPT;
        small += !has_room;
        ls_page_log_reset(&self->log);
    }
    assert_true(whole > 10);
    assert_true(small > 5);
    ls_free(self);
}

/* With more changes than fit, nearly all of the budget is used, whatever its size. */
TEST(test_page_log_uses_its_budget)
{
    model *self = ls_alloc(sizeof *self);
    for (size_t bytes_max = 200 << 10; bytes_max < 2 << 20; bytes_max += 300 << 10) {
        begin(self, bytes_max);
        for (self->tick = 0; self->tick < TICKS; self->tick++)
            for (uint32_t i = 0; i < TABLES * PAGES; i++)
                assert_true(put(self, i / PAGES, i % PAGES, self->tick * 100 + i + 1));
        assert_true(self->log.capacity > bytes_max / 4 * 3);
        assert_true(self->oldest > 0);
        ls_page_log_reset(&self->log);
    }
    ls_free(self);
}

/* Records without content, all of them kept: when the log is full, put() returns false instead of
 * searching forever. */
TEST(test_page_log_of_empty_pages_ends)
{
    model *self = ls_alloc(sizeof *self);
    begin(self, 16 << 10);
    uint32_t refused = 0;
    for (self->tick = 0; self->tick < TICKS; self->tick++) {
        ls_page_change change = {.page = (uint32_t)self->tick, .tick = self->tick};
        refused += !ls_page_log_put(&self->log, &change, 0);
    }
    assert_true(refused > 0);
    assert_int_equal(self->log.next - self->log.first, TICKS - refused);
    ls_page_log_reset(&self->log);
    ls_free(self);
}
