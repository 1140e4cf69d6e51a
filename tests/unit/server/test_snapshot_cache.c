#include "server/snapshot_cache.h"

#include "proto/pack.h"
#include "slow_jobs.h"
#include "tally_sim.h"
#include "tests/support/test.h"

typedef struct fixture {
    slow_jobs slow;
    ls_program *program;
    ls_world *world;
    ls_snapshot_cache cache;
} fixture;

static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    f->slow = slow_jobs_make();
    assert_ok(ls_program_create(&tally_sim, &f->program, NULL));
    ls_match match = ls_program_match(f->program, 1);
    assert_ok(ls_world_create(f->program, &match, &f->world, NULL));
    ls_snapshot_cache_init(&f->cache);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_snapshot_destroy(ls_snapshot_cache_reset(&f->cache, &f->slow.jobs));
    ls_world_destroy(f->world);
    ls_program_destroy(f->program);
    ls_free(f);
    return 0;
}

static void advance(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_ok(
            ls_world_advance(f->world, &(ls_frame){.tick = ls_world_tick(f->world)}, NULL, NULL));
}

static void make_one(fixture *f, uint64_t now_ns)
{
    ls_snapshot_cache_pack(&f->cache, &f->slow.jobs, ls_world_snapshot(f->world));
    assert_true(slow_jobs_run_one(&f->slow));
    ls_snapshot *used = ls_snapshot_cache_take(&f->cache, now_ns);
    assert_non_null(used);
    ls_snapshot_destroy(used);
}

TESTS_AROUND(begin, end);

TEST(test_snapshot_cache_makes_requested_snapshots)
{
    fixture *f = *state;
    advance(f, 5);
    assert_false(ls_snapshot_cache_is_due(&f->cache, 0));
    assert_null(ls_snapshot_cache_get(&f->cache, 0, 0, 0));
    assert_null(ls_snapshot_cache_newest(&f->cache));
    assert_true(ls_snapshot_cache_is_due(&f->cache, 0));
    ls_snapshot_cache_pack(&f->cache, &f->slow.jobs, ls_world_snapshot(f->world));
    /* Only one snapshot is packed at a time, however many are requested. */
    assert_null(ls_snapshot_cache_get(&f->cache, 0, 0, 0));
    assert_false(ls_snapshot_cache_is_due(&f->cache, 0));
    assert_null(ls_snapshot_cache_take(&f->cache, 0));
    slow_jobs_run_one(&f->slow);
    ls_snapshot_destroy(ls_snapshot_cache_take(&f->cache, 0));
    assert_int_equal(ls_snapshot_cache_get(&f->cache, 0, 0, 0)->tick, 5);
    assert_int_equal(f->cache.encoded, 1);
}

TEST(test_snapshot_cache_serves_many_from_one)
{
    fixture *f = *state;
    advance(f, 5);
    make_one(f, 0);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(ls_snapshot_cache_get(&f->cache, 0, 5, i)->tick, 5);
    assert_false(ls_snapshot_cache_is_due(&f->cache, 200));
    /* Too old for a new load, but available to a client that already loads it. */
    assert_null(ls_snapshot_cache_get(&f->cache, 0, 6, 200));
    assert_int_equal(ls_snapshot_cache_get(&f->cache, 5, 6, 200)->tick, 5);
    assert_true(ls_snapshot_cache_is_due(&f->cache, 200));
}

TEST(test_snapshot_cache_keeps_blobs_in_use)
{
    fixture *f = *state;
    for (uint64_t i = 0; i < LS_SERVER_SNAPSHOTS; i++) {
        advance(f, 10);
        make_one(f, i);
    }
    uint64_t now_ns = 1000, oldest = 10;
    /* All blobs are in use, so no newer one can be made, and the newest is returned. */
    assert_int_equal(ls_snapshot_cache_get(&f->cache, 0, 1000, now_ns)->tick,
                     10 * LS_SERVER_SNAPSHOTS);
    assert_false(ls_snapshot_cache_is_due(&f->cache, now_ns));
    for (uint32_t i = 0; i < 5; i++) {
        now_ns += LS_SERVER_SNAPSHOT_KEEP_NS - 1;
        for (uint64_t tick = oldest; tick <= 10 * LS_SERVER_SNAPSHOTS; tick += 10)
            assert_int_equal(ls_snapshot_cache_get(&f->cache, tick, 0, now_ns)->tick, tick);
        assert_false(ls_snapshot_cache_is_due(&f->cache, now_ns));
    }
    now_ns += LS_SERVER_SNAPSHOT_KEEP_NS;
    assert_null(ls_snapshot_cache_get(&f->cache, 0, 1000, now_ns));
    assert_true(ls_snapshot_cache_is_due(&f->cache, now_ns));
    advance(f, 1);
    make_one(f, now_ns);
    assert_null(ls_snapshot_cache_get(&f->cache, oldest, 0, now_ns));
    assert_int_equal(ls_snapshot_cache_newest(&f->cache)->tick, 10 * LS_SERVER_SNAPSHOTS + 1);
}

/* Blobs of short requests do not displace the blob that a client loads for a minute. When all are
 * in use, the oldest is replaced after its time. */
TEST(test_snapshot_cache_replaces_unused_blobs)
{
    fixture *f = *state;
    advance(f, 10);
    make_one(f, 1);
    uint64_t now_ns = 1, second_ns = LS_SECOND_NS;
    for (uint32_t i = 0; i < 60; i++) {
        now_ns += second_ns;
        assert_int_equal(ls_snapshot_cache_get(&f->cache, 10, 0, now_ns)->tick, 10);
        assert_true(ls_snapshot_cache_is_due(&f->cache, now_ns) ||
                    !ls_snapshot_cache_get(&f->cache, 0, 1000, now_ns));
        advance(f, 1);
        make_one(f, now_ns);
        assert_int_equal(ls_snapshot_cache_newest(&f->cache)->tick, 11 + i);
    }
    for (uint32_t i = 0; i < LS_SERVER_SNAPSHOTS; i++)
        assert_non_null(
            ls_snapshot_cache_get(&f->cache, f->cache.blobs[i].tick, 0, now_ns + second_ns));
    assert_true(ls_snapshot_cache_is_due(&f->cache, now_ns + second_ns) ||
                !ls_snapshot_cache_get(&f->cache, 0, 1000, now_ns + second_ns));
    advance(f, 1);
    make_one(f, now_ns + second_ns);
    assert_null(ls_snapshot_cache_get(&f->cache, 10, 0, now_ns + second_ns));
}

TEST(test_snapshot_cache_gives_the_world_back)
{
    fixture *f = *state;
    advance(f, 7);
    uint64_t root = ls_world_root(f->world);
    make_one(f, 0);
    advance(f, 3);
    const ls_snapshot_blob *blob = ls_snapshot_cache_newest(&f->cache);
    uint8_t *raw;
    assert_ok(ls_unpack(blob->bytes, blob->count, blob->raw_count, &raw, NULL));
    assert_ok(ls_world_decode(f->world, raw, blob->raw_count, NULL));
    assert_int_equal(ls_world_root(f->world), root);
    ls_free(raw);
}

/* The cache is reset during packing: nothing leaks, and the snapshot is returned. */
TEST(test_snapshot_cache_reset_waits)
{
    fixture *f = *state;
    make_one(f, 0);
    ls_snapshot_cache_pack(&f->cache, &f->slow.jobs, ls_world_snapshot(f->world));
    ls_snapshot *snapshot = ls_snapshot_cache_reset(&f->cache, &f->slow.jobs);
    assert_non_null(snapshot);
    ls_snapshot_destroy(snapshot);
    assert_int_equal(f->slow.waiting, 0);
    assert_null(ls_snapshot_cache_newest(&f->cache));
}
