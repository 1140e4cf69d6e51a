/* Pages and tables, without a world. */
#include "harness.h"

#include "core/state/table.h"

static const ls_field number_fields[] = {{"value", LS_TYPE_U32, 0, 4, 0}};
static const ls_component numbers = LS_COMPONENT_TABLE(uint32_t, "number", number_fields);

typedef struct storage {
    ls_arena arena;
    ls_pool pages, directories, tables;
    _Atomic uint64_t moves;
    ls_page_source source;
} storage;

static void begin(storage *self)
{
    self->source = (ls_page_source){.pages = &self->pages,
                                    .directories = &self->directories,
                                    .tables = &self->tables,
                                    .moves = &self->moves,
                                    .component = &numbers,
                                    .cell_bytes = 4,
                                    .cells = LS_PAGE_SLOTS};
    ls_arena_init(&self->arena);
    ls_pool_init(&self->pages, &self->arena, LS_PAGE_CELLS_OFFSET + 4 * LS_PAGE_SLOTS);
    ls_pool_init(&self->directories, &self->arena, sizeof(ls_directory));
    ls_pool_init(&self->tables, &self->arena, sizeof(ls_table));
}

static void end(storage *self)
{
    ls_arena_reset(&self->arena);
}

static void set_cell(ls_page *page, uint32_t slot, uint32_t value)
{
    page->present[slot / 64] |= (uint64_t)1 << (slot % 64);
    memcpy(ls_page_cells(page) + 4 * slot, &value, 4);
}

static uint32_t cell(ls_page *page, uint32_t slot)
{
    uint32_t value;
    memcpy(&value, ls_page_cells(page) + 4 * slot, 4);
    return value;
}

TEST(test_table_is_made_zeroed_where_it_is_written)
{
    static const uint32_t numbers_of_pages[] = {0, 1, 255, 256, 700, 65535};
    storage self;
    begin(&self);
    /* Blocks from the pool are not zeroed. */
    void *dirty = ls_pool_take(&self.pages);
    memset(dirty, 0xff, self.pages.block_bytes);
    ls_pool_give(&self.pages, dirty);
    ls_table *table = NULL;
    assert_null(ls_table_page(table, 0));
    assert_int_equal(ls_table_page_count(table), 0);
    ls_table_own(&table, 0, &self.source);
    for (uint32_t i = 0; i < LS_COUNT_OF(numbers_of_pages); i++) {
        uint32_t at = numbers_of_pages[i];
        assert_null(ls_table_page(table, at));
        ls_page *page = ls_table_write(table, at, &self.source);
        assert_ptr_equal(ls_table_page(table, at), page);
        assert_true(ls_table_page_count(table) > at);
        assert_true(ls_page_is_empty(page));
        for (uint32_t slot = 0; slot < LS_PAGE_SLOTS; slot++) {
            assert_false(ls_page_has(page, slot));
            assert_int_equal(cell(page, slot), 0);
        }
        set_cell(page, 255, at + 1);
        assert_ptr_equal(ls_table_write(table, at, &self.source), page);
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(numbers_of_pages); i++)
        assert_int_equal(cell(ls_table_page(table, numbers_of_pages[i]), 255),
                         numbers_of_pages[i] + 1);
    ls_table_release(table, &self.source);
    end(&self);
}

static uint64_t open_pages(const ls_table *table)
{
    return ls_directory_open_pages(ls_table_directory(table, 64), 1);
}

/* The pages of a shared directory are closed, although their hashes are still out of date. */
TEST(test_table_knows_which_pages_are_open)
{
    storage self;
    begin(&self);
    ls_table *own = NULL;
    ls_table_own(&own, 256, &self.source);
    set_cell(ls_table_write(own, 64, &self.source), 0, 1);
    set_cell(ls_table_write(own, 69, &self.source), 0, 1);
    assert_int_equal(open_pages(own), 1 | 1 << 5);
    ls_table *shared = ls_table_share(own);
    ls_table_own(&own, 0, &self.source);
    assert_int_equal(open_pages(own), 0);
    assert_int_equal(open_pages(shared), 0);
    /* This one is open, but the directory does not tell it from the others. */
    assert_true(ls_table_write(own, 64, &self.source)->is_open);
    assert_int_equal(open_pages(own), 0);
    ls_table_release(shared, &self.source);
    ls_table_release(own, &self.source);
    end(&self);
}

TEST(test_table_is_copied_before_a_shared_one_is_written)
{
    storage self;
    begin(&self);
    ls_table *own = NULL;
    ls_table_own(&own, 600, &self.source);
    for (uint32_t i = 0; i < 600; i += 100)
        set_cell(ls_table_write(own, i, &self.source), 3, i);
    ls_table *shared = ls_table_share(own);
    assert_ptr_equal(own, shared);
    ls_table_own(&own, 0, &self.source);
    assert_ptr_not_equal(own, shared);
    assert_int_equal(ls_table_page_count(own), ls_table_page_count(shared));
    for (uint32_t i = 0; i < 600; i += 100)
        assert_ptr_equal(ls_table_page(own, i), ls_table_page(shared, i));
    ls_page *page = ls_table_write(own, 200, &self.source);
    assert_ptr_not_equal(page, ls_table_page(shared, 200));
    assert_int_equal(cell(page, 3), 200);
    assert_true(ls_page_has(page, 3));
    set_cell(page, 3, 9);
    assert_int_equal(cell(ls_table_page(shared, 200), 3), 200);
    assert_ptr_equal(ls_table_page(own, 300), ls_table_page(shared, 300));
    assert_ptr_equal(ls_table_write(own, 200, &self.source), page);
    ls_table_release(shared, &self.source);
    ls_page *last = ls_table_page(own, 300);
    assert_ptr_equal(ls_table_write(own, 300, &self.source), last); /* the only owner */
    ls_table_release(own, &self.source);
    end(&self);
}

/* After any series of sharing and writing, releasing returns every block. */
TEST(test_table_release_gives_everything_back)
{
    uint64_t random = harness_seed("test_table_release_gives_everything_back");
    storage self;
    begin(&self);
    enum { HOLDERS = 8 };
    ls_table *tables[HOLDERS] = {NULL};
    uint32_t expected[HOLDERS][4] = {{0}};
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t i = test_below(&random, HOLDERS), j = test_below(&random, HOLDERS);
        if (i != j && test_below(&random, 3) == 0) {
            ls_table_release(tables[i], &self.source);
            tables[i] = ls_table_share(tables[j]);
            memcpy(expected[i], expected[j], sizeof expected[i]);
            continue;
        }
        uint32_t page = test_below(&random, 4), value = test_below(&random, 1000);
        ls_table_own(&tables[i], test_below(&random, 2) * 1024, &self.source);
        set_cell(ls_table_write(tables[i], page * 300, &self.source), page, value);
        expected[i][page] = value;
        for (uint32_t k = 0; k < HOLDERS; k++) {
            for (page = 0; page < 4; page++) {
                ls_page *found = ls_table_page(tables[k], page * 300);
                assert_int_equal(found ? cell(found, page) : 0, expected[k][page]);
            }
        }
    }
    for (uint32_t i = 0; i < HOLDERS; i++)
        ls_table_release(tables[i], &self.source);
    assert_int_equal(self.pages.taken, 0);
    assert_int_equal(self.directories.taken, 0);
    assert_int_equal(self.tables.taken, 0);
    ls_table_release(NULL, &self.source);
    end(&self);
}

static bool is_stale(const ls_table *table, uint32_t page)
{
    bool directory = atomic_load(&table->stale[page / 256 / 64]) >> (page / 256 % 64) & 1;
    bool own =
        atomic_load(&ls_table_directory(table, page)->stale[page % 256 / 64]) >> (page % 64) & 1;
    assert_true(directory || !own);
    return own;
}

/* Leaves the table as computing the root does. */
static void mark_hashed(ls_table *table, uint32_t page)
{
    atomic_store(&table->stale[page / 256 / 64], 0);
    atomic_store(&ls_table_directory(table, page)->stale[page % 256 / 64], 0);
    ls_table_page(table, page)->is_open = 0;
}

TEST(test_table_write_marks_the_hash_stale)
{
    storage self;
    begin(&self);
    for (uint32_t page = 3; page < 60000; page = page * 3 + 1) {
        ls_table *table = NULL;
        ls_table_own(&table, 1, &self.source);
        set_cell(ls_table_write(table, page, &self.source), 9, 1);
        assert_true(is_stale(table, page));
        mark_hashed(table, page);
        ls_table_directory(table, page)->entries[page % 256].hash = 77;
        ls_table *shared = ls_table_share(table);
        ls_table_own(&table, 0, &self.source);
        assert_false(is_stale(table, page));
        assert_int_equal(ls_table_directory(table, page)->entries[page % 256].hash, 77);
        ls_table_write(table, page, &self.source);
        assert_true(is_stale(table, page));
        assert_false(is_stale(shared, page));
        /* A page copied only for reading keeps its fresh hash; a write then makes it stale. */
        mark_hashed(table, page);
        ls_table_release(shared, &self.source);
        shared = ls_table_share(table);
        ls_table_own(&table, 0, &self.source);
        ls_page *copy = ls_table_unshare(table, page, &self.source);
        assert_ptr_not_equal(copy, ls_table_page(shared, page));
        assert_false(is_stale(table, page));
        assert_ptr_equal(ls_table_write(table, page, &self.source), copy);
        assert_true(is_stale(table, page));
        /* Share in the middle of a tick, before hashing: the hash stays stale, and the page is
         * still copied. */
        ls_table_release(shared, &self.source);
        shared = ls_table_share(table);
        ls_table_own(&table, 0, &self.source);
        assert_true(is_stale(table, page));
        assert_true(is_stale(shared, page));
        assert_ptr_not_equal(ls_table_write(table, page, &self.source),
                             ls_table_page(shared, page));
        ls_table_release(shared, &self.source);
        ls_table_release(table, &self.source);
    }
    end(&self);
}

/* Summaries, compared with the pages after random sets, clears, copies and reclaims. */
static void check_summaries(const ls_table *table)
{
    uint32_t occupied = ls_table_next_occupied(table, 0),
             missing = ls_table_next_not_full(table, 0);
    for (uint32_t at = 0; at < 1024; at++) {
        const ls_page *page = ls_table_page(table, at);
        if (page && !ls_page_is_empty(page)) {
            assert_int_equal(occupied, at);
            occupied = ls_table_next_occupied(table, at + 1);
        }
        if (!page || ls_mask_next_clear(page->present, 0) < LS_PAGE_SLOTS) {
            assert_int_equal(missing, at);
            missing = ls_table_next_not_full(table, at + 1);
        }
    }
    assert_int_equal(occupied, LS_PAGE_NONE);
}

TEST(test_table_summaries_follow_presence)
{
    uint64_t random = harness_seed("test_table_summaries_follow_presence");
    static const uint32_t pages[] = {0, 1, 63, 64, 255, 256, 300, 1000};
    storage self;
    begin(&self);
    ls_table *table = NULL, *kept = NULL;
    for (uint32_t round = 0; round < 3000; round++) {
        ls_table_own(&table, 0, &self.source);
        uint32_t at = pages[test_below(&random, LS_COUNT_OF(pages))];
        uint32_t word = test_below(&random, LS_PAGE_WORDS);
        uint32_t kind = ls_table_page(table, at) ? test_below(&random, 4) : 3;
        uint64_t bits = test_random(&random) | 1;
        if (test_below(&random, 2))
            bits = UINT64_MAX;
        ls_page *page = ls_table_write(table, at, &self.source);
        if (kind == 0)
            ls_table_clear(table, at, page, word, bits);
        else if (kind == 1)
            for (word = 0; word < LS_PAGE_WORDS; word++)
                ls_table_clear(table, at, page, word, UINT64_MAX);
        else
            ls_table_set(table, at, page, word, bits);
        check_summaries(table);
        if (test_below(&random, 20) == 0) {
            ls_table_release(kept, &self.source);
            kept = ls_table_share(table);
        } else if (test_below(&random, 10) == 0) {
            ls_table_reclaim(table, &self.source);
            check_summaries(table);
            for (uint32_t i = ls_table_next(table, 0); i != LS_PAGE_NONE && table != kept;
                 i = ls_table_next(table, i + 1))
                assert_false(ls_page_is_empty(ls_table_page(table, i)));
        }
    }
    ls_table_release(kept, &self.source);
    ls_table_release(table, &self.source);
    assert_int_equal(self.pages.taken, 0);
    assert_int_equal(self.directories.taken, 0);
    assert_int_equal(ls_table_next_not_full(NULL, 77), 77);
    assert_int_equal(ls_table_next_not_full(NULL, LS_SLOTS_MAX / LS_PAGE_SLOTS), LS_PAGE_NONE);
    assert_int_equal(ls_table_next_occupied(NULL, 0), LS_PAGE_NONE);
    end(&self);
}

/* Pages that are emptied and made again, one after another, are where they were. */
TEST(test_table_reclaimed_pages_come_back_in_their_order)
{
    enum { PAGES = 3 * LS_DIRECTORY_PAGES - 1 };
    static const ls_page *before[PAGES];
    storage self;
    begin(&self);
    ls_table *table = NULL;
    ls_table_own(&table, 0, &self.source);
    for (uint32_t i = 0; i < PAGES; i++) {
        before[i] = ls_table_write(table, i, &self.source);
        ls_table_settle(table, i);
    }
    ls_table_reclaim(table, &self.source);
    assert_int_equal(self.pages.taken, 0);
    for (uint32_t i = 0; i < PAGES; i++)
        assert_ptr_equal(ls_table_write(table, i, &self.source), before[i]);
    end(&self);
}

TEST(test_table_page_hash_is_that_of_the_entry)
{
    enum { AT = LS_DIRECTORY_PAGES + 3 };
    storage self;
    begin(&self);
    ls_table *table = NULL;
    assert_int_equal(ls_table_page_hash(table, AT), 0);
    ls_table_own(&table, 0, &self.source);
    assert_int_equal(ls_table_page_hash(table, AT), 0);
    ls_table_write(table, AT, &self.source);
    ls_table_directory(table, AT)->entries[3].hash = 77;
    assert_int_equal(ls_table_page_hash(table, AT), 77);
    assert_int_equal(ls_table_page_hash(table, AT + 1), 0);
    assert_int_equal(ls_table_page_hash(table, 3), 0);
    ls_table_release(table, &self.source);
    end(&self);
}
