/* The attack table's rows about light clients, which do not simulate: only where the server allows
 * them, and never as a way around the verdict. */
#include "puppet.h"
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

static void allow(void *context, ls_server_config *server, ls_room_config *room)
{
    server->allows_light = true;
}

static arena *arena_for_light(void)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = arena_lan, .prepare = allow});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 60, 5 * S);
    return room;
}

static uint32_t join_light(arena *room, const uint8_t *secret)
{
    ls_client_config config = arena_client_config(room, "light");
    config.is_light = true;
    config.resume_secret = secret;
    return arena_join(room, &config);
}

static void kill_for_secret(arena *room, uint32_t index, uint8_t secret[LS_RESUME_BYTES])
{
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, index)), LS_RESUME_BYTES);
    arena_kill(room, index);
}

static void submit(arena *room, uint32_t index, uint32_t number)
{
    const uint8_t data[4] = {(uint8_t)number};
    assert_ok(ls_client_submit(arena_client_at(room, index), data, sizeof data));
}

TEST(test_attack_61_a_light_client_needs_permission)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 60, 5 * S);
    for (uint32_t is_spectator = 0; is_spectator < 2; is_spectator++) {
        ls_client_config config = arena_client_config(room, "light");
        config.is_light = true;
        config.is_spectator = is_spectator;
        uint32_t index = arena_join(room, &config);
        arena_run(room, 2 * S);
        ls_client *client = arena_client_at(room, index);
        assert_int_equal(ls_client_get_state(client), LS_CLIENT_REFUSED);
        assert_int_equal(ls_client_refusal(client), LS_ERROR_REFUSED);
        assert_non_null(strstr(ls_client_reason(client), "do not simulate are not admitted"));
    }
    assert_int_equal(arena_stats(room).sessions, 1);
    assert_int_equal(arena_stats(room).joins, 1);
    assert_int_equal(arena_log_count(room, "auth_rejected"), 2);
    arena_destroy(room);
}

/* A light client plays. Its missing roots are no fault, and do not count as agreement. */
TEST(test_attack_61_a_light_client_plays_without_roots)
{
    arena *room = arena_for_light();
    uint32_t index = join_light(room, NULL);
    arena_run(room, 1 * S);
    ls_client_stats stats = arena_client_stats(room, index);
    assert_true(stats.is_playing);
    assert_null(ls_client_world(arena_client_at(room, index)));
    assert_int_equal(ls_client_match(arena_client_at(room, index))->tick_rate, 60);
    for (uint32_t i = 0; i < 15 * 4; i++) {
        submit(room, index, 1 + i);
        arena_run(room, S / 4);
    }
    stats = arena_client_stats(room, index);
    assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_PLAYING);
    assert_int_equal(stats.inputs_acked, 60);
    assert_int_equal(stats.roots_sent, 0);
    assert_int_equal(stats.snapshots_loaded, 0);
    assert_true(stats.head - stats.tick <= 2);
    assert_int_equal(tally_of(arena_world(room))->inputs[stats.player], 60);
    assert_int_equal(tally_of(arena_world(room))->disorder[stats.player], 0);
    assert_int_equal(arena_stats(room).roots_missed, 0);
    assert_int_equal(arena_stats(room).desyncs, 0);
    /* The roots of the honest client alone. */
    assert_true(arena_stats(room).roots_checked <= arena_stats(room).tick + 1);
    assert_int_equal(ls_server_get_stats(room->server).light, 1);
    assert_int_equal(arena_log_count(room, " light=1"), 1);
    ls_client_leave(arena_client_at(room, index), "", room->now_ns);
    arena_run(room, 1 * S);
    assert_int_equal(ls_server_get_stats(room->server).light, 0);
    arena_destroy(room);
}

static puppet *enter_light(arena *room)
{
    ls_handshake_client_config config = puppet_config(room, "light");
    config.flags = LS_HANDSHAKE_LIGHT;
    puppet *client = puppet_create(room, &config);
    assert_true(client->has_accept);
    puppet_confirm(client, room);
    puppet_run(client, room, 50 * MS);
    return client;
}

/* Roots that come nevertheless count for nothing: neither right nor wrong ones. */
TEST(test_attack_61_roots_of_a_light_client_are_ignored)
{
    arena *room = arena_for_light();
    puppet *client = enter_light(room);
    uint64_t checked = arena_stats(room).roots_checked, tick = arena_stats(room).tick;
    for (uint32_t i = 0; i < 100; i++) {
        uint64_t now = arena_stats(room).tick;
        uint64_t root = i < 50 ? ls_world_root(arena_world(room)) : 17;
        puppet_update(client, room,
                      &(ls_update){.ack = now,
                                   .roots_begin = true,
                                   .root_count = 1,
                                   .root_first = now,
                                   .roots = {root}});
        puppet_run(client, room, 20 * MS);
    }
    assert_int_equal(arena_stats(room).desyncs, 0);
    assert_true(arena_stats(room).roots_checked - checked <= arena_stats(room).tick - tick + 8);
    assert_int_equal(client->ticks.root_ack, 0);
    assert_int_equal(client->notice_count, 0);
    assert_int_equal(arena_stats(room).joins, 2);
    puppet_destroy(client);
    arena_destroy(room);
}

/* The final root is shown when no report counts any more: not even a right root, which may be
 * copied, gets it earlier. */
TEST(test_attack_61_a_light_client_gets_the_final_root_late)
{
    arena *room = arena_for_light();
    puppet *client = enter_light(room);
    ls_server_drain(room->server, room->now_ns);
    uint64_t tick = arena_stats(room).tick;
    puppet_update(client, room,
                  &(ls_update){.ack = tick,
                               .roots_begin = true,
                               .root_count = 1,
                               .root_first = tick,
                               .roots = {ls_world_root(arena_world(room))}});
    puppet_run(client, room, 500 * MS);
    assert_int_equal(client->notice_count, 0);
    puppet_run(client, room, LS_SERVER_LINGER_NS);
    assert_int_equal(client->notice.kind, LS_NOTICE_END);
    puppet_destroy(client);
    arena_destroy(room);
}

/* A world that went wrong is left behind with its seat: as a light client its player begins anew,
 * and a server without a free seat has none for it. */
TEST(test_attack_62_a_player_that_turns_light_gets_another_seat)
{
    arena *room = arena_for_light();
    uint32_t index = arena_join_bot(room, "turncoat");
    arena_run(room, 1 * S);
    uint8_t seat = arena_client_stats(room, index).player, secret[LS_RESUME_BYTES];
    kill_for_secret(room, index, secret);
    uint32_t light = join_light(room, secret);
    arena_run(room, 1 * S);
    assert_int_not_equal(arena_client_stats(room, light).player, seat);
    assert_true(arena_client_stats(room, light).is_playing);
    /* The seat of its former session is kept as long as that of any silent session. */
    arena_run(room, 11 * S);
    assert_int_equal(arena_stats(room).leaves, 1);
    /* The secret of a light seat is worth nothing for a client that reports roots. */
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, light)), sizeof secret);
    ls_client_config config = arena_client_config(room, "full");
    config.is_bot = true;
    config.resume_secret = secret;
    uint32_t full = arena_join(room, &config);
    arena_run(room, 1 * S);
    assert_int_not_equal(arena_client_stats(room, full).player,
                         arena_client_stats(room, light).player);
    assert_int_equal(ls_client_get_state(arena_client_at(room, light)), LS_CLIENT_PLAYING);
    arena_destroy(room);
}

TEST(test_attack_62_a_player_that_turns_light_finds_no_seat)
{
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = arena_lan, .players = 2, .prepare = allow});
    arena_join_bot(room, "honest");
    uint32_t index = arena_join_bot(room, "turncoat");
    arena_run_to_tick(room, 60, 5 * S);
    uint8_t secret[LS_RESUME_BYTES];
    kill_for_secret(room, index, secret);
    uint32_t light = join_light(room, secret);
    arena_run(room, 3 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, light)), LS_CLIENT_REFUSED);
    assert_non_null(strstr(ls_client_reason(arena_client_at(room, light)), "all seats are taken"));
    arena_destroy(room);
}

/* A light client that was away, for a moment or for longer than ticks are kept, goes on. */
TEST(test_light_resumes_its_seat)
{
    static const uint64_t outages_ns[] = {1 * S, 8 * S, 20 * S};
    for (uint32_t i = 0; i < LS_COUNT_OF(outages_ns); i++) {
        arena *room = arena_for_light();
        uint32_t index = join_light(room, NULL);
        arena_run(room, 1 * S);
        uint8_t seat = arena_client_stats(room, index).player;
        const ls_impairment_conditions dead = {.delay_ns = 5 * MS, .loss = LS_PROBABILITY_ONE};
        ls_network_set_conditions(room->clients[index].link, &dead);
        arena_run(room, outages_ns[i]);
        ls_network_set_conditions(room->clients[index].link, &arena_lan);
        arena_run(room, 8 * S);
        ls_client_stats stats = arena_client_stats(room, index);
        assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_PLAYING);
        assert_int_equal(stats.player, seat);
        assert_true(stats.is_playing);
        assert_true(stats.head - stats.tick <= 2);
        submit(room, index, 200);
        arena_run(room, 1 * S);
        assert_int_equal(tally_of(arena_world(room))->last[seat], 200);
        arena_destroy(room);
    }
}

TEST(test_light_has_no_bot_and_no_bit_to_flip)
{
    arena *room = arena_for_light();
    ls_client_config config = arena_client_config(room, "light");
    config.link = room->clients[0].link;
    config.is_light = true;
    config.is_bot = true;
    ls_client *client;
    ls_error error = {""};
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "has no world"));
    config.is_bot = false;
    config.corrupt_at = 5;
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    arena_destroy(room);
}

/* A light client is told the end of the match, although it never reported a root. */
TEST(test_light_sees_the_end)
{
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = arena_lan, .ticks_max = 200, .wait_players = 2, .prepare = allow});
    arena_join_bot(room, "honest");
    uint32_t index = join_light(room, NULL);
    arena_run_to_end(room, 20 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_ENDED);
    assert_non_null(strstr(ls_client_reason(arena_client_at(room, index)), "ended at tick 200"));
    assert_false(arena_client_stats(room, index).has_diverged);
    arena_destroy(room);
}
