/* Attacks within a session: repeated, redirected or old packets, floods under the attacker's own
 * keys, slow readers, bad lines and changed addresses. */
#include "puppet.h"
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

#include <malloc.h>

static ls_server_stats stats_of(const arena *room)
{
    return ls_server_get_stats(room->server);
}

static void assert_honest_plays(arena *room)
{
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_PLAYING);
    assert_true(arena_client_stats(room, 0).tick + 5 > arena_stats(room).tick);
    assert_false(arena_client_stats(room, 0).has_diverged);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
}

/* Sends each of 40 sealed packets twenty times in reverse order, then all once more: each counts
 * once. */
TEST(test_attack_20_replays_count_once)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 30, 5 * S);
    puppet *client = puppet_enter(room, "replays");
    enum { COUNT = 40 };
    static uint8_t storage[COUNT][LS_PACKET_BYTES_MAX];
    ls_packet packets[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        ls_plain plain;
        ls_snapshot_request_encode(&(ls_snapshot_request){.bytes = 1}, &plain);
        assert_ok(ls_seal_message(&client->seal, &plain, storage[i], &packets[i]));
    }
    for (uint32_t i = COUNT; i-- > 0;)
        for (uint32_t k = 0; k < 20; k++)
            puppet_send_bytes(client, room, packets[i].channel, packets[i].data, packets[i].bytes);
    puppet_run(client, room, 200 * MS);
    for (uint32_t i = 0; i < COUNT; i++)
        puppet_send_bytes(client, room, packets[i].channel, packets[i].data, packets[i].bytes);
    puppet_run(client, room, 200 * MS);
    /* Requests that wait for the first snapshot get one answer. */
    assert_in_range(client->chunk_count, 1, COUNT);
    assert_int_equal(stats_of(room).packets_dropped, 20 * COUNT);
    assert_honest_plays(room);
    puppet_destroy(client);
    arena_destroy(room);
}

/* Packets reflected to the server, on the other channel, in another session, or of an earlier
 * session. */
TEST(test_attack_22_packets_of_elsewhere)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 30, 5 * S);
    puppet *one = puppet_enter(room, "one"), *two = puppet_enter(room, "two");
    uint64_t dropped = stats_of(room).packets_dropped;
    ls_plain plain;
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    ls_bye_encode(&(ls_bye){.text = "somebody else's"}, &plain);
    assert_ok(ls_seal_message(&one->seal, &plain, storage, &packet));
    puppet_send_bytes(two, room, LS_CHANNEL_CONTROL, packet.data, packet.bytes);
    puppet_send_bytes(one, room, LS_CHANNEL_TICKS, packet.data, packet.bytes);
    /* A packet sealed as by the server, sent to the server. */
    ls_seal mirror;
    ls_seal_init(&mirror, &one->handshake.keys, LS_ROLE_SERVER);
    assert_ok(ls_seal_message(&mirror, &plain, storage, &packet));
    puppet_send_bytes(one, room, LS_CHANNEL_CONTROL, packet.data, packet.bytes);
    puppet_run(one, room, 100 * MS);
    assert_int_equal(stats_of(room).packets_dropped, dropped + 3);
    assert_int_equal(arena_stats(room).sessions, 3);
    /* The same client again: the new session refuses packets of the old one. */
    puppet *again = puppet_enter(room, "one");
    assert_ok(ls_seal_message(&one->seal, &plain, storage, &packet));
    puppet_send_bytes(again, room, LS_CHANNEL_CONTROL, packet.data, packet.bytes);
    puppet_run(again, room, 100 * MS);
    assert_int_equal(arena_stats(room).sessions, 4);
    assert_int_equal(arena_log_count(room, "somebody else"), 0);
    puppet_destroy(again);
    puppet_destroy(two);
    puppet_destroy(one);
    arena_destroy(room);
}

/* Messages of a session above its budget are dropped; memory and other sessions are unaffected. */
TEST(test_attack_26_message_flood_under_own_keys)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 60, 5 * S);
    puppet *client = puppet_enter(room, "flood");
    size_t before_bytes = 0;
    uint64_t dropped = stats_of(room).packets_dropped, tick = arena_stats(room).tick;
    for (uint32_t i = 0; i < 4000; i++) {
        for (uint32_t k = 0; k < 5; k++)
            puppet_update(client, room, &(ls_update){.ack = arena_stats(room).tick});
        puppet_run(client, room, MS);
        if (i == 1000)
            before_bytes = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks < before_bytes + (1u << 20));
    uint64_t heard = 20000 - (stats_of(room).packets_dropped - dropped);
    assert_in_range(heard, 4 * (LS_SERVER_MESSAGES_PER_S + 60),
                    6 * (LS_SERVER_MESSAGES_PER_S + 60));
    assert_in_range(arena_stats(room).tick - tick, 239, 242);
    assert_honest_plays(room);
    puppet_destroy(client);
    arena_destroy(room);
}

/* A client that never acknowledges receives windows of a limited size; it has to request the
 * rest. */
TEST(test_attack_35_slow_reader)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 30, 5 * S);
    puppet *client = puppet_enter(room, "slow");
    puppet_update(client, room, &(ls_update){.ack = arena_stats(room).tick});
    size_t before_bytes = 0;
    uint64_t sent = stats_of(room).bytes_sent;
    for (uint32_t i = 0; i < 60; i++) {
        puppet_request(client, room, &(ls_snapshot_request){.bytes = 1});
        puppet_run(client, room, 1 * S);
        if (i == 30)
            before_bytes = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks < before_bytes + (1u << 20));
    assert_int_equal(client->ticks.count, LS_TICKS_WINDOW);
    assert_true((stats_of(room).bytes_sent - sent) / 60 < 2u * 60 * 600);
    /* The missed ticks have left the ring: the answer is a newer snapshot. */
    puppet_update(client, room, &(ls_update){.ack = 31, .gap_first = 31, .gap_count = 600});
    puppet_run(client, room, 100 * MS);
    puppet_request(client, room, &(ls_snapshot_request){.bytes = 1024});
    puppet_run(client, room, 100 * MS);
    assert_true(client->chunk.tick + 120 > arena_stats(room).tick);
    assert_honest_plays(room);
    puppet_destroy(client);
    arena_destroy(room);
}

/* Checks the 99th percentile and the maximum of a client's lag behind the server's head, in ticks,
 * on a line with these faults. */
static void check_line(const char *name, const ls_impairment_conditions *line, uint32_t p99_ticks,
                       uint32_t max_ticks)
{
    enum { SAMPLES = 3000 };
    static uint32_t counts[1024];
    memset(counts, 0, sizeof counts);
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = *line});
    arena_join_bot(room, "bot");
    arena_run_to_tick(room, 120, 20 * S);
    uint32_t worst = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        arena_run(room, 10 * MS);
        uint64_t behind = arena_stats(room).tick - arena_client_stats(room, 0).tick;
        uint32_t place = behind < 1023 ? (uint32_t)behind : 1023;
        counts[place]++;
        worst = place > worst ? place : worst;
    }
    uint32_t sum = 0, p99 = 0;
    while ((sum += counts[p99]) < SAMPLES / 100 * 99)
        p99++;
    printf("%s: %u ticks behind at p99, %u at most\n", name, p99, worst);
    assert_true(p99 <= p99_ticks && worst <= max_ticks);
    assert_int_equal(arena_stats(room).leaves, 0);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* 25 ms one way are 1.5 ticks; the measurements in docs/ allow 42 ms and 59 ms at p99. */
TEST(test_attack_36_loss_and_jumps)
{
    check_line("loss 5 %", &(ls_impairment_conditions){.delay_ns = 25 * MS, .loss = 50000}, 4, 12);
    check_line("loss 20 %", &(ls_impairment_conditions){.delay_ns = 25 * MS, .loss = 200000}, 6,
               24);
    check_line("all at once",
               &(ls_impairment_conditions){.delay_ns = 25 * MS,
                                           .jitter_ns = 20 * MS,
                                           .loss = 100000,
                                           .duplicate = 100000,
                                           .reorder = 100000,
                                           .reorder_delay_ns = 60 * MS},
               8, 24);
}

TEST(test_attack_36_round_trip_steps)
{
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = arena_lan});
    arena_join_bot(room, "bot");
    arena_run_to_tick(room, 60, 5 * S);
    for (uint32_t i = 0; i < 6; i++) {
        ls_impairment_conditions line = {.delay_ns = i % 2 ? 5 * MS : 200 * MS};
        ls_network_set_conditions(room->clients[0].link, &line);
        arena_run(room, 3 * S);
        assert_true(arena_client_stats(room, 0).tick + 20 > arena_stats(room).tick);
    }
    arena_assert_all_equal(room);
    assert_int_equal(arena_client_stats(room, 0).resumes, 0);
    arena_destroy(room);
}

/* A session survives an outage of five seconds. After ten it ends, and the client later resumes its
 * seat. */
TEST(test_attack_37_outages)
{
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = arena_lan});
    arena_join_bot(room, "steady");
    uint32_t cut = arena_join_bot(room, "cut");
    arena_run_to_tick(room, 60, 5 * S);
    uint8_t seat = arena_client_stats(room, cut).player;
    const ls_impairment_conditions dead = {.delay_ns = 5 * MS, .loss = LS_PROBABILITY_ONE};
    ls_network_set_conditions(room->clients[cut].link, &dead);
    arena_run(room, 5 * S);
    ls_network_set_conditions(room->clients[cut].link, &arena_lan);
    arena_run(room, 2 * S);
    assert_int_equal(arena_stats(room).leaves, 0);
    arena_assert_all_equal(room);
    ls_network_set_conditions(room->clients[cut].link, &dead);
    uint64_t begin_ns = room->now_ns;
    while (arena_stats(room).timeouts == 0)
        arena_run(room, 10 * MS);
    assert_in_range(room->now_ns - begin_ns, 9900 * MS, 10300 * MS);
    arena_run(room, 5 * S);
    ls_network_set_conditions(room->clients[cut].link, &arena_lan);
    arena_run(room, 8 * S);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_int_equal(arena_client_stats(room, cut).player, seat);
    assert_true(arena_client_stats(room, cut).is_playing);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* The longest time without a tick within two seconds from now. */
static uint64_t longest_freeze(arena *room, uint32_t index)
{
    uint64_t tick = arena_client_stats(room, index).tick, since_ns = room->now_ns, longest_ns = 0;
    for (uint64_t end_ns = room->now_ns + 2 * S; room->now_ns < end_ns;) {
        arena_run(room, 1 * MS);
        if (arena_client_stats(room, index).tick == tick)
            continue;
        uint64_t freeze_ns = room->now_ns - since_ns;
        longest_ns = freeze_ns > longest_ns ? freeze_ns : longest_ns;
        tick = arena_client_stats(room, index).tick;
        since_ns = room->now_ns;
    }
    return longest_ns;
}

/* A router gives the client another port, ten times: the session goes on, and the ticks are no
 * later than question and answer take. */
TEST(test_attack_38_the_address_changes)
{
    enum { TIMES = 10 };
    const ls_impairment_conditions line = {.delay_ns = 25 * MS};
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = line});
    arena_join_bot(room, "steady");
    uint32_t moved = arena_join_bot(room, "moved");
    arena_run_to_tick(room, 60, 5 * S);
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < TIMES; i++) {
        ls_network_rebind(room->clients[moved].link);
        uint64_t freeze_ns = longest_freeze(room, moved);
        longest_ns = freeze_ns > longest_ns ? freeze_ns : longest_ns;
    }
    print_message("without a tick for %.0f ms at most\n", (double)longest_ns / 1e6);
    assert_in_range(longest_ns, 50 * MS, 250 * MS);
    assert_int_equal(arena_client_stats(room, moved).resumes, 0);
    assert_int_equal(arena_stats(room).leaves, 0);
    assert_int_equal(ls_server_get_stats(room->server).sessions_moved, TIMES);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* Checks the longest time without a tick after changes of address at different moments of a tick.
 */
static void check_change(uint32_t tick_rate, uint64_t way_ns, uint32_t round_trips)
{
    arena *room = arena_create(
        &(arena_config){.seed = 3, .conditions = {.delay_ns = way_ns}, .tick_rate = tick_rate});
    uint32_t moved = arena_join_bot(room, "moved");
    arena_run_to_tick(room, 60, 10 * S);
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < 20; i++) {
        arena_run(room, 1 * S + i * 3 * MS);
        ls_network_rebind(room->clients[moved].link);
        uint64_t freeze_ns = longest_freeze(room, moved);
        longest_ns = freeze_ns > longest_ns ? freeze_ns : longest_ns;
    }
    print_message("%u ticks a second, round trip %.0f ms: without a tick for %.0f ms at most\n",
                  tick_rate, (double)way_ns * 2 / 1e6, (double)longest_ns / 1e6);
    uint64_t least_ns = 2 * way_ns * round_trips;
    assert_in_range(longest_ns, least_ns, least_ns + 22 * MS);
    assert_int_equal(arena_client_stats(room, moved).resumes, 0);
    arena_destroy(room);
}

/* Ticks are back after two round trips: question and answer take one of them. A client that missed
 * more ticks than a window has asks for them, which takes a third. */
TEST(test_attack_38_a_change_takes_two_round_trips_or_three)
{
    check_change(20, 25 * MS, 2);
    check_change(60, 25 * MS, 2);
    check_change(20, 50 * MS, 2);
    check_change(60, 50 * MS, 3);
    check_change(20, 100 * MS, 3);
    check_change(60, 100 * MS, 3);
}

/* The address changes while nothing of the session passes: the secret gets the seat back. */
TEST(test_attack_38_a_session_that_cannot_move_is_resumed)
{
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = arena_lan});
    arena_join_bot(room, "steady");
    uint32_t moved = arena_join_bot(room, "moved");
    arena_run_to_tick(room, 60, 5 * S);
    uint8_t seat = arena_client_stats(room, moved).player;
    uint64_t begin_ns = room->now_ns;
    const ls_impairment_conditions dead = {.delay_ns = 5 * MS, .loss = LS_PROBABILITY_ONE};
    ls_network_set_conditions(room->clients[moved].link, &dead);
    arena_run(room, 15 * S); /* the server has given the session up */
    ls_network_rebind(room->clients[moved].link);
    ls_network_set_conditions(room->clients[moved].link, &arena_lan);
    while (arena_client_stats(room, moved).resumes == 0 && room->now_ns - begin_ns < 30 * S)
        arena_run(room, 10 * MS);
    print_message("back after %.1f s\n", (double)(room->now_ns - begin_ns) / 1e9);
    arena_run(room, 2 * S);
    assert_int_equal(arena_client_stats(room, moved).player, seat);
    assert_true(arena_client_stats(room, moved).is_playing);
    assert_int_equal(arena_stats(room).sessions, 2);
    arena_assert_all_equal(room);
    arena_destroy(room);
}
