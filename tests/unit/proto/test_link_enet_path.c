/* The address of a client changes during a connection, and attackers pretend that it did. */
#include "line.h"

#include "proto/path.h"

enum { STRANGER_BYTES = 64, UPDATE_BYTES = 50 };

/* The datagrams that a stranger has received. */
typedef struct haul {
    uint32_t count, longest;
    uint8_t last[STRANGER_BYTES];
} haul;

static haul drain(int stranger)
{
    haul all = {0};
    ssize_t bytes;
    while ((bytes = recv(stranger, all.last, sizeof all.last, MSG_DONTWAIT)) > 0) {
        all.count++;
        all.longest = (uint32_t)bytes > all.longest ? (uint32_t)bytes : all.longest;
    }
    return all;
}

static void begin(line *l)
{
    line_open(l);
    line_connect(l, 8);
    expect_alive(l);
    for (uint32_t i = 0; i < 50; i++)
        line_step(l, 20);
}

/* The client's datagram of the moment, held by the relay. */
static relay_frame hold_update(line *l)
{
    bool was_dropped = l->r.drop[LS_ROLE_CLIENT];
    l->r.drop[LS_ROLE_CLIENT] = true;
    assert_ok(send_bytes(l->w.client, l->w.client_peer, LS_CHANNEL_TICKS, UPDATE_BYTES));
    line_step(l, 1);
    line_step(l, 1);
    l->r.drop[LS_ROLE_CLIENT] = was_dropped;
    return l->r.last[LS_ROLE_CLIENT];
}

static void send_update(line *l)
{
    assert_ok(send_bytes(l->w.client, l->w.client_peer, LS_CHANNEL_TICKS, UPDATE_BYTES));
    line_step(l, 1);
}

static void assert_address(const line *l, uint16_t port)
{
    const ls_remote expected = loopback(port);
    const ls_remote remote = ls_link_remote(l->w.server, l->w.server_peer);
    assert_memory_equal(&remote, &expected, sizeof remote);
}

static uint16_t port_of(const line *l)
{
    const ls_address address = ls_address_of_remote(&l->up);
    return ls_address_port(&address);
}

/* A router gives the client another port: after one round trip the server sends there, and nothing
 * of the control channel is lost. */
TEST(test_link_enet_path_follows_a_rebinding)
{
    line l;
    begin(&l);
    l.r.delay_ns = 25 * MS;
    uint16_t port = relay_rebind(&l.r);
    assert_int_not_equal(port, port_of(&l));
    for (uint32_t i = 0; i < 10; i++)
        assert_ok(send_bytes(l.w.server, l.w.server_peer, LS_CHANNEL_CONTROL, 39));
    send_update(&l);
    uint64_t begin_ns = l.now_ns;
    while (l.w.moves == 0 && l.now_ns < begin_ns + 1000 * MS)
        line_step(&l, 1);
    assert_int_equal(l.w.moves, 1);
    /* The update, the question and the answer. */
    assert_in_range(l.now_ns - begin_ns, 70 * MS, 90 * MS);
    const ls_remote expected = loopback(port);
    assert_memory_equal(&l.w.client_remote, &expected, sizeof expected);
    assert_address(&l, port);
    for (uint32_t i = 0; i < 100 && l.w.at_client < 11; i++)
        line_step(&l, 20);
    assert_int_equal(l.w.at_client, 11);
    expect_alive(&l);
    ls_link_stats stats = ls_link_get_stats(l.w.server);
    assert_int_equal(stats.peers_moved, 1);
    assert_int_equal(stats.paths_asked, 2);
    assert_int_equal(stats.datagrams_refused, 0);
    assert_int_equal(connections_of(l.w.server, &expected), 1);
    assert_false(l.w.server_lost || l.w.client_lost);
    line_close(&l);
}

TEST(test_link_enet_path_follows_many_rebindings)
{
    line l;
    begin(&l);
    for (uint32_t i = 1; i <= 20; i++) {
        relay_rebind(&l.r);
        for (uint32_t k = 0; k < 60 && l.w.moves < i; k++) {
            send_update(&l);
            line_step(&l, 49);
        }
        assert_int_equal(l.w.moves, i);
        expect_alive(&l);
    }
    line_close(&l);
}

/* A copy from elsewhere that is faster than the original: it counts in its place, and the stranger
 * gets one short question, which only the client can answer. */
TEST(test_link_enet_path_a_copy_moves_nothing)
{
    line l;
    begin(&l);
    int stranger = open_stranger(l.w.port);
    relay_frame held = hold_update(&l);
    uint32_t at_server = l.w.at_server;
    assert_int_equal(send(stranger, held.data, held.bytes, 0), held.bytes);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + 1);
    relay_send(&l.r, LS_ROLE_CLIENT, held.data, held.bytes);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + 1);
    haul all = drain(stranger);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.longest, LS_PATH_BYTES);
    assert_true(all.longest <= held.bytes);
    line_step(&l, 1);
    /* Turned back, and repeated with each bit changed. */
    for (uint32_t bit = 0; bit < LS_PATH_BYTES * 8; bit++) {
        all.last[bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)!send(stranger, all.last, LS_PATH_BYTES, 0);
        all.last[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    (void)!send(stranger, all.last, LS_PATH_BYTES, 0);
    line_step(&l, 1);
    expect_alive(&l);
    assert_address(&l, port_of(&l));
    assert_int_equal(l.w.moves, 0);
    assert_int_equal(drain(stranger).count, 0);
    close(stranger);
    line_close(&l);
}

/* Copies of every datagram, for ten seconds. */
TEST(test_link_enet_path_copies_cost_few_questions)
{
    enum { SECONDS = 10 };
    line l;
    begin(&l);
    int stranger = open_stranger(l.w.port);
    uint32_t asked = 0;
    for (uint32_t i = 0; i < SECONDS * 50; i++) {
        relay_frame held = hold_update(&l);
        (void)!send(stranger, held.data, held.bytes, 0);
        line_step(&l, 1);
        relay_send(&l.r, LS_ROLE_CLIENT, held.data, held.bytes);
        line_step(&l, 17);
        asked += drain(stranger).count;
    }
    /* The client's answer from where it is gives a rest. */
    assert_in_range(asked, 1, SECONDS + 1);
    assert_int_equal(l.w.moves, 0);
    assert_address(&l, port_of(&l));
    expect_alive(&l);
    /* Where the client does not answer, each tenth of a second has one. */
    l.r.drop[LS_ROLE_SERVER] = true;
    asked = 0;
    for (uint32_t i = 0; i < 50; i++) {
        relay_frame held = hold_update(&l);
        (void)!send(stranger, held.data, held.bytes, 0);
        line_step(&l, 18);
        asked += drain(stranger).count;
    }
    assert_in_range(asked, 5, 11);
    assert_int_equal(l.w.moves, 0);
    close(stranger);
    line_close(&l);
}

/* A repeated datagram from elsewhere does nothing, one that others overtook moves nothing. */
TEST(test_link_enet_path_old_datagrams_ask_nothing)
{
    line l;
    begin(&l);
    int stranger = open_stranger(l.w.port);
    relay_frame overtaken = hold_update(&l);
    send_update(&l);
    send_update(&l);
    relay_frame newest = l.r.last[LS_ROLE_CLIENT];
    line_step(&l, 1);
    uint32_t at_server = l.w.at_server;
    (void)!send(stranger, newest.data, newest.bytes, 0);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server);
    (void)!send(stranger, overtaken.data, overtaken.bytes, 0);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + 1);
    assert_int_equal(drain(stranger).count, 0);
    assert_int_equal(ls_link_get_stats(l.w.server).paths_asked, 0);
    close(stranger);
    line_close(&l);
}

/* An answer that is longer than its question would amplify. */
TEST(test_link_enet_path_short_datagrams_ask_nothing)
{
    enum { PING = 5, PING_BYTES = 20 };
    line l;
    begin(&l);
    relay_rebind(&l.r);
    uint64_t asked = 0;
    for (uint32_t i = 0; i < 600 && l.r.last[LS_ROLE_CLIENT].data[8] % 16 != PING; i++)
        line_step(&l, 20);
    assert_int_equal(l.r.last[LS_ROLE_CLIENT].bytes, PING_BYTES);
    asked = ls_link_get_stats(l.w.server).paths_asked;
    line_step(&l, 1);
    assert_int_equal(asked, 0);
    assert_int_equal(ls_link_get_stats(l.w.server).paths_asked, 0);
    line_close(&l);
}

/* The attacker lets the client answer its question and is faster than the client's own answer: the
 * session comes back as soon as that arrives. */
TEST(test_link_enet_path_a_relayed_question_wins_nothing)
{
    line l;
    begin(&l);
    int stranger = open_stranger(l.w.port);
    relay_frame held = hold_update(&l);
    l.r.drop[LS_ROLE_CLIENT] = true;
    (void)!send(stranger, held.data, held.bytes, 0);
    line_step(&l, 1);
    line_step(&l, 1);
    relay_frame own = l.r.last[LS_ROLE_CLIENT];
    assert_int_equal(own.data[0], LS_PATH_RESPONSE);
    haul all = drain(stranger);
    relay_send(&l.r, LS_ROLE_SERVER, all.last, LS_PATH_BYTES);
    line_step(&l, 1);
    relay_frame stolen = l.r.last[LS_ROLE_CLIENT];
    assert_memory_not_equal(stolen.data, own.data, LS_PATH_BYTES);
    l.r.drop[LS_ROLE_CLIENT] = false;
    (void)!send(stranger, own.data, own.bytes, 0); /* not the address that was asked */
    line_step(&l, 1);
    assert_int_equal(l.w.moves, 0);
    (void)!send(stranger, stolen.data, stolen.bytes, 0);
    line_step(&l, 1);
    assert_int_equal(l.w.moves, 1);
    /* More copies cannot displace the client's own answer. */
    for (uint32_t i = 0; i < 8; i++) {
        int other = open_stranger(l.w.port);
        relay_frame copy = hold_update(&l);
        (void)!send(other, copy.data, copy.bytes, 0);
        line_step(&l, 50);
        assert_int_equal(drain(other).count, 0);
        close(other);
    }
    relay_send(&l.r, LS_ROLE_CLIENT, own.data, own.bytes);
    line_step(&l, 1);
    assert_int_equal(l.w.moves, 2);
    assert_address(&l, port_of(&l));
    expect_alive(&l);
    close(stranger);
    line_close(&l);
}

/* The client answers its server, each question once. */
TEST(test_link_enet_path_the_client_answers_its_server_alone)
{
    line l;
    begin(&l);
    uint8_t forged[LS_PATH_BYTES] = {LS_PATH_CHALLENGE, 200};
    uint64_t sent = l.r.bytes[LS_ROLE_CLIENT];
    relay_send(&l.r, LS_ROLE_SERVER, forged, sizeof forged);
    line_step(&l, 1);
    ls_carrier_counters counters = {.sent = 1000};
    assert_true(
        ls_path_challenge_encode(forged, forged, &counters, l.w.carrier.keys[LS_ROLE_SERVER]));
    int stranger = open_stranger(ls_link_enet_port(l.w.client));
    (void)!send(stranger, forged, sizeof forged, 0);
    line_step(&l, 1);
    assert_int_equal(l.r.bytes[LS_ROLE_CLIENT], sent);
    for (uint32_t i = 0; i < 100; i++)
        relay_send(&l.r, LS_ROLE_SERVER, forged, sizeof forged);
    line_step(&l, 1);
    line_step(&l, 1);
    assert_int_equal(l.r.bytes[LS_ROLE_CLIENT], sent + LS_PATH_BYTES);
    assert_int_equal(l.w.datagrams_at_client, 0);
    close(stranger);
    line_close(&l);
}

/* A host has as many connections as it may, however they came there. */
TEST(test_link_enet_path_respects_the_limit_of_the_new_address)
{
    line l;
    world other = {.server_peer = LS_PEER_NONE};
    ls_link_enet_config config = ls_link_enet_config_default();
    ls_error error;
    config.connections_per_host = 1;
    line_open_with(&l, config);
    const ls_link_enet_client_config client = {
        .host = own_host(), .port = l.w.port, .bind = "127.0.0.2"};
    assert_ok(ls_link_enet_open_from(&client, &other.client, &error));
    ls_carrier carrier = test_carrier(77);
    uint16_t port = ls_link_enet_port(other.client);
    const ls_remote there = LS_REMOTE_IPV4(127, 0, 0, 2, port);
    step_at(&l.w, l.now_ns);
    assert_ok(ls_link_admit(l.w.server, &there, &carrier, l.now_ns + 5000 * MS));
    assert_ok(ls_link_connect(other.client, l.now_ns, &carrier));
    for (uint32_t i = 0; i < 100 && l.w.server_peer == LS_PEER_NONE; i++) {
        step_at(&other, l.now_ns);
        line_step(&l, 20);
    }
    line_connect(&l, 8);
    relay_rebind_to(&l.r, "127.0.0.2");
    for (uint32_t i = 0; i < 40; i++) {
        send_update(&l);
        line_step(&l, 49);
    }
    assert_int_equal(l.w.moves, 0);
    assert_true(ls_link_get_stats(l.w.server).paths_asked > 0);
    ls_link_destroy(other.client);
    for (uint32_t i = 0; i < 200 && l.w.moves == 0; i++) {
        send_update(&l);
        line_step(&l, 49);
    }
    assert_int_equal(l.w.moves, 1);
    assert_int_equal(connections_of(l.w.server, &there), 1);
    line_close(&l);
}

/* A client that does not know the capability is nowhere but where it connected. */
TEST(test_link_enet_path_needs_the_capability)
{
    line l;
    line_open(&l);
    l.w.carrier = test_carrier(8);
    l.w.carrier.capabilities = 0;
    line_admit(&l, &l.w.carrier, 5000);
    assert_ok(ls_link_connect(l.w.client, l.now_ns, &l.w.carrier));
    line_await(&l);
    expect_alive(&l);
    relay_rebind(&l.r);
    uint32_t at_server = l.w.at_server;
    uint64_t before = refused(l.w.server);
    send_update(&l);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server);
    assert_int_equal(refused(l.w.server), before + 1);
    assert_int_equal(ls_link_get_stats(l.w.server).paths_asked, 0);
    line_close(&l);
}

/* A connection that has ended moves no more, and its answers mean nothing. */
TEST(test_link_enet_path_ends_with_the_connection)
{
    line l;
    begin(&l);
    l.up = loopback(relay_rebind(&l.r));
    send_update(&l);
    line_step(&l, 1);
    line_step(&l, 1);
    relay_frame answer = l.r.last[LS_ROLE_CLIENT];
    assert_int_equal(answer.data[0], LS_PATH_RESPONSE);
    ls_link_disconnect(l.w.server, l.w.server_peer);
    uint32_t moves = l.w.moves;
    for (uint32_t i = 0; i < 60; i++) {
        relay_send(&l.r, LS_ROLE_CLIENT, answer.data, answer.bytes);
        line_step(&l, 100);
    }
    assert_int_equal(l.w.moves, moves);
    line_connect(&l, 9);
    expect_alive(&l);
    line_close(&l);
}
