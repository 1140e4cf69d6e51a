/* Datagrams of the carrier that were recorded on the path and sent again. Their code is valid, but
 * the gate refuses each one, so that none moves a window of ENet or uses the budget of commands. */
#include "line.h"

enum {
    HALF_THE_GROUPS = 1 << 15, /* beyond it ENet takes an old group number for a future one */
    PER_STEP = 200,
};

/* Runs until both ends have acknowledged all of ENet's own commands. */
static void settle(line *l)
{
    for (uint32_t i = 0; i < 50; i++)
        line_step(l, 20);
}

/* Sends one packet and returns the datagram that carries it. */
static relay_frame record_tick(line *l, ls_role sender)
{
    ls_link *link = sender == LS_ROLE_CLIENT ? l->w.client : l->w.server;
    ls_peer peer = sender == LS_ROLE_CLIENT ? l->w.client_peer : l->w.server_peer;
    settle(l);
    assert_ok(send_bytes(link, peer, LS_CHANNEL_TICKS, 40));
    line_step(l, 1);
    relay_frame frame = l->r.last[sender];
    assert_int_equal(frame.bytes, 6 + 8 + 40 + LS_CARRIER_MAC_BYTES);
    line_step(l, 1);
    return frame;
}

/* Sends packets of the tick channel and expects all of them. */
static void send_ticks(line *l, ls_role sender, uint32_t count)
{
    ls_link *link = sender == LS_ROLE_CLIENT ? l->w.client : l->w.server;
    ls_peer peer = sender == LS_ROLE_CLIENT ? l->w.client_peer : l->w.server_peer;
    const uint32_t *arrived = sender == LS_ROLE_CLIENT ? &l->w.at_server : &l->w.at_client;
    uint32_t before = *arrived;
    for (uint32_t i = 1; i <= count; i++) {
        assert_ok(send_bytes(link, peer, LS_CHANNEL_TICKS, 30));
        if (i % PER_STEP == 0 || i == count)
            line_step(l, 5);
    }
    line_step(l, 5);
    assert_int_equal(*arrived - before, count);
}

/* Replays one recorded datagram after `later` further groups. The connection then still works. */
static void check_replay(ls_role sender, uint32_t later)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    relay_frame old = record_tick(&l, sender);
    send_ticks(&l, sender, later);
    const ls_link *receiver = sender == LS_ROLE_CLIENT ? l.w.server : l.w.client;
    ls_link_stats before = ls_link_get_stats(receiver);
    relay_send(&l.r, sender, old.data, old.bytes);
    line_step(&l, 1);
    ls_link_stats after = ls_link_get_stats(receiver);
    assert_int_equal(after.refused[LS_LINK_REPEATED], before.refused[LS_LINK_REPEATED] + 1);
    assert_int_equal(after.datagrams_refused, before.datagrams_refused + 1);
    send_ticks(&l, sender, 3);
    expect_alive(&l);
    line_close(&l);
}

TEST(test_link_enet_replays_half_the_groups_later_to_the_server)
{
    check_replay(LS_ROLE_CLIENT, HALF_THE_GROUPS + 1);
    check_replay(LS_ROLE_CLIENT, HALF_THE_GROUPS + 1024);
}

TEST(test_link_enet_replays_half_the_groups_later_to_the_client)
{
    check_replay(LS_ROLE_SERVER, HALF_THE_GROUPS + 1);
    check_replay(LS_ROLE_SERVER, HALF_THE_GROUPS + 1024);
}

TEST(test_link_enet_replays_at_once_count_for_nothing)
{
    check_replay(LS_ROLE_CLIENT, 0);
    check_replay(LS_ROLE_SERVER, 0);
}

/* Replays the client's PING 1,900 times a second. Each replay once used one of the 256 commands
 * that a client may send in a second, and the client's own messages of that second were lost. */
TEST(test_link_enet_replays_of_a_ping_use_no_budget)
{
    enum { PING = 5, SECONDS = 3, PER_MS = 2 };
    line l;
    line_open(&l);
    line_connect(&l, 8);
    expect_alive(&l);
    settle(&l);
    relay_frame ping = l.r.last[LS_ROLE_CLIENT];
    for (uint32_t i = 0; i < 600 && (ping.data[8] & 0x0f) != PING; i++) {
        line_step(&l, 20);
        ping = l.r.last[LS_ROLE_CLIENT];
    }
    assert_int_equal(ping.bytes, 8 + 4 + LS_CARRIER_MAC_BYTES);
    settle(&l);
    uint64_t answered = l.r.bytes[LS_ROLE_SERVER];
    uint32_t arrived = l.w.server_order;
    for (uint32_t ms = 0; ms < 1000 * SECONDS; ms++) {
        for (uint32_t i = 0; i < PER_MS; i++)
            relay_send(&l.r, LS_ROLE_CLIENT, ping.data, ping.bytes);
        if (ms % 500 == 250) {
            uint8_t data[LS_SEAL_BYTES] = {(uint8_t)l.w.server_order};
            ls_packet packet = {.channel = LS_CHANNEL_CONTROL, .bytes = sizeof data, .data = data};
            assert_ok(ls_link_send(l.w.client, l.w.client_peer, &packet));
        }
        line_step(&l, 1);
        if (ms % 500 == 260) /* soon, so nothing had to be sent again */
            assert_int_equal(l.w.server_order, ++arrived);
    }
    assert_int_equal(ls_link_get_stats(l.w.server).refused[LS_LINK_REPEATED],
                     SECONDS * 1000 * PER_MS);
    assert_in_range(l.r.bytes[LS_ROLE_SERVER] - answered, 0,
                    1000); /* no replayed PING was acknowledged */
    line_close(&l);
}

/* Datagrams that overtake each other are all accepted, up to the width of the window. */
TEST(test_link_enet_replays_leave_late_datagrams_alone)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    relay_frame held[2];
    l.r.drop[LS_ROLE_CLIENT] = true;
    for (uint32_t i = 0; i < 2; i++)
        held[i] = record_tick(&l, LS_ROLE_CLIENT);
    l.r.drop[LS_ROLE_CLIENT] = false;
    uint32_t at_server = l.w.at_server;
    /* A step of the client sends one datagram here, and sometimes an acknowledgement. */
    for (uint32_t i = 0; i < LS_SEAL_WINDOW / 2; i++)
        send_ticks(&l, LS_ROLE_CLIENT, 1);
    relay_send(&l.r, LS_ROLE_CLIENT, held[0].data, held[0].bytes);
    line_step(&l, 1);
    assert_int_equal(ls_link_get_stats(l.w.server).datagrams_refused, 0);
    assert_int_equal(l.w.at_server, at_server + LS_SEAL_WINDOW / 2 + 1);
    for (uint32_t i = 0; i < LS_SEAL_WINDOW / 2; i++)
        send_ticks(&l, LS_ROLE_CLIENT, 1);
    relay_send(&l.r, LS_ROLE_CLIENT, held[1].data, held[1].bytes);
    line_step(&l, 1);
    assert_int_equal(ls_link_get_stats(l.w.server).refused[LS_LINK_REPEATED], 1);
    line_close(&l);
}

/* ENet fills its buffers with the commands and packets of a full datagram. They leave no place for
 * the code, which the link appends. */
TEST(test_link_enet_replays_full_datagrams_are_signed)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    settle(&l);
    uint32_t at_server = l.w.at_server;
    for (uint32_t i = 0; i < LS_ENET_COMMANDS_MAX; i++)
        assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_CONTROL, LS_SEAL_BYTES));
    line_step(&l, 1);
    relay_frame full = l.r.last[LS_ROLE_CLIENT];
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + LS_ENET_COMMANDS_MAX);
    assert_int_equal(full.bytes, 8 + LS_ENET_COMMANDS_MAX * (6 + LS_SEAL_BYTES) + 8);
    settle(&l); /* all are acknowledged: the queue of the control channel has room again */
    /* Datagrams with the longest packets also stay within the MTU. */
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, LS_PACKET_BYTES_MAX));
        assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_CONTROL, LS_PACKET_BYTES_MAX));
        line_step(&l, 1);
        assert_in_range(l.r.last[LS_ROLE_CLIENT].bytes, LS_PACKET_BYTES_MAX, LS_MTU_BYTES);
    }
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + LS_ENET_COMMANDS_MAX + 6);
    line_close(&l);
}
