/* The states in an UPDATE. Its other parts are in test_message.c. */
#include "test.h"

#include "proto/message.h"

enum { STATE_BYTES = 3 };

static const uint8_t order[2] = {7, 8};

static ls_update make_update(uint32_t count)
{
    static uint8_t held[LS_UPDATE_STATES_MAX * STATE_BYTES];
    for (uint32_t i = 0; i < sizeof held; i++)
        held[i] = (uint8_t)(200 - i);
    return (ls_update){.ack = 50,
                       .stamp_us = 0xfedcba98,
                       .input_count = 1,
                       .inputs = {{.sequence = 9, .tick = 60, .bytes = 2, .data = order}},
                       .root_count = 1,
                       .root_first = 40,
                       .roots = {5},
                       .state_first = count ? 71 : 0,
                       .state_count = count,
                       .state_bytes = STATE_BYTES,
                       .states = held};
}

TEST(test_message_states_round_trip)
{
    for (uint32_t count = 0; count <= LS_UPDATE_STATES_MAX; count++) {
        ls_update update = make_update(count), got;
        ls_plain plain;
        assert_true(ls_update_encode(&update, &plain));
        assert_true(ls_update_decode(&plain, STATE_BYTES, &got));
        assert_int_equal(got.stamp_us, 0xfedcba98);
        assert_int_equal(got.state_count, count);
        assert_int_equal(got.state_bytes, STATE_BYTES);
        assert_int_equal(got.state_first, count ? 71 : 0);
        if (count)
            assert_memory_equal(got.states, update.states, (size_t)count * STATE_BYTES);
        assert_int_equal(got.root_first, 40);
        assert_memory_equal(got.inputs[0].data, order, 2);
        /* States decode only with their own size, and not in a simulation without states. */
        assert_int_equal(ls_update_decode(&plain, STATE_BYTES + 1, &got), count == 0);
        assert_int_equal(ls_update_decode(&plain, 0, &got), count == 0);
        for (uint32_t bytes = 0; bytes < plain.bytes; bytes++) {
            ls_plain cut = plain;
            cut.bytes = bytes;
            assert_false(ls_update_decode(&cut, STATE_BYTES, &got));
        }
        plain.data[plain.bytes++] = 0;
        assert_false(ls_update_decode(&plain, STATE_BYTES, &got));
    }
}

TEST(test_message_states_are_bounded)
{
    ls_update update = make_update(1), got;
    ls_plain plain;
    update.state_first = UINT64_MAX - LS_UPDATE_STATES_MAX;
    assert_true(ls_update_encode(&update, &plain));
    assert_true(ls_update_decode(&plain, STATE_BYTES, &got));
    update.state_first++;
    assert_true(ls_update_encode(&update, &plain));
    assert_false(ls_update_decode(&plain, STATE_BYTES, &got));
    plain.data[24] = LS_UPDATE_STATES_MAX + 1;
    plain.bytes = LS_MESSAGE_BYTES_MAX;
    assert_false(ls_update_decode(&plain, STATE_BYTES, &got));
}

/* The largest order still fits beside the most states and roots. */
TEST(test_message_states_leave_room_for_an_order)
{
    static const uint8_t full[LS_UPDATE_STATES_MAX * LS_STATE_BYTES_MAX], data[LS_INPUT_BYTES_MAX];
    ls_update update = make_update(LS_UPDATE_STATES_MAX), got;
    update.state_bytes = LS_STATE_BYTES_MAX;
    update.states = full;
    update.root_count = LS_UPDATE_ROOTS_MAX;
    update.inputs[0] = (ls_update_input){.sequence = 9, .bytes = LS_INPUT_BYTES_MAX, .data = data};
    ls_plain plain;
    assert_int_equal(ls_update_inputs_fit(&update), 1);
    assert_true(ls_update_encode(&update, &plain));
    assert_true(ls_update_decode(&plain, LS_STATE_BYTES_MAX, &got));
}
