/* The gate's reading of single datagrams. The checksum's four bytes are zero here: whoever holds a
 * key can make them right, and may still do only what is listed. */
#include "test.h"

#include "proto/enet_gate.h"

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

static ls_enet_kind kind_of(const datagram *d, ls_role receiver)
{
    return ls_enet_gate_read(d->data, d->bytes, receiver).kind;
}

static void expect(const datagram *d, ls_enet_kind kind)
{
    assert_int_equal(kind_of(d, LS_ROLE_SERVER), kind);
    assert_int_equal(kind_of(d, LS_ROLE_CLIENT), kind);
}

static void test_enet_gate_knows_the_handshake_by_bit_6(void **state)
{
    (void)state;
    datagram d = {.bytes = 1};
    for (uint32_t first = 0; first < 256; first++) {
        d.data[0] = (uint8_t)first;
        expect(&d, first & 0x40 ? LS_ENET_HANDSHAKE : LS_ENET_REFUSED);
    }
    d.bytes = LS_MTU_BYTES;
    expect(&d, LS_ENET_HANDSHAKE);
    d.bytes++;
    expect(&d, LS_ENET_REFUSED);
    d.bytes = 0;
    expect(&d, LS_ENET_REFUSED);
}

static void test_enet_gate_passes_what_a_link_sends(void **state)
{
    (void)state;
    datagram d = begin(true);
    ADD(&d, 0, 0x01, 0xff, 0, 1, 0, 1, 0, 0);
    ADD(&d, 0, 0x85, 0xff, 0, 2);
    ADD(&d, 5, 0x86, LS_CHANNEL_CONTROL, 0, 1, 0, 5);
    ADD(&d, 7, 0x49, LS_CHANNEL_TICKS, 0, 0, 0, 1, 0, 7);
    ADD(&d, 9, 0x88, LS_CHANNEL_CONTROL, 0, 2, 0, 2, 0, 9, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 4, 0xb0, 0,
        0, 4, 0);
    ADD(&d, 0, 0x8a, 0xff, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0);
    ADD(&d, 0, 0x8b, 0xff, 0, 4, 0, 0, 0x13, 0x88, 0, 0, 0, 32, 0, 0, 0, 0);
    ADD(&d, 0, 0x84, 0xff, 0, 5, 0, 0, 0, 0);
    d.data[0] |= 0x30 | 0x01; /* a session, and a peer above 255 */
    d.data[1] = 0x02;
    expect(&d, LS_ENET_PACKET);
    assert_int_equal(ls_enet_gate_read(d.data, d.bytes, LS_ROLE_SERVER).peer, 0x102);
    assert_int_equal(ls_enet_gate_read(d.data, d.bytes, LS_ROLE_SERVER).session, 3);
    /* Cut anywhere else than between two commands it is none; one byte more makes it none. */
    static const uint32_t ends[] = {16, 20, 31, 46, 79, 91, 107, 115};
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

static void test_enet_gate_refuses_what_no_link_sends(void **state)
{
    (void)state;
    REFUSES(true, 0, 0x80, 0, 0, 0);                      /* no command */
    REFUSES(true, 0, 0x8d, 0, 0, 0);                      /* an unknown one */
    REFUSES(true, 5, 0x07, 0, 0, 0, 0, 1, 0, 5);          /* SEND_UNRELIABLE */
    REFUSES(true, 5, 0x86, LS_CHANNEL_TICKS, 0, 1, 0, 5); /* reliable on the tick channel */
    REFUSES(true, 1210, 0x86, LS_CHANNEL_CONTROL, 0, 1, 4, 0xba);
    REFUSES(true, 7, 0x49, LS_CHANNEL_CONTROL, 0, 0, 0, 1, 0, 7);
    REFUSES(true, 1169, 0x49, LS_CHANNEL_TICKS, 0, 0, 0, 1, 4, 0x91);
    REFUSES(true, 0, 0x8a, 0xff, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0); /* a bandwidth */
    REFUSES(true, 0, 0x8a, 0xff, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0);
    REFUSES(true, 0, 0x8b, 0xff, 0, 4, 0, 0, 0x13, 0x88, 0, 0, 0, 0, 0, 0, 0, 32); /* a throttle */
    REFUSES(false, 0, 0x84, 0xff, 0, 5, 0, 0, 0, 0); /* never acknowledged: half a disconnect */
    datagram d = begin(false);
    ADD(&d, 0, 0x44, 0xff, 0, 5, 0, 0, 0, 0);
    expect(&d, LS_ENET_PACKET);
    d.bytes = 1301; /* a long tail of disconnects */
    expect(&d, LS_ENET_REFUSED);
}

/* Unreliable fragments make the receiver deaf; claims of size make it allocate. */
static void test_enet_gate_refuses_greedy_fragments(void **state)
{
    (void)state;
    enum { TAIL = 9 };
    const uint8_t good[24] = {0x88, LS_CHANNEL_CONTROL,
                              0,    2,
                              0,    2,
                              0,    TAIL,
                              0,    0,
                              0,    2,
                              0,    0,
                              0,    1,
                              0,    0,
                              4,    0xb0,
                              0,    0,
                              0x04, 0};
    const struct {
        uint8_t at, value;
    } changes[] = {{0, 0x8c}, {1, LS_CHANNEL_TICKS}, {8, 1}, {9, 0x10}, {11, 3}, {16, 2},
                   {19, 0xb1}};
    datagram d = begin(true);
    add(&d, good, sizeof good, TAIL);
    expect(&d, LS_ENET_PACKET);
    for (uint32_t i = 0; i < LS_COUNT_OF(changes); i++) {
        datagram bad = d;
        bad.data[8 + changes[i].at] = changes[i].value;
        expect(&bad, LS_ENET_REFUSED);
    }
}

static const uint8_t offer[32] = {0, 0, 4, 0xb0, 0, 1, 0,    0,    0, 0, 0, 2, 0, 0, 0, 0,
                                  0, 0, 0, 0,    0, 0, 0x13, 0x88, 0, 0, 0, 2, 0, 0, 0, 2};

static void test_enet_gate_takes_the_one_connect(void **state)
{
    (void)state;
    datagram d = {.data = {0x8f, 0xff}, .bytes = 8};
    ADD(&d, 0, 0x82, 0xff, 0, 1, 0, 0, 0xff, 0xff);
    add(&d, offer, sizeof offer, 0);
    ADD(&d, 0, 1, 2, 3, 4, 0, 0, 0, 0);
    expect(&d, LS_ENET_CONNECT);
    const uint8_t id[4] = {1, 2, 3, 4};
    assert_memory_equal(ls_enet_gate_read(d.data, 56, LS_ROLE_SERVER).connect_id, id, 4);
    /* Free are only the time, the checksum, the sessions (each 0..3 or none) and the id. */
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
    ADD(&d, 0, 0x85, 0xff, 0, 2); /* a command behind it */
    d.bytes--;
    expect(&d, LS_ENET_REFUSED);
}

static void test_enet_gate_verify_connect_is_for_clients(void **state)
{
    (void)state;
    datagram d = begin(true);
    ADD(&d, 0, 0x83, 0xff, 0, 1, 0, 5, 0, 0);
    add(&d, offer, sizeof offer, 0);
    ADD(&d, 0, 1, 2, 3, 4);
    assert_int_equal(kind_of(&d, LS_ROLE_CLIENT), LS_ENET_PACKET);
    assert_int_equal(kind_of(&d, LS_ROLE_SERVER), LS_ENET_REFUSED);
    datagram none = d; /* the peer id that is none switches checks off */
    none.data[12] = 0x0f;
    none.data[13] = 0xff;
    assert_int_equal(kind_of(&none, LS_ROLE_CLIENT), LS_ENET_REFUSED);
    for (uint32_t at = 16; at < 48; at++) {
        datagram changed = d;
        changed.data[at] ^= 0x40;
        assert_int_equal(kind_of(&changed, LS_ROLE_CLIENT), LS_ENET_REFUSED);
    }
}

/* Any bytes at all: no crash, and never more than was given is read (under a sanitizer). */
static void test_enet_gate_is_total(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t bytes = (uint32_t)(test_random(&seed) % 64);
        uint8_t *data = malloc(bytes + 1);
        test_fill(&seed, data, bytes);
        if (bytes > 8 && i % 2) {
            data[0] &= 0x8f;
            data[data[0] & 0x80 ? 8 : 6] &= 0x8f;
        }
        ls_role receiver = i % 3 ? LS_ROLE_SERVER : LS_ROLE_CLIENT;
        data = realloc(data, bytes ? bytes : 1);
        ls_enet_datagram d = ls_enet_gate_read(data, bytes, receiver);
        assert_true(d.kind <= LS_ENET_PACKET && d.peer <= 0xfff);
        free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enet_gate_knows_the_handshake_by_bit_6),
        cmocka_unit_test(test_enet_gate_passes_what_a_link_sends),
        cmocka_unit_test(test_enet_gate_refuses_what_no_link_sends),
        cmocka_unit_test(test_enet_gate_refuses_greedy_fragments),
        cmocka_unit_test(test_enet_gate_takes_the_one_connect),
        cmocka_unit_test(test_enet_gate_verify_connect_is_for_clients),
        cmocka_unit_test(test_enet_gate_is_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
