/* Cells and liveness below the access checks: compared with a model, and at their limits. */
#include "store_fixture.h"

#include "core/run/despawn.h"
#include "core/run/query.h"

static void kill_now(ls_world *world, ls_entity entity)
{
    harness_mark(world, 0, entity);
    ls_despawn_sweep(world);
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_store_spawn_takes_the_lowest_free_slot)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity entities[600];
    for (uint32_t i = 0; i < 600; i++) {
        entities[i] = ls_store_spawn(world, LANE_A);
        assert_int_equal(entities[i], ls_entity_make(LANE_A, i, 1));
    }
    assert_int_equal(ls_store_spawn(world, LANE_B), ls_entity_make(LANE_B, 0, 1));
    kill_now(world, entities[599]);
    kill_now(world, entities[7]);
    kill_now(world, entities[300]);
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 7, 3));
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 300, 3));
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 599, 3));
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 600, 1));
}

TEST(test_store_marked_entities_keep_their_slots_until_the_sweep)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity first = ls_store_spawn(world, LANE_A);
    harness_mark(world, 0, first);
    harness_mark(world, 3, first);
    assert_true(ls_store_is_alive(world, first));
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 1, 1));
    ls_despawn_sweep(world);
    assert_false(ls_store_is_alive(world, first));
    assert_int_equal(ls_world_entity_count(world), 1);
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 0, 3));
}

/* A liveness page without living entities is kept, because it holds generations. */
TEST(test_store_reclaim_keeps_generations)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity first = ls_store_spawn(world, LANE_A);
    assert_true(ls_store_attach(world, NUMBER, first, &(number){5}));
    kill_now(world, first);
    ls_store_reclaim(world);
    assert_null(ls_world_page(world, NUMBER, LANE_A, 0));
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 0, 3));
}

TEST(test_store_stale_handles_reach_nothing)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity old = ls_store_spawn(world, LANE_A);
    assert_true(ls_store_attach(world, NUMBER, old, &(number){5}));
    kill_now(world, old);
    ls_entity reborn = ls_store_spawn(world, LANE_A);
    assert_int_equal(ls_entity_slot(reborn), ls_entity_slot(old));
    assert_null(ls_store_find(world, NUMBER, reborn));
    assert_true(ls_store_attach(world, NUMBER, reborn, &(number){6}));
    const ls_entity wrong[] = {old,
                               LS_ENTITY_NULL,
                               reborn + ((ls_entity)1 << 32),
                               reborn + ((ls_entity)2 << 32),
                               ls_entity_make(LANE_B, 0, 3),
                               ls_entity_make(3, 0, 3),
                               ls_entity_make(255, LS_SLOTS_MAX - 1, 1),
                               ls_entity_make(LANE_A, LS_SLOTS_MAX - 1, 1),
                               ls_entity_make(LANE_A, 1, 1),
                               ls_entity_make(LANE_A, 1, 0),
                               ls_entity_make(0, 0, 1),
                               ls_entity_make(0, 0, 0),
                               UINT64_MAX};
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        assert_false(ls_store_is_alive(world, wrong[i]));
        assert_false(ls_store_is_spawned(world, wrong[i]));
        for (uint32_t column = 0; column < COLUMNS; column++) {
            assert_null(ls_store_find(world, column, wrong[i]));
            assert_null(ls_store_write(world, column, wrong[i]));
            assert_false(ls_store_detach(world, column, wrong[i]));
            assert_false(ls_store_attach(world, column, wrong[i], NULL));
        }
        kill_now(world, wrong[i]);
    }
    assert_true(ls_store_is_alive(world, reborn));
    assert_int_equal(((const number *)ls_store_find(world, NUMBER, reborn))->value, 6);
}

TEST(test_store_no_entity_reaches_a_singleton)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity first = ls_store_spawn(world, 0);
    assert_null(ls_store_find(world, SINGLE, first));
    kill_now(world, first);
    assert_non_null(ls_world_singleton(world, &single));
    assert_int_equal(ls_world_page(world, SINGLE, 0, 0)->present[0], 1);
}

TEST(test_store_used_up_generation_retires_the_slot)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_page *page = ls_table_write(*ls_world_table(world, ls_liveness(world), LANE_A), 0,
                                   &world->sources[ls_liveness(world)]);
    uint32_t *generations = (uint32_t *)(void *)ls_page_cells(page);
    generations[0] = LS_GENERATION_RETIRED - 2;
    generations[255] = LS_GENERATION_RETIRED;
    ls_entity last = ls_store_spawn(world, LANE_A);
    assert_int_equal(last, ls_entity_make(LANE_A, 0, LS_GENERATION_RETIRED - 1));
    assert_true(ls_store_is_alive(world, last));
    kill_now(world, last);
    assert_false(ls_store_is_alive(world, last));
    assert_int_equal(ls_store_next_free(world, LANE_A, 0), 1);
    for (uint32_t slot = 1; slot < 255; slot++)
        assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, slot, 1));
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 256, 1));
    assert_int_equal(generations[0], LS_GENERATION_RETIRED);
    assert_int_equal(generations[255], LS_GENERATION_RETIRED);
}

TEST(test_store_full_lane_refuses_and_counts)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    for (uint32_t i = 0; i < LS_SLOTS_MAX; i++) {
        if (ls_store_spawn(world, LANE_B) == LS_ENTITY_NULL)
            fail_msg("full at %u", i);
    }
    assert_int_equal(ls_world_entity_count(world), LS_SLOTS_MAX);
    assert_int_equal(ls_store_next_free(world, LANE_B, 0), LS_SLOTS_MAX);
    uint64_t before = ls_world_root(world);
    assert_int_equal(ls_store_spawn(world, LANE_B), LS_ENTITY_NULL);
    assert_int_equal(ls_store_spawn(world, LANE_B), LS_ENTITY_NULL);
    assert_int_equal(world->state.refused_spawns[LANE_B], 2);
    assert_int_not_equal(ls_world_root(world), before);
    assert_int_equal(ls_store_spawn(world, LANE_A), ls_entity_make(LANE_A, 0, 1));
    kill_now(world, ls_entity_make(LANE_B, LS_SLOTS_MAX - 1, 1));
    assert_int_equal(ls_store_spawn(world, LANE_B), ls_entity_make(LANE_B, LS_SLOTS_MAX - 1, 3));
}

TEST(test_store_cells_are_zeroed_when_made_and_removed)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity entity = ls_store_spawn(world, LANE_A);
    assert_true(ls_store_attach(world, PAIR, entity, &(pair){1, 2}));
    assert_true(ls_store_attach(world, PAIR, entity, NULL));
    const pair *found = ls_store_find(world, PAIR, entity);
    assert_int_equal(found->left | found->right, 0);
    assert_true(ls_store_attach(world, PAIR, entity, &(pair){3, 4}));
    assert_true(ls_store_detach(world, PAIR, entity));
    assert_false(ls_store_detach(world, PAIR, entity));
    const pair *absent =
        (const pair *)(const void *)ls_page_cells(ls_world_page(world, PAIR, 1, 0));
    assert_int_equal(absent->left | absent->right, 0);
    assert_true(ls_store_attach(world, PAIR, entity, &(pair){5, 6}));
    ls_entity other = ls_store_spawn(world, LANE_A);
    assert_true(ls_store_attach(world, PAIR, other, &(pair){7, 8}));
    kill_now(world, entity);
    absent = (const pair *)(const void *)ls_page_cells(ls_world_page(world, PAIR, 1, 0));
    assert_int_equal(absent->left | absent->right, 0);
    assert_int_equal(absent[1].right, 8);
    assert_false(ls_page_has(ls_world_page(world, PAIR, 1, 0), 0));
}

TEST(test_store_attach_copies_from_the_column_itself)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity a = ls_store_spawn(world, LANE_A), b = ls_store_spawn(world, LANE_A);
    ls_store_attach(world, PAIR, a, &(pair){7, 8});
    ls_snapshot *snapshot = ls_world_snapshot(world);
    harness_own_all(world);
    ls_store_attach(world, PAIR, b, ls_store_find(world, PAIR, a));
    ls_store_attach(world, PAIR, a, ls_store_find(world, PAIR, a));
    assert_int_equal(((const pair *)ls_store_find(world, PAIR, b))->right, 8);
    assert_int_equal(((const pair *)ls_store_find(world, PAIR, a))->right, 8);
    ls_snapshot_destroy(snapshot);
}

TEST(test_store_newborns_are_known_for_their_tick)
{
    ls_world *world = ((harness *)*state)->world;
    ls_entity born[3];
    for (uint32_t i = 0; i < 3; i++) {
        harness_own_all(world);
        world->spawn_epoch = ls_world_tick(world) + 1;
        born[i] = ls_store_spawn(world, LANE_A);
        for (uint32_t j = 0; j <= i; j++)
            assert_int_equal(ls_store_is_spawned(world, born[j]), i == j);
        harness_tick(world, NULL);
        ls_snapshot_destroy(ls_world_snapshot(world));
    }
}

/* Slots of a stage follow one another in a tick, where the page of generations stays open. */
TEST(test_store_newborns_of_an_earlier_slot_are_not_new)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    world->spawn_epoch++;
    ls_entity earlier = ls_store_spawn(world, LANE_A);
    assert_true(ls_store_is_spawned(world, earlier));
    world->spawn_epoch++;
    ls_entity later = ls_store_spawn(world, LANE_A);
    assert_false(ls_store_is_spawned(world, earlier));
    assert_true(ls_store_is_spawned(world, later));
}

/* Random operations with snapshots in between, compared with plain arrays. */
enum { MODEL_SLOTS = 700 };

typedef struct model {
    uint32_t generation[MODEL_SLOTS];
    bool has_number[MODEL_SLOTS], has_tag[MODEL_SLOTS];
    uint32_t value[MODEL_SLOTS];
} model;

static void check_model(ls_world *world, const model *expected)
{
    for (uint32_t slot = 0; slot < MODEL_SLOTS; slot++) {
        ls_entity entity = ls_entity_make(LANE_A, slot, expected->generation[slot]);
        bool is_alive = expected->generation[slot] & 1;
        assert_int_equal(ls_store_is_alive(world, entity), is_alive);
        const number *found = ls_store_find(world, NUMBER, entity);
        assert_int_equal(found != NULL, is_alive && expected->has_number[slot]);
        if (found)
            assert_int_equal(found->value, expected->value[slot]);
        assert_int_equal(ls_store_find(world, TAG, entity) != NULL,
                         is_alive && expected->has_tag[slot]);
    }
}

static void do_random(ls_world *world, model *expected, uint64_t *random)
{
    uint32_t slot = test_below(random, MODEL_SLOTS), value = test_below(random, 1000);
    ls_entity entity = ls_entity_make(LANE_A, slot, expected->generation[slot]);
    bool is_alive = expected->generation[slot] & 1;
    switch (test_below(random, 6)) {
    case 0:
    case 1:
        for (slot = 0; slot < MODEL_SLOTS && expected->generation[slot] & 1; slot++)
            ;
        if (slot == MODEL_SLOTS)
            break;
        expected->generation[slot]++;
        assert_int_equal(ls_store_spawn(world, LANE_A),
                         ls_entity_make(LANE_A, slot, expected->generation[slot]));
        break;
    case 2:
        assert_int_equal(ls_store_attach(world, NUMBER, entity, &(number){value}), is_alive);
        expected->has_number[slot] |= is_alive;
        expected->value[slot] = is_alive ? value : expected->value[slot];
        break;
    case 3:
        assert_int_equal(ls_store_detach(world, NUMBER, entity), expected->has_number[slot]);
        expected->has_number[slot] = false;
        break;
    case 4:
        assert_int_equal(ls_store_attach(world, TAG, entity, NULL), is_alive);
        expected->has_tag[slot] |= is_alive;
        break;
    default:
        kill_now(world, entity);
        expected->generation[slot] += is_alive;
        expected->has_number[slot] = expected->has_tag[slot] = false;
        harness_own_all(world);
    }
}

TEST(test_store_agrees_with_a_model)
{
    ls_world *world = ((harness *)*state)->world;
    uint64_t random = harness_seed("test_store_agrees_with_a_model");
    static model now, then;
    memset(&now, 0, sizeof now);
    ls_snapshot *snapshot = NULL;
    for (uint32_t round = 0; round < 300; round++) {
        harness_own_all(world);
        for (uint32_t i = 0; i < 200; i++)
            do_random(world, &now, &random);
        check_model(world, &now);
        if (snapshot && test_below(&random, 3) == 0) {
            ls_world_restore(world, snapshot);
            now = then;
            check_model(world, &now);
        }
        if (!snapshot || test_below(&random, 3) == 0) {
            ls_snapshot_destroy(snapshot);
            snapshot = ls_world_snapshot(world);
            then = now;
        }
    }
    ls_snapshot_destroy(snapshot);
}

/* Detaching in a shared page copies the page first; this path must zero the cell too. */
TEST(test_store_detach_zeros_the_cell_of_a_shared_page)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    ls_entity entity = ls_store_spawn(world, LANE_A);
    assert_true(ls_store_attach(world, PAIR, entity, &(pair){7, 8}));
    ls_snapshot *snapshot = ls_world_snapshot(world);
    harness_own_all(world);
    assert_true(ls_store_detach(world, PAIR, entity));
    ls_page *page = ls_world_page(world, PAIR, LANE_A, 0);
    assert_memory_equal(ls_page_cells(page), (&(pair){0, 0}), sizeof(pair));
    ls_snapshot_destroy(snapshot);
}

/* A page that loses all its cells at once leaves the table; a snapshot keeps it. */
TEST(test_store_page_of_the_dead_is_not_copied)
{
    ls_world *world = ((harness *)*state)->world;
    ls_entity entities[LS_PAGE_SLOTS];
    harness_own_all(world);
    for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++) {
        entities[i] = ls_store_spawn(world, LANE_A);
        assert_true(ls_store_attach(world, PAIR, entities[i], &(pair){7, i}));
    }
    (void)ls_world_root(world);
    ls_snapshot *snapshot = ls_world_snapshot(world);
    harness_own_all(world);
    ls_table *table = *ls_world_table(world, PAIR, LANE_A);
    assert_int_not_equal(table->hash, 0);
    size_t taken = world->sources[PAIR].pages->taken;
    for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++)
        harness_mark(world, 0, entities[i]);
    ls_despawn_sweep(world);
    assert_int_equal(world->sources[PAIR].pages->taken, taken);
    assert_null(ls_table_page(table, 0));
    assert_int_equal(ls_table_next_occupied(table, 0), LS_PAGE_NONE);
    assert_int_equal(ls_table_next_not_full(table, 0), 0);
    (void)ls_world_root(world);
    assert_int_equal(table->hash, 0);
    ls_world_restore(world, snapshot);
    assert_int_equal(((const pair *)ls_store_find(world, PAIR, entities[9]))->right, 9);
    ls_snapshot_destroy(snapshot);
}

TEST(test_store_summaries_follow_single_changes)
{
    ls_world *world = ((harness *)*state)->world;
    ls_entity entities[LS_PAGE_SLOTS];
    harness_own_all(world);
    for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++) {
        entities[i] = ls_store_spawn(world, LANE_A);
        assert_true(ls_store_attach(world, TAG, entities[i], NULL));
    }
    const ls_table *table = *ls_world_table(world, TAG, LANE_A);
    assert_int_equal(ls_table_next_not_full(table, 0), 1);
    assert_true(ls_store_detach(world, TAG, entities[70]));
    assert_int_equal(ls_table_next_not_full(table, 0), 0);
    assert_true(ls_store_attach(world, TAG, entities[70], NULL));
    assert_int_equal(ls_table_next_not_full(table, 0), 1);
    for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++)
        assert_true(ls_store_detach(world, TAG, entities[i]));
    assert_int_equal(ls_table_next_occupied(table, 0), LS_PAGE_NONE);
}
