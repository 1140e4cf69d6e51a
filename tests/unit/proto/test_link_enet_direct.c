/* Unsequenced packets, which go past ENet in both directions. */
#include "line.h"

enum { TICK_BYTES = 40, MANY = 700 };

static void settle(line *l)
{
    for (uint32_t i = 0; i < 50; i++)
        line_step(l, 20);
}

static void open_alive(line *l)
{
    line_open(l);
    l->r.shared = &l->w.carrier;
    line_connect(l, 8);
    expect_alive(l);
    settle(l);
}

/* A datagram as ENet would send it: docs/protocol.md, but for counter and code. */
static void check_layout(ls_role sender)
{
    static const uint8_t body[] = {0x49, LS_CHANNEL_TICKS, 0, 0};
    line l;
    open_alive(&l);
    ls_link *link = sender == LS_ROLE_CLIENT ? l.w.client : l.w.server;
    ls_peer peer = sender == LS_ROLE_CLIENT ? l.w.client_peer : l.w.server_peer;
    uint16_t groups[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(send_bytes(link, peer, LS_CHANNEL_TICKS, TICK_BYTES));
        line_step(&l, 1);
        const relay_frame *frame = &l.r.last[sender];
        assert_int_equal(frame->bytes, 6 + 8 + TICK_BYTES + LS_CARRIER_MAC_BYTES);
        assert_int_equal(frame->data[0] & 0xc0, 0); /* no time, no handshake */
        assert_memory_equal(frame->data + 6, body, sizeof body);
        groups[i] = (uint16_t)(frame->data[10] << 8 | frame->data[11]);
        assert_int_equal(frame->data[12] << 8 | frame->data[13], TICK_BYTES);
    }
    assert_int_equal((uint16_t)(groups[1] - groups[0]), 1);
    line_close(&l);
}

TEST(test_link_enet_direct_datagrams_are_those_of_enet)
{
    check_layout(LS_ROLE_CLIENT);
    check_layout(LS_ROLE_SERVER);
}

/* More than the inbox holds at first; more at once would not fit the relay's sockets. */
TEST(test_link_enet_direct_many_at_once)
{
    line l;
    open_alive(&l);
    uint32_t at_server = l.w.at_server, at_client = l.w.at_client;
    for (uint32_t i = 0; i < MANY; i++) {
        assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, 900));
        assert_ok(send_bytes(l.w.server, l.w.server_peer, LS_CHANNEL_TICKS, 30));
        if (i % 50 == 49)
            line_step(&l, 1);
    }
    for (uint32_t i = 0; i < 20; i++)
        line_step(&l, 1);
    assert_int_equal(l.w.at_server - at_server, MANY);
    assert_int_equal(l.w.at_client - at_client, MANY);
    line_close(&l);
}

static uint32_t add(uint8_t *at, const uint8_t *command, uint32_t bytes, uint32_t data_bytes)
{
    memcpy(at, command, bytes);
    memset(at + bytes, 7, data_bytes);
    return bytes + data_bytes;
}

/* Other clients may put several commands into a datagram. ENet gets those that are left. */
TEST(test_link_enet_direct_mixed_datagrams)
{
    line l;
    open_alive(&l);
    uint8_t sequence = (uint8_t)(l.w.at_server + 1), data[LS_DATAGRAM_BYTES_MAX] = {0};
    const uint8_t tick[] = {0x49, LS_CHANNEL_TICKS, 0, 0, 0, 1, 0, LS_SEAL_BYTES};
    const uint8_t reliable[] = {0x86, LS_CHANNEL_CONTROL, 0, sequence, 0, LS_SEAL_BYTES};
    const uint8_t *last = l.r.last[LS_ROLE_CLIENT].data;
    data[0] = last[0] | 0x80; /* with a time */
    data[1] = last[1];
    uint32_t bytes = 8, at_server = l.w.at_server;
    bytes += add(data + bytes, tick, sizeof tick, LS_SEAL_BYTES);
    bytes += add(data + bytes, reliable, sizeof reliable, LS_SEAL_BYTES);
    bytes += add(data + bytes, tick, sizeof tick, LS_SEAL_BYTES);
    relay_send_signed(&l.r, data, bytes);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server - at_server, 3);
    /* The reliable command is acknowledged. */
    line_step(&l, 1);
    const relay_frame *answer = &l.r.last[LS_ROLE_SERVER];
    assert_int_equal(answer->data[ls_enet_checksum_at(answer->data[0]) + 4] & 0x0f, 1);
    line_close(&l);
}

/* Packets that came before the end of a connection are reported before it. */
TEST(test_link_enet_direct_before_a_disconnect)
{
    line l;
    open_alive(&l);
    uint32_t at_server = l.w.at_server;
    for (uint32_t i = 0; i < 5; i++)
        assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, TICK_BYTES));
    ls_link_disconnect(l.w.client, l.w.client_peer);
    for (uint32_t i = 0; i < 50 && !l.w.server_lost; i++)
        line_step(&l, 20);
    assert_true(l.w.server_lost);
    assert_int_equal(l.w.at_server - at_server, 5);
    line_close(&l);
}

/* The owner ends a connection while its packets wait: they are dropped. */
TEST(test_link_enet_direct_of_an_ended_connection)
{
    line l;
    open_alive(&l);
    for (uint32_t i = 0; i < 5; i++)
        assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, TICK_BYTES));
    ls_link_flush(l.w.client, l.now_ns);
    relay_pump(&l.r, l.now_ns);
    ls_link_event event;
    assert_true(ls_link_poll(l.w.server, l.now_ns, &event));
    assert_int_equal(event.kind, LS_LINK_MESSAGE);
    ls_link_disconnect(l.w.server, l.w.server_peer);
    while (ls_link_poll(l.w.server, l.now_ns, &event))
        assert_int_not_equal(event.kind, LS_LINK_MESSAGE);
    assert_int_equal(send_bytes(l.w.server, l.w.server_peer, LS_CHANNEL_TICKS, TICK_BYTES),
                     LS_ERROR_NOT_FOUND);
    line_close(&l);
}
