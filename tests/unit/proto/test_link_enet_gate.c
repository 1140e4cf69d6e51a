/* The gate before ENet, its authentication code, and what a relay in the path can do to a
 * connection. Time is virtual and advances in steps. */
#include "line.h"

#include "proto/enet_gate.h"

enum { CONNECT_BYTES = 64 };

/* Writes a client's CONNECT with a wrong authentication code. */
static uint32_t make_connect(uint8_t bytes[CONNECT_BYTES], uint32_t connect_id)
{
    static const uint8_t whole[CONNECT_BYTES] = {
        0x8f, 0xff, 0, 0,    0x11, 0x22, 0x33, 0x44, 0x82, 0xff, 0, 1, 0, 0, 0xff, 0xff,
        0,    0,    4, 0xa4, 0,    1,    0,    0,    0,    0,    0, 2, 0, 0, 0,    0,
        0,    0,    0, 0,    0,    0,    0x13, 0x88, 0,    0,    0, 2, 0, 0, 0,    2};
    memcpy(bytes, whole, sizeof whole);
    memcpy(bytes + 48, &connect_id, 4);
    assert_int_equal(ls_enet_gate_read(bytes, sizeof whole, LS_ROLE_SERVER).kind, LS_ENET_CONNECT);
    return sizeof whole;
}

/* None of 30,000 CONNECTs that lack only an admission gets one of the two slots. A client that is
 * admitted during the flood connects at once: after two rounds, or some more when a buffer of the
 * system was full. */
TEST(test_link_enet_gate_holds_against_a_flood)
{
    world w;
    ls_link_enet_config config = ls_link_enet_config_default();
    config.peers_max = 2;
    listen_world_with(&w, config);
    w.client = open_client(w.port);
    int stranger = open_stranger(w.port);
    uint8_t bytes[CONNECT_BYTES];
    uint64_t now_ns = clock_ns();
    uint32_t joined = 0;
    for (uint32_t i = 0; i < 60; i++, now_ns += 50 * MS) {
        for (uint32_t j = 0; j < 500; j++)
            (void)!send(stranger, bytes, make_connect(bytes, 1 + i * 500 + j), 0);
        step_at(&w, now_ns);
        if (i == 20) {
            ls_remote remote = remote_of(w.client);
            w.carrier = test_carrier(0x7fffffff);
            assert_ok(ls_link_admit(w.server, &remote, &w.carrier, now_ns + 5000 * MS));
            assert_ok(ls_link_connect(w.client, now_ns, &w.carrier));
        }
        if (w.server_peer != LS_PEER_NONE && w.client_peer != LS_PEER_NONE && joined == 0)
            joined = i;
    }
    assert_int_equal(w.server_id, 0x7fffffff);
    print_message("joined %u rounds after it was admitted\n", joined - 20);
    assert_in_range(joined, 21, 50);
    assert_true(ls_link_get_stats(w.server).connects_refused >= 15000);
    close(stranger);
    finish(&w);
}

/* Admits a client; the relay holds its CONNECT back. */
static void open_with_connect_held(line *l)
{
    line_open(l);
    l->w.carrier = test_carrier(99);
    l->r.drop[LS_ROLE_CLIENT] = true;
    line_admit(l, &l->w.carrier, 5000);
    assert_ok(ls_link_connect(l->w.client, l->now_ns, &l->w.carrier));
    line_step(l, 1);
}

/* Sends the client's datagram once per bit, with that bit flipped, and once per shorter length. */
static void send_damaged(line *l, relay_frame frame)
{
    for (uint32_t bit = 0; bit < frame.bytes * 8; bit++) {
        frame.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        relay_send(&l->r, LS_ROLE_CLIENT, frame.data, frame.bytes);
        frame.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (uint32_t bytes = 2; bytes < frame.bytes; bytes++)
        relay_send(&l->r, LS_ROLE_CLIENT, frame.data, bytes);
    line_step(l, 0);
}

/* The admitted client's CONNECT is refused from another address. */
TEST(test_link_enet_gate_binds_the_address)
{
    line l;
    open_with_connect_held(&l);
    assert_int_equal(l.r.last[LS_ROLE_CLIENT].bytes, CONNECT_BYTES);
    int stranger = open_stranger(l.w.port);
    assert_int_equal(send(stranger, l.r.last[LS_ROLE_CLIENT].data, CONNECT_BYTES, 0),
                     CONNECT_BYTES);
    line_step(&l, 1);
    assert_int_equal(ls_link_get_stats(l.w.server).connects_refused, 1);
    uint8_t answer[64];
    assert_true(recv(stranger, answer, sizeof answer, MSG_DONTWAIT) < 0);
    l.r.drop[LS_ROLE_CLIENT] = false;
    line_await(&l);
    expect_alive(&l);
    close(stranger);
    line_close(&l);
}

/* A CONNECT from the right address with the right id and one flipped bit fails the authentication
 * code. */
TEST(test_link_enet_gate_refuses_every_changed_bit_of_a_connect)
{
    line l;
    open_with_connect_held(&l);
    relay_frame frame = l.r.last[LS_ROLE_CLIENT];
    assert_int_equal(frame.bytes, CONNECT_BYTES);
    send_damaged(&l, frame);
    /* One flipped bit turns it into a handshake datagram. */
    assert_int_equal(l.w.datagrams_at_server, 1);
    assert_int_equal(refused(l.w.server), CONNECT_BYTES * 8 - 1 + CONNECT_BYTES - 2);
    assert_int_equal(l.r.last[LS_ROLE_SERVER].bytes, 0); /* the server has not answered any */
    relay_send(&l.r, LS_ROLE_CLIENT, frame.data, CONNECT_BYTES);
    l.r.drop[LS_ROLE_CLIENT] = false;
    line_await(&l);
    expect_alive(&l);
    line_close(&l);
}

static void expect_no_connection(line *l, const ls_carrier *admitted, const ls_carrier *used)
{
    line_admit(l, admitted, 5000);
    assert_ok(ls_link_connect(l->w.client, l->now_ns, used));
    l->w.client_lost = false;
    for (uint32_t i = 0; i < 200; i++)
        line_step(l, 50);
    assert_true(l->w.client_lost);
    assert_true(l->w.server_peer == LS_PEER_NONE && l->w.client_peer == LS_PEER_NONE);
}

TEST(test_link_enet_gate_wrong_keys_never_connect)
{
    line l;
    line_open(&l);
    ls_carrier carrier = test_carrier(5), wrong = carrier;
    wrong.keys[LS_ROLE_CLIENT][3] ^= 1;
    expect_no_connection(&l, &carrier, &wrong);
    assert_true(ls_link_get_stats(l.w.server).connects_refused > 1);
    wrong = carrier;
    wrong.keys[LS_ROLE_SERVER][3] ^= 1;
    expect_no_connection(&l, &carrier, &wrong);
    assert_true(ls_link_get_stats(l.w.client).datagrams_refused > 1);
    wrong = carrier;
    wrong.connect_id++;
    expect_no_connection(&l, &carrier, &wrong);
    l.w.client_lost = false;
    line_connect(&l, 6);
    expect_alive(&l);
    line_close(&l);
}

TEST(test_link_enet_gate_admissions_end)
{
    line l;
    line_open(&l);
    ls_carrier carrier = test_carrier(5);
    line_admit(&l, &carrier, 1000);
    ls_carrier keys_differ = carrier;
    keys_differ.keys[0][0] ^= 1;
    assert_int_equal(ls_link_admit(l.w.server, &l.up, &keys_differ, l.now_ns + 9000 * MS),
                     LS_ERROR_LIMIT);
    line_step(&l, 1000);
    assert_ok(ls_link_connect(l.w.client, l.now_ns, &carrier));
    line_step(&l, 10);
    line_step(&l, 10);
    assert_int_equal(ls_link_get_stats(l.w.server).connects_refused, 1);
    assert_true(l.w.server_peer == LS_PEER_NONE);
    line_admit(&l, &carrier, 5000); /* admitted again, the same CONNECT is new */
    line_connect(&l, 6);
    line_close(&l);
}

/* The answer to an admitted CONNECT never arrives. The slot is freed when the admission ends,
 * before ENet gives up. */
TEST(test_link_enet_gate_frees_half_open_connections)
{
    line l;
    line_open(&l);
    l.r.drop[LS_ROLE_SERVER] = true;
    for (uint32_t i = 0; i < 8; i++) { /* as many as one host may have */
        ls_carrier carrier = test_carrier(50 + i);
        line_admit(&l, &carrier, 2000);
        assert_ok(ls_link_connect(l.w.client, l.now_ns, &carrier));
        line_step(&l, 10);
    }
    assert_int_equal(ls_link_get_stats(l.w.server).connects_refused, 0);
    for (uint32_t i = 0; i < 25; i++)
        line_step(&l, 100);
    l.r.drop[LS_ROLE_SERVER] = false;
    assert_true(l.w.server_peer == LS_PEER_NONE);
    line_connect(&l, 70);
    expect_alive(&l);
    line_close(&l);
}

/* A recorded CONNECT makes no second connection, neither during the first one nor after it. */
TEST(test_link_enet_gate_admits_once)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    assert_int_equal(l.r.kept[0].bytes, CONNECT_BYTES);
    ls_peer peer = l.w.server_peer;
    uint64_t before = ls_link_get_stats(l.w.server).connects_refused;
    relay_send(&l.r, LS_ROLE_CLIENT, l.r.kept[0].data, CONNECT_BYTES);
    expect_alive(&l);
    assert_int_equal(l.w.server_peer, peer);
    ls_link_disconnect(l.w.server, peer);
    for (uint32_t i = 0; i < 10; i++)
        line_step(&l, 100);
    relay_send(&l.r, LS_ROLE_CLIENT, l.r.kept[0].data, CONNECT_BYTES);
    line_step(&l, 10);
    assert_int_equal(ls_link_get_stats(l.w.server).connects_refused, before + 2);
    assert_int_equal(l.w.server_peer, peer);
    line_admit(&l, &l.w.carrier, 1000); /* the id can be admitted again */
    line_close(&l);
}

/* A peer that acknowledges the control channel slowly could keep ENet's slot forever. The link
 * frees the slot after 5 s. */
TEST(test_link_enet_gate_frees_peers_that_do_not_end)
{
    line l;
    line_open(&l);
    l.r.delay_ns = 700 * MS;
    line_connect(&l, 8);
    for (uint32_t i = 0; i < 300; i++)
        line_step(&l, 100);
    for (uint32_t i = 0; i < 250; i++)
        assert_ok(send_bytes(l.w.server, l.w.server_peer, LS_CHANNEL_CONTROL, 1150));
    ls_link_disconnect(l.w.server, l.w.server_peer);
    for (uint32_t i = 0; i < 49; i++)
        line_step(&l, 100);
    assert_in_range(l.w.at_client, 50, 240);
    assert_int_equal(ls_link_admit(l.w.server, &l.up, &l.w.carrier, l.now_ns + MS), LS_ERROR_LIMIT);
    line_step(&l, 100);
    line_step(&l, 100);
    line_admit(&l, &l.w.carrier, 1000); /* the id and the keys are free */
    assert_false(l.w.server_lost);
    line_close(&l);
}

/* Sends forged ENet headers from the right address: each command, in each session. */
static void inject_commands(line *l, ls_role as)
{
    static const uint8_t commands[][24] = {
        {8, 0x84, 0xff, 0, 2, 0, 0, 0, 0},       /* DISCONNECT that wants an acknowledgement */
        {8, 0x44, 0xff, 0, 0, 0, 0, 0, 0},       /* DISCONNECT without one */
        {8, 0x01, 0xff, 0, 2, 0, 2, 0, 0},       /* ACKNOWLEDGE */
        {16, 0x8b, 0xff, 0, 3, 0, 0, 0x13, 0x88, /* THROTTLE_CONFIGURE, as links send it */
         0, 0, 0, 32, 0, 0, 0, 0},
        {16, 0x8b, 0xff, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 32}, /* with other values */
        {12, 0x8a, 0xff, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0}, /* BANDWIDTH_LIMIT, as links send it */
        {12, 0x8a, 0xff, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1},
    };
    uint32_t id = l->w.carrier.connect_id;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < LS_COUNT_OF(commands) * 4 * 3; i++) {
        const uint8_t *command = commands[i / 12];
        uint8_t bytes[40] = {(uint8_t)(0x80 | (i / 3 % 4) << 4)};
        if (i % 3 == 1)
            memcpy(bytes + 4, &id, 4);
        else if (i % 3 == 2)
            test_fill(&seed, bytes + 4, 4);
        memcpy(bytes + 8, command + 1, command[0]);
        relay_send(&l->r, as, bytes, 8u + command[0]);
    }
}

TEST(test_link_enet_gate_drops_forged_commands)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    expect_alive(&l);
    uint64_t at_server = refused(l.w.server), at_client = refused(l.w.client);
    inject_commands(&l, LS_ROLE_CLIENT);
    inject_commands(&l, LS_ROLE_SERVER);
    expect_alive(&l);
    assert_int_equal(refused(l.w.server), at_server + 84);
    assert_int_equal(refused(l.w.client), at_client + 84);
    for (uint32_t i = 0; i < 30; i++)
        line_step(&l, 500);
    expect_alive(&l);
    line_close(&l);
}

/* Each kind of a datagram that is not accepted counts under its reason. */
TEST(test_link_enet_gate_tells_the_reason)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    expect_alive(&l);
    l.r.drop[LS_ROLE_CLIENT] = true;
    assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, 40));
    line_step(&l, 0);
    const relay_frame sent = l.r.last[LS_ROLE_CLIENT];
    l.r.drop[LS_ROLE_CLIENT] = false;
    for (ls_link_refusal reason = 0; reason < LS_LINK_LIMITED; reason++) {
        relay_frame frame = sent;
        if (reason == LS_LINK_MALFORMED)
            frame.bytes = 5;
        else if (reason == LS_LINK_STRANGER)
            frame.data[1] ^= 1; /* of the peer */
        else if (reason == LS_LINK_FORGED)
            frame.data[frame.bytes - 1] ^= 1;
        else
            relay_send(&l.r, LS_ROLE_CLIENT, frame.data, frame.bytes);
        ls_link_stats before = ls_link_get_stats(l.w.server);
        relay_send(&l.r, LS_ROLE_CLIENT, frame.data, frame.bytes);
        line_step(&l, 1);
        ls_link_stats after = ls_link_get_stats(l.w.server);
        assert_int_equal(after.datagrams_refused, before.datagrams_refused + 1);
        assert_int_equal(after.refused[reason], before.refused[reason] + 1);
    }
    expect_alive(&l);
    line_close(&l);
}

/* A recorded datagram with one bit flipped, or cut at any length, is dropped. */
TEST(test_link_enet_gate_drops_changed_datagrams)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    expect_alive(&l);
    line_step(&l, 20);
    l.r.drop[LS_ROLE_CLIENT] = true;
    assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, 40));
    line_step(&l, 0);
    relay_frame frame = l.r.last[LS_ROLE_CLIENT];
    assert_true(frame.bytes >= 54);
    uint64_t before = refused(l.w.server);
    uint32_t at_server = l.w.at_server, datagrams = l.w.datagrams_at_server;
    send_damaged(&l, frame);
    assert_int_equal(l.w.at_server, at_server);
    assert_int_equal(l.w.datagrams_at_server, datagrams + 1);
    assert_int_equal(refused(l.w.server), before + frame.bytes * 8 - 1 + frame.bytes - 2);
    relay_send(&l.r, LS_ROLE_CLIENT, frame.data, frame.bytes);
    line_step(&l, 0);
    assert_int_equal(l.w.at_server, at_server + 1); /* the original still arrives */
    line_close(&l);
}

/* The link connects again with other keys. Datagrams recorded before are then invalid. */
TEST(test_link_enet_gate_reconnects_over_one_link)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    expect_alive(&l);
    ls_peer first = l.w.server_peer, first_client = l.w.client_peer;
    uint32_t recorded = l.r.kept_count;
    line_connect(&l, 9);
    assert_int_not_equal(l.w.server_peer, first);
    assert_int_not_equal(l.w.client_peer, first_client);
    assert_int_equal(send_bytes(l.w.client, first_client, 0, 50), LS_ERROR_NOT_FOUND);
    ls_link_disconnect(l.w.server, first);
    for (uint32_t i = 0; i < 60; i++)
        line_step(&l, 100);
    uint32_t at_server = l.w.at_server;
    uint64_t before = refused(l.w.server);
    for (uint32_t i = 0; i < recorded; i++)
        relay_send(&l.r, LS_ROLE_CLIENT, l.r.kept[i].data, l.r.kept[i].bytes);
    line_step(&l, 0);
    assert_int_equal(l.w.at_server, at_server);
    assert_int_equal(refused(l.w.server), before + recorded);
    expect_alive(&l);
    line_close(&l);
}

/* Pings are reliable packets: without the link's settings ENet would give up after an outage. */
TEST(test_link_enet_gate_survives_an_outage)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    expect_alive(&l);
    l.r.drop[LS_ROLE_CLIENT] = true;
    for (uint32_t i = 0; i < 900; i++)
        line_step(&l, 100);
    l.r.drop[LS_ROLE_CLIENT] = false;
    assert_false(l.w.server_lost || l.w.client_lost);
    assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_TICKS, 39));
    uint32_t at_server = l.w.at_server;
    line_step(&l, 10);
    line_step(&l, 10);
    assert_int_equal(l.w.at_server, at_server + 1);
    line_close(&l);
}

/* After a jump of the round-trip time ENet's throttle would drop packets at the sender. */
TEST(test_link_enet_gate_throttle_drops_nothing)
{
    line l;
    line_open(&l);
    line_connect(&l, 8);
    uint32_t sent = 0, before = l.w.at_client;
    for (uint32_t i = 0; i < 3000; i++) {
        l.r.delay_ns = (i / 400 % 2 ? 250 : 5) * MS;
        if (i < 2950) {
            assert_ok(send_bytes(l.w.server, l.w.server_peer, LS_CHANNEL_TICKS, 50));
            sent++;
        }
        line_step(&l, 16);
    }
    assert_int_equal(l.w.at_client - before, sent);
    line_close(&l);
}
