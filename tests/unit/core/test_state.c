/* The root and the column hashes change with everything that can influence a later tick, and with
 * nothing else. */
#include "harness.h"
#include "sample_sim.h"

#include "core/run/despawn.h"
#include "core/run/query.h"
#include "core/schedule/resolve_join.h"
#include "core/state/store.h"

static int begin(void **state)
{
    static harness self;
    harness_begin(&self, &sample_sim, 5);
    for (uint32_t i = 0; i < 10; i++) {
        sample_frame sample;
        sample_frame_init(&sample, self.world);
        assert_int_equal(ls_world_advance(self.world, &sample.frame, NULL, NULL), LS_OK);
    }
    *state = &self;
    return 0;
}

/* Makes the first page with a cell of the column writable. */
static ls_page *some_page(ls_world *world, uint32_t column, uint32_t *slot)
{
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        ls_table *table = *ls_world_table(world, column, lane);
        for (uint32_t i = 0; i < ls_table_page_count(table); i++) {
            ls_page *page = ls_table_page(table, i);
            if (!page || ls_page_is_empty(page))
                continue;
            *slot = ls_mask_next_set(page->present, 0);
            return ls_table_write(table, i, &world->sources[column]);
        }
    }
    return NULL;
}

TESTS_AROUND(begin, harness_teardown);

/* A directory's hash ends with its last page with cells. An empty page after it changes nothing,
 * before and after it is reclaimed; a page with cells does. */
TEST(test_state_root_ends_with_the_last_page)
{
    ls_world *world = ((harness *)*state)->world;
    uint32_t memos = ls_program_find_column(world->program, &sample_memos);
    harness_own_all(world);
    ls_entity last = LS_ENTITY_NULL;
    for (uint32_t i = 0; i < 3 * LS_PAGE_SLOTS; i++)
        last = ls_store_spawn(world, 0);
    assert_true(ls_entity_slot(last) / LS_PAGE_SLOTS >= 2);
    uint64_t root = ls_world_root(world);
    assert_true(ls_store_attach(world, memos, last, NULL));
    uint64_t with = ls_world_root(world);
    assert_int_not_equal(with, root);
    assert_true(ls_store_detach(world, memos, last));
    assert_int_equal(ls_world_root(world), root);
    ls_store_reclaim(world);
    assert_null(ls_world_page(world, memos, 0, ls_entity_slot(last) / LS_PAGE_SLOTS));
    assert_int_equal(ls_world_root(world), root);
    assert_true(ls_store_attach(world, memos, last, NULL));
    assert_int_equal(ls_world_root(world), with);
}

/* Sparks have no memo: attaching one creates a page, which is empty after the detach. */
TEST(test_state_root_forgets_an_empty_page)
{
    ls_world *world = ((harness *)*state)->world;
    uint32_t memos = ls_program_find_column(world->program, &sample_memos);
    harness_own_all(world);
    ls_entity spark = ls_store_spawn(world, 2);
    assert_null(ls_world_page(world, memos, 2, ls_entity_slot(spark) / LS_PAGE_SLOTS));
    uint64_t root = ls_world_root(world);
    assert_true(ls_store_attach(world, memos, spark, NULL));
    assert_int_not_equal(ls_world_root(world), root);
    assert_true(ls_store_detach(world, memos, spark));
    assert_non_null(ls_world_page(world, memos, 2, ls_entity_slot(spark) / LS_PAGE_SLOTS));
    assert_int_equal(ls_world_root(world), root);
}

TEST(test_state_root_covers_every_byte_of_every_field)
{
    ls_world *world = ((harness *)*state)->world;
    ls_world_column_hashes(world, (uint64_t[LS_COMPONENTS_MAX]){0});
    uint64_t root = ls_world_root(world), before[LS_COMPONENTS_MAX], after[LS_COMPONENTS_MAX];
    uint32_t columns = world->program->column_count, tried = 0;
    ls_world_column_hashes(world, before);
    harness_own_all(world);
    for (uint32_t column = 0; column < columns; column++) {
        const ls_component *component = world->program->components[column];
        uint32_t slot;
        for (uint32_t byte = 0; byte < component->bytes; byte++, tried++) {
            ls_page *page = some_page(world, column, &slot);
            assert_non_null(page);
            uint8_t *cell = ls_page_cells(page) + (size_t)component->bytes * slot;
            cell[byte] ^= 0x40;
            assert_int_not_equal(ls_world_root(world), root);
            ls_world_column_hashes(world, after);
            for (uint32_t other = 0; other < columns; other++)
                assert_int_equal(before[other] != after[other], other == column);
            some_page(world, column, &slot);
            cell[byte] ^= 0x40;
            assert_int_equal(ls_world_root(world), root);
        }
    }
    assert_true(tried > 100);
}

TEST(test_state_root_covers_presence_and_position)
{
    ls_world *world = ((harness *)*state)->world;
    uint32_t tag = ls_program_find_column(world->program, &sample_frozen);
    uint32_t vigor = ls_program_find_column(world->program, &sample_vigors);
    ls_world_root(world);
    harness_own_all(world);
    ls_entity a = ls_store_spawn(world, 1), b = ls_store_spawn(world, 1);
    uint64_t bare = ls_world_root(world);
    ls_store_attach(world, tag, a, NULL);
    uint64_t on_a = ls_world_root(world);
    ls_store_detach(world, tag, a);
    assert_int_equal(ls_world_root(world), bare);
    ls_store_attach(world, tag, b, NULL);
    assert_int_not_equal(ls_world_root(world), on_a);
    assert_int_not_equal(ls_world_root(world), bare);
    ls_store_detach(world, tag, b);
    /* Zeros differ from absence, and swapped values are another state. */
    ls_store_attach(world, vigor, a, NULL);
    assert_int_not_equal(ls_world_root(world), bare);
    ls_store_attach(world, vigor, a, &(sample_vigor){.points = 1});
    ls_store_attach(world, vigor, b, &(sample_vigor){.points = 2});
    uint64_t before = ls_world_root(world);
    ls_store_attach(world, vigor, a, &(sample_vigor){.points = 2});
    ls_store_attach(world, vigor, b, &(sample_vigor){.points = 1});
    assert_int_not_equal(ls_world_root(world), before);
    ls_store_detach(world, vigor, a);
    uint64_t only_b = ls_world_root(world);
    ls_store_attach(world, vigor, a, &(sample_vigor){.points = 1});
    ls_store_detach(world, vigor, b);
    assert_int_not_equal(ls_world_root(world), only_b);
}

TEST(test_state_root_tells_lanes_and_pages_apart)
{
    harness *self = *state;
    uint64_t roots[3];
    for (uint32_t i = 0; i < 3; i++) {
        ls_world *world = harness_world(self);
        uint32_t tag = ls_program_find_column(world->program, &sample_frozen);
        harness_own_all(world);
        for (uint32_t slot = 0; slot < 1000; slot++) {
            ls_store_spawn(world, 1);
            ls_store_spawn(world, 2);
        }
        static const uint32_t lanes[] = {1, 1, 2}, slots[] = {513, 769, 513};
        assert_true(ls_store_attach(world, tag, ls_entity_make(lanes[i], slots[i], 1), NULL));
        roots[i] = ls_world_root(world);
        ls_world_destroy(world);
    }
    assert_int_not_equal(roots[0], roots[1]);
    assert_int_not_equal(roots[0], roots[2]);
    assert_int_not_equal(roots[1], roots[2]);
}

TEST(test_state_root_covers_lives)
{
    ls_world *world = ((harness *)*state)->world;
    harness_own_all(world);
    uint64_t before = ls_world_root(world);
    ls_entity entity = ls_store_spawn(world, 2);
    uint64_t born = ls_world_root(world);
    ls_despawn_marks_add(&world->scratch->marks[0], entity);
    ls_despawn_sweep(world);
    uint64_t dead = ls_world_root(world); /* the slot keeps its generation */
    ls_entity again = ls_store_spawn(world, 2);
    assert_int_equal(ls_entity_slot(again), ls_entity_slot(entity));
    uint64_t reborn = ls_world_root(world);
    assert_int_not_equal(before, born);
    assert_int_not_equal(before, dead);
    assert_int_not_equal(born, reborn);
}

TEST(test_state_root_covers_tick_refusals_and_match)
{
    harness *self = *state;
    ls_world *world = harness_world(self);
    uint64_t root = ls_world_root(world);
    world->state.tick++;
    assert_int_not_equal(ls_world_root(world), root);
    world->state.tick--;
    for (uint32_t lane = 0; lane < 3; lane++) {
        world->state.refused_spawns[lane]++;
        assert_int_not_equal(ls_world_root(world), root);
        world->state.refused_spawns[lane]--;
    }
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++) {
        world->state.dropped[i]++;
        assert_int_not_equal(ls_world_root(world), root);
        world->state.dropped[i]--;
    }
    assert_int_equal(ls_world_root(world), root);
    ls_world_destroy(world);
    for (uint32_t i = 0; i < 4; i++) {
        ls_match match = *ls_world_match(self->world);
        match.options[SAMPLE_BEASTS] = 0; /* makes the initial content equal */
        match.seed += i == 0;
        match.tick_rate += i == 1;
        match.player_count += i == 2;
        match.options[SAMPLE_SPARKS] += i == 3;
        ls_match plain = *ls_world_match(self->world);
        plain.options[SAMPLE_BEASTS] = 0;
        ls_world *changed, *same;
        assert_int_equal(ls_world_create(self->program, &match, &changed, NULL), LS_OK);
        assert_int_equal(ls_world_create(self->program, &plain, &same, NULL), LS_OK);
        assert_int_not_equal(ls_world_root(changed), ls_world_root(same));
        ls_world_destroy(changed);
        ls_world_destroy(same);
    }
}

TEST(test_state_root_is_cached_rightly)
{
    harness *self = *state;
    ls_world *asked = harness_world(self), *silent = harness_world(self);
    for (uint32_t tick = 0; tick < 50; tick++) {
        ls_world_root(asked);
        ls_world_root(asked);
        harness_tick(asked, NULL);
        harness_tick(silent, NULL);
    }
    assert_int_equal(ls_world_root(asked), ls_world_root(silent));
    ls_world_destroy(asked);
    ls_world_destroy(silent);
}
