/* Values in the index of a grid join: those that a read by handle finds. */
#include "harness.h"

LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(mass, U32(grams), U32(slot), U32(bits));

/* Values of these sizes are stored in other ways. */
LS_COMPONENT(cargo, U64_ARRAY(items, 5));
LS_COMPONENT(colour, U8(number));
LS_COMPONENTS(components, place, mass, cargo, colour);
static const char *const lanes[] = {"a", "b"};

enum { COUNT = 1500, EXTENT = 3000, CELL = 100, EVERYWHERE = 1 << 20 };

#define MASS_GRID                                                                                  \
    LS_GRIDS(                                                                                      \
        {&place_component, &mass_component, offsetof(place, x), offsetof(place, y), CELL, false})

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
        const cargo load = {{i, ~i, i * 3, i * 5, 7}};
        const colour painted = {(uint8_t)i};
        if (i % 3)
            ls_cell_attach(context, 1, entity, &has);
        if (i % 4)
            ls_cell_attach(context, 2, entity, &load);
        if (i % 5)
            ls_cell_attach(context, 3, entity, &painted);
    }
}

static const ls_system setup = {.name = "populate",
                                .mode = LS_SEQUENTIAL,
                                .match = populate,
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(place_component),
                                                      LS_OTHERS_STRUCTURE(mass_component),
                                                      LS_OTHERS_STRUCTURE(cargo_component),
                                                      LS_OTHERS_STRUCTURE(colour_component)),
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

TEST(test_grid_values_are_those_that_a_handle_finds)
{
    const ls_system systems[] = {
        {.name = "add", .span = add_slots, .terms = LS_TERM_LIST(LS_WRITES(mass_component))},
        {.name = "compare",
         .mode = LS_SEQUENTIAL,
         .match = compare,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(mass_component)),
         .grids = MASS_GRID,
         .after = "add"},
        {.name = "double",
         .span = double_own,
         .terms = LS_TERM_LIST(LS_READS(place_component), LS_WRITES(mass_component),
                               LS_OTHERS_START(mass_component)),
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

/* Term i is of the component whose values grid i has. */
static void compare_sizes(ls_context *context, const ls_entity *unused)
{
    static const size_t bytes[] = {sizeof(mass), sizeof(cargo), sizeof(colour)};
    for (uint32_t i = 0; i < LS_COUNT_OF(bytes); i++) {
        ls_grid_walk walk;
        ls_neighbour near;
        ls_grid_begin(context, i, EXTENT / 2, EXTENT / 2, EVERYWHERE, &walk);
        for (const void *value; (value = ls_grid_next_with(&walk, &near)); found_count++)
            assert_memory_equal(value, ls_cell_find(context, i, near.entity), bytes[i]);
    }
}

TEST(test_grid_values_of_all_sizes)
{
    const ls_system systems[] = {
        {.name = "compare",
         .mode = LS_SEQUENTIAL,
         .match = compare_sizes,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(mass_component), LS_OTHERS_READ(cargo_component),
                               LS_OTHERS_READ(colour_component)),
         .grids = LS_GRIDS({&place_component, &mass_component, offsetof(place, x),
                            offsetof(place, y), CELL, false},
                           {&place_component, &cargo_component, offsetof(place, x),
                            offsetof(place, y), CELL, false},
                           {&place_component, &colour_component, offsetof(place, x),
                            offsetof(place, y), CELL, false})}};
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    found_count = 0;
    harness_tick(self.world, NULL);
    assert_int_equal(found_count, COUNT / 3 * 2 + COUNT / 4 * 3 + COUNT / 5 * 4);
    harness_end(&self);
}

static void ask_for_values(ls_context *context, const ls_entity *unused)
{
    ls_grid_walk walk;
    ls_neighbour near;
    ls_grid_begin(context, 0, 0, 0, EVERYWHERE, &walk);
    (void)ls_grid_next(&walk, &near);
    (void)ls_grid_next_with(&walk, &near);
}

/* `grids` is the list of the system. */
static void run_without_values(void *grids)
{
    const ls_system systems[] = {{.name = "compare",
                                  .mode = LS_SEQUENTIAL,
                                  .match = ask_for_values,
                                  .terms = LS_TERM_LIST(LS_READS(mass_component)),
                                  .grids = grids}};
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

/* A grid without `with`, and one whose values the system does not read of others. */
TEST(test_grid_values_that_the_grid_lacks_stop_the_process)
{
    const ls_grid plain[] = {
        {&place_component, NULL, offsetof(place, x), offsetof(place, y), CELL, false}, {0}};
    const ls_grid unread[] = {
        {&place_component, &mass_component, offsetof(place, x), offsetof(place, y), CELL, false},
        {0}};
    assert_dies(run_without_values, (void *)(uintptr_t)plain, "the grid has no values",
                "in its `with`", "call ls_grid_next()");
    assert_dies(run_without_values, (void *)(uintptr_t)unread, "the grid has no values",
                " OTHERS_READ(...)", " OTHERS_START(...)");
}
