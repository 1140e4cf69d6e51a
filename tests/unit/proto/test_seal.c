#include "test.h"

#include <lockstep/seal.h>

typedef struct seal_pair {
    ls_seal server, client;
} seal_pair;

static seal_pair make_pair(uint64_t seed)
{
    ls_seal_keys keys;
    test_fill(&seed, &keys, sizeof keys);
    seal_pair made;
    ls_seal_init(&made.server, &keys, LS_ROLE_SERVER);
    ls_seal_init(&made.client, &keys, LS_ROLE_CLIENT);
    return made;
}

static ls_plain make_plain(uint8_t channel, uint32_t bytes)
{
    ls_plain plain = {.channel = channel, .type = 5, .bytes = bytes};
    uint64_t seed = bytes;
    test_fill(&seed, plain.data, bytes);
    return plain;
}

/* A sealed packet that owns its bytes. */
typedef struct sealed_packet {
    ls_packet packet;
    uint8_t bytes[LS_PACKET_BYTES_MAX];
} sealed_packet;

static void close_into(ls_seal *seal, uint8_t channel, uint32_t bytes, sealed_packet *out)
{
    ls_plain plain = make_plain(channel, bytes);
    assert_ok(ls_seal_message(seal, &plain, out->bytes, &out->packet));
}

TEST(test_seal_round_trip_of_every_size)
{
    seal_pair pair = make_pair(1);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++)
        for (uint32_t bytes = 0; bytes <= LS_MESSAGE_BYTES_MAX; bytes++) {
            sealed_packet sealed;
            close_into(&pair.server, channel, bytes, &sealed);
            assert_int_equal(sealed.packet.bytes, bytes + LS_SEAL_BYTES);
            ls_plain expected = make_plain(channel, bytes), plain;
            assert_ok(ls_seal_open_message(&pair.client, &sealed.packet, &plain));
            assert_int_equal(plain.type, 5);
            assert_int_equal(plain.channel, channel);
            assert_int_equal(plain.bytes, bytes);
            assert_memory_equal(plain.data, expected.data, bytes);
        }
    assert_int_equal(pair.client.opens_failed, 0);
}

TEST(test_seal_header_is_as_documented)
{
    seal_pair pair = make_pair(2);
    pair.client.send_next[0] = 0x01020304;
    sealed_packet sealed;
    close_into(&pair.client, 0, 1, &sealed);
    const uint8_t header[] = {5, 4, 3, 2, 1};
    assert_memory_equal(sealed.bytes, header, sizeof header);
}

TEST(test_seal_refuses_every_flipped_bit)
{
    seal_pair pair = make_pair(3);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++) {
        sealed_packet sealed;
        close_into(&pair.server, channel, 40, &sealed);
        uint64_t before = pair.client.opens_failed;
        for (uint32_t bit = 0; bit < sealed.packet.bytes * 8; bit++) {
            ls_plain plain;
            sealed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(ls_seal_open_message(&pair.client, &sealed.packet, &plain),
                             LS_ERROR_CORRUPT);
            assert_int_equal(plain.bytes, 0);
            sealed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_int_equal(pair.client.opens_failed - before, sealed.packet.bytes * 8);
        ls_plain plain;
        assert_ok(ls_seal_open_message(&pair.client, &sealed.packet, &plain));
    }
}

TEST(test_seal_refuses_every_truncation)
{
    seal_pair pair = make_pair(4);
    sealed_packet sealed;
    close_into(&pair.server, 0, 40, &sealed);
    uint32_t bytes = sealed.packet.bytes;
    for (sealed.packet.bytes = 0; sealed.packet.bytes < bytes; sealed.packet.bytes++) {
        ls_plain plain;
        assert_int_equal(ls_seal_open_message(&pair.client, &sealed.packet, &plain),
                         LS_ERROR_CORRUPT);
    }
    uint8_t longer[4096] = {0};
    ls_plain plain;
    for (uint32_t count = bytes + 1; count < sizeof longer; count += 97) {
        memcpy(longer, sealed.bytes, bytes);
        ls_packet packet = {.channel = 0, .bytes = count, .data = longer};
        assert_int_equal(ls_seal_open_message(&pair.client, &packet, &plain), LS_ERROR_CORRUPT);
    }
}

TEST(test_seal_ticks_once_each_in_any_order)
{
    seal_pair pair = make_pair(5);
    enum { COUNT = 600 };
    static sealed_packet sealed[COUNT];
    uint32_t order[COUNT];
    uint64_t seed = 5;
    for (uint32_t i = 0; i < COUNT; i++) {
        close_into(&pair.server, 0, 8, &sealed[i]);
        uint32_t at = (uint32_t)(test_random(&seed) % (i + 1));
        order[i] = order[at];
        order[at] = i;
    }
    ls_plain plain;
    for (uint32_t i = 0; i < COUNT; i++)
        assert_ok(ls_seal_open_message(&pair.client, &sealed[order[i]].packet, &plain));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(ls_seal_open_message(&pair.client, &sealed[i].packet, &plain),
                         LS_ERROR_REFUSED);
    assert_int_equal(pair.client.replays_refused, COUNT);
    assert_int_equal(pair.client.opens_failed, 0);
}

/* After any jump, exactly the unused counters among the newest LS_SEAL_WINDOW are accepted. */
TEST(test_seal_window_after_jumps)
{
    const uint64_t jumps[] = {1, 63, 64, 65, 1022, 1023, 1024, 1025, 5000};
    for (size_t i = 0; i < LS_COUNT_OF(jumps); i++) {
        seal_pair pair = make_pair(6);
        ls_plain plain;
        sealed_packet first, jumped;
        pair.server.send_next[0] = 2000;
        close_into(&pair.server, 0, 8, &first);
        assert_ok(ls_seal_open_message(&pair.client, &first.packet, &plain));
        uint64_t newest = 2000 + jumps[i];
        pair.server.send_next[0] = newest;
        close_into(&pair.server, 0, 8, &jumped);
        assert_ok(ls_seal_open_message(&pair.client, &jumped.packet, &plain));
        for (uint64_t counter = newest - 1200; counter <= newest; counter++) {
            sealed_packet old;
            pair.server.send_next[0] = counter;
            close_into(&pair.server, 0, 8, &old);
            bool is_fresh =
                counter + LS_SEAL_WINDOW > newest && counter != newest && counter != 2000;
            assert_int_equal(ls_seal_open_message(&pair.client, &old.packet, &plain),
                             is_fresh ? LS_OK : LS_ERROR_REFUSED);
        }
    }
}

TEST(test_seal_control_only_rises)
{
    seal_pair pair = make_pair(7);
    sealed_packet a, b, c;
    ls_plain plain;
    close_into(&pair.server, 1, 8, &a);
    close_into(&pair.server, 1, 8, &b);
    close_into(&pair.server, 1, 8, &c);
    assert_ok(ls_seal_open_message(&pair.client, &b.packet, &plain));
    assert_int_equal(ls_seal_open_message(&pair.client, &a.packet, &plain), LS_ERROR_REFUSED);
    assert_int_equal(ls_seal_open_message(&pair.client, &b.packet, &plain), LS_ERROR_REFUSED);
    assert_ok(ls_seal_open_message(&pair.client, &c.packet, &plain));
}

TEST(test_seal_forgery_does_not_move_the_window)
{
    seal_pair pair = make_pair(8);
    sealed_packet good, forged;
    ls_plain plain;
    close_into(&pair.server, 0, 8, &good);
    forged = good;
    forged.packet.data = forged.bytes;
    forged.bytes[4] = 0xff; /* makes the counter far ahead */
    assert_int_equal(ls_seal_open_message(&pair.client, &forged.packet, &plain), LS_ERROR_CORRUPT);
    assert_int_equal(pair.client.receive_next[0], 0);
    assert_ok(ls_seal_open_message(&pair.client, &good.packet, &plain));
}

TEST(test_seal_refuses_reflection_and_other_channel)
{
    seal_pair pair = make_pair(9);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++) {
        sealed_packet sealed;
        ls_plain plain;
        close_into(&pair.client, channel, 8, &sealed);
        assert_int_equal(ls_seal_open_message(&pair.client, &sealed.packet, &plain),
                         LS_ERROR_CORRUPT);
        sealed.packet.channel = (uint8_t)(1 - channel);
        assert_int_equal(ls_seal_open_message(&pair.server, &sealed.packet, &plain),
                         LS_ERROR_CORRUPT);
        sealed.packet.channel = LS_CHANNEL_COUNT;
        assert_int_equal(ls_seal_open_message(&pair.server, &sealed.packet, &plain),
                         LS_ERROR_CORRUPT);
    }
}

TEST(test_seal_refuses_another_session)
{
    seal_pair before = make_pair(10), after = make_pair(11);
    sealed_packet sealed;
    ls_plain plain;
    close_into(&before.server, 0, 8, &sealed);
    assert_int_equal(ls_seal_open_message(&after.client, &sealed.packet, &plain), LS_ERROR_CORRUPT);
}

TEST(test_seal_ends_at_the_counter_limit)
{
    seal_pair pair = make_pair(12);
    sealed_packet sealed;
    ls_plain plain = make_plain(0, 8), opened;
    pair.server.send_next[0] = LS_SEAL_MESSAGES_MAX - 1;
    close_into(&pair.server, 0, 8, &sealed);
    assert_ok(ls_seal_open_message(&pair.client, &sealed.packet, &opened));
    assert_int_equal(ls_seal_message(&pair.server, &plain, sealed.bytes, &sealed.packet),
                     LS_ERROR_LIMIT);
}

TEST(test_seal_reset_wipes_and_refuses)
{
    seal_pair pair = make_pair(13);
    sealed_packet sealed;
    close_into(&pair.server, 0, 8, &sealed);
    ls_seal_reset(&pair.client);
    uint8_t zeros[sizeof pair.client.send_keys] = {0};
    assert_memory_equal(pair.client.send_keys, zeros, sizeof zeros);
    assert_memory_equal(pair.client.receive_keys, zeros, sizeof zeros);
    ls_plain plain = make_plain(0, 8), opened;
    assert_int_not_equal(ls_seal_open_message(&pair.client, &sealed.packet, &opened), LS_OK);
    assert_int_equal(ls_seal_message(&pair.client, &plain, sealed.bytes, &sealed.packet),
                     LS_ERROR_LIMIT);
}
