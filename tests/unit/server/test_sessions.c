#include "echo_sim.h"
#include "puppet.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

enum { TICK_RATE = 50 };

static const arena_config quiet = {.seed = 1, .conditions = {.delay_ns = 5 * MS}};

/* Noise does not keep a session alive: only packets that the client sealed count. */
TEST(test_sessions_are_not_kept_alive_by_noise)
{
    arena *room = arena_create(&quiet);
    puppet *client = puppet_enter(room, "noisy");
    uint8_t noise[64] = {3};
    for (uint32_t i = 0; i < 11 && !client->is_gone; i++) {
        puppet_send_bytes(client, room, LS_CHANNEL_TICKS, noise, sizeof noise);
        puppet_run(client, room, 1 * S);
    }
    assert_true(client->is_gone);
    puppet_destroy(client);
    arena_destroy(room);
}

TEST(test_sessions_kick_tells_why)
{
    arena *room = arena_create(&quiet);
    puppet *client = puppet_enter(room, "rude \"name\"");
    ls_server_peer_info info;
    assert_true(ls_server_peer(room->server, 0, &info));
    assert_string_equal(info.name, "rude \"name\"");
    assert_false(info.is_playing);
    ls_server_kick(room->server, LS_PEER_NONE, "nobody", room->now_ns);
    ls_server_kick(room->server, info.peer, "rude", room->now_ns);
    puppet_run(client, room, 50 * MS);
    assert_true(client->is_gone);
    assert_int_equal(client->notice.kind, LS_NOTICE_KICK);
    assert_string_equal(client->notice.text, "rude");
    assert_int_equal(arena_stats(room).kicks, 1);
    assert_false(ls_server_peer(room->server, 0, &info));
    assert_int_equal(arena_log_count(room, "name=\"rude \\\"name\\\"\" reason=\"rude\""), 1);
    puppet_destroy(client);
    arena_destroy(room);
}

/* The resume secret in an AUTH is not enough: without its CONFIRM an attempt removes no session. */
TEST(test_sessions_take_over_needs_a_confirm)
{
    arena *room = arena_create(&quiet);
    puppet *owner = puppet_enter(room, "owner");
    ls_handshake_client_config config = puppet_config(room, "thief");
    config.resume_secret = owner->accept.resume_secret;
    puppet *thief = puppet_create(room, &config);
    assert_int_equal(thief->accept.player, owner->accept.player);
    puppet_run(owner, room, 1 * S);
    assert_false(owner->is_gone);
    assert_int_equal(arena_stats(room).sessions, 1);
    puppet_confirm(thief, room);
    puppet_run(owner, room, 100 * MS);
    assert_true(owner->is_gone);
    assert_int_equal(arena_stats(room).sessions, 1);
    puppet_destroy(owner);
    puppet_destroy(thief);
    arena_destroy(room);
}

/* When the attempt to take over times out, the owner keeps its seat. */
TEST(test_sessions_failed_take_over_changes_nothing)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    puppet *owner = puppet_enter(room, "owner");
    ls_handshake_client_config config = puppet_config(room, "thief");
    config.resume_secret = owner->accept.resume_secret;
    puppet *thief = puppet_create(room, &config);
    for (uint32_t i = 0; i < 6; i++) {
        puppet_update(owner, room, &(ls_update){.ack = 0});
        puppet_run(owner, room, 1 * S);
    }
    puppet_run(thief, room, 200 * MS);
    assert_true(thief->is_gone);
    assert_false(owner->is_gone);
    config.resume_secret = NULL;
    puppet *newcomer = puppet_create(room, &config);
    assert_non_null(strstr(newcomer->refusal, "all seats are taken"));
    puppet_destroy(owner);
    puppet_destroy(thief);
    puppet_destroy(newcomer);
    arena_destroy(room);
}

TEST(test_sessions_take_over_is_for_one)
{
    arena *room = arena_create(&quiet);
    puppet *owner = puppet_enter(room, "owner");
    ls_handshake_client_config config = puppet_config(room, "next");
    config.resume_secret = owner->accept.resume_secret;
    puppet *first = puppet_create(room, &config), *second = puppet_create(room, &config);
    puppet_confirm(first, room);
    puppet_run(first, room, 50 * MS);
    puppet_confirm(second, room);
    puppet_run(second, room, 50 * MS);
    assert_false(first->is_gone);
    assert_true(second->is_gone);
    assert_int_equal(arena_log_count(room, "its seat now belongs to another session"), 1);
    puppet_destroy(owner);
    puppet_destroy(first);
    puppet_destroy(second);
    arena_destroy(room);
}

/* A reservation of a client that has not confirmed does not keep the seat from its own player. */
TEST(test_sessions_own_player_comes_before_a_reservation)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    puppet *owner = puppet_enter(room, "owner");
    ls_handshake_client_config config = puppet_config(room, "stranger");
    ls_link_disconnect(owner->link, 0);
    ls_link_flush(owner->link, room->now_ns);
    puppet_run(owner, room, 50 * MS);
    puppet *stranger = puppet_create(room, &config);
    config.resume_secret = owner->accept.resume_secret;
    puppet *again = puppet_create(room, &config);
    puppet_confirm(again, room);
    puppet_run(again, room, 50 * MS);
    assert_false(again->is_gone);
    puppet_confirm(stranger, room);
    puppet_run(stranger, room, 50 * MS);
    assert_true(stranger->is_gone);
    assert_false(again->is_gone);
    assert_int_equal(arena_log_count(room, "its seat now belongs to another session"), 1);
    assert_int_equal(arena_stats(room).sessions, 1);
    puppet_destroy(owner);
    puppet_destroy(stranger);
    puppet_destroy(again);
    arena_destroy(room);
}

TEST(test_sessions_survive_the_links_disconnect)
{
    arena *room = arena_create(&quiet);
    puppet *client = puppet_enter(room, "a");
    ls_link_disconnect(client->link, 0);
    ls_link_flush(client->link, room->now_ns);
    puppet_run(client, room, 50 * MS);
    assert_int_equal(arena_stats(room).sessions, 0);
    assert_int_equal(arena_log_count(room, "the connection is gone"), 1);
    puppet_destroy(client);
    arena_destroy(room);
}

static void hold(puppet *client, arena *room, uint64_t first, uint32_t count)
{
    const uint8_t bytes[LS_UPDATE_STATES_MAX * ECHO_STATE_BYTES] = {0};
    puppet_update(client, room,
                  &(ls_update){.ack = arena_stats(room).tick,
                               .state_first = first,
                               .state_count = count,
                               .state_bytes = ECHO_STATE_BYTES,
                               .states = bytes});
    puppet_run(client, room, 50 * MS);
}

/* A client that may not play yet still learns the slack of its states. A state that is repeated
 * after its tick is not late. Without recent states there is no slack. */
TEST(test_sessions_tell_the_slack_of_states)
{
    arena *room = arena_create(
        &(arena_config){.sim = &echo_sim, .seed = 1, .conditions = {.delay_ns = 5 * MS}});
    arena_join_bot(room, "bot");
    arena_run_to_tick(room, 30, 5 * S);
    puppet *client = puppet_enter(room, "early");
    hold(client, room, 0, 0);
    assert_int_equal(client->ticks.slack_us, LS_SLACK_NONE);
    uint64_t first = arena_stats(room).tick + 10;
    hold(client, room, first, 4);
    int32_t slack_us = client->ticks.slack_us;
    assert_in_range(slack_us, 1, 1000000);
    arena_run_to_tick(room, first + 8, 5 * S);
    hold(client, room, first, 4);
    assert_int_equal(client->ticks.slack_us, slack_us);
    hold(client, room, first + 4, 1);
    assert_true(client->ticks.slack_us < 0);
    for (uint32_t i = 0; i < 42; i++)
        hold(client, room, 0, 0);
    assert_int_equal(client->ticks.slack_us, LS_SLACK_NONE);
    puppet_destroy(client);
    arena_destroy(room);
}

/* While the match is held, no state is late. */
TEST(test_sessions_tell_no_lateness_of_a_held_match)
{
    arena *room = arena_create(&(arena_config){.sim = &echo_sim,
                                               .seed = 1,
                                               .tick_rate = TICK_RATE,
                                               .policy = LS_ROOM_WAIT,
                                               .conditions = {.delay_ns = 5 * MS}});
    uint32_t bot = arena_join_bot(room, "bot");
    arena_run_to_tick(room, 30, 5 * S);
    puppet *client = puppet_enter(room, "other");
    arena_kill(room, bot);
    arena_run(room, 2 * S);
    uint64_t held = arena_stats(room).tick;
    const uint8_t bytes[ECHO_STATE_BYTES] = {0};
    puppet_update(
        client, room,
        &(ls_update){.ack = held - 1, /* asks for that tick again, and thus for the slack */
                     .state_first = held + 3,
                     .state_count = 1,
                     .state_bytes = sizeof bytes,
                     .states = bytes});
    puppet_run(client, room, 500 * MS);
    assert_int_equal(arena_stats(room).tick, held);
    assert_int_equal(client->ticks.slack_us, 3 * 1000000 / TICK_RATE);
    puppet_destroy(client);
    arena_destroy(room);
}
