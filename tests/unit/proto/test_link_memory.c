#include "test.h"

#include "proto/link_memory.h"

#define MS UINT64_C(1000000)

typedef struct world {
    ls_network *network;
    ls_link *server, *client;
    ls_peer server_peer, client_peer; /* the client as the server knows it, and the reverse */
    uint64_t now_ns;
} world;

static ls_link_event expect_event(ls_link *link, uint64_t now_ns, ls_link_event_kind kind)
{
    ls_link_event event;
    assert_true(ls_link_poll(link, now_ns, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static void expect_silence(ls_link *link, uint64_t now_ns)
{
    ls_link_event event;
    assert_false(ls_link_poll(link, now_ns, &event));
}

static world connect_world(uint64_t seed, const ls_network_conditions *conditions)
{
    world w = {.network = ls_network_create(seed, conditions)};
    w.server = ls_network_listen(w.network, 4);
    w.client = ls_network_connect(w.network, 0);
    w.now_ns = 3600 * 1000 * MS;
    w.server_peer = expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).peer;
    ls_link_flush(w.server, w.now_ns);
    w.now_ns *= 2;
    w.client_peer = expect_event(w.client, w.now_ns, LS_LINK_CONNECTED).peer;
    return w;
}

static void end_world(world *w)
{
    ls_link_destroy(w->client);
    ls_link_destroy(w->server);
    ls_network_destroy(w->network);
}

static void send_number(ls_link *link, ls_peer peer, uint8_t channel, uint32_t number)
{
    ls_packet packet = {.channel = channel, .bytes = 4, .data = (const uint8_t *)&number};
    assert_int_equal(ls_link_send(link, peer, &packet), LS_OK);
}

static uint32_t number_of(const ls_link_event *event)
{
    uint32_t number;
    assert_int_equal(event->packet.bytes, 4);
    memcpy(&number, event->packet.data, 4);
    return number;
}

static void test_link_memory_delay_is_exact(void **state)
{
    (void)state;
    ls_network_conditions conditions = {.delay_ns = 25 * MS};
    world w = {.network = ls_network_create(1, &conditions)};
    w.server = ls_network_listen(w.network, 1);
    w.client = ls_network_connect(w.network, 100 * MS);
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
    (void)state;
    ls_network_conditions conditions = {0};
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
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_link_address(w.server, w.server_peer, text);
    assert_string_equal(text, "memory:0");
    end_world(&w);
}

static void test_link_memory_sizes_are_bounded(void **state)
{
    (void)state;
    ls_network_conditions conditions = {0};
    world w = connect_world(1, &conditions);
    uint8_t bytes[LS_CONTROL_BYTES_MAX + 1] = {0};
    ls_packet packet = {.channel = LS_CHANNEL_TICKS, .bytes = 0, .data = bytes};
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_LIMIT);
    packet.bytes = LS_PACKET_BYTES_MAX + 1;
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_LIMIT);
    packet.channel = LS_CHANNEL_CONTROL;
    packet.bytes = LS_CONTROL_BYTES_MAX;
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_OK);
    packet.bytes++;
    assert_int_equal(ls_link_send(w.client, w.client_peer, &packet), LS_ERROR_LIMIT);
    end_world(&w);
}

/* What arrives of 20,000 tick packets, and a digest of the order in which it does. */
typedef struct outcome {
    uint32_t arrived, doubled, overtaken;
    uint64_t digest;
} outcome;

enum { SENT = 20000 };

static outcome run_ticks(uint64_t seed, const ls_network_conditions *conditions)
{
    world w = connect_world(seed, conditions);
    static uint8_t seen[SENT];
    memset(seen, 0, sizeof seen);
    outcome result = {.digest = 0};
    uint32_t newest = 0;
    for (uint32_t tick = 0; tick < SENT + 100; tick++) {
        w.now_ns += 16 * MS;
        if (tick < SENT)
            send_number(w.server, w.server_peer, LS_CHANNEL_TICKS, tick);
        ls_link_flush(w.server, w.now_ns);
        ls_link_event event;
        while (ls_link_poll(w.client, w.now_ns, &event)) {
            uint32_t number = number_of(&event);
            result.arrived++;
            result.doubled += seen[number];
            seen[number] = 1;
            result.overtaken += number < newest;
            newest = number > newest ? number : newest;
            result.digest = result.digest * 31 + number + w.now_ns;
        }
    }
    end_world(&w);
    return result;
}

static void test_link_memory_faults_have_their_rates(void **state)
{
    (void)state;
    ls_network_conditions none = {.delay_ns = 30 * MS};
    outcome clean = run_ticks(1, &none);
    assert_int_equal(clean.arrived, SENT);
    assert_int_equal(clean.doubled + clean.overtaken, 0);
    ls_network_conditions loss = {.delay_ns = 30 * MS, .loss = 100000};
    assert_in_range(run_ticks(1, &loss).arrived, SENT * 88 / 100, SENT * 92 / 100);
    ls_network_conditions twice = {.delay_ns = 30 * MS, .duplicate = 50000};
    assert_in_range(run_ticks(1, &twice).doubled, SENT * 4 / 100, SENT * 6 / 100);
    ls_network_conditions jitter = {.delay_ns = 30 * MS, .jitter_ns = 40 * MS};
    assert_true(run_ticks(1, &jitter).overtaken > SENT / 10);
    ls_network_conditions reorder = {
        .delay_ns = 30 * MS, .reorder = 20000, .reorder_delay_ns = 50 * MS};
    assert_in_range(run_ticks(1, &reorder).overtaken, SENT * 1 / 100, SENT * 3 / 100);
}

static void test_link_memory_runs_repeat_by_seed(void **state)
{
    (void)state;
    ls_network_conditions conditions = {.delay_ns = 30 * MS,
                                        .jitter_ns = 20 * MS,
                                        .loss = 50000,
                                        .duplicate = 20000,
                                        .reorder = 10000,
                                        .reorder_delay_ns = 40 * MS};
    assert_true(run_ticks(5, &conditions).digest == run_ticks(5, &conditions).digest);
    assert_true(run_ticks(5, &conditions).digest != run_ticks(6, &conditions).digest);
}

static void test_link_memory_control_is_reliable_and_ordered(void **state)
{
    (void)state;
    ls_network_conditions conditions = {.delay_ns = 30 * MS,
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
    (void)state;
    ls_network_conditions whole = {.delay_ns = 10 * MS}, cut = {.delay_ns = 10 * MS, .cut = true};
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
    (void)state;
    ls_network_conditions conditions = {.delay_ns = 10 * MS, .jitter_ns = 30 * MS, .loss = 300000};
    world w = connect_world(4, &conditions);
    send_number(w.server, w.server_peer, LS_CHANNEL_CONTROL, 7);
    ls_link_disconnect(w.server, w.server_peer);
    uint8_t byte = 0;
    ls_packet packet = {.bytes = 1, .data = &byte};
    assert_int_equal(ls_link_send(w.server, w.server_peer, &packet), LS_ERROR_NOT_FOUND);
    send_number(w.client, w.client_peer, LS_CHANNEL_TICKS, 8);
    ls_link_flush(w.client, w.now_ns);
    ls_link_flush(w.server, w.now_ns);
    expect_silence(w.server, w.now_ns + 5000 * MS); /* no DISCONNECTED for one's own */
    ls_link_event event = expect_event(w.client, w.now_ns + 5000 * MS, LS_LINK_MESSAGE);
    assert_int_equal(number_of(&event), 7);
    event = expect_event(w.client, w.now_ns + 5000 * MS, LS_LINK_DISCONNECTED);
    assert_int_equal(event.peer, w.client_peer);
    expect_silence(w.client, w.now_ns + 5000 * MS);
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_link_address(w.server, w.server_peer, text);
    assert_string_equal(text, "gone");
    end_world(&w);
}

static void test_link_memory_old_ids_name_nothing(void **state)
{
    (void)state;
    ls_network_conditions conditions = {0};
    world w = connect_world(4, &conditions);
    ls_link_destroy(w.client);
    expect_event(w.server, w.now_ns, LS_LINK_DISCONNECTED);
    w.client = ls_network_connect(w.network, w.now_ns);
    ls_peer peer = expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).peer;
    assert_int_equal(ls_peer_slot(peer), ls_peer_slot(w.server_peer));
    assert_int_not_equal(peer, w.server_peer);
    uint8_t byte = 0;
    ls_packet packet = {.bytes = 1, .data = &byte};
    assert_int_equal(ls_link_send(w.server, w.server_peer, &packet), LS_ERROR_NOT_FOUND);
    assert_int_equal(ls_link_send(w.server, LS_PEER_NONE, &packet), LS_ERROR_NOT_FOUND);
    ls_link_disconnect(w.server, w.server_peer); /* ignored */
    assert_int_equal(ls_link_send(w.server, peer, &packet), LS_OK);
    end_world(&w);
}

static void test_link_memory_killed_client_is_silent(void **state)
{
    (void)state;
    ls_network_conditions conditions = {.delay_ns = 5 * MS};
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
    (void)state;
    ls_network_conditions conditions = {.delay_ns = 5 * MS};
    world w = connect_world(4, &conditions);
    ls_network_kill(w.server);
    send_number(w.client, w.client_peer, LS_CHANNEL_CONTROL, 1);
    expect_silence(w.client, w.now_ns + 1000 * MS);
    ls_link *late = ls_network_connect(w.network, w.now_ns + 1000 * MS);
    expect_event(late, w.now_ns + 2000 * MS, LS_LINK_DISCONNECTED);
    expect_silence(late, w.now_ns + 2000 * MS);
    w.server = ls_network_listen(w.network, 1);
    ls_link *again = ls_network_connect(w.network, w.now_ns + 2000 * MS);
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

static void test_link_memory_full_server_refuses(void **state)
{
    (void)state;
    ls_network_conditions conditions = {0};
    world w = connect_world(4, &conditions);
    ls_link *clients[4];
    for (uint32_t i = 0; i < 4; i++) {
        clients[i] = ls_network_connect(w.network, w.now_ns);
        ls_link_event event;
        assert_int_equal(ls_link_poll(w.server, w.now_ns, &event), i < 3);
        ls_link_flush(w.server, w.now_ns);
        expect_event(clients[i], w.now_ns, i < 3 ? LS_LINK_CONNECTED : LS_LINK_DISCONNECTED);
    }
    for (uint32_t i = 0; i < 4; i++)
        ls_link_destroy(clients[i]);
    end_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link_memory_delay_is_exact),
        cmocka_unit_test(test_link_memory_messages_pass_both_ways),
        cmocka_unit_test(test_link_memory_sizes_are_bounded),
        cmocka_unit_test(test_link_memory_faults_have_their_rates),
        cmocka_unit_test(test_link_memory_runs_repeat_by_seed),
        cmocka_unit_test(test_link_memory_control_is_reliable_and_ordered),
        cmocka_unit_test(test_link_memory_cut_line_heals),
        cmocka_unit_test(test_link_memory_disconnect_follows_control),
        cmocka_unit_test(test_link_memory_old_ids_name_nothing),
        cmocka_unit_test(test_link_memory_killed_client_is_silent),
        cmocka_unit_test(test_link_memory_server_may_restart),
        cmocka_unit_test(test_link_memory_full_server_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
