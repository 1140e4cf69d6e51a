/* All paths to a cell (by handle, by word, for any size) have the same effect. Pages are created
 * and reclaimed without a trace. */
#include "store_fixture.h"

#include "core/run/despawn.h"
#include "core/run/query.h"

/* Asserts that absent cells are zero, as functions by handle and by word must leave them. */
static void check_cells_are_clean(ls_world *world)
{
    for (uint32_t i = 0; i < 2; i++) {
        ls_page *page = ls_world_page(world, PAIR, LANE_A, i);
        for (uint32_t slot = 0; page && slot < LS_PAGE_SLOTS; slot++) {
            const pair *cell = (const pair *)(const void *)ls_page_cells(page) + slot;
            assert_true(ls_page_has(page, slot) || !(cell->left | cell->right));
        }
    }
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_paths_words_do_what_handles_do)
{
    harness *self = *state;
    ls_world *world = self->world, *by_handle = harness_world(self);
    uint64_t random = harness_seed("test_paths_words_do_what_handles_do");
    harness_own_all(world);
    harness_own_all(by_handle);
    for (uint32_t slot = 0; slot < 2 * LS_PAGE_SLOTS; slot++) {
        ls_store_spawn(world, LANE_A);
        ls_store_spawn(by_handle, LANE_A);
    }
    assert_null(ls_store_detach_word(world, PAIR, LANE_A, 1, 0, UINT64_MAX));
    for (uint32_t round = 0; round < 600; round++) {
        uint32_t column = test_below(&random, 2) ? PAIR : TAG, page = test_below(&random, 2);
        uint32_t word = test_below(&random, LS_PAGE_WORDS), first = page * 256 + word * 64;
        uint64_t bits = test_random(&random) & test_random(&random);
        if (test_below(&random, 3) == 0)
            bits = UINT64_MAX << test_below(&random, 64);
        bool is_attach = test_below(&random, 2);
        ls_page *found = is_attach ? ls_store_attach_word(world, column, LANE_A, page, word, bits)
                                   : ls_store_detach_word(world, column, LANE_A, page, word, bits);
        assert_ptr_equal(found, ls_world_page(world, column, LANE_A, page));
        for (uint32_t i = 0; i < 64; i++) {
            ls_entity entity = ls_entity_make(LANE_A, first + i, 1);
            if (!(bits >> i & 1))
                continue;
            if (!is_attach) {
                ls_store_detach(by_handle, column, entity);
            } else if (!ls_store_find(by_handle, column, entity)) {
                ls_store_attach(by_handle, column, entity, NULL);
            }
            pair *cell = column == PAIR ? ls_store_write(by_handle, PAIR, entity) : NULL;
            if (cell)
                cell->left = ((pair *)ls_store_write(world, PAIR, entity))->left = round + 1;
        }
        check_cells_are_clean(world);
        assert_int_equal(ls_world_root(world), ls_world_root(by_handle));
        if (round % 50 == 0) {
            ls_snapshot_destroy(ls_world_snapshot(world));
            harness_own_all(world);
        }
    }
    ls_world_destroy(by_handle);
}

TEST(test_paths_emptied_pages_return_to_the_pool)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity entities[3 * LS_PAGE_SLOTS];
    for (uint32_t i = 0; i < LS_COUNT_OF(entities); i++)
        entities[i] = ls_store_spawn(world, LANE_A);
    ls_store_reclaim(world);
    size_t before = world->page_pools[PAIR].taken, singles = world->page_pools[SINGLE].taken;
    uint64_t root = ls_world_root(world);
    for (uint32_t i = 0; i < LS_COUNT_OF(entities); i++)
        ls_store_attach(world, PAIR, entities[i], &(pair){i, 1});
    assert_int_equal(world->page_pools[PAIR].taken, before + 3);
    for (uint32_t i = 0; i < 2 * LS_PAGE_SLOTS; i++)
        ls_store_detach(world, PAIR, entities[i]);
    ls_store_reclaim(world);
    assert_int_equal(world->page_pools[PAIR].taken, before + 1);
    assert_null(ls_world_page(world, PAIR, LANE_A, 0));
    assert_int_equal(((const pair *)ls_store_find(world, PAIR, entities[600]))->left, 600);
    /* Empty a page that a snapshot shares: the snapshot keeps it. */
    ls_snapshot *snapshot = ls_world_snapshot(world);
    uint64_t full = ls_world_root(world);
    harness_own_all(world);
    for (uint32_t i = 2 * LS_PAGE_SLOTS; i < 3 * LS_PAGE_SLOTS; i++)
        ls_store_detach(world, PAIR, entities[i]);
    ls_store_reclaim(world);
    assert_int_equal(world->page_pools[PAIR].taken, before + 1);
    assert_int_equal(ls_world_root(world), root);
    ls_world_restore(world, snapshot);
    assert_int_equal(ls_world_root(world), full);
    ls_snapshot_destroy(snapshot);
    /* Despawn all: generations and the singleton stay. */
    for (uint32_t i = 0; i < LS_COUNT_OF(entities); i++)
        ls_despawn_marks_add(&world->scratch->marks[0], entities[i]);
    ls_despawn_sweep(world);
    ls_store_reclaim(world);
    assert_int_equal(world->page_pools[PAIR].taken, before);
    assert_int_equal(world->page_pools[SINGLE].taken, singles);
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 0, 3));
}

TESTS_AROUND(NULL, NULL);

/* Eight components of 16 bytes on many entities use at most 1.3 times the payload. */
TEST(test_paths_memory_stays_near_the_payload)
{
    enum { COMPONENTS = 8, ENTITIES = 1000000 };
    static const ls_component eight[COMPONENTS] = {
        LS_COMPONENT_TABLE(pair, "a", pair_fields), LS_COMPONENT_TABLE(pair, "b", pair_fields),
        LS_COMPONENT_TABLE(pair, "c", pair_fields), LS_COMPONENT_TABLE(pair, "d", pair_fields),
        LS_COMPONENT_TABLE(pair, "e", pair_fields), LS_COMPONENT_TABLE(pair, "f", pair_fields),
        LS_COMPONENT_TABLE(pair, "g", pair_fields), LS_COMPONENT_TABLE(pair, "h", pair_fields)};
    const ls_component *components[COMPONENTS];
    for (uint32_t i = 0; i < COMPONENTS; i++)
        components[i] = &eight[i];
    static const char *const lanes[] = {"a"};
    static const ls_system systems[1];
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.system_count = 0;
    harness self;
    harness_begin(&self, &sim, 1);
    size_t empty = ls_world_memory(self.world);
    assert_true(empty < 1 << 20);
    harness_own_all(self.world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ls_entity entity = ls_store_spawn(self.world, 1);
        for (uint32_t column = 0; column < COMPONENTS; column++)
            ls_store_attach(self.world, column, entity, &(pair){i, column});
    }
    size_t payload = (size_t)ENTITIES * COMPONENTS * sizeof(pair);
    size_t bytes = ls_world_memory(self.world);
    assert_true(bytes > payload && bytes * 10 <= payload * 13);
    harness_end(&self);
}

/* Cells of every size, including those with a specialised copy. */
TEST(test_paths_copies_cells_of_any_size)
{
    enum { BYTES_MAX = 40 };
    static const char *const lanes[] = {"a"};
    static const ls_system systems[1];
    for (uint32_t bytes = 1; bytes <= BYTES_MAX; bytes++) {
        const ls_field field = {.name = "bytes", .type = LS_TYPE_U8, .bytes = bytes};
        const ls_component sized = {
            .name = "sized", .bytes = bytes, .field_count = 1, .fields = &field};
        const ls_component *const components[] = {&sized};
        ls_sim sim = HARNESS_SIM(components, lanes, systems);
        sim.system_count = 0;
        harness self;
        harness_begin(&self, &sim, 1);
        harness_own_all(self.world);
        uint8_t value[BYTES_MAX + 2], zero[BYTES_MAX] = {0};
        ls_entity entities[3];
        for (uint32_t i = 0; i < 3; i++)
            entities[i] = ls_store_spawn(self.world, 1);
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t i = 0; i < 3; i++) {
                memset(value, (int)(i + 1), sizeof value);
                value[bytes - 1] = 0xab;
                ls_store_attach(self.world, 0, entities[i], value);
                assert_memory_equal(ls_store_find(self.world, 0, entities[i]), value, bytes);
            }
            const uint8_t *first = ls_store_find(self.world, 0, entities[0]);
            assert_int_equal(first[bytes], bytes == 1 ? 0xab : 2);
            ls_store_detach(self.world, 0, entities[1]);
            assert_memory_equal(first + bytes, zero, bytes);
            assert_int_equal(first[bytes - 1], 0xab);
            assert_int_equal(first[2 * bytes], bytes == 1 ? 0xab : 3);
            ls_store_attach(self.world, 0, entities[2], NULL);
            assert_memory_equal(first + 2 * bytes, zero, bytes);
            ls_store_attach(self.world, 0, entities[0], first); /* onto itself */
            assert_int_equal(first[bytes - 1], 0xab);
        }
        harness_end(&self);
    }
}
