/* Worlds that share their pools stay independent: each has the same state as a world of its own. */
#include "sample_fixture.h"

#include "core/state/world_state.h"

static void copy(ls_world *to, ls_world *from)
{
    ls_snapshot *snapshot = ls_world_snapshot(from);
    ls_world_restore(to, snapshot);
    ls_snapshot_destroy(snapshot);
}

static void assert_same(ls_world *world, ls_world *other)
{
    size_t count, other_count;
    uint8_t *bytes = harness_bytes(world, &count), *others = harness_bytes(other, &other_count);
    assert_int_equal(count, other_count);
    assert_memory_equal(bytes, others, count);
    assert_int_equal(ls_world_root(world), ls_world_root(other));
    ls_free(bytes);
    ls_free(others);
}

TESTS_AROUND(sample_begin, harness_teardown);

TEST(test_sibling_worlds_begin_equal_and_stay_independent)
{
    harness *self = *state;
    ls_world *alone = harness_world(self);
    sample_advance(self->world, 15, NULL);
    ls_world *beside = ls_world_create_sibling(self->world);
    assert_int_equal(ls_world_tick(beside), 15);
    assert_same(beside, self->world);
    uint64_t root = ls_world_root(self->world);
    sample_advance(beside, 20, NULL);
    assert_int_equal(ls_world_root(self->world), root);
    sample_advance(alone, 35, NULL);
    assert_same(beside, alone);
    sample_advance(self->world, 20, NULL);
    assert_same(self->world, alone);
    ls_world_destroy(beside);
    ls_world_destroy(alone);
}

/* Compares with worlds that own their pools and run the same ticks. */
static void run_random(const harness *self, ls_executor *executor, uint32_t rounds)
{
    uint64_t random = harness_seed("test_sibling_worlds");
    ls_world *worlds[3] = {self->world}, *models[3];
    ls_snapshot *kept[3] = {NULL};
    ls_world *kept_models[3];
    worlds[1] = ls_world_create_sibling(worlds[0]);
    worlds[2] = ls_world_create_sibling(worlds[1]);
    for (uint32_t i = 0; i < 3; i++) {
        models[i] = harness_world(self);
        kept_models[i] = harness_world(self);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t i = test_below(&random, 3), from = test_below(&random, 3);
        uint32_t ticks = test_below(&random, 6);
        size_t count;
        uint8_t *bytes = NULL;
        sample_advance(worlds[i], ticks, executor);
        sample_advance(models[i], ticks, NULL);
        if (round % 3 == 0) {
            ls_snapshot_destroy(kept[i]);
            kept[i] = ls_world_snapshot(worlds[i]);
            bytes = harness_bytes(models[i], &count);
            assert_int_equal(ls_world_decode(kept_models[i], bytes, count, NULL), LS_OK);
        } else if (kept[from]) {
            ls_world_restore(worlds[i], kept[from]);
            bytes = harness_bytes(kept_models[from], &count);
            assert_int_equal(ls_world_decode(models[i], bytes, count, NULL), LS_OK);
        }
        ls_free(bytes);
        for (uint32_t j = 0; j < 3; j++)
            assert_same(worlds[j], models[j]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        ls_snapshot_destroy(kept[i]);
        ls_world_destroy(models[i]);
        ls_world_destroy(kept_models[i]);
    }
    ls_world_destroy(worlds[1]);
    sample_advance(worlds[2], 3, NULL);
    ls_world_destroy(worlds[2]);
    sample_advance(worlds[0], 3, NULL);
}

TEST(test_sibling_worlds_restores_across_in_any_order)
{
    run_random(*state, NULL, 120);
}

TEST(test_sibling_worlds_restores_across_on_threads)
{
    ls_executor *executor = harness_executor(3, 0);
    run_random(*state, executor, 40);
    ls_executor_destroy(executor);
}

TEST(test_sibling_worlds_restores_across_while_systems_are_checked)
{
    ls_executor *executor = harness_checker();
    run_random(*state, executor, 8);
    ls_executor_destroy(executor);
}

/* Blocks in use: pages, directories and tables. */
static size_t blocks(const ls_world *world)
{
    size_t count = world->pool_owner->directories.taken + world->pool_owner->tables.taken;
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        count += world->sources[column].pages->taken;
    return count;
}

TEST(test_sibling_worlds_shares_pages_and_gives_all_back)
{
    harness *self = *state;
    sample_advance(self->world, 30, NULL);
    size_t alone = blocks(self->world);
    ls_world *beside = ls_world_create_sibling(self->world);
    assert_int_equal(blocks(self->world), alone); /* pages are shared, none is copied */
    assert_int_equal(ls_world_memory(beside), ls_world_memory(self->world));
    sample_advance(beside, 10, NULL);
    assert_true(blocks(self->world) > alone);
    copy(beside, self->world);
    assert_int_equal(blocks(self->world), alone);
    ls_snapshot *snapshot = ls_world_snapshot(beside);
    sample_advance(beside, 10, NULL);
    ls_snapshot_destroy(snapshot);
    ls_world_destroy(beside);
    assert_int_equal(blocks(self->world), alone);
}

/* Pages remember spawns by the epoch of the world that wrote them. A world that takes over pages
 * with later epochs would later reach these epochs, and treat their entities as just spawned. */
TEST(test_sibling_worlds_is_never_in_an_epoch_of_its_pages_past)
{
    harness *self = *state;
    ls_world *beside = ls_world_create_sibling(self->world);
    sample_advance(self->world, 30, NULL);
    assert_true(beside->spawn_epoch < self->world->spawn_epoch);
    copy(beside, self->world);
    assert_true(beside->spawn_epoch >= self->world->spawn_epoch);
    uint64_t epoch = self->world->spawn_epoch + 100;
    beside->spawn_epoch = epoch;
    copy(beside, self->world);
    assert_int_equal(beside->spawn_epoch, epoch);
    ls_world_destroy(beside);
}

static void destroy_first(void *argument)
{
    harness *self = argument;
    (void)ls_world_create_sibling(self->world);
    ls_world_destroy(self->world);
}

TEST(test_sibling_worlds_is_destroyed_before_the_first)
{
    assert_dies(destroy_first, *state, "sibling_count == 0");
}
