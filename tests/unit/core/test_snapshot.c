/* Snapshots: isolation, restoring, and one byte form per state, whatever its history. */
#include "sample_fixture.h"

#include "core/run/despawn.h"
#include "core/run/query.h"
#include "core/state/store.h"

#include <pthread.h>

TESTS_AROUND(sample_begin, harness_teardown);

TEST(test_snapshot_is_isolated_from_later_ticks)
{
    ls_world *world = ((harness *)*state)->world;
    sample_advance(world, 20, NULL);
    ls_snapshot *snapshot = ls_world_snapshot(world);
    uint64_t root = ls_world_root(world);
    uint8_t *before, *after;
    size_t before_count, after_count;
    ls_snapshot_encode(snapshot, &before, &before_count);
    sample_advance(world, 20, NULL);
    assert_int_not_equal(ls_world_root(world), root);
    assert_int_equal(ls_snapshot_tick(snapshot), 20);
    ls_snapshot_encode(snapshot, &after, &after_count);
    assert_int_equal(before_count, after_count);
    assert_memory_equal(before, after, before_count);
    ls_free(before);
    ls_free(after);
    ls_snapshot_destroy(snapshot);
}

TEST(test_snapshot_bytes_hold_every_counter)
{
    const harness *self = *state;
    ls_world *world = self->world, *other = harness_world(self);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        world->state.refused_spawns[lane] = 100 + lane;
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        world->state.dropped[i] = 200 + i;
    size_t count;
    uint8_t *bytes = harness_bytes(world, &count);
    assert_int_equal(ls_world_decode(other, bytes, count, NULL), LS_OK);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        assert_int_equal(other->state.refused_spawns[lane], 100 + lane);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        assert_int_equal(other->state.dropped[i], 200 + i);
    ls_free(bytes);
    ls_world_destroy(other);
}

TEST(test_snapshot_restores_any_number_in_any_order)
{
    ls_world *world = ((harness *)*state)->world;
    enum { COUNT = 24 };
    ls_snapshot *snapshots[COUNT];
    uint64_t roots[COUNT + 1];
    for (uint32_t i = 0; i < COUNT; i++) {
        snapshots[i] = ls_world_snapshot(world);
        roots[i] = ls_world_root(world);
        sample_advance(world, 1, NULL);
    }
    roots[COUNT] = ls_world_root(world);
    uint64_t random = harness_seed("test_snapshot_restores_any_number_in_any_order");
    for (uint32_t round = 0; round < 100; round++) {
        uint32_t i = test_below(&random, COUNT);
        ls_world_restore(world, snapshots[i]);
        assert_int_equal(ls_world_tick(world), i);
        assert_int_equal(ls_world_root(world), roots[i]);
        uint32_t ticks = test_below(&random, COUNT - i) + 1;
        sample_advance(world, ticks, NULL); /* writes pages that other snapshots share */
        assert_int_equal(ls_world_root(world), roots[i + ticks]);
        if (round % 10 ==
            0) { /* restores a second snapshot of the same state, and destroys a snapshot early */
            ls_snapshot *copy = ls_world_snapshot(world);
            ls_world_restore(world, copy);
            ls_snapshot_destroy(copy);
            assert_int_equal(ls_world_root(world), roots[i + ticks]);
        }
    }
    for (uint32_t i = 0; i < COUNT; i++)
        ls_snapshot_destroy(snapshots[(i * 7) % COUNT]);
    ls_snapshot_destroy(NULL);
}

TEST(test_snapshot_of_every_tick_changes_nothing)
{
    harness *self = *state;
    ls_world *plain = harness_world(self);
    for (uint32_t tick = 0; tick < 60; tick++) {
        ls_snapshot *first = ls_world_snapshot(self->world),
                    *second = ls_world_snapshot(self->world);
        if (tick % 3 == 0)
            ls_snapshot_destroy(first);
        sample_advance(self->world, 1, NULL);
        sample_advance(plain, 1, NULL);
        if (tick % 2)
            ls_world_restore(self->world, second), sample_advance(self->world, 1, NULL);
        if (tick % 3)
            ls_snapshot_destroy(first);
        ls_snapshot_destroy(second);
        assert_int_equal(ls_world_root(self->world), ls_world_root(plain));
    }
    ls_world_destroy(plain);
}

TEST(test_snapshot_shares_what_nobody_wrote)
{
    ls_world *world = ((harness *)*state)->world;
    ls_snapshot *first = ls_world_snapshot(world), *second = ls_world_snapshot(world);
    for (uint32_t i = 0; i < (world->program->column_count + 1) * world->program->lane_count; i++)
        assert_ptr_equal(first->state.tables[i], second->state.tables[i]);
    ls_snapshot_destroy(first);
    ls_snapshot_destroy(second);
}

/* Encodes in another thread while the world continues. */
static void *encode(void *argument)
{
    ls_snapshot *snapshot = argument;
    uint8_t *bytes = NULL;
    size_t count;
    for (uint32_t i = 0; i < 8; i++) {
        ls_free(bytes);
        ls_snapshot_encode(snapshot, &bytes, &count);
    }
    return bytes;
}

TEST(test_snapshot_is_encoded_while_the_world_ticks)
{
    ls_world *world = ((harness *)*state)->world;
    for (uint32_t round = 0; round < 10; round++) {
        size_t count;
        uint8_t *expected = harness_bytes(world, &count);
        ls_snapshot *snapshot = ls_world_snapshot(world);
        pthread_t thread;
        void *bytes;
        assert_int_equal(pthread_create(&thread, NULL, encode, snapshot), 0);
        sample_advance(world, 6, NULL);
        assert_int_equal(pthread_join(thread, &bytes), 0);
        assert_memory_equal(bytes, expected, count);
        ls_snapshot_destroy(snapshot);
        ls_free(bytes);
        ls_free(expected);
    }
}

/* A world that has no state yet takes the snapshot of one that has, within its limit of memory. */
TEST(test_snapshot_is_refused_beyond_a_memory_limit)
{
    harness *self = *state;
    ls_world *world;
    size_t count, limit = 1;
    uint8_t *bytes = harness_bytes(self->world, &count);
    ls_error error;
    assert_int_equal(ls_world_create_for_snapshot(ls_world_program(self->world),
                                                  ls_world_match(self->world), &world, &error),
                     LS_OK);
    size_t before = ls_world_memory(world);
    for (ls_status status = LS_ERROR_LIMIT; status; limit *= 2) {
        ls_world_set_memory_max(world, limit);
        status = ls_world_decode(world, bytes, count, &error);
        assert_true(status == LS_OK ||
                    (status == LS_ERROR_LIMIT && strstr(error.text, "more memory than the")));
    }
    assert_true(limit > 1024);
    assert_true(ls_world_memory(world) > before);
    assert_int_equal(ls_world_root(world), ls_world_root(self->world));
    ls_world_destroy(world);
    ls_free(bytes);
}

static void restore_foreign(void *argument)
{
    harness *self = argument;
    ls_world *other = harness_world(self);
    ls_world_restore(other, ls_world_snapshot(self->world));
}

TEST(test_snapshot_of_another_world_is_refused)
{
    assert_dies(restore_foreign, *state, "from->pool_owner == world->pool_owner");
}
