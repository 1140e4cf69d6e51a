#include "sims/cannon/cannon.h"
#include "sims/fountain/fountain.h"
#include "tests/support/test.h"

#include <lockstep/world.h>

enum { BOUNCE_OPTION = 3 };

/* The number of drops when as many dry as rise. */
static uint64_t drops(const ls_program *program, int64_t bounce)
{
    ls_match match = ls_program_match(program, 1);
    assert_string_equal(ls_program_sim(program)->options[BOUNCE_OPTION].name, "physics.bounce");
    match.options[BOUNCE_OPTION] = bounce;
    ls_world *world;
    assert_ok(ls_world_create(program, &match, &world, NULL));
    for (uint32_t i = 0; i < 400; i++) {
        const ls_frame frame = {.tick = ls_world_tick(world)};
        assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    }
    uint64_t count = ls_world_entity_count(world);
    ls_world_destroy(world);
    return count;
}

TEST(test_fountain_dries_drops)
{
    ls_program *program;
    assert_ok(ls_program_create(&ls_fountain_sim, &program, NULL));
    uint64_t still = drops(program, 0), bouncing = drops(program, 50);
    assert_true(still > 20 * 2 * 25 && still < 20 * 2 * 50); /* 20 a tick, for 50 to 100 ticks */
    assert_true(bouncing > still * 5 / 4);
    ls_program_destroy(program);
}

static bool has_physics(const ls_sim *sim)
{
    ls_program *program;
    bool has = false;
    assert_ok(ls_program_create(sim, &program, NULL));
    for (uint32_t i = 0; i < ls_program_system_count(program); i++)
        has |= strcmp(ls_program_system(program, i)->name, "physics.move") == 0;
    ls_program_destroy(program);
    return has;
}

TEST(test_fountain_shares_a_module_with_cannon)
{
    assert_true(has_physics(&ls_fountain_sim));
    assert_true(has_physics(&ls_cannon_sim));
    assert_ptr_equal(ls_fountain_sim.modules[0], ls_cannon_sim.modules[0]);
}
