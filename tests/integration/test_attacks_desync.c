/* Attack table rows 33 and 34: wrong roots, floods of roots, missing roots, and many lying
 * clients. */
#include "puppet.h"
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

#include <time.h>

static arena *arena_under(ls_desync_policy policy)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = arena_lan, .desync = policy});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 60, 5 * S);
    return room;
}

static void say_root(puppet *client, arena *room, uint64_t tick, uint64_t root)
{
    puppet_update(
        client, room,
        &(ls_update){
            .ack = arena_stats(room).tick, .root_count = 1, .root_first = tick, .roots = {root}});
}

/* The client loads a snapshot once, stays in the match, and has correct roots from then on. */
TEST(test_attack_33_resync_policy_heals_once)
{
    arena *room = arena_under(LS_DESYNC_RESYNC);
    uint32_t index = arena_join_corrupted(room, 200, 77);
    arena_run_to_tick(room, 500, 10 * S);
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_int_equal(arena_stats(room).resyncs, 1);
    assert_int_equal(arena_stats(room).kicks + arena_stats(room).leaves, 0);
    assert_int_equal(arena_client_stats(room, index).reloads, 1);
    assert_int_equal(ls_world_root(ls_client_world(arena_client_at(room, index))) != 0, 1);
    assert_true(arena_client_stats(room, index).is_playing);
    assert_true(arena_client_stats(room, index).tick + 5 > arena_stats(room).tick);
    arena_destroy(room);
}

TEST(test_attack_33_kick_policy_kicks)
{
    arena *room = arena_under(LS_DESYNC_KICK);
    uint32_t index = arena_join_corrupted(room, 200, 77);
    arena_run_to_tick(room, 300, 10 * S);
    assert_int_equal(arena_stats(room).kicks, 1);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_REFUSED);
    assert_non_null(strstr(ls_client_reason(arena_client_at(room, index)), "differs"));
    arena_destroy(room);
}

/* A player's second desync in a match is a kick, even after rejoining. */
TEST(test_attack_33_rejoining_refills_nothing)
{
    arena *room = arena_under(LS_DESYNC_RESYNC);
    puppet *first = puppet_enter(room, "liar");
    uint64_t version = ls_room_seats_version(room->room);
    say_root(first, room, arena_stats(room).tick - 1, 666);
    puppet_run(first, room, 4 * S);
    assert_int_equal(first->notice.kind, LS_NOTICE_RELOAD);
    assert_int_equal(arena_stats(room).resyncs, 1);
    assert_true(ls_room_seats_version(room->room) > version); /* so the seats file is written anew,
                                                                 for a restart */
    ls_handshake_client_config config = puppet_config(room, "liar");
    config.resume_secret = first->accept.resume_secret;
    puppet *second = puppet_create(room, &config);
    puppet_confirm(second, room);
    puppet_run(second, room, 100 * MS);
    assert_int_equal(second->accept.player, first->accept.player);
    say_root(second, room, arena_stats(room).tick - 1, 666);
    puppet_run(second, room, 4 * S);
    assert_true(second->is_gone);
    assert_int_equal(second->notice.kind, LS_NOTICE_KICK);
    assert_int_equal(arena_stats(room).resyncs, 1);
    assert_int_equal(arena_stats(room).kicks, 1);
    puppet_destroy(second);
    puppet_destroy(first);
    arena_destroy(room);
}

/* A spectator has no seat that remembers a reload, so its first desync is a kick. */
TEST(test_attack_33_spectators_are_not_healed)
{
    arena *room = arena_under(LS_DESYNC_RESYNC);
    ls_handshake_client_config config = puppet_config(room, "eyes");
    config.flags = LS_HANDSHAKE_SPECTATE;
    puppet *client = puppet_create(room, &config);
    puppet_confirm(client, room);
    puppet_run(client, room, 50 * MS);
    say_root(client, room, arena_stats(room).tick - 1, 666);
    puppet_run(client, room, 4 * S);
    assert_int_equal(arena_stats(room).resyncs, 0);
    assert_int_equal(arena_stats(room).kicks, 1);
    puppet_destroy(client);
    arena_destroy(room);
}

/* 8,000 wrong roots in 4 s give one verdict, one log line and one notice. */
TEST(test_attack_34_root_flood_is_one_verdict)
{
    arena *room = arena_under(LS_DESYNC_REPORT);
    puppet *client = puppet_enter(room, "flood");
    size_t before = room->log_bytes;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t tick = arena_stats(room).tick;
        ls_update update = {.ack = tick, .root_first = tick - 8, .root_count = LS_UPDATE_ROOTS_MAX};
        for (uint32_t k = 0; k < LS_UPDATE_ROOTS_MAX; k++)
            update.roots[k] = i * 8 + k;
        puppet_update(client, room, &update);
        puppet_run(client, room, 4 * MS);
    }
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_int_equal(client->notice_count, 1);
    assert_int_equal(arena_log_count(room, "desync tick="), 1);
    assert_true(room->log_bytes - before < 2000);
    assert_true(arena_client_stats(room, 0).tick + 5 > arena_stats(room).tick);
    puppet_destroy(client);
    arena_destroy(room);
}

/* A client that reports no roots receives ticks but never plays. */
TEST(test_attack_34_missing_roots_keep_out)
{
    arena *room = arena_under(LS_DESYNC_REPORT);
    puppet *client = puppet_enter(room, "mute");
    for (uint32_t i = 0; i < 50; i++) {
        puppet_update(client, room, &(ls_update){.ack = arena_stats(room).tick});
        puppet_run(client, room, 100 * MS);
    }
    assert_int_equal(arena_stats(room).joins, 1);
    assert_int_equal(arena_stats(room).sessions, 2);
    assert_true(client->ticks_count > 200);
    puppet_destroy(client);
    arena_destroy(room);
}

/* Enters a player that reports one right root, then sends inputs for `seconds` without any root. */
static puppet *fall_mute(arena *room, uint32_t seconds)
{
    puppet *client = puppet_enter(room, "mute");
    say_root(client, room, arena_stats(room).tick, ls_world_root(arena_world(room)));
    puppet_run(client, room, 200 * MS);
    assert_int_equal(arena_stats(room).joins, 2);
    const uint8_t data[4] = {1};
    for (uint32_t i = 0; i < 10 * seconds && !client->is_gone; i++) {
        ls_update update = {.ack = arena_stats(room).tick,
                            .input_count = 1,
                            .inputs = {{.sequence = 1 + i, .bytes = 4, .data = data}}};
        puppet_update(client, room, &update);
        puppet_run(client, room, 100 * MS);
    }
    return client;
}

TEST(test_attack_34_roots_that_stop_are_noticed)
{
    static const ls_desync_policy policies[] = {LS_DESYNC_REPORT, LS_DESYNC_RESYNC, LS_DESYNC_KICK};
    for (uint32_t i = 0; i < LS_COUNT_OF(policies); i++) {
        arena *room = arena_under(policies[i]);
        puppet *client = fall_mute(room, 9);
        assert_int_equal(arena_stats(room).roots_missed, 0);
        puppet_destroy(client);
        arena_destroy(room);
        room = arena_under(policies[i]);
        client = fall_mute(room, 12);
        assert_int_equal(arena_stats(room).roots_missed, 1);
        assert_int_equal(arena_log_count(room, "roots_missing tick="), 1);
        assert_int_equal(arena_stats(room).resyncs, policies[i] == LS_DESYNC_RESYNC);
        assert_int_equal(arena_stats(room).kicks, policies[i] == LS_DESYNC_KICK);
        assert_int_equal(client->is_gone, policies[i] == LS_DESYNC_KICK);
        if (policies[i] == LS_DESYNC_RESYNC)
            assert_int_equal(client->notice.kind, LS_NOTICE_RELOAD);
        assert_int_equal(arena_stats(room).desyncs, 0);
        puppet_destroy(client);
        arena_destroy(room);
    }
}

/* Honest clients on a line that loses a third of its packets, in a match that is paused for a
 * while. */
TEST(test_attack_34_roots_of_the_honest_are_not_missed)
{
    arena *room = arena_create(
        &(arena_config){.seed = 3,
                        .conditions = {.delay_ns = 80 * MS, .jitter_ns = 40 * MS, .loss = 333333},
                        .desync = LS_DESYNC_KICK});
    arena_join_bot(room, "a");
    arena_join_bot(room, "b");
    arena_run(room, 30 * S);
    ls_room_pause(room->room, true);
    arena_run(room, 30 * S);
    ls_room_pause(room->room, false);
    arena_run(room, 30 * S);
    assert_int_equal(arena_stats(room).roots_missed, 0);
    assert_int_equal(arena_stats(room).kicks, 0);
    assert_int_equal(arena_stats(room).sessions, 2);
    arena_destroy(room);
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * S + (uint64_t)time.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

enum { PLAYERS = 16, LIARS = 8, STEPS = 1200 };

/* The 99th percentile of the server's step time, with 16 puppets that report a root in every
 * tick. */
static uint64_t measure(uint32_t liars)
{
    static uint64_t costs[STEPS];
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = arena_lan, .wait_players = 0});
    puppet *clients[PLAYERS];
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 60, 5 * S);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        ls_handshake_client_config config = puppet_config(room, "p");
        config.flags = LS_HANDSHAKE_SPECTATE;
        clients[i] = puppet_create(room, &config);
        puppet_confirm(clients[i], room);
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        uint64_t tick = arena_stats(room).tick;
        uint64_t root = ls_world_root(arena_world(room));
        for (uint32_t k = 0; k < PLAYERS; k++)
            say_root(clients[k], room, tick, k < liars ? root + i : root);
        arena_run(room, 16 * MS);
        room->now_ns += MS;
        uint64_t begin_ns = cpu_ns();
        ls_server_step(room->server, room->now_ns);
        costs[i] = cpu_ns() - begin_ns;
        for (uint32_t k = 0; k < PLAYERS; k++)
            puppet_run(clients[k], room, 0);
        ls_link_event event;
        for (uint32_t k = 0; k < PLAYERS; k++)
            while (ls_link_poll(clients[k]->link, room->now_ns, &event))
                continue;
    }
    assert_int_equal(arena_stats(room).desyncs, liars);
    assert_true(arena_client_stats(room, 0).tick + 8 > arena_stats(room).tick);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    for (uint32_t i = 0; i < PLAYERS; i++)
        puppet_destroy(clients[i]);
    arena_destroy(room);
    qsort(costs, STEPS, sizeof costs[0], compare);
    return costs[STEPS / 100 * 99];
}

/* Measures alternately and repeatedly, because the machine may be busy. */
TEST(test_attack_34_half_of_all_lie)
{
    double best = 1e9;
    for (uint32_t i = 0; i < 12 && best > 1.1; i++) {
        double honest = (double)measure(0), lying = (double)measure(LIARS);
        best = lying / honest < best ? lying / honest : best;
        printf("step at p99: %.1f us with 16 honest, %.1f us with 8 liars\n", honest / 1e3,
               lying / 1e3);
    }
    assert_true(best <= 1.1);
}
