#include "test.h"

#include "proto/handshake_internal.h"

/* Returns the handshake state after the COOKIE and before the key exchange. */
static ls_handshake_state make_state(void)
{
    uint8_t bytes[4][32];
    uint64_t seed = 1;
    test_fill(&seed, bytes, sizeof bytes);
    ls_handshake_base base = {.version_min = 1,
                              .version_max = 1,
                              .capabilities = 5,
                              .hello_hash = bytes[0],
                              .server_static = bytes[2],
                              .identity = bytes[3]};
    ls_handshake_state made;
    ls_handshake_state_init(&made, &base);
    return made;
}

/* The key schedule is part of the wire format: if these bytes change, increment
 * LS_PROTOCOL_VERSION. They were computed by another program, written from the text of
 * docs/protocol.md. */
TEST(test_handshake_keys_are_what_they_were)
{
    ls_handshake_state schedule = make_state();
    uint8_t secret[32] = {1}, public_key[32] = {9};
    assert_true(ls_handshake_mix_exchange(&schedule, secret, public_key));
    ls_handshake_mix(&schedule, (const uint8_t[32]){0});
    ls_handshake_absorb(&schedule, "lockstep", 8);
    ls_seal_keys keys;
    ls_carrier carrier;
    ls_handshake_derive_session(&schedule, &keys, &carrier);
    static const uint8_t expected[6][4] = {
        {0xf4, 0x72, 0x53, 0x07}, {0x39, 0x89, 0xd1, 0x35}, {0xcc, 0x41, 0xd2, 0x33},
        {0x4c, 0x67, 0x90, 0xc3}, {0xac, 0x05, 0x48, 0x5d}, {0xd5, 0x61, 0x57, 0xb3},
    };
    for (uint32_t i = 0; i < 4; i++)
        assert_memory_equal(keys.keys[i / 2][i % 2], expected[i], 4);
    for (uint32_t role = 0; role < 2; role++)
        assert_memory_equal(carrier.keys[role], expected[4 + role], 4);
}

TEST(test_handshake_keys_box_round_trip)
{
    ls_handshake_state a = make_state(), b = a;
    uint8_t text[] = "in the box", sealed[64], opened[64];
    ls_writer plain = {.data = text, .capacity = sizeof text, .count = sizeof text}, out;
    ls_writer_init(&out, sealed, sizeof sealed);
    ls_handshake_box_seal(&a, "auth box", &plain, &out);
    ls_reader reader;
    ls_reader_init(&reader, sealed, out.count);
    assert_true(ls_handshake_box_open(&b, "auth box", &reader, opened));
    assert_memory_equal(opened, text, sizeof text);
    assert_memory_equal(&a, &b, sizeof a);
}

TEST(test_handshake_keys_box_needs_label_transcript_and_psk)
{
    ls_handshake_state a = make_state(), moved = a, other = a, same = a;
    uint8_t text[] = "in the box", sealed[64], opened[64];
    ls_writer plain = {.data = text, .capacity = sizeof text, .count = sizeof text}, out;
    ls_writer_init(&out, sealed, sizeof sealed);
    ls_handshake_box_seal(&a, "auth box", &plain, &out);
    ls_handshake_absorb(&moved, "x", 1);
    ls_handshake_mix(&other, (const uint8_t[32]){1});
    ls_reader reader;
    ls_reader_init(&reader, sealed, out.count);
    assert_false(ls_handshake_box_open(&moved, "auth box", &reader, opened));
    reader.offset = 0;
    assert_false(ls_handshake_box_open(&other, "auth box", &reader, opened));
    reader.offset = 0;
    assert_false(ls_handshake_box_open(&same, "accept box", &reader, opened));
    reader.offset = 0;
    assert_true(ls_handshake_box_open(&same, "auth box", &reader, opened));
}

TEST(test_handshake_keys_refuse_low_order)
{
    ls_handshake_state schedule = make_state(), before = schedule;
    uint8_t secret[32] = {1}, zero[32] = {0};
    assert_false(ls_handshake_mix_exchange(&schedule, secret, zero));
    assert_memory_equal(&schedule, &before, sizeof before);
}
