#include "server/snapshot_cache.h"

#include "tally_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    ls_program *program;
    ls_world *world;
    ls_snapshot_cache cache;
} fixture;

static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    assert_int_equal(ls_program_create(&tally_sim, &f->program, NULL), LS_OK);
    ls_match match = ls_program_match(f->program, 1);
    assert_int_equal(ls_world_create(f->program, &match, &f->world, NULL), LS_OK);
    ls_snapshot_cache_init(&f->cache);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_snapshot_cache_reset(&f->cache);
    ls_world_destroy(f->world);
    ls_program_destroy(f->program);
    ls_free(f);
    return 0;
}

static void advance(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(
            ls_world_advance(f->world, &(ls_frame){.tick = ls_world_tick(f->world)}, NULL, NULL),
            LS_OK);
}

static void test_snapshot_cache_makes_one_for_many(void **state)
{
    fixture *f = *state;
    advance(f, 5);
    const ls_snapshot_blob *blob = ls_snapshot_cache_get(&f->cache, f->world, 0);
    assert_int_equal(blob->tick, 5);
    advance(f, LS_SERVER_SNAPSHOT_TICKS - 1);
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 0)->tick, 5);
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 5)->tick, 5);
    assert_int_equal(f->cache.encoded, 1);
}

static void test_snapshot_cache_keeps_the_one_before(void **state)
{
    fixture *f = *state;
    advance(f, 5);
    ls_snapshot_cache_get(&f->cache, f->world, 0);
    advance(f, LS_SERVER_SNAPSHOT_TICKS);
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 5)->tick, 5);
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 0)->tick,
                     5 + LS_SERVER_SNAPSHOT_TICKS);
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 5)->tick, 5);
    advance(f, LS_SERVER_SNAPSHOT_TICKS);
    uint64_t newest = 5 + 2 * LS_SERVER_SNAPSHOT_TICKS;
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 0)->tick, newest);
    assert_int_equal(ls_snapshot_cache_get(&f->cache, f->world, 5)->tick, newest);
    assert_int_equal(f->cache.encoded, 3);
}

static void test_snapshot_cache_gives_the_world_back(void **state)
{
    fixture *f = *state;
    advance(f, 7);
    uint64_t root = ls_world_root(f->world);
    const ls_snapshot_blob *blob = ls_snapshot_cache_get(&f->cache, f->world, 0);
    advance(f, 3);
    assert_int_equal(ls_world_decode(f->world, blob->bytes, blob->count, NULL), LS_OK);
    assert_int_equal(ls_world_root(f->world), root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_snapshot_cache_makes_one_for_many),
        TEST(test_snapshot_cache_keeps_the_one_before),
        TEST(test_snapshot_cache_gives_the_world_back),
    };
    return cmocka_run_group_tests_name("snapshot_cache", tests, NULL, NULL);
}
