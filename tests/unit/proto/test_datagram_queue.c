/* Datagrams without a connection, over the real socket. */
#include "link_fixture.h"

TEST(test_datagram_queue_carries_datagrams_without_connection)
{
    world w;
    listen_world(&w, true);
    w.client = open_client(w.port);
    uint8_t hello[LS_MTU_BYTES];
    uint64_t seed = 4;
    test_fill(&seed, hello, sizeof hello);
    hello[0] |= 0x40;
    ls_link_post(w.client, NULL, hello, sizeof hello);
    STEP_UNTIL(&w, w.datagrams_at_server == 1);
    ls_remote expected = remote_of(w.client);
    assert_memory_equal(&w.client_remote, &expected, sizeof expected);
    assert_int_equal(w.datagram_bytes, sizeof hello);
    assert_memory_equal(w.datagram, hello, sizeof hello);
    ls_link_post(w.server, &w.client_remote, hello, 200);
    STEP_UNTIL(&w, w.datagrams_at_client == 1);
    assert_int_equal(w.datagram_bytes, 200);
    assert_true(w.server_peer == LS_PEER_NONE && w.client_peer == LS_PEER_NONE);
    /* An existing connection does not block datagrams. */
    connect_world(&w, 3);
    ls_link_post(w.client, NULL, hello, 2);
    STEP_UNTIL(&w, w.datagrams_at_server == 2);
    assert_int_equal(ls_link_get_stats(w.server).datagrams_refused, 0);
    finish(&w);
}

/* A client takes datagrams from its own server only, and no peer can connect to it. */
TEST(test_datagram_queue_client_hears_its_server_only)
{
    world w;
    start(&w, true);
    ls_link *other = NULL;
    ls_error error;
    ls_link_enet_config config = ls_link_enet_config_default();
    config.port = 0;
    assert_ok(ls_link_enet_listen(&config, &other, &error));
    ls_remote client = remote_of(w.client);
    const uint8_t bytes[60] = {0x40};
    for (uint32_t i = 0; i < 100; i++)
        ls_link_post(other, &client, bytes, sizeof bytes);
    ls_link_flush(other, 0);
    step(&w);
    assert_int_equal(w.datagrams_at_client, 0);
    assert_int_equal(ls_link_get_stats(w.client).datagrams_refused, 100);
    ls_link_destroy(other);
    finish(&w);
}

/* One step delivers a bounded part of a flood of handshake datagrams, in order. Messages of a
 * connection arrive in the same step. */
TEST(test_datagram_queue_of_a_round_is_bounded)
{
    world w;
    start(&w, true);
    int stranger = open_stranger(w.port);
    for (uint32_t i = 0; i < 400; i++) {
        const uint8_t bytes[4] = {0x40, (uint8_t)i, (uint8_t)(i >> 8)};
        (void)!send(stranger, bytes, sizeof bytes, 0);
    }
    assert_ok(send_bytes(w.client, w.client_peer, 0, 100));
    ls_link_flush(w.client, clock_ns());
    ls_link_event event;
    uint32_t taken = 0;
    while (ls_link_poll(w.server, clock_ns(), &event)) {
        if (event.kind == LS_LINK_DATAGRAM)
            taken += event.packet.data[1] + event.packet.data[2] * 256u == taken;
        else
            take(&w, true, &event);
    }
    assert_in_range(taken, 100, 256);
    assert_int_equal(ls_link_get_stats(w.server).datagrams_refused, 400 - taken);
    assert_int_equal(w.at_server, 1);
    (void)!send(stranger, "@@", 2, 0);
    step(&w);
    assert_int_equal(w.datagrams_at_server, 1); /* the next step takes datagrams again */
    close(stranger);
    finish(&w);
}
