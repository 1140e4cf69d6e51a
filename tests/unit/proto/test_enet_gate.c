/* How the gate reads single datagrams. Counter and code are zero here: an attacker with the keys
 * could make both valid, so the gate must refuse every unlisted command by itself. */
#include "test.h"

#include "proto/enet_gate.h"
#include "proto/path.h"

typedef struct datagram {
    uint8_t data[1400];
    uint32_t bytes;
} datagram;

static datagram begin(bool has_time)
{
    return (datagram){.data = {has_time ? 0x80 : 0}, .bytes = has_time ? 8 : 6};
}

static void add(datagram *d, const uint8_t *command, uint32_t bytes, uint32_t data_bytes)
{
    memcpy(d->data + d->bytes, command, bytes);
    d->bytes += bytes + data_bytes;
}

#define ADD(d, data_bytes, ...)                                                                    \
    add(d, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), data_bytes)

/* `bytes` of the datagram excludes the code. */
static ls_enet_datagram read_whole(const datagram *d, ls_role receiver)
{
    return ls_enet_gate_read(d->data, d->bytes + LS_CARRIER_MAC_BYTES, receiver);
}

static ls_enet_kind kind_of(const datagram *d, ls_role receiver)
{
    bool is_handshake = d->data[0] & 0x40;
    return is_handshake ? ls_enet_gate_read(d->data, d->bytes, receiver).kind
                        : read_whole(d, receiver).kind;
}

static void expect(const datagram *d, ls_enet_kind kind)
{
    assert_int_equal(kind_of(d, LS_ROLE_SERVER), kind);
    assert_int_equal(kind_of(d, LS_ROLE_CLIENT), kind);
}

TEST(test_enet_gate_knows_the_handshake_by_bit_6)
{
    datagram d = {.bytes = 1};
    for (uint32_t first = 0; first < 256; first++) {
        d.data[0] = (uint8_t)first;
        if (first != LS_PATH_CHALLENGE && first != LS_PATH_RESPONSE)
            expect(&d, first & 0x40 ? LS_ENET_HANDSHAKE : LS_ENET_REFUSED);
    }
    d.bytes = LS_MTU_BYTES;
    expect(&d, LS_ENET_HANDSHAKE);
    d.bytes++;
    expect(&d, LS_ENET_REFUSED);
    d.bytes = 0;
    expect(&d, LS_ENET_REFUSED);
}

/* Each side takes what the other one sends, of the one length. */
TEST(test_enet_gate_knows_questions_and_answers)
{
    for (uint32_t bytes = 1; bytes <= 30; bytes++) {
        ls_enet_kind kind = bytes == LS_PATH_BYTES ? LS_ENET_PATH : LS_ENET_REFUSED;
        datagram d = {.data = {LS_PATH_RESPONSE}, .bytes = bytes};
        assert_int_equal(kind_of(&d, LS_ROLE_SERVER), kind);
        assert_int_equal(kind_of(&d, LS_ROLE_CLIENT), LS_ENET_HANDSHAKE);
        d.data[0] = LS_PATH_CHALLENGE;
        assert_int_equal(kind_of(&d, LS_ROLE_SERVER), LS_ENET_HANDSHAKE);
        assert_int_equal(kind_of(&d, LS_ROLE_CLIENT), kind);
    }
}

TEST(test_enet_gate_passes_datagrams_of_a_link)
{
    datagram d = begin(true);
    ADD(&d, 0, 0x01, 0xff, 0, 1, 0, 1, 0, 0);
    ADD(&d, 0, 0x01, LS_CHANNEL_CONTROL, 0, 1, 0, 1, 0, 0);
    ADD(&d, 0, 0x85, 0xff, 0, 2);
    ADD(&d, 26, 0x86, LS_CHANNEL_CONTROL, 0x12, 0x34, 0, 26);
    ADD(&d, 27, 0x49, LS_CHANNEL_TICKS, 0, 0, 0, 1, 0, 27);
    ADD(&d, 0, 0x8a, 0xff, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0);
    ADD(&d, 0, 0x8b, 0xff, 0, 4, 0, 0, 0x13, 0x88, 0, 0, 0, 32, 0, 0, 0, 0);
    ADD(&d, 0, 0x84, 0xff, 0, 5, 0, 0, 0, 0);
    d.data[0] |= 0x30 | 0x01; /* sets a session and a peer number above 255 */
    d.data[1] = 0x02;
    expect(&d, LS_ENET_PACKET);
    ls_enet_datagram read = read_whole(&d, LS_ROLE_SERVER);
    assert_int_equal(read.peer, 0x102);
    assert_int_equal(read.session, 3);
    assert_int_equal(read.command_count, 7); /* all but the unsequenced command */
    assert_int_equal(read.reliable_count, 1);
    assert_true(read.has_disconnect);
    assert_int_equal(read.reliable[0], 0x1234);
    /* A datagram that is cut between two commands stays valid. Cut anywhere else, or one byte
     * longer, it is refused. */
    static const uint32_t ends[] = {16, 24, 28, 60, 95, 107, 123, 131};
    uint32_t whole = d.bytes, next = 0;
    for (d.bytes = 0; d.bytes <= whole; d.bytes++) {
        bool is_end = d.bytes == ends[next];
        expect(&d, is_end ? LS_ENET_PACKET : LS_ENET_REFUSED);
        next += is_end;
    }
    assert_int_equal(next, LS_COUNT_OF(ends));
    expect(&d, LS_ENET_REFUSED);
}

#define REFUSES(has_time, data_bytes, ...)                                                         \
    do {                                                                                           \
        datagram d = begin(has_time);                                                              \
        ADD(&d, data_bytes, __VA_ARGS__);                                                          \
        expect(&d, LS_ENET_REFUSED);                                                               \
    } while (0)

TEST(test_enet_gate_refuses_foreign_commands)
{
    REFUSES(true, 0, 0x80, 0, 0, 0);                        /* command number 0 */
    REFUSES(true, 0, 0x8d, 0, 0, 0);                        /* unknown command */
    REFUSES(true, 26, 0x07, 0, 0, 0, 0, 1, 0, 26);          /* SEND_UNRELIABLE */
    REFUSES(true, 26, 0x86, LS_CHANNEL_TICKS, 0, 1, 0, 26); /* reliable on the tick channel */
    REFUSES(true, 26, 0x49, LS_CHANNEL_CONTROL, 0, 0, 0, 1, 0, 26);
    REFUSES(true, 0, 0x8a, 0xff, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0); /* sets a bandwidth limit */
    REFUSES(true, 0, 0x8a, 0xff, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0);
    REFUSES(true, 0, 0x8b, 0xff, 0, 4, 0, 0, 0x13, 0x88, 0, 0, 0, 0, 0, 0, 0,
            32);                                     /* another throttle than a link sends */
    REFUSES(false, 0, 0x84, 0xff, 0, 5, 0, 0, 0, 0); /* without a time it cannot be acknowledged */
    datagram d = begin(false);
    ADD(&d, 0, 0x44, 0xff, 0, 5, 0, 0, 0, 0);
    expect(&d, LS_ENET_PACKET);
    d.bytes = 1293; /* a long tail of zero bytes */
    expect(&d, LS_ENET_REFUSED);
}

/* A packet must not be shorter or longer than a sealed packet can be. ENet does not count the
 * memory of empty packets. */
TEST(test_enet_gate_refuses_lengths_of_no_message)
{
    for (uint32_t bytes = 0; bytes <= LS_PACKET_BYTES_MAX + 2; bytes++) {
        datagram reliable = begin(true), unsequenced = begin(false);
        uint8_t high = (uint8_t)(bytes >> 8), low = (uint8_t)bytes;
        ADD(&reliable, bytes, 0x86, LS_CHANNEL_CONTROL, 0, 1, high, low);
        ADD(&unsequenced, bytes, 0x49, LS_CHANNEL_TICKS, 0, 0, 0, 1, high, low);
        bool is_fit = bytes >= LS_SEAL_BYTES && bytes <= LS_PACKET_BYTES_MAX;
        expect(&reliable, is_fit ? LS_ENET_PACKET : LS_ENET_REFUSED);
        expect(&unsequenced, is_fit ? LS_ENET_PACKET : LS_ENET_REFUSED);
    }
}

/* ENet would accept a reliable command without the acknowledge flag and never acknowledge it. It
 * would acknowledge an unsequenced command with the flag. The other bits of the first byte have no
 * meaning. */
TEST(test_enet_gate_refuses_other_flags_and_channels)
{
    static const struct {
        uint8_t head[8], bytes, data_bytes;
        uint8_t first_too, channel_too; /* the other valid value, or the same again */
    } commands[] = {
        {{0x01, 0xff, 0, 1, 0, 1, 0, 0}, 8, 0, 0x01, LS_CHANNEL_CONTROL},
        {{0x84, 0xff, 0, 1, 0, 0, 0, 0}, 8, 0, 0x44, 0xff},
        {{0x85, 0xff, 0, 1}, 4, 0, 0x85, 0xff},
        {{0x86, LS_CHANNEL_CONTROL, 0, 1, 0, 26}, 6, 26, 0x86, LS_CHANNEL_CONTROL},
        {{0x49, LS_CHANNEL_TICKS, 0, 0, 0, 1, 0, 26}, 8, 26, 0x49, LS_CHANNEL_TICKS},
        {{0x8a, 0xff, 0, 1}, 4, 8, 0x8a, 0xff},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(commands); i++)
        for (uint32_t value = 0; value < 256; value++) {
            datagram first = begin(true);
            add(&first, commands[i].head, commands[i].bytes, commands[i].data_bytes);
            datagram channel = first;
            first.data[8] = (uint8_t)((commands[i].head[0] & 0x0f) | (value & 0xf0));
            channel.data[9] = (uint8_t)value;
            bool is_first =
                first.data[8] == commands[i].head[0] || first.data[8] == commands[i].first_too;
            bool is_channel = value == commands[i].head[1] || value == commands[i].channel_too;
            expect(&first, is_first ? LS_ENET_PACKET : LS_ENET_REFUSED);
            expect(&channel, is_channel ? LS_ENET_PACKET : LS_ENET_REFUSED);
        }
}

TEST(test_enet_gate_refuses_more_commands_than_enet_packs)
{
    datagram d = begin(true);
    for (uint32_t i = 1; i <= LS_ENET_COMMANDS_MAX; i++) {
        ADD(&d, 26, 0x86, LS_CHANNEL_CONTROL, 1, (uint8_t)i, 0, 26);
        expect(&d, LS_ENET_PACKET);
    }
    ls_enet_datagram read = read_whole(&d, LS_ROLE_SERVER);
    assert_int_equal(read.reliable_count, LS_ENET_COMMANDS_MAX);
    assert_false(read.has_disconnect);
    assert_int_equal(read.reliable[LS_ENET_COMMANDS_MAX - 1], 256 + LS_ENET_COMMANDS_MAX);
    ADD(&d, 0, 0x85, 0xff, 0, 2);
    expect(&d, LS_ENET_REFUSED);
    d = begin(true);
    for (uint32_t i = 1; i <= LS_ENET_COMMANDS_MAX + 1; i++) {
        expect(&d, i == 1 ? LS_ENET_REFUSED : LS_ENET_PACKET); /* without commands it is refused */
        ADD(&d, 0, 0x85, 0xff, 0, 2);
    }
    expect(&d, LS_ENET_REFUSED);
}

/* Links never send fragments, because each packet fits one datagram. ENet would block on unreliable
 * fragments, and allocate the size that a fragment announces. */
TEST(test_enet_gate_refuses_fragments)
{
    REFUSES(true, 26, 0x88, LS_CHANNEL_CONTROL, 0, 2, 0, 2, 0, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
            26, 0, 0, 0, 0);
    REFUSES(true, 26, 0x88, LS_CHANNEL_CONTROL, 0, 2, 0, 2, 0, 26, 0, 0, 0, 2, 0, 0, 0, 1, 2, 0, 0,
            0, 0, 0, 4, 0);
    REFUSES(true, 26, 0x4c, LS_CHANNEL_TICKS, 0, 2, 0, 2, 0, 26, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 4, 0,
            0, 0, 4, 0);
}

static const uint8_t offer[32] = {0, 0, 4, 0xa4, 0, 1, 0,    0,    0, 0, 0, 2, 0, 0, 0, 0,
                                  0, 0, 0, 0,    0, 0, 0x13, 0x88, 0, 0, 0, 2, 0, 0, 0, 2};

TEST(test_enet_gate_takes_the_one_connect)
{
    datagram d = {.data = {0x8f, 0xff}, .bytes = 8};
    ADD(&d, 0, 0x82, 0xff, 0, 1, 0, 0, 0xff, 0xff);
    add(&d, offer, sizeof offer, 0);
    ADD(&d, 0, 1, 2, 3, 4, 0, 0, 0, 0);
    expect(&d, LS_ENET_CONNECT);
    const uint8_t id[4] = {1, 2, 3, 4};
    assert_memory_equal(read_whole(&d, LS_ROLE_SERVER).connect_id, id, 4);
    /* Only the time, the counter, the two sessions (0..3 or none) and the id may vary. */
    for (uint32_t at = 0; at < 56; at++) {
        datagram changed = d;
        bool is_free = (at >= 2 && at < 8) || (at >= 48 && at < 52);
        changed.data[at] ^= 0x04;
        expect(&changed, is_free ? LS_ENET_CONNECT : LS_ENET_REFUSED);
    }
    d.data[14] = 3;
    expect(&d, LS_ENET_CONNECT);
    d.bytes++;
    expect(&d, LS_ENET_REFUSED);
    ADD(&d, 0, 0x85, 0xff, 0, 2); /* another command in the same datagram */
    d.bytes--;
    expect(&d, LS_ENET_REFUSED);
}

TEST(test_enet_gate_verify_connect_is_for_clients)
{
    datagram d = begin(true);
    ADD(&d, 0, 0x83, 0xff, 0, 1, 0, 5, 0, 0);
    add(&d, offer, sizeof offer, 0);
    ADD(&d, 0, 1, 2, 3, 4);
    assert_int_equal(kind_of(&d, LS_ROLE_CLIENT), LS_ENET_PACKET);
    assert_int_equal(kind_of(&d, LS_ROLE_SERVER), LS_ENET_REFUSED);
    datagram none = d; /* for the peer id "none" ENet skips checks */
    none.data[12] = 0x0f;
    none.data[13] = 0xff;
    assert_int_equal(kind_of(&none, LS_ROLE_CLIENT), LS_ENET_REFUSED);
    for (uint32_t at = 16; at < 48; at++) {
        datagram changed = d;
        changed.data[at] ^= 0x40;
        assert_int_equal(kind_of(&changed, LS_ROLE_CLIENT), LS_ENET_REFUSED);
    }
}
