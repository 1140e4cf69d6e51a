/* The inputs that a simulation accepts from players, and the limits of its own texts. */
#include "harness.h"
#include "sample_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t bytes[LS_STATE_BYTES_MAX + 1] = {7};

static bool is_seven(const ls_match *match, uint32_t player, const uint8_t *data)
{
    return player == 0 && data[0] == 7;
}

static bool is_one_byte(const ls_match *match, uint32_t player, const uint8_t *data, uint32_t count)
{
    return count == 1;
}

static const ls_match match = {.player_count = 2};

static bool takes(const ls_sim *sim, uint8_t player, uint8_t kind, uint16_t count)
{
    return ls_sim_accepts(sim, &match, &(ls_input){player, kind, count, bytes});
}

TEST(test_sim_takes_orders_that_are_valid)
{
    ls_sim sim = {.input_is_valid = is_one_byte};
    assert_true(takes(&sim, 1, LS_INPUT, 1));
    assert_false(takes(&sim, 1, LS_INPUT, 2));
    assert_false(takes(&sim, 1, LS_INPUT, 0));
    assert_false(takes(&sim, 2, LS_INPUT, 1));
    assert_false(takes(&sim, 0, LS_STATE, 1));
    sim.input_is_valid = NULL;
    assert_false(takes(&sim, 1, LS_INPUT, 1));
}

TEST(test_sim_takes_states_of_its_size)
{
    ls_sim sim = {.state_bytes = 4};
    const uint8_t kinds[] = {LS_STATE, LS_SUBSTITUTE};
    for (uint32_t i = 0; i < LS_COUNT_OF(kinds); i++) {
        assert_true(takes(&sim, 1, kinds[i], 4));
        assert_false(takes(&sim, 1, kinds[i], 3));
        assert_false(takes(&sim, 1, kinds[i], 5));
        assert_false(takes(&sim, 2, kinds[i], 4));
    }
    sim.state_is_valid = is_seven;
    assert_true(takes(&sim, 0, LS_STATE, 4));
    assert_false(takes(&sim, 1, LS_STATE, 4));
}

TEST(test_sim_takes_no_events)
{
    const ls_sim sim = {.state_bytes = 4, .input_is_valid = is_one_byte};
    const uint8_t kinds[] = {LS_JOIN, LS_LEAVE, LS_PAUSE, LS_RESUME, LS_RESUME + 1, 255};
    for (uint32_t i = 0; i < LS_COUNT_OF(kinds); i++)
        assert_false(takes(&sim, 0, kinds[i], 4));
}

static void expect_refusal(const ls_sim *sim, const char *word)
{
    ls_program *program;
    ls_error error = {""};
    assert_int_equal(ls_program_create(sim, &program, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, word));
}

TEST(test_sim_states_have_bounds)
{
    ls_sim sim = sample_sim;
    sim.state_bytes = LS_STATE_BYTES_MAX + 1;
    expect_refusal(&sim, "state_bytes is 0 to 64");
    sim.state_bytes = 1;
    sim.state_missing = LS_MISSING_NEUTRAL + 1;
    expect_refusal(&sim, "repeat or neutral");
}

/* The states of all players and one order of any size fit into a frame; with one more player they
 * do not. */
TEST(test_sim_states_of_all_players_fit_a_tick)
{
    ls_sim sim = sample_sim;
    sim.state_bytes = 60;
    ls_program *program;
    ls_error error = {""};
    assert_int_equal(ls_program_create(&sim, &program, &error), LS_OK);
    ls_match all = ls_program_match(program, 1);
    all.player_count = (LS_FRAME_BYTES_MAX - 1 - 4 - LS_INPUT_BYTES_MAX) / 64;
    assert_int_equal(ls_program_check_match(program, &all, &error), LS_OK);
    all.player_count++;
    assert_int_equal(ls_program_check_match(program, &all, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "fewer players"));
    ls_program_destroy(program);
}

TEST(test_sim_states_are_in_the_fingerprint)
{
    uint8_t seen[3][LS_FINGERPRINT_BYTES];
    const ls_missing_state missing[] = {0, LS_MISSING_REPEAT, LS_MISSING_NEUTRAL};
    for (uint32_t i = 0; i < 3; i++) {
        ls_sim sim = sample_sim;
        sim.state_bytes = i ? 4 : 0;
        sim.state_missing = missing[i];
        ls_program *program;
        assert_int_equal(ls_program_create(&sim, &program, NULL), LS_OK);
        memcpy(seen[i], ls_program_fingerprint(program), LS_FINGERPRINT_BYTES);
        ls_program_destroy(program);
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(seen[i], seen[k], LS_FINGERPRINT_BYTES);
    }
}
