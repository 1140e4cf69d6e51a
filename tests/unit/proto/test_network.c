#include "network_fixture.h"
#include "tests/support/remotes.h"

static void test_network_spoofed_datagrams_go_astray(void **state)
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

/* Events while both ends were polled. */
typedef struct arrivals {
    uint32_t at_server, at_client, moves;
    ls_remote moved_to;
} arrivals;

static arrivals run(world *w, uint32_t ms)
{
    arrivals all = {0};
    ls_link_event event;
    for (uint64_t end_ns = w->now_ns + ms * MS; w->now_ns < end_ns; w->now_ns += MS) {
        while (ls_link_poll(w->server, w->now_ns, &event)) {
            all.at_server += event.kind == LS_LINK_MESSAGE;
            if (event.kind != LS_LINK_MOVED)
                continue;
            all.moves++;
            all.moved_to = event.remote;
        }
        while (ls_link_poll(w->client, w->now_ns, &event))
            all.at_client += event.kind == LS_LINK_MESSAGE;
    }
    return all;
}

/* A packet for the former address is lost on the tick channel and waits on the other one. */
static void test_network_rebinding_is_followed(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 10 * MS};
    world w = connect_world(1, &conditions);
    ls_remote old = ls_network_remote(w.client);
    send_number(w.server, w.server_peer, LS_CHANNEL_TICKS,
                1); /* still in flight when the client rebinds */
    ls_link_flush(w.server, w.now_ns);
    ls_network_rebind(w.client);
    const ls_remote now_at = ls_network_remote(w.client);
    assert_memory_not_equal(&old, &now_at, sizeof old);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++)
        send_number(w.server, w.server_peer, channel, 3);
    arrivals all = run(&w, 100);
    assert_int_equal(all.at_client, 0);
    assert_int_equal(all.moves, 0);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++)
        send_number(w.client, w.client_peer, channel, 2);
    all = run(&w, 100);
    assert_int_equal(all.at_server, 2);
    assert_int_equal(all.at_client, 1);
    assert_int_equal(all.moves, 1);
    assert_memory_equal(&all.moved_to, &now_at, sizeof now_at);
    ls_remote remote = ls_link_remote(w.server, w.server_peer);
    assert_memory_equal(&remote, &now_at, sizeof now_at);
    assert_int_equal(connections_of(w.server, &now_at), 1);
    send_number(w.server, w.server_peer, LS_CHANNEL_TICKS, 4);
    ls_link_flush(w.server, w.now_ns);
    assert_int_equal(run(&w, 20).at_client, 1);
    const uint8_t hello[4] = {0x40};
    ls_link_post(w.server, &old, hello, sizeof hello); /* dropped: no longer the client's address */
    assert_int_equal(ls_network_get_stray(w.network).datagrams, 1);
    end_world(&w);
}

/* A connection that begins while the address changes does not come about; the next one does. */
static void test_network_rebinding_needs_a_new_admission(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 10 * MS};
    world w = connect_world(1, &conditions);
    begin_connect(w.server, w.client, 2, w.now_ns);
    ls_network_rebind(w.client);
    w.now_ns += 10 * MS;
    ls_peer peer = expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).peer;
    assert_int_equal(run(&w, 4000).moves, 0); /* the answer waits for the former address */
    ls_link_disconnect(w.server, peer);
    begin_connect(w.server, w.client, 3, w.now_ns);
    w.now_ns += 10 * MS;
    peer = expect_event(w.server, w.now_ns, LS_LINK_CONNECTED).peer;
    ls_link_flush(w.server, w.now_ns);
    w.now_ns += 10 * MS;
    ls_peer client_peer = expect_event(w.client, w.now_ns, LS_LINK_CONNECTED).peer;
    assert_int_not_equal(client_peer, w.client_peer);
    send_number(w.server, w.server_peer, LS_CHANNEL_CONTROL, 4); /* the old one still exists */
    send_number(w.server, peer, LS_CHANNEL_CONTROL, 5);
    ls_link_flush(w.server, w.now_ns);
    w.now_ns += 10 * MS;
    ls_link_event event = expect_event(w.client, w.now_ns, LS_LINK_MESSAGE);
    assert_int_equal(number_of(&event), 5);
    expect_silence(w.client, w.now_ns);
    ls_link_disconnect(w.server, w.server_peer); /* ends only the old connection */
    ls_link_flush(w.server, w.now_ns);
    expect_silence(w.client, w.now_ns + 1000 * MS);
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

static void test_network_damages_bits_and_ends(void **state)
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

/* The carrier of the control channel has a checksum, so damage causes only delay. */
static void test_network_control_is_never_damaged(void **state)
{
    ls_impairment_conditions bad = {.delay_ns = MS, .corrupt = 200000, .truncate = 200000};
    world w = connect_world(3, &(ls_impairment_conditions){.delay_ns = MS});
    ls_network_set_conditions(w.client, &bad);
    uint32_t late = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(w.client, w.client_peer, LS_CHANNEL_CONTROL, i);
        ls_link_flush(w.client, w.now_ns);
        ls_link_event event;
        w.now_ns += MS;
        bool is_late = !ls_link_poll(w.server, w.now_ns, &event);
        late += is_late;
        if (is_late) {
            w.now_ns += 2000 * MS;
            event = expect_event(w.server, w.now_ns, LS_LINK_MESSAGE);
        }
        assert_int_equal(number_of(&event), i);
    }
    assert_in_range(late, 280, 440);
    end_world(&w);
}

static void test_network_cuts_one_direction(void **state)
{
    world w = connect_world(3, &(ls_impairment_conditions){.delay_ns = MS});
    ls_impairment_conditions cut = {.delay_ns = MS, .loss = LS_PROBABILITY_ONE},
                             slow = {.delay_ns = 70 * MS};
    ls_network_set_direction(w.client, LS_ROLE_CLIENT, &cut);
    ls_network_set_direction(w.client, LS_ROLE_SERVER, &slow);
    for (uint8_t channel = 0; channel < LS_CHANNEL_COUNT; channel++) {
        send_number(w.client, w.client_peer, channel, 1);
        send_number(w.server, w.server_peer, channel, 2);
    }
    ls_link_post(w.client, NULL, (const uint8_t *)"@", 1);
    ls_link_flush(w.client, w.now_ns);
    ls_link_flush(w.server, w.now_ns);
    expect_silence(w.server, w.now_ns + 1000 * MS);
    expect_silence(w.client, w.now_ns + 70 * MS - 1);
    expect_event(w.client, w.now_ns + 70 * MS, LS_LINK_MESSAGE);
    expect_event(w.client, w.now_ns + 70 * MS, LS_LINK_MESSAGE);
    ls_network_set_direction(w.client, LS_ROLE_CLIENT, &slow);
    ls_link_flush(w.client, w.now_ns + 1000 * MS);
    ls_link_event event = expect_event(w.server, w.now_ns + 1070 * MS, LS_LINK_MESSAGE);
    assert_int_equal(event.packet.channel, LS_CHANNEL_CONTROL);
    expect_silence(w.server, w.now_ns + 9000 * MS);
    end_world(&w);
}

/* How many of 20,000 tick packets arrive, and a digest of their order. */
typedef struct outcome {
    uint32_t arrived, doubled, overtaken;
    uint64_t digest;
} outcome;

enum { SENT = 20000 };

static outcome run_ticks(uint64_t seed, const ls_impairment_conditions *conditions)
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

static void test_network_faults_have_their_rates(void **state)
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

static void test_network_runs_repeat_by_seed(void **state)
{
    ls_impairment_conditions conditions = {.delay_ns = 30 * MS,
                                           .jitter_ns = 20 * MS,
                                           .loss = 50000,
                                           .duplicate = 20000,
                                           .reorder = 10000,
                                           .reorder_delay_ns = 40 * MS};
    assert_true(run_ticks(5, &conditions).digest == run_ticks(5, &conditions).digest);
    assert_true(run_ticks(5, &conditions).digest != run_ticks(6, &conditions).digest);
}

int main(void)
{
    return RUN_TESTS(test_network_spoofed_datagrams_go_astray, test_network_rebinding_is_followed,
                     test_network_rebinding_needs_a_new_admission,
                     test_network_damages_bits_and_ends, test_network_control_is_never_damaged,
                     test_network_cuts_one_direction, test_network_faults_have_their_rates,
                     test_network_runs_repeat_by_seed);
}
