/* Values in the index of a grid join: those that a read by handle finds. */
#include "harness.h"

typedef struct place {
    ls_fix x, y;
} place;
typedef struct mass {
    uint32_t grams, slot, bits;
} mass;

static const ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_FIX),
                                        LS_FIELD(place, y, LS_TYPE_FIX)};
static const ls_field mass_fields[] = {LS_FIELD(mass, grams, LS_TYPE_U32),
                                       LS_FIELD(mass, slot, LS_TYPE_U32),
                                       LS_FIELD(mass, bits, LS_TYPE_U32)};
static const ls_component places = LS_COMPONENT_TABLE(place, "place", place_fields);
static const ls_component masses = LS_COMPONENT_TABLE(mass, "mass", mass_fields);
static const ls_component *const components[] = {&places, &masses};
static const char *const lanes[] = {"a", "b"};

enum { COUNT = 1500, EXTENT = 3000, CELL = 100, EVERYWHERE = 1 << 20 };

#define MASS_GRID LS_GRIDS({&places, &masses, offsetof(place, x), offsetof(place, y), CELL, false})

static uint64_t found_count;

/* Every third entity has no mass, and so is not in the grid. */
static void populate(ls_context *context, const ls_entity *unused)
{
    uint64_t random = 7;
    for (uint32_t i = 0; i < COUNT; i++) {
        ls_entity entity = ls_spawn(context, i % 2);
        const place at = {harness_coordinate(&random, EXTENT), harness_coordinate(&random, EXTENT)};
        const mass has = {i, ls_entity_slot(entity), ~i};
        ls_cell_attach(context, 0, entity, &at);
        if (i % 3)
            ls_cell_attach(context, 1, entity, &has);
    }
}

static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(places), LS_OTHERS_STRUCTURE(masses)),
    .lanes = "a, b"};

/* Writes values, but neither places nor presence. */
static void add_slots(ls_context *context, const ls_span *span)
{
    mass *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].grams += own[i].slot;
}

static void compare(ls_context *context, const ls_entity *unused)
{
    ls_grid_walk walk, other;
    ls_neighbour near, same;
    ls_grid_begin(context, 0, 0, 0, EVERYWHERE, &walk);
    ls_grid_begin(context, 0, 0, 0, EVERYWHERE, &other);
    for (const mass *value; (value = ls_grid_next_with(&walk, &near)); found_count++) {
        assert_true(ls_grid_next(&other, &same));
        assert_memory_equal(&near, &same, sizeof near);
        assert_memory_equal(value, ls_cell_find(context, 0, near.entity), sizeof *value);
    }
    assert_false(ls_grid_next(&other, &same));
}

/* Writes the values that it finds: it finds those of its start. */
static void double_own(ls_context *context, const ls_span *span)
{
    const place *at = ls_span_read(context, span, 0);
    mass *own = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        const mass before = own[i];
        ls_grid_walk walk;
        ls_neighbour near;
        own[i].grams = before.grams * 2 + 1;
        ls_grid_begin(context, 0, at[i].x, at[i].y, CELL, &walk);
        for (const mass *value; (value = ls_grid_next_with(&walk, &near));) {
            assert_int_equal(value->slot, ls_entity_slot(near.entity));
            if (near.entity == ls_span_entity(span, i))
                assert_memory_equal(value, &before, sizeof before);
        }
    }
}

static void test_grid_values_are_those_that_a_handle_finds(void **state)
{
    const ls_system systems[] = {
        {.name = "add", .span = add_slots, .terms = LS_TERM_LIST(LS_WRITES(masses))},
        {.name = "compare",
         .mode = LS_SEQUENTIAL,
         .match = compare,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(masses)),
         .grids = MASS_GRID,
         .after = "add"},
        {.name = "double",
         .span = double_own,
         .terms = LS_TERM_LIST(LS_READS(places), LS_WRITES(masses), LS_OTHERS_START(masses)),
         .grids = MASS_GRID,
         .after = "compare"},
    };
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    found_count = 0;
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, NULL);
    assert_int_equal(found_count, COUNT / 3 * 2 * 3);
    harness_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_values_are_those_that_a_handle_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
