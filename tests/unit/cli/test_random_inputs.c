#include "cli/common/random_inputs.h"

#include "cli/module/sim_load.h"
#include "test.h"

/* Plays `ticks` ticks, checks each frame and returns the number of inputs. */
static uint32_t play(ls_world *world, uint32_t ticks)
{
    uint32_t inputs = 0;
    ls_random_inputs dice = {.mode = LS_RANDOM_INPUTS_BOTS};
    for (uint32_t i = 0; i < ticks; i++) {
        ls_frame frame = ls_random_inputs_frame(&dice, world);
        assert_true(frame.tick == i);
        assert_true(ls_frame_bytes(&frame) <= LS_FRAME_BYTES_MAX);
        for (uint32_t k = 0; k < frame.count; k++) {
            assert_int_equal(frame.inputs[k].kind, i ? LS_INPUT : LS_JOIN);
            assert_true(k == 0 || frame.inputs[k - 1].player < frame.inputs[k].player);
        }
        inputs += i ? frame.count : 0;
        if (i == 0)
            assert_int_equal(frame.count, ls_world_match(world)->player_count);
        assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    }
    return inputs;
}

TEST(test_random_inputs_of_bots_join_and_play)
{
    ls_loaded_sim loaded;
    ls_world *world;
    assert_ok(ls_sim_load("skirmish", &loaded, NULL));
    ls_match match = ls_program_match(loaded.program, 3);
    match.player_count = 8;
    assert_ok(ls_world_create(loaded.program, &match, &world, NULL));
    assert_true(play(world, 300) > 0);
    ls_world_destroy(world);
    ls_sim_unload(&loaded);
}

TEST(test_random_inputs_without_a_bot_are_none)
{
    ls_loaded_sim loaded;
    ls_world *world;
    assert_ok(ls_sim_load("toyphys", &loaded, NULL));
    ls_match match = ls_program_match(loaded.program, 3);
    assert_ok(ls_world_create(loaded.program, &match, &world, NULL));
    assert_int_equal(play(world, 5), 0);
    ls_world_destroy(world);
    ls_sim_unload(&loaded);
}
