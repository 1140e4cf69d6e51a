/* The simulated network of other tests does not hide faults: it refuses what the true one refuses,
 * and damages, loses and delays as much as asked. */
#include "test.h"

#include "tests/support/link_memory.h"
#include "tests/support/remotes.h"

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

static ls_carrier carrier_of(uint32_t connect_id)
{
    ls_carrier carrier = {.connect_id = connect_id, .capabilities = LS_LINK_CAPABILITIES};
    memset(carrier.keys, (int)connect_id, sizeof carrier.keys);
    return carrier;
}

/* Admits and connects, as a completed handshake would. */
static void begin_connect(ls_link *server, ls_link *client, uint32_t connect_id, uint64_t now_ns)
{
    ls_carrier carrier = carrier_of(connect_id);
    ls_remote remote = ls_network_remote(client);
    assert_ok(ls_link_admit(server, &remote, &carrier, now_ns + 5000 * MS));
    assert_ok(ls_link_connect(client, now_ns, &carrier));
}

/* Retries the connection in steps, because an admission expires and packets may be lost. */
static world connect_world(uint64_t seed, const ls_impairment_conditions *conditions)
{
    world w = {.network = ls_network_create(seed, conditions),
               .server_peer = LS_PEER_NONE,
               .client_peer = LS_PEER_NONE};
    w.server = ls_network_listen(w.network, 4);
    w.client = ls_network_open(w.network);
    begin_connect(w.server, w.client, 1, 0);
    for (uint32_t i = 0; i < 4000 && w.client_peer == LS_PEER_NONE; i++) {
        ls_link_event event;
        w.now_ns += MS;
        if (ls_link_poll(w.server, w.now_ns, &event))
            w.server_peer = event.peer;
        ls_link_flush(w.server, w.now_ns);
        if (ls_link_poll(w.client, w.now_ns, &event))
            w.client_peer = event.peer;
    }
    assert_true(w.server_peer != LS_PEER_NONE && w.client_peer != LS_PEER_NONE);
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
    assert_ok(ls_link_send(link, peer, &packet));
}

static uint32_t number_of(const ls_link_event *event)
{
    uint32_t number;
    assert_int_equal(event->packet.bytes, 4);
    memcpy(&number, event->packet.data, 4);
    return number;
}

TEST(test_network_spoofed_datagrams_go_astray)
{
    ls_impairment_conditions conditions = {0};
    world w = connect_world(1, &conditions);
    const ls_address spoofed = LS_ADDRESS_IPV4(203, 0, 113, 7, 258);
    const ls_remote victim = LS_REMOTE_IPV4(203, 0, 113, 7, 258);
    const uint8_t hello[100] = {0x40}, packet[100] = {0};
    ls_network_inject(w.network, &spoofed, hello, sizeof hello);
    ls_network_inject(w.network, &spoofed, packet, sizeof packet);
    ls_network_inject(w.network, &spoofed, hello, 0);
    ls_link_event event = expect_event(w.server, w.now_ns, LS_LINK_DATAGRAM);
    assert_memory_equal(&event.remote, &victim, sizeof victim);
    expect_silence(w.server, w.now_ns);
    assert_int_equal(ls_link_get_stats(w.server).datagrams_refused, 2);
    ls_link_post(w.server, &victim, hello, 60);
    ls_link_post(w.server, &victim, hello, 7);
    assert_int_equal(ls_network_get_stray(w.network).datagrams, 2);
    assert_int_equal(ls_network_get_stray(w.network).bytes, 67);
    /* A client's address can be spoofed, too: the client receives the answer. */
    ls_address client = ls_network_address(w.client);
    ls_network_inject(w.network, &client, hello, 9);
    event = expect_event(w.server, w.now_ns, LS_LINK_DATAGRAM);
    ls_link_post(w.server, &event.remote, hello, 9);
    expect_event(w.client, w.now_ns, LS_LINK_DATAGRAM);
    end_world(&w);
}

TEST(test_network_sizes_are_bounded)
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

static void expect_refused(world *w, ls_link *client, const ls_carrier *carrier, uint64_t count)
{
    assert_ok(ls_link_connect(client, w->now_ns, carrier));
    expect_silence(w->server, w->now_ns);
    assert_int_equal(ls_link_get_stats(w->server).connects_refused, count);
    w->now_ns += 5000 * MS;
    expect_silence(w->server, w->now_ns);
    expect_event(client, w->now_ns, LS_LINK_DISCONNECTED);
}

TEST(test_network_connects_are_admitted)
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

/* Results for 64 bytes of 0xff that the server sends 4,000 times: how many arrived, flipped or
 * cut. */
typedef struct damage {
    uint32_t arrived, flipped, cut;
} damage;

static damage count_damage(const ls_impairment_conditions *conditions, bool is_datagram)
{
    world w = connect_world(3, &(ls_impairment_conditions){0});
    ls_network_set_direction(w.client, LS_ROLE_SERVER, conditions);
    uint8_t bytes[64];
    memset(bytes, 0xff, sizeof bytes);
    ls_packet packet = {.bytes = sizeof bytes, .data = bytes};
    ls_remote remote = ls_network_remote(w.client);
    damage result = {0};
    for (uint32_t i = 0; i < 4000; i++) {
        if (is_datagram)
            ls_link_post(w.server, &remote, bytes, sizeof bytes);
        else
            assert_ok(ls_link_send(w.server, w.server_peer, &packet));
        ls_link_flush(w.server, w.now_ns);
        ls_link_event event;
        if (!ls_link_poll(w.client, w.now_ns, &event))
            continue;
        uint32_t zeros = 0;
        for (uint32_t bit = 0; bit < event.packet.bytes * 8; bit++)
            zeros += !(event.packet.data[bit / 8] >> bit % 8 & 1);
        assert_in_range(zeros, 0, 1);
        result.arrived++;
        result.flipped += zeros;
        result.cut += event.packet.bytes < sizeof bytes;
    }
    end_world(&w);
    return result;
}

TEST(test_network_damages_bits_and_ends)
{
    ls_impairment_conditions corrupt = {.corrupt = 100000}, truncate = {.truncate = 100000};
    for (uint32_t is_datagram = 0; is_datagram < 2; is_datagram++) {
        damage d = count_damage(&corrupt, is_datagram);
        assert_in_range(d.flipped, 320, 480);
        assert_int_equal(d.cut, 0);
        assert_in_range(d.arrived, 3990, 4000);
        d = count_damage(&truncate, is_datagram);
        assert_in_range(d.cut, 320, 480);
        assert_int_equal(d.flipped, 0);
        assert_in_range(4000 - d.arrived, 1, 20); /* packets that were cut to nothing */
    }
}

/* How many of 20,000 tick packets arrive. */
typedef struct outcome {
    uint32_t arrived, doubled, overtaken;
} outcome;

enum { SENT = 20000 };

static outcome run_ticks(uint64_t seed, const ls_impairment_conditions *conditions)
{
    world w = connect_world(seed, conditions);
    static uint8_t seen[SENT];
    memset(seen, 0, sizeof seen);
    outcome result = {0};
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
        }
    }
    end_world(&w);
    return result;
}

TEST(test_network_faults_have_their_rates)
{
    ls_impairment_conditions none = {.delay_ns = 30 * MS};
    outcome clean = run_ticks(1, &none);
    assert_int_equal(clean.arrived, SENT);
    assert_int_equal(clean.doubled + clean.overtaken, 0);
    ls_impairment_conditions loss = {.delay_ns = 30 * MS, .loss = 100000};
    assert_in_range(run_ticks(1, &loss).arrived, SENT * 88 / 100, SENT * 92 / 100);
    ls_impairment_conditions twice = {.delay_ns = 30 * MS, .duplicate = 50000};
    assert_in_range(run_ticks(1, &twice).doubled, SENT * 4 / 100, SENT * 6 / 100);
    ls_impairment_conditions jitter = {.delay_ns = 30 * MS, .jitter_ns = 40 * MS};
    assert_true(run_ticks(1, &jitter).overtaken > SENT / 10);
    ls_impairment_conditions reorder = {
        .delay_ns = 30 * MS, .reorder = 20000, .reorder_delay_ns = 50 * MS};
    assert_in_range(run_ticks(1, &reorder).overtaken, SENT * 1 / 100, SENT * 3 / 100);
}
