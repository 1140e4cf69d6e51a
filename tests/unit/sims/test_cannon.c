#include "sims/cannon/cannon.h"
#include "tests/support/test.h"

#include <lockstep/world.h>

static void expect_score(const ls_world *world, const char *wanted)
{
    char text[256];
    ls_cannon_sim.describe(world, text, sizeof text);
    assert_string_equal(text, wanted);
}

typedef struct fixture {
    ls_program *program;
    ls_world *world;
} fixture;

static fixture begin(int64_t gravity)
{
    fixture made;
    assert_ok(ls_program_create(&ls_cannon_sim, &made.program, NULL));
    ls_match match = ls_program_match(made.program, 1);
    match.player_count = 3;
    assert_string_equal(ls_program_sim(made.program)->options[2].name, "physics.gravity");
    match.options[2] = gravity;
    assert_ok(ls_world_create(made.program, &match, &made.world, NULL));
    return made;
}

static void end(fixture *self)
{
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
}

static void fire(const fixture *self, uint8_t elevation, uint8_t charge)
{
    const uint8_t order[] = {elevation, charge};
    const ls_input input = {.player = 1, .kind = LS_INPUT, .bytes = sizeof order, .data = order};
    assert_true(ls_cannon_sim.input_is_valid(ls_world_match(self->world), 1, order, sizeof order));
    for (uint32_t i = 0; i < 100; i++) {
        const ls_frame frame = {
            .tick = ls_world_tick(self->world), .count = i == 0, .inputs = &input};
        assert_ok(ls_world_advance(self->world, &frame, NULL, NULL));
    }
}

TEST(test_cannon_counts_hits_of_others)
{
    fixture self = begin(20);
    fire(&self, 90, 90); /* on its own head */
    expect_score(self.world, "p0 0 of 0  p1 0 of 1  p2 0 of 0");
    fire(&self, 45, 63); /* 20 to the right */
    expect_score(self.world, "p0 0 of 0  p1 1 of 2  p2 0 of 0");
    fire(&self, 135, 63); /* 20 to the left */
    expect_score(self.world, "p0 0 of 0  p1 2 of 3  p2 0 of 0");
    fire(&self, 45, 50); /* too short */
    expect_score(self.world, "p0 0 of 0  p1 2 of 4  p2 0 of 0");
    assert_int_equal(ls_world_entity_count(self.world), 3);
    end(&self);
}

TEST(test_cannon_flies_by_the_option_of_its_module)
{
    fixture self = begin(40);
    fire(&self, 45, 63);
    expect_score(self.world, "p0 0 of 0  p1 0 of 1  p2 0 of 0");
    fire(&self, 45, 89);
    expect_score(self.world, "p0 0 of 0  p1 1 of 2  p2 0 of 0");
    end(&self);
}

TEST(test_cannon_refuses_other_orders)
{
    const ls_match match = {.player_count = 2};
    static const uint8_t orders[][3] = {{0, 50}, {180, 50}, {90, 0}, {90, 101}};
    for (uint32_t i = 0; i < LS_COUNT_OF(orders); i++)
        assert_false(ls_cannon_sim.input_is_valid(&match, 0, orders[i], 2));
    static const uint8_t good[3] = {90, 50};
    assert_true(ls_cannon_sim.input_is_valid(&match, 1, good, 2));
    assert_false(ls_cannon_sim.input_is_valid(&match, 2, good, 2));
    assert_false(ls_cannon_sim.input_is_valid(&match, 1, good, 3));
}
