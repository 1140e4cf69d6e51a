#include "client/state_inputs.h"
#include "tests/support/test.h"

static bool put(ls_state_inputs *states, uint64_t tick, uint8_t value, uint64_t head)
{
    uint8_t bytes[2] = {value, (uint8_t)tick};
    return ls_state_inputs_put(states, tick, bytes, head);
}

TEST(test_state_inputs_repeat_until_closed)
{
    ls_state_inputs states;
    ls_update update = {0};
    ls_state_inputs_init(&states, 2);
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_int_equal(update.state_count, 0);
    for (uint64_t tick = 100; tick < 112; tick++)
        assert_true(put(&states, tick, (uint8_t)tick, 98));
    assert_true(ls_state_inputs_are_new(&states));
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_false(ls_state_inputs_are_new(&states));
    assert_int_equal(update.state_bytes, 2);
    assert_int_equal(update.state_count, LS_UPDATE_STATES_MAX);
    assert_int_equal(update.state_first, 104);
    for (uint32_t i = 0; i < update.state_count; i++)
        assert_int_equal(update.states[i * 2], 104 + i);
    ls_state_inputs_close(&states, 110);
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_int_equal(update.state_count, 2);
    assert_int_equal(update.state_first, 110);
    ls_state_inputs_close(&states, 500);
    assert_false(ls_state_inputs_are_waiting(&states));
}

TEST(test_state_inputs_never_change_a_tick)
{
    ls_state_inputs states;
    ls_state_inputs_init(&states, 2);
    assert_false(put(&states, 9, 1, 10));
    assert_true(put(&states, 10, 1, 10));
    assert_false(put(&states, 10, 2, 10));
    assert_true(put(&states, 12, 3, 10));
    assert_false(put(&states, 11, 2, 10));
    assert_false(put(&states, 12, 2, 10));
    assert_true(put(&states, 13, 2, 10));
}

/* Ticks skipped between two states get the last state, unless they are closed. */
TEST(test_state_inputs_fill_skipped_ticks)
{
    ls_state_inputs states;
    ls_update update = {0};
    ls_state_inputs_init(&states, 2);
    assert_true(put(&states, 20, 7, 20));
    assert_true(put(&states, 24, 8, 20));
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_int_equal(update.state_first, 20);
    assert_int_equal(update.state_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(update.states[i * 2], i < 4 ? 7 : 8);
    assert_true(put(&states, 40, 9, 30));
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_int_equal(update.state_first, 40);
    assert_int_equal(update.state_count, 1);
}

/* The server waits for ticks without a state, so states are filled up to the head. */
TEST(test_state_inputs_reach_the_head)
{
    ls_state_inputs states;
    ls_update update = {0};
    ls_state_inputs_init(&states, 2);
    ls_state_inputs_backfill(&states, 17);
    assert_false(ls_state_inputs_are_waiting(&states));
    assert_true(put(&states, 20, 7, 17));
    assert_true(put(&states, 21, 8, 17));
    ls_state_inputs_backfill(&states, 30); /* no new state, so nothing is filled */
    ls_state_inputs_backfill(&states, 17);
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_int_equal(update.state_first, 17);
    assert_int_equal(update.state_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(update.states[i * 2], i < 4 ? 7 : 8);
    assert_false(put(&states, 18, 9, 17));
    /* Fills at most as many ticks as there are slots. */
    ls_state_inputs_close(&states, 22);
    assert_true(put(&states, 22 + LS_CLIENT_STATES, 1, 22 + LS_CLIENT_STATES));
    ls_state_inputs_backfill(&states, 22);
    ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
    assert_int_equal(update.state_count, 1);
}

/* States at the maximum distance ahead: each keeps its slot while it waits to be sent. */
TEST(test_state_inputs_are_bounded)
{
    ls_state_inputs states;
    ls_update update = {0};
    ls_state_inputs_init(&states, 2);
    for (uint64_t head = 0; head < 1000; head += 7) {
        assert_true(put(&states, head + LS_CLIENT_STATE_AHEAD - 1, (uint8_t)head, head));
        ls_state_inputs_fill(&states, LS_UPDATE_STATES_MAX, &update);
        assert_int_equal(update.state_first + update.state_count, head + LS_CLIENT_STATE_AHEAD);
        assert_int_equal(update.states[2 * (update.state_count - 1)], (uint8_t)head);
    }
}

/* A congested line gets few repeats, but each new state. */
TEST(test_state_inputs_limits_repeats)
{
    ls_state_inputs states;
    ls_update update = {0};
    ls_state_inputs_init(&states, 1);
    for (uint64_t tick = 10; tick < 14; tick++)
        assert_true(ls_state_inputs_put(&states, tick, (const uint8_t[]){(uint8_t)tick}, 10));
    ls_state_inputs_fill(&states, 1, &update);
    assert_int_equal(update.state_first, 10);
    assert_int_equal(update.state_count, 4);
    assert_true(ls_state_inputs_put(&states, 14, (const uint8_t[]){14}, 10));
    ls_state_inputs_fill(&states, 2, &update);
    assert_int_equal(update.state_first, 13);
    assert_int_equal(update.state_count, 2);
    ls_state_inputs_fill(&states, 1, &update);
    assert_int_equal(update.state_first, 10);
    assert_int_equal(update.state_count, 1);
}
