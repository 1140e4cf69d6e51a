#include "proto/message.h"
#include "tests/support/test.h"

#include <string.h>

enum { PLAYERS = 4, STATE_BYTES = 2, COUNT_AT = 8, FRAMES_AT = 29 };

typedef struct made_ticks {
    uint8_t bytes[LS_TICKS_MAX * 32];
    ls_ticks ticks;
} made_ticks;

/* Each player has a state in each tick; that of player 0 changes with each. */
static void make(made_ticks *made, uint32_t count)
{
    ls_writer writer;
    ls_writer_init(&writer, made->bytes, sizeof made->bytes);
    made->ticks = (ls_ticks){.first = 1000, .count = count, .is_packed = true};
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t own[STATE_BYTES] = {(uint8_t)i, 7}, others[STATE_BYTES] = {5, 6};
        ls_input inputs[PLAYERS];
        for (uint8_t k = 0; k < PLAYERS; k++)
            inputs[k] = (ls_input){
                .player = k, .kind = LS_STATE, .bytes = STATE_BYTES, .data = k ? others : own};
        size_t start = writer.count;
        ls_frame_encode(&(ls_frame){.count = PLAYERS, .inputs = inputs}, &writer);
        made->ticks.bodies[i] =
            (ls_ticks_body){made->bytes + start, (uint32_t)(writer.count - start)};
    }
    assert_false(writer.failed);
}

static void assert_same(const ls_plain *plain, const ls_ticks *wanted)
{
    ls_ticks ticks;
    assert_true(ls_ticks_decode(plain, PLAYERS, &ticks));
    assert_int_equal(ticks.first, wanted->first);
    assert_int_equal(ticks.count, wanted->count);
    for (uint32_t i = 0; i < ticks.count; i++) {
        assert_int_equal(ticks.bodies[i].bytes, wanted->bodies[i].bytes);
        assert_memory_equal(ticks.bodies[i].data, wanted->bodies[i].data, wanted->bodies[i].bytes);
    }
}

static bool is_taken(const ls_plain *plain)
{
    ls_ticks ticks;
    return ls_ticks_decode(plain, PLAYERS, &ticks);
}

TEST(test_message_packed_round_trip)
{
    for (uint32_t count = 1; count <= 40; count++) {
        made_ticks made;
        ls_plain plain;
        make(&made, count);
        assert_true(ls_ticks_encode(&made.ticks, &plain));
        assert_int_equal(plain.bytes, FRAMES_AT + 25 + 3 * (count - 1));
        assert_same(&plain, &made.ticks);
        for (plain.bytes--; plain.bytes > 0; plain.bytes--)
            assert_false(is_taken(&plain));
    }
}

/* Frames without anything in common are sent whole, without a byte more. */
TEST(test_message_packed_only_if_it_is_shorter)
{
    made_ticks made;
    ls_plain plain, whole;
    make(&made, 2);
    for (uint32_t i = 0; i < 25; i++)
        if (i % 6 == 5 || i % 6 == 0)
            made.bytes[i] ^= i ? 0x80 : 0;
    made.ticks.bodies[1].bytes = 1;
    static const uint8_t none[] = {0};
    made.ticks.bodies[1].data = none;
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    made.ticks.is_packed = false;
    assert_true(ls_ticks_encode(&made.ticks, &whole));
    assert_int_equal(plain.bytes, whole.bytes);
    assert_memory_equal(plain.data, whole.data, whole.bytes);
}

/* The frame that the changes make is checked like any other. */
TEST(test_message_packed_checks_each_frame)
{
    made_ticks made;
    ls_plain plain;
    make(&made, 2);
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    uint8_t *change = plain.data + FRAMES_AT + 25; /* number of changes, distance, byte */
    assert_int_equal(change[0], 1);
    change[1] = 1; /* the player of the first input */
    change[2] = PLAYERS - 1;
    assert_false(is_taken(&plain));
    change[2] = PLAYERS;
    assert_false(is_taken(&plain));
    change[1] = 0; /* the number of inputs */
    change[2] = PLAYERS - 1;
    assert_false(is_taken(&plain));
    change[2] = PLAYERS;
    assert_true(is_taken(&plain));
    change[1] = 25; /* beyond the frame */
    assert_false(is_taken(&plain));
}

/* A small message that unpacks to more than an unpacked one may have. */
TEST(test_message_packed_is_bounded)
{
    made_ticks made;
    ls_plain plain;
    make(&made, 2);
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    uint32_t most = LS_TICKS_BODIES_BYTES_MAX / 25;
    plain.bytes = FRAMES_AT + 25;
    memset(plain.data + plain.bytes, 0, LS_TICKS_MAX); /* frames without a change */
    for (uint32_t count = 2; count <= LS_TICKS_MAX; count++) {
        plain.bytes = FRAMES_AT + 25 + count - 1;
        plain.data[COUNT_AT] = (uint8_t)(0x80 | count);
        assert_int_equal(is_taken(&plain), count <= most);
    }
    plain.data[COUNT_AT] = 0x80;
    assert_false(is_taken(&plain));
}
