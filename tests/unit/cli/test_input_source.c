#include "test.h"

#include "cli/join/input_source.h"

static bool order_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    return count == 3 && bytes[0] == 1 && bytes[1] == player;
}

static bool state_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes)
{
    return bytes[0] < 4;
}

static bool no_order(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    return false;
}

static const ls_sim sim = {
    .state_bytes = 4, .input_is_valid = order_is_valid, .state_is_valid = state_is_valid};
static const ls_match match = {.tick_rate = 60, .player_count = 4};

TEST(test_input_source_draws_valid_inputs)
{
    uint32_t orders = 0, states = 0, others = 0;
    uint8_t data[LS_INPUT_BYTES_MAX], last = 0;
    for (uint64_t tick = 0; tick < 200; tick++) {
        ls_random_stream random = ls_random_child(ls_random_root(5), tick);
        ls_input order = {.player = 2, .kind = LS_INPUT};
        if (ls_input_source_draw(&sim, &match, random, &order, data)) {
            orders++;
            assert_ptr_equal(order.data, data);
            assert_true(ls_sim_accepts(&sim, &match, &order));
            assert_int_equal(order.bytes, 3);
            others += data[2] != last;
            last = data[2];
        }
        ls_input held = {.player = 2, .kind = LS_STATE};
        if (ls_input_source_draw(&sim, &match, random, &held, data)) {
            states++;
            assert_int_equal(held.bytes, 4);
            assert_true(ls_sim_accepts(&sim, &match, &held));
        }
    }
    assert_true(orders > 5);
    assert_true(others > 2);
    assert_int_equal(states, 200);
}

TEST(test_input_source_draws_the_same_from_one_stream)
{
    uint8_t data[2][LS_INPUT_BYTES_MAX];
    ls_input held[3] = {{.kind = LS_STATE}, {.kind = LS_STATE}, {.kind = LS_STATE}};
    for (int i = 0; i < 2; i++)
        assert_true(ls_input_source_draw(&sim, &match, ls_random_root(7), &held[i], data[i]));
    assert_memory_equal(data[0], data[1], 4);
    assert_true(ls_input_source_draw(&sim, &match, ls_random_root(8), &held[2], data[1]));
    assert_memory_not_equal(data[0], data[1], 4);
}

TEST(test_input_source_gives_up_where_nothing_is_taken)
{
    ls_sim stubborn = sim;
    stubborn.input_is_valid = no_order;
    uint8_t data[LS_INPUT_BYTES_MAX];
    ls_input order = {.kind = LS_INPUT};
    assert_false(ls_input_source_draw(&stubborn, &match, ls_random_root(1), &order, data));
}
