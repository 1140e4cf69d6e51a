/* Pages, tables and masks underneath the world. */
#include "harness.h"

#include "core/page.h"

static const ls_field number_fields[] = {{"value", LS_TYPE_U32, 0, 4, 0}};
static const ls_component numbers = LS_COMPONENT(uint32_t, "number", number_fields);

typedef struct storage {
    ls_pool pages, directories, tables;
    ls_page_source source;
} storage;

static void begin(storage *self)
{
    self->source = (ls_page_source){.pages = &self->pages,
                                    .directories = &self->directories,
                                    .tables = &self->tables,
                                    .component = &numbers,
                                    .cell_bytes = 4,
                                    .cells = LS_PAGE_SLOTS};
    ls_pool_init(&self->pages, LS_PAGE_CELLS_OFFSET + 4 * LS_PAGE_SLOTS);
    ls_pool_init(&self->directories, sizeof(ls_directory));
    ls_pool_init(&self->tables, sizeof(ls_table));
}

static void end(storage *self)
{
    ls_pool_reset(&self->pages);
    ls_pool_reset(&self->directories);
    ls_pool_reset(&self->tables);
}

static uint32_t free_blocks(const ls_pool *pool)
{
    uint32_t count = 0;
    for (void *block = pool->free_blocks; block; block = *(void **)block)
        count++;
    return count;
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

static void test_page_masks_agree_with_a_walk_by_bits(void **state)
{
    (void)state;
    uint64_t random = harness_seed("test_page_masks_agree_with_a_walk_by_bits");
    for (uint32_t round = 0; round < 300; round++) {
        uint64_t mask[LS_PAGE_WORDS];
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
            mask[word] = test_random(&random);
            if (round % 3 == 0)
                mask[word] = test_below(&random, 2) ? 0 : UINT64_MAX;
            if (round % 3 == 1)
                mask[word] &= test_random(&random) & test_random(&random) & test_random(&random);
        }
        uint32_t set = LS_PAGE_SLOTS, clear = LS_PAGE_SLOTS;
        for (uint32_t slot = LS_PAGE_SLOTS; slot-- > 0;) {
            bool is_set = mask[slot / 64] >> (slot % 64) & 1;
            set = is_set ? slot : set;
            clear = is_set ? clear : slot;
            assert_int_equal(ls_mask_next_set(mask, slot), set);
            assert_int_equal(ls_mask_next_clear(mask, slot), clear);
        }
        assert_int_equal(ls_mask_next_set(mask, LS_PAGE_SLOTS), LS_PAGE_SLOTS);
        assert_int_equal(ls_mask_next_clear(mask, LS_PAGE_SLOTS), LS_PAGE_SLOTS);
    }
}

static void test_page_is_made_zeroed_where_it_is_written(void **state)
{
    (void)state;
    static const uint32_t numbers_of_pages[] = {0, 1, 255, 256, 700, 65535};
    storage self;
    begin(&self);
    /* Blocks come back dirty. */
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

static void test_page_is_copied_before_a_shared_one_is_written(void **state)
{
    (void)state;
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
    assert_ptr_equal(ls_table_write(own, 300, &self.source), last); /* nobody else is left */
    ls_table_release(own, &self.source);
    end(&self);
}

/* Any chain of sharing and writing gives every block back. */
static void test_page_release_gives_everything_back(void **state)
{
    (void)state;
    uint64_t random = harness_seed("test_page_release_gives_everything_back");
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
    ls_pool *const pools[] = {&self.pages, &self.directories, &self.tables};
    for (uint32_t i = 0; i < LS_COUNT_OF(pools); i++) {
        uint32_t slabs = 0;
        for (void *slab = pools[i]->slabs; slab; slab = *(void **)slab)
            slabs++;
        uint32_t count = (uint32_t)(64 * 1024 / pools[i]->block_bytes);
        assert_int_equal(free_blocks(pools[i]), slabs * count);
    }
    ls_table_release(NULL, &self.source);
    end(&self);
}

static void test_page_write_drops_the_cached_hash(void **state)
{
    (void)state;
    storage self;
    begin(&self);
    ls_table *table = NULL;
    ls_table_own(&table, 1, &self.source);
    ls_page *page = ls_table_write(table, 0, &self.source);
    page->hash_is_valid = 1;
    ls_table *shared = ls_table_share(table);
    ls_table_own(&table, 0, &self.source);
    assert_int_equal(ls_table_write(table, 0, &self.source)->hash_is_valid, 0);
    assert_int_equal(ls_table_page(shared, 0)->hash_is_valid, 1);
    ls_table_release(shared, &self.source);
    ls_table_release(table, &self.source);
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_masks_agree_with_a_walk_by_bits),
        cmocka_unit_test(test_page_is_made_zeroed_where_it_is_written),
        cmocka_unit_test(test_page_is_copied_before_a_shared_one_is_written),
        cmocka_unit_test(test_page_release_gives_everything_back),
        cmocka_unit_test(test_page_write_drops_the_cached_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
