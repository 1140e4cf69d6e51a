#include "network_fixture.h"

static void test_link_memory_delay_is_exact(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 25 * MS};
    world w = {.network = ls_network_create(1, &conditions)};
    w.server = ls_network_listen(w.network, 1);
    w.client = ls_network_open(w.network);
    begin_connect(w.server, w.client, 1, 100 * MS);
    assert_int_equal(ls_network_next_ns(w.network), 125 * MS);
    expect_silence(w.server, 125 * MS - 1);
    ls_peer peer = expect_event(w.server, 125 * MS, LS_LINK_CONNECTED).peer;
    send_number(w.server, peer, LS_CHANNEL_CONTROL, 1);
    ls_link_flush(w.server, 125 * MS);
    expect_silence(w.client, 150 * MS - 1);
    expect_event(w.client, 150 * MS, LS_LINK_CONNECTED);
    expect_event(w.client, 150 * MS, LS_LINK_MESSAGE);
    expect_silence(w.client, 150 * MS);
    assert_true(ls_network_next_ns(w.network) == UINT64_MAX);
    end_world(&w);
}

static void test_link_memory_messages_pass_both_ways(void **state)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(1, &conditions);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++) {
        send_number(w.client, w.client_peer, channel, 11);
        send_number(w.server, w.server_peer, channel, 12);
        ls_link_flush(w.client, w.now_ns);
        ls_link_flush(w.server, w.now_ns);
        ls_link_event at_server = expect_event(w.server, w.now_ns, LS_LINK_MESSAGE);
        ls_link_event at_client = expect_event(w.client, w.now_ns, LS_LINK_MESSAGE);
        assert_int_equal(number_of(&at_server), 11);
        assert_int_equal(number_of(&at_client), 12);
        assert_int_equal(at_server.packet.channel, channel);
        assert_int_equal(at_server.peer, w.server_peer);
    }
    ls_remote remote = ls_link_remote(w.server, w.server_peer);
    ls_remote expected = ls_network_remote(w.client);
    assert_memory_equal(&remote, &expected, sizeof remote);
    end_world(&w);
}

static void test_link_memory_sizes_are_bounded(void **state)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(1, &conditions);
    uint8_t bytes[LS_PACKET_BYTES_MAX + 1] = {0};
    ls_packet packet = {.channel = LS_CHANNEL_TICKS, .bytes = 0, .data = bytes};
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_LIMIT);
    packet.bytes = LS_PACKET_BYTES_MAX + 1;
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_LIMIT);
    packet.channel = LS_CHANNEL_CONTROL;
    packet.bytes = LS_PACKET_BYTES_MAX;
    assert_ok(ls_link_send(w.client, w.client_peer, &packet));
    packet.bytes++;
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_LIMIT);
    end_world(&w);
}

static void test_link_memory_control_is_reliable_and_ordered(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 30 * MS,
                                           .jitter_ns = 50 * MS,
                                           .loss = 300000,
                                           .duplicate = 100000,
                                           .reorder = 100000,
                                           .reorder_delay_ns = 90 * MS};
    world w = connect_world(9, &conditions);
    uint32_t expected = 0;
    for (uint32_t i = 0; expected < 2000; i++) {
        assert_true(i < 10000);
        w.now_ns += 5 * MS;
        if (i < 2000)
            send_number(w.client, w.client_peer, LS_CHANNEL_CONTROL, i);
        ls_link_flush(w.client, w.now_ns);
        ls_link_event event;
        while (ls_link_poll(w.server, w.now_ns, &event))
            assert_int_equal(number_of(&event), expected++);
    }
    end_world(&w);
}

static void test_link_memory_cut_line_heals(void **state)
{
    ls_impairment_conditions whole = {.delay_ns = 10 * MS},
                             cut = {.delay_ns = 10 * MS, .loss = LS_PROBABILITY_ONE};
    world w = connect_world(9, &whole);
    ls_network_set_conditions(w.client, &cut);
    send_number(w.client, w.client_peer, LS_CHANNEL_CONTROL, 1);
    send_number(w.client, w.client_peer, LS_CHANNEL_TICKS, 2);
    ls_link_flush(w.client, w.now_ns);
    expect_silence(w.server, w.now_ns + 1000 * MS);
    ls_network_set_conditions(w.client, &whole);
    ls_link_flush(w.client, w.now_ns + 1000 * MS);
    ls_link_event event = expect_event(w.server, w.now_ns + 1010 * MS, LS_LINK_MESSAGE);
    assert_int_equal(number_of(&event), 1);
    expect_silence(w.server, w.now_ns + 9000 * MS);
    end_world(&w);
}

static void test_link_memory_disconnect_follows_control(void **state)
{
    ls_impairment_conditions conditions = {
        .delay_ns = 10 * MS, .jitter_ns = 30 * MS, .loss = 300000};
    world w = connect_world(4, &conditions);
    send_number(w.server, w.server_peer, LS_CHANNEL_CONTROL, 7);
    ls_link_disconnect(w.server, w.server_peer);
    uint8_t byte = 0;
    ls_packet packet = {.bytes = 1, .data = &byte};
    assert_int_equal(ls_link_send(w.server, w.server_peer, &packet), LS_ERROR_NOT_FOUND);
    send_number(w.client, w.client_peer, LS_CHANNEL_TICKS, 8);
    ls_link_flush(w.client, w.now_ns);
    ls_link_flush(w.server, w.now_ns);
    expect_silence(w.server,
                   w.now_ns + 5000 * MS); /* the end that disconnects gets no DISCONNECTED */
    ls_link_event event = expect_event(w.client, w.now_ns + 5000 * MS, LS_LINK_MESSAGE);
    assert_int_equal(number_of(&event), 7);
    event = expect_event(w.client, w.now_ns + 5000 * MS, LS_LINK_DISCONNECTED);
    assert_int_equal(event.peer, w.client_peer);
    expect_silence(w.client, w.now_ns + 5000 * MS);
    ls_remote remote = ls_link_remote(w.server, w.server_peer);
    assert_memory_equal(&remote, &(ls_remote){0}, sizeof remote);
    end_world(&w);
}

static void test_link_memory_old_ids_name_nothing(void **state)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(4, &conditions);
    ls_link_destroy(w.client);
    expect_event(w.server, w.now_ns, LS_LINK_DISCONNECTED);
    w.client = ls_network_open(w.network);
    begin_connect(w.server, w.client, 2, w.now_ns);
    ls_peer peer = expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).peer;
    assert_int_equal(ls_peer_slot(peer), ls_peer_slot(w.server_peer));
    assert_int_not_equal(peer, w.server_peer);
    uint8_t byte = 0;
    ls_packet packet = {.bytes = 1, .data = &byte};
    assert_int_equal(ls_link_send(w.server, w.server_peer, &packet), LS_ERROR_NOT_FOUND);
    assert_int_equal(ls_link_send(w.server, LS_PEER_NONE, &packet), LS_ERROR_NOT_FOUND);
    ls_link_disconnect(w.server, w.server_peer); /* ignored: the peer is gone */
    assert_ok(ls_link_send(w.server, peer, &packet));
    end_world(&w);
}

static void test_link_memory_killed_client_is_silent(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 5 * MS};
    world w = connect_world(4, &conditions);
    ls_network_kill(w.client);
    send_number(w.server, w.server_peer, LS_CHANNEL_CONTROL, 1);
    expect_silence(w.server, w.now_ns + 100000 * MS);
    ls_link_disconnect(w.server, w.server_peer);
    ls_link_destroy(w.server);
    ls_network_destroy(w.network);
}

static void test_link_memory_server_may_restart(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 5 * MS};
    world w = connect_world(4, &conditions);
    ls_network_kill(w.server);
    send_number(w.client, w.client_peer, LS_CHANNEL_CONTROL, 1);
    expect_silence(w.client, w.now_ns + 1000 * MS);
    ls_carrier carrier = carrier_of(9);
    ls_link *late = ls_network_open(w.network);
    assert_ok(ls_link_connect(late, w.now_ns + 1000 * MS, &carrier));
    assert_true(ls_network_next_ns(w.network) == w.now_ns + 6000 * MS);
    expect_silence(late, w.now_ns + 6000 * MS - 1);
    expect_event(late, w.now_ns + 6000 * MS, LS_LINK_DISCONNECTED);
    expect_silence(late, w.now_ns + 6000 * MS);
    w.now_ns += 6000 * MS;
    w.server = ls_network_listen(w.network, 1);
    ls_link *again = ls_network_open(w.network);
    begin_connect(w.server, again, 10, w.now_ns + 2000 * MS);
    expect_event(w.server, w.now_ns + 3000 * MS, LS_LINK_CONNECTED);
    ls_link_flush(w.server, w.now_ns + 3000 * MS);
    expect_event(again, w.now_ns + 4000 * MS, LS_LINK_CONNECTED);
    ls_link_destroy(w.server);
    expect_event(again, w.now_ns + 5000 * MS, LS_LINK_DISCONNECTED);
    ls_link_destroy(again);
    ls_link_destroy(late);
    ls_link_destroy(w.client);
    ls_network_destroy(w.network);
}

/* A server without a free slot does not answer, so the attempt times out. */
static void test_link_memory_full_server_is_silent(void **state)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(4, &conditions);
    ls_link *clients[4];
    for (uint32_t i = 0; i < 4; i++) {
        clients[i] = ls_network_open(w.network);
        begin_connect(w.server, clients[i], 10 + i, w.now_ns);
        ls_link_event event;
        assert_int_equal(ls_link_poll(w.server, w.now_ns, &event), i < 3);
        ls_link_flush(w.server, w.now_ns);
        if (i < 3)
            expect_event(clients[i], w.now_ns, LS_LINK_CONNECTED);
        else
            expect_silence(clients[i], w.now_ns);
    }
    expect_event(clients[3], w.now_ns + 5000 * MS, LS_LINK_DISCONNECTED);
    for (uint32_t i = 0; i < 4; i++)
        ls_link_destroy(clients[i]);
    end_world(&w);
}

static void expect_refused(world *w, ls_link *client, const ls_carrier *carrier, uint64_t count)
{
    assert_ok(ls_link_connect(client, w->now_ns, carrier));
    expect_silence(w->server, w->now_ns);
    assert_int_equal(ls_link_get_stats(w->server).connects_refused, count);
    w->now_ns += 5000 * MS;
    expect_silence(w->server, w->now_ns);
    expect_event(client, w->now_ns, LS_LINK_DISCONNECTED);
}

static void test_link_memory_connects_are_admitted(void **state)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(4, &conditions);
    ls_link *client = ls_network_open(w.network), *other = ls_network_open(w.network);
    ls_remote remote = ls_network_remote(client);
    ls_carrier carrier = carrier_of(5), wrong = carrier;
    wrong.keys[LS_ROLE_SERVER][0] ^= 1;
    expect_refused(&w, client, &carrier, 1); /* not admitted */
    assert_ok(ls_link_admit(w.server, &remote, &carrier, w.now_ns + 20000 * MS));
    assert_int_equal(ls_link_admit(w.server, &remote, &wrong, w.now_ns + 20000 * MS),
                     LS_ERROR_LIMIT);
    expect_refused(&w, other, &carrier, 2); /* from another address */
    expect_refused(&w, client, &wrong, 3);  /* with other keys */
    assert_ok(ls_link_connect(client, w.now_ns, &carrier));
    assert_int_equal(expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).connect_id, 5);
    expect_refused(&w, other, &carrier, 4); /* each admission is valid once */
    carrier = carrier_of(6);
    remote = ls_network_remote(other);
    assert_ok(ls_link_admit(w.server, &remote, &carrier, w.now_ns + 100 * MS));
    w.now_ns += 100 * MS;
    expect_refused(&w, other, &carrier, 5); /* the admission has expired */
    ls_link_destroy(client);
    ls_link_destroy(other);
    end_world(&w);
}

static void test_link_memory_carries_datagrams(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 10 * MS};
    ls_network *network = ls_network_create(1, &conditions);
    ls_link *server = ls_network_listen(network, 1), *client = ls_network_open(network);
    ls_link *other = ls_network_open(network);
    const uint8_t hello[4] = {0x40, 1, 2, 3};
    ls_link_post(client, NULL, hello, sizeof hello);
    expect_silence(server, 10 * MS - 1);
    ls_link_event event = expect_event(server, 10 * MS, LS_LINK_DATAGRAM);
    ls_remote remote = ls_network_remote(client);
    assert_memory_equal(&event.remote, &remote, sizeof remote);
    assert_int_equal(event.packet.bytes, 4);
    assert_memory_equal(event.packet.data, hello, 4);
    ls_link_post(server, &remote, hello, 2);
    event = expect_event(client, 20 * MS, LS_LINK_DATAGRAM);
    assert_int_equal(event.packet.bytes, 2);
    expect_silence(other, 20 * MS);
    assert_int_equal(ls_network_get_stray(network).bytes, 0);
    ls_link_destroy(client);
    ls_link_destroy(other);
    ls_link_destroy(server);
    ls_network_destroy(network);
}

/* A client connects again from one address. Packets that the server still sends on the old
 * connection are dropped. */
static void test_link_memory_reconnects_over_one_link(void **state)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(1, &conditions);
    begin_connect(w.server, w.client, 2, w.now_ns);
    uint8_t byte = 0;
    ls_packet packet = {.bytes = 1, .data = &byte};
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_NOT_FOUND);
    ls_peer peer = expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).peer;
    ls_link_flush(w.server, w.now_ns);
    ls_peer client_peer = expect_event(w.client, w.now_ns, LS_LINK_CONNECTED).peer;
    send_number(w.server, w.server_peer, LS_CHANNEL_CONTROL, 4);
    ls_link_disconnect(w.server, w.server_peer);
    send_number(w.server, peer, LS_CHANNEL_CONTROL, 5);
    ls_link_flush(w.server, w.now_ns);
    ls_link_event event = expect_event(w.client, w.now_ns, LS_LINK_MESSAGE);
    assert_int_equal(number_of(&event), 5);
    assert_int_equal(event.peer, client_peer);
    expect_silence(w.client, w.now_ns);
    end_world(&w);
}

int main(void)
{
    return RUN_TESTS(test_link_memory_delay_is_exact, test_link_memory_messages_pass_both_ways,
                     test_link_memory_sizes_are_bounded,
                     test_link_memory_control_is_reliable_and_ordered,
                     test_link_memory_cut_line_heals, test_link_memory_disconnect_follows_control,
                     test_link_memory_old_ids_name_nothing,
                     test_link_memory_killed_client_is_silent, test_link_memory_server_may_restart,
                     test_link_memory_full_server_is_silent, test_link_memory_connects_are_admitted,
                     test_link_memory_carries_datagrams, test_link_memory_reconnects_over_one_link);
}
