#include "sims/toyphys/toyphys.h"
#include "tests/support/test.h"
#include <lockstep/lockstep.h>

static ls_world *create_world(ls_program **program)
{
    ls_error error;
    ls_world *world = NULL;
    assert_ok(ls_program_create(&ls_toyphys_sim, program, &error));
    ls_match match = ls_program_match(*program, 1);
    assert_ok(ls_world_create(*program, &match, &world, &error));
    return world;
}

static void advance(ls_world *world)
{
    ls_frame frame = {.tick = ls_world_tick(world)};
    assert_ok(ls_world_advance(world, &frame, NULL, NULL));
}

TEST(test_toyphys_prints_what_the_paper_prints)
{
    static const char *const lines[] = {
        "Pos→{e0 ↦ Pos 1, e1 ↦ Pos 7, e2 ↦ Pos 9} :+ Vel→{e0 ↦ Vel 6, e2 ↦ Vel (-2)} :+ "
        "Metadata {nextFresh = e3}",
        "Pos→{e1 ↦ Pos 7, e2 ↦ Pos 7, e3 ↦ Pos 7} :+ Vel→{e1 ↦ Vel 3, e2 ↦ Vel (-2), e3 ↦ "
        "Vel (-3)} :+ Metadata {nextFresh = e4}",
        "Pos→{e1 ↦ Pos 10, e2 ↦ Pos 5, e3 ↦ Pos 4} :+ Vel→{e1 ↦ Vel 3, e2 ↦ Vel (-2), e3 ↦ "
        "Vel (-3)} :+ Metadata {nextFresh = e4}",
    };
    ls_program *program;
    ls_world *world = create_world(&program);
    for (uint32_t tick = 0; tick < LS_COUNT_OF(lines); tick++) {
        char *text = ls_world_print(world);
        assert_string_equal(text, lines[tick]);
        ls_free(text);
        advance(world);
    }
    ls_world_destroy(world);
    ls_program_destroy(program);
}

TEST(test_toyphys_goes_on_after_the_collision)
{
    ls_program *program;
    ls_world *world = create_world(&program);
    char text[64];
    ls_toyphys_sim.describe(world, text, sizeof text);
    assert_string_equal(text, "2 bodies move");
    for (uint32_t i = 0; i < 1000; i++)
        advance(world);
    ls_toyphys_sim.describe(world, text, sizeof text);
    assert_string_equal(text, "3 bodies move");
    /* The sphere that was hit has lost its components but is not despawned, so its id is not
     * reused. */
    assert_int_equal(ls_world_entity_count(world), 4);
    ls_world_destroy(world);
    ls_program_destroy(program);
}
