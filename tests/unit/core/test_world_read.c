/* Reading a world between ticks. */
#include "harness.h"
#include "sample_sim.h"

static int begin(void **state)
{
    static harness self;
    harness_begin(&self, &sample_sim, 21);
    for (uint32_t tick = 0; tick < 25; tick++)
        harness_tick(self.world, NULL);
    *state = &self;
    return 0;
}

/* The number of slots to compare: walks must visit all living entities in canonical order. */
enum { SLOTS = 1500 };

static ls_entity life_at(const ls_world *world, uint32_t lane, uint32_t slot)
{
    for (uint32_t generation = 1; generation < 200; generation += 2) {
        if (ls_world_is_alive(world, ls_entity_make(lane, slot, generation)))
            return ls_entity_make(lane, slot, generation);
    }
    return LS_ENTITY_NULL;
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_world_read_counts_the_living)
{
    ls_world *world = ((harness *)*state)->world;
    uint64_t count = 0;
    for (uint32_t lane = 0; lane < 3; lane++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            count += life_at(world, lane, slot) != LS_ENTITY_NULL;
    }
    assert_true(count > 300);
    assert_int_equal(ls_world_entity_count(world), count);
}

static bool is_match(const ls_world *world, const ls_term *terms, ls_entity entity)
{
    for (; terms->component; terms++) {
        bool has = ls_world_cell(world, terms->component, entity) != NULL;
        if ((terms->kind == LS_INCLUDE && !has) || (terms->kind == LS_EXCLUDE && has))
            return false;
    }
    return true;
}

static void check_walk(const ls_world *world, const ls_term *terms)
{
    ls_world_walk walk;
    ls_world_walk_begin(world, terms, &walk);
    bool is_going = ls_world_walk_next(&walk);
    uint32_t i = 0;
    for (uint32_t lane = 0; lane < 3; lane++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            ls_entity entity = life_at(world, lane, slot);
            if (entity == LS_ENTITY_NULL || !is_match(world, terms, entity))
                continue;
            assert_true(is_going);
            assert_int_equal(ls_span_entity(&walk.span, i), entity);
            for (uint32_t term = 0; terms[term].component; term++) {
                const uint8_t *cells = walk.span.const_cells[term];
                uint32_t bytes = terms[term].component->bytes;
                const void *expected = ls_world_cell(world, terms[term].component, entity);
                if (bytes)
                    assert_ptr_equal(cells ? cells + (size_t)bytes * i : NULL, expected);
            }
            if (++i == walk.span.count) {
                is_going = ls_world_walk_next(&walk);
                i = 0;
            }
        }
    }
    assert_false(is_going);
    assert_false(ls_world_walk_next(&walk));
    assert_false(ls_world_walk_next(&walk));
}

TEST(test_world_read_walks_all_matches_in_canonical_order)
{
    ls_world *world = ((harness *)*state)->world;
    const ls_term walks[][5] = {
        {LS_READS(sample_places)},
        {LS_READS(sample_places), LS_OPTIONALLY_READS(sample_preys), LS_WITHOUT(sample_frozen)},
        {LS_WITH(sample_frozen), LS_READS(sample_vigors), LS_READS(sample_memos)},
        {LS_READS(sample_glows)},
        {LS_WITHOUT(sample_places)},
        {LS_OPTIONALLY_READS(sample_memos)},
        {LS_READS(sample_glows), LS_READS(sample_places)},
        {{0}},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(walks); i++)
        check_walk(world, walks[i]);
}

TEST(test_world_read_knows_components_by_name)
{
    ls_world *world = ((harness *)*state)->world;
    const ls_component copy = sample_scores;
    assert_ptr_equal(ls_world_singleton(world, &copy), ls_world_singleton(world, &sample_scores));
    assert_null(ls_world_cell(world, &sample_places, LS_ENTITY_NULL));
    assert_null(ls_world_cell(world, &sample_scores, ls_entity_make(0, 0, 1)));
}

static const ls_component foreign = LS_TAG_TABLE("foreign");

static void ask_for_foreign_cell(void *argument)
{
    ls_world_cell(((harness *)argument)->world, &foreign, LS_ENTITY_NULL);
}

static void take_column_as_singleton(void *argument)
{
    ls_world_singleton(((harness *)argument)->world, &sample_places);
}

static void walk_to_write(void *argument)
{
    const ls_term terms[] = {LS_WRITES(sample_places), {0}};
    ls_world_walk walk;
    ls_world_walk_begin(((harness *)argument)->world, terms, &walk);
}

static void walk_singleton(void *argument)
{
    const ls_term terms[] = {LS_READS(sample_scores), {0}};
    ls_world_walk walk;
    ls_world_walk_begin(((harness *)argument)->world, terms, &walk);
}

static void walk_foreign_event(void *argument)
{
    ls_event_walk walk;
    ls_world_event_begin(((harness *)argument)->world, &foreign, &walk);
}

TEST(test_world_read_asserts_on_wrong_questions)
{
    assert_dies(ask_for_foreign_cell, *state, "\"foreign\" is none of simulation");
    assert_dies(take_column_as_singleton, *state, sample_places.name, "no singleton");
    assert_dies(walk_to_write, *state, "LS_ACCESS_READ");
    assert_dies(walk_singleton, *state, sample_scores.name, "a singleton");
    assert_dies(walk_foreign_event, *state, "\"foreign\" is no event of simulation");
}
