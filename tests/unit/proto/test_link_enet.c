/* The real ENet over loopback, with the real clock. Each test is about a trap of ENet that a link
 * avoids. */
#include "link_fixture.h"

#include <enet/enet.h>

TEST(test_link_enet_carries_both_channels)
{
    world w;
    start(&w, true);
    for (uint32_t i = 0; i < 20; i++) {
        uint8_t data[LS_SEAL_BYTES] = {(uint8_t)i};
        ls_packet packet = {.channel = LS_CHANNEL_CONTROL, .bytes = sizeof data, .data = data};
        assert_ok(ls_link_send(w.client, w.client_peer, &packet));
    }
    assert_ok(send_bytes(w.client, w.client_peer, LS_CHANNEL_TICKS, LS_PACKET_BYTES_MAX));
    assert_ok(send_bytes(w.server, w.server_peer, LS_CHANNEL_TICKS, LS_SEAL_BYTES));
    STEP_UNTIL(&w, w.at_server == 21 && w.at_client == 1);
    assert_int_equal(w.server_order, 20);
    /* The longest packet that ENet does not split. */
    assert_ok(send_bytes(w.client, w.client_peer, LS_CHANNEL_CONTROL, LS_PACKET_BYTES_MAX));
    STEP_UNTIL(&w, w.at_server == 22);
    ls_remote remote = ls_link_remote(w.server, w.server_peer), expected = remote_of(w.client);
    assert_memory_equal(&remote, &expected, sizeof remote);
    remote = ls_link_remote(w.client, w.client_peer);
    expected = loopback(w.port);
    assert_memory_equal(&remote, &expected, sizeof remote);
    remote = ls_link_remote(w.client, LS_PEER_NONE);
    assert_memory_equal(&remote, &(ls_remote){0}, sizeof remote);
    finish(&w);
}

TEST(test_link_enet_bounds_what_is_sent)
{
    world w;
    start(&w, true);
    assert_int_equal(send_bytes(w.client, w.client_peer, 0, 0), LS_ERROR_LIMIT);
    assert_int_equal(send_bytes(w.client, w.client_peer, 0, LS_SEAL_BYTES - 1), LS_ERROR_LIMIT);
    assert_int_equal(send_bytes(w.client, w.client_peer, 0, LS_PACKET_BYTES_MAX + 1),
                     LS_ERROR_LIMIT);
    assert_int_equal(send_bytes(w.client, w.client_peer, 1, LS_PACKET_BYTES_MAX + 1),
                     LS_ERROR_LIMIT);
    assert_int_equal(send_bytes(w.client, w.client_peer ^ 0x10000, 0, 100), LS_ERROR_NOT_FOUND);
    assert_int_equal(send_bytes(w.client, LS_PEER_NONE, 0, 100), LS_ERROR_NOT_FOUND);
    /* The queue for a peer that never answers is bounded. */
    uint32_t taken = 0;
    while (taken < 100000 && send_bytes(w.client, w.client_peer, 1, 100) == LS_OK)
        taken++;
    assert_in_range(taken, LS_LINK_CLIENT_QUEUE_MAX - 8, LS_LINK_CLIENT_QUEUE_MAX);
    assert_int_equal(ls_link_get_stats(w.client).sends_failed, 1);
    for (taken = 0; send_bytes(w.server, w.server_peer, 1, 100) == LS_OK;)
        taken++;
    assert_in_range(taken, LS_LINK_QUEUE_MAX - 8, LS_LINK_QUEUE_MAX);
    STEP_UNTIL(&w, w.at_client == taken);
    finish(&w);
}

TEST(test_link_enet_disconnects_are_told)
{
    world w;
    start(&w, true);
    assert_ok(send_bytes(w.server, w.server_peer, LS_CHANNEL_CONTROL, 50));
    ls_link_disconnect(w.server, w.server_peer);
    assert_int_equal(send_bytes(w.server, w.server_peer, 0, 50), LS_ERROR_NOT_FOUND);
    STEP_UNTIL(&w, w.client_lost);
    assert_int_equal(w.at_client, 1); /* messages sent before the disconnect have arrived */
    assert_false(w.server_lost);
    finish(&w);
    start(&w, true);
    ls_link_destroy(w.client);
    w.client = NULL;
    STEP_UNTIL(&w, w.server_lost);
    finish(&w);
}

/* The last messages and the end of the connection arrive together. ENet by itself would drop the
 * messages. */
TEST(test_link_enet_last_words_come_before_the_end)
{
    for (uint32_t is_server_gone = 0; is_server_gone < 2; is_server_gone++) {
        for (uint32_t is_told = 0; is_told < 2; is_told++) {
            world w;
            start(&w, true);
            ls_link **gone = is_server_gone ? &w.server : &w.client;
            ls_peer peer = is_server_gone ? w.server_peer : w.client_peer;
            uint32_t *arrived = is_server_gone ? &w.at_client : &w.at_server;
            for (uint32_t i = 0; i < 5; i++) {
                uint8_t data[LS_SEAL_BYTES] = {(uint8_t)i};
                ls_packet packet = {.channel = i == 2 ? LS_CHANNEL_TICKS : LS_CHANNEL_CONTROL,
                                    .bytes = sizeof data,
                                    .data = data};
                assert_ok(ls_link_send(*gone, peer, &packet));
            }
            if (is_told)
                ls_link_disconnect(*gone, peer);
            ls_link_destroy(*gone);
            *gone = NULL;
            /* Loopback delivers before send() returns. */
            step(&w);
            assert_int_equal(*arrived, 5);
            assert_true(is_server_gone ? w.client_lost : w.server_lost);
            ls_link_destroy(is_server_gone ? w.client : w.server);
        }
    }
}

TEST(test_link_enet_slot_returns_under_a_new_id)
{
    world w;
    start(&w, true);
    ls_peer old = w.server_peer;
    ls_link_destroy(w.client);
    w.client = NULL;
    STEP_UNTIL(&w, w.server_lost);
    w.client = open_client(w.port);
    connect_world(&w, 77);
    assert_int_equal(ls_peer_slot(w.server_peer), ls_peer_slot(old));
    assert_int_equal(send_bytes(w.server, old, 0, 50), LS_ERROR_NOT_FOUND);
    finish(&w);
}

TEST(test_link_enet_names_a_taken_port)
{
    world w;
    start(&w, true);
    ls_link_enet_config config = ls_link_enet_config_default();
    config.address = own_host();
    config.port = w.port;
    ls_link *second = NULL;
    ls_error error;
    char expected[64];
    snprintf(expected, sizeof expected, "port %u is taken: ", w.port);
    assert_int_equal(ls_link_enet_listen(&config, &second, &error), LS_ERROR_IO);
    assert_memory_equal(error.text, expected, strlen(expected));
    assert_null(second);
    finish(&w);
}

TEST(test_link_enet_refuses_bad_configs)
{
    ls_link *link = NULL;
    ls_error error;
    ls_link_enet_config config = ls_link_enet_config_default();
    config.port = 0;
    config.peers_max = 0;
    assert_int_equal(ls_link_enet_listen(&config, &link, &error), LS_ERROR_USAGE);
    config.peers_max = LS_LINK_PEERS_MAX + 1;
    assert_int_equal(ls_link_enet_listen(&config, &link, &error), LS_ERROR_USAGE);
    config = ls_link_enet_config_default();
    config.address = "localhost";
    assert_int_equal(ls_link_enet_listen(&config, &link, &error), LS_ERROR_USAGE);
    config.address = "203.0.113.1"; /* not an address of this machine */
    config.port = 0;
    assert_int_equal(ls_link_enet_listen(&config, &link, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "cannot listen"));
    assert_int_equal(ls_link_enet_open("no.such.host.invalid", 1, &link, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "no.such.host.invalid"));
    assert_null(link);
}

TEST(test_link_enet_client_sends_from_its_address)
{
    world w;
    listen_world(&w, true);
    const ls_link_enet_client_config config = {
        .host = own_host(), .port = w.port, .bind = "127.0.0.9"};
    ls_error error;
    assert_ok(ls_link_enet_open_from(&config, &w.client, &error));
    const ls_remote own = LS_REMOTE_IPV4(127, 0, 0, 9, ls_link_enet_port(w.client));
    w.carrier = test_carrier(5);
    assert_ok(ls_link_admit(w.server, &own, &w.carrier, clock_ns() + 5000 * MS));
    assert_ok(ls_link_connect(w.client, clock_ns(), &w.carrier));
    STEP_UNTIL(&w, w.server_peer != LS_PEER_NONE && w.client_peer != LS_PEER_NONE);
    ls_remote seen = ls_link_remote(w.server, w.server_peer);
    assert_memory_equal(&seen, &own, sizeof own);
    finish(&w);
}

TEST(test_link_enet_client_refuses_a_foreign_address)
{
    ls_link *link = NULL;
    ls_error error;
    ls_link_enet_client_config config = {.host = "127.0.0.1", .port = 1, .bind = "localhost"};
    assert_int_equal(ls_link_enet_open_from(&config, &link, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "'localhost'"));
    config.bind = "203.0.113.1"; /* not an address of this machine */
    assert_int_equal(ls_link_enet_open_from(&config, &link, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "at 203.0.113.1: "));
    assert_null(link);
}

/* Sends a datagram of each size, beginning with random bytes. */
static void throw_garbage(int stranger, uint64_t *seed)
{
    static uint8_t bytes[5000];
    const size_t sizes[] = {0, 1, 2, 3, 4, 8, 12, 40, 52, 200, 1200, 1300, 1301, 4096, 4097, 5000};
    for (size_t i = 0; i < LS_COUNT_OF(sizes); i++) {
        test_fill(seed, bytes, sizes[i] < 64 ? sizes[i] : 64);
        if (test_random(seed) % 2)
            bytes[0] &= 0x8f; /* looks like a datagram of one of the first peers */
        (void)!send(stranger, bytes, sizes[i], 0);
    }
}

/* While garbage of all sizes arrives, each message of the connection is received in the step in
 * which it was sent. */
static void check_garbage(bool has_filter)
{
    world w;
    start(&w, has_filter);
    int to_server = open_stranger(w.port);
    uint64_t seed = 77;
    for (uint32_t i = 0; i < 200; i++) {
        throw_garbage(to_server, &seed);
        assert_ok(send_bytes(w.client, w.client_peer, 0, 100));
        assert_ok(send_bytes(w.server, w.server_peer, 0, 100));
        ls_link_flush(w.client, clock_ns());
        step(&w);
        /* Loopback delivers before send() returns: the message arrives in the same step. */
        assert_int_equal(w.at_server, i + 1);
    }
    STEP_UNTIL(&w, w.at_client == 200);
    assert_false(w.server_lost || w.client_lost);
    if (!has_filter)
        assert_true(ls_link_get_stats(w.server).receive_errors > 0);
    close(to_server);
    finish(&w);
}

TEST(test_link_enet_garbage_is_filtered)
{
    check_garbage(true);
}

TEST(test_link_enet_garbage_is_survived_without_filter)
{
    check_garbage(false);
}

/* Hundreds of empty datagrams precede one message. ENet alone would read one of them per service
 * call. */
TEST(test_link_enet_empty_datagrams_do_not_starve)
{
    world w;
    start(&w, false);
    int stranger = open_stranger(w.port);
    for (uint32_t i = 0; i < 400; i++)
        (void)!send(stranger, "", 0, 0);
    assert_ok(send_bytes(w.client, w.client_peer, 0, 100));
    ls_link_flush(w.client, clock_ns());
    step(&w);
    assert_int_equal(w.at_server, 1);
    close(stranger);
    finish(&w);
}

/* A datagram that is too long arrives while events are already queued. */
TEST(test_link_enet_an_error_holds_no_message_back)
{
    world w;
    start(&w, false);
    int stranger = open_stranger(w.port);
    static const uint8_t bytes[5000];
    for (uint32_t i = 0; i < 20; i++) {
        step(&w);
        assert_ok(send_bytes(w.client, w.client_peer, 0, 100));
        ls_link_flush(w.client, clock_ns());
        assert_int_equal(send(stranger, bytes, sizeof bytes, 0), sizeof bytes);
        step(&w);
        assert_int_equal(w.at_server, i + 1);
    }
    assert_int_equal(ls_link_get_stats(w.server).receive_errors, 20);
    close(stranger);
    finish(&w);
}

TEST(test_link_enet_a_round_is_bounded)
{
    world w;
    start(&w, false);
    if (ls_link_enet_get_buffers(w.server).receive_bytes < 3000 * 1024) {
        finish(&w);
        skip(); /* the system grants no buffer that holds these datagrams */
    }
    int stranger = open_stranger(w.port);
    for (uint32_t i = 0; i < 3000; i++)
        (void)!send(stranger, "", 0, 0);
    ls_link_event event;
    while (ls_link_poll(w.server, clock_ns(), &event))
        ;
    assert_int_equal(ls_link_get_stats(w.server).rounds_exhausted, 1);
    assert_true(ls_link_wait(w.server, 0));
    for (uint32_t i = 0; i < 10 && ls_link_wait(w.server, 0); i++)
        step(&w);
    assert_false(ls_link_wait(w.server, 0));
    close(stranger);
    finish(&w);
}

/* ENet gets its time from the caller. A clock that jumps by minutes disconnects no peer. */
TEST(test_link_enet_survives_time_jumps)
{
    world w;
    start(&w, true);
    uint64_t now_ns = clock_ns();
    for (uint32_t i = 0; i < 20; i++) {
        now_ns += 40000 * MS;
        ls_link_event event;
        while (ls_link_poll(w.server, now_ns, &event))
            take(&w, true, &event);
        while (ls_link_poll(w.client, now_ns, &event))
            take(&w, false, &event);
        ls_link_flush(w.server, now_ns);
        ls_link_flush(w.client, now_ns);
        usleep(1000);
    }
    assert_false(w.server_lost || w.client_lost);
    assert_ok(send_bytes(w.client, w.client_peer, 0, 100));
    ls_link_flush(w.client, now_ns);
    ls_link_event event;
    while (ls_link_poll(w.server, now_ns, &event))
        take(&w, true, &event);
    assert_int_equal(w.at_server, 1);
    finish(&w);
}

TEST(test_link_enet_ninth_of_one_address_waits)
{
    world w;
    start(&w, true);
    ls_link *clients[9];
    uint32_t connected = 1;
    for (uint32_t i = 0; i < 9; i++) {
        ls_carrier carrier = test_carrier(100 + i);
        clients[i] = open_client(w.port);
        begin_connect(w.server, clients[i], &carrier);
    }
    for (uint32_t round = 0; round < 100; round++) {
        step(&w);
        for (uint32_t i = 0; i < 9; i++) {
            ls_link_event event;
            while (ls_link_poll(clients[i], clock_ns(), &event))
                connected += event.kind == LS_LINK_CONNECTED;
        }
        usleep(1000);
    }
    assert_int_equal(connected, 8);
    for (uint32_t i = 0; i < 9; i++)
        ls_link_destroy(clients[i]);
    finish(&w);
}

/* ENet's service call reads at most 256 datagrams and then reports no event. */
TEST(test_link_enet_a_round_takes_all_datagrams)
{
    world w;
    start(&w, true);
    if (ls_link_enet_get_buffers(w.server).receive_bytes < 3000 * 1024) {
        finish(&w);
        skip();
    }
    for (uint32_t i = 0; i < 600; i++) {
        assert_ok(send_bytes(w.client, w.client_peer, 0, 1000));
        ls_link_flush(w.client, clock_ns());
    }
    step(&w);
    assert_int_equal(w.at_server, 600);
    finish(&w);
}

/* Replaces ENet's allocator: counts allocations, and fails at the chosen one. */
static int64_t allocated, fail_at = -1;

static void *allocate(size_t bytes)
{
    if (fail_at >= 0 && fail_at-- == 0)
        return NULL;
    allocated++;
    return malloc(bytes);
}

static void release(void *memory)
{
    allocated -= memory != NULL;
    free(memory);
}

static void go_on(void)
{
}

/* When enet_peer_send() fails, the packet still belongs to its caller. */
TEST(test_link_enet_failed_send_leaks_nothing)
{
    const ENetCallbacks callbacks = {.malloc = allocate, .free = release, .no_memory = go_on};
    assert_int_equal(enet_initialize_with_callbacks(ENET_VERSION, &callbacks), 0);
    allocated = 0;
    world w;
    start(&w, true);
    uint32_t failed = 0;
    for (int64_t i = 0; i < 4; i++) {
        int64_t before = allocated;
        fail_at = i;
        ls_status status = send_bytes(w.client, w.client_peer, LS_CHANNEL_CONTROL, 100);
        fail_at = -1;
        failed += status == LS_ERROR_LIMIT;
        assert_int_equal(allocated - before, status == LS_OK ? 3 : 0);
    }
    assert_int_equal(failed, 3);
    assert_int_equal(ls_link_get_stats(w.client).sends_failed, failed);
    STEP_UNTIL(&w, w.at_server == 1);
    finish(&w);
    assert_int_equal(allocated, 0);
    const ENetCallbacks usual = {.malloc = malloc, .free = free, .no_memory = abort};
    assert_int_equal(enet_initialize_with_callbacks(ENET_VERSION, &usual), 0);
}
