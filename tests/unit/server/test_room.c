/* Opening rooms, pauses, and how rooms affect each other. */
#include "puppet.h"
#include "server/room_state.h"
#include "server/seats_file.h"
#include "server/server_state.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/session_limits.h>

static const ls_impairment_conditions lan = {.delay_ns = 5 * MS};

static ls_status open(arena *room, const ls_room_config *config, const char *text)
{
    ls_room *result;
    ls_error error = {""};
    ls_status status = ls_server_open_room(room->server, config, &result, &error);
    assert_null(result);
    if (!strstr(error.text, text))
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    return status;
}

static void allow_two(void *context, ls_server_config *server, ls_room_config *room)
{
    server->rooms_max = 2;
}

TEST(test_room_refuses_invalid_configs)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan, .prepare = allow_two});
    ls_room_config good = ls_room_config_default(), bad;
    good.match = ls_program_match(room->program, 1);
    bad = good;
    bad.wait_players = 5;
    assert_int_equal(open(room, &bad, "5 players"), LS_ERROR_USAGE);
    bad = good;
    bad.name = "a\nb";
    assert_int_equal(open(room, &bad, "name"), LS_ERROR_USAGE);
    bad.name = "123456789012345678901234567890123";
    assert_int_equal(open(room, &bad, "name"), LS_ERROR_USAGE);
    bad = good;
    bad.evidence_ms = LS_SERVER_EVIDENCE_MS_MAX + 1;
    assert_int_equal(open(room, &bad, "at most 10000 ms, not 10001"), LS_ERROR_USAGE);
    bad = good;
    bad.match.tick_rate = LS_TICK_RATE_MAX + 1;
    assert_int_equal(open(room, &bad, ""), LS_ERROR_USAGE);
    /* A refused config's sink is closed, too. */
    ls_memory_sink memory;
    ls_memory_sink_init(&memory);
    ls_sink sink = ls_memory_sink_open(&memory);
    bad.sink = &sink;
    assert_int_equal(open(room, &bad, ""), LS_ERROR_USAGE);
    assert_true(memory.closed);
    ls_memory_sink_reset(&memory);
    arena_destroy(room);
}

static void keep_a_quarter(void *context, ls_server_config *server, ls_room_config *room)
{
    room->evidence_ms = 250;
}

/* The number of states kept follows from the time and the tick rate. */
TEST(test_room_keeps_states_for_a_time)
{
    static const uint32_t rates[] = {10, 60, 100};
    for (uint32_t i = 0; i < LS_COUNT_OF(rates); i++) {
        arena *room = arena_create(&(arena_config){
            .seed = 1, .conditions = lan, .tick_rate = rates[i], .prepare = keep_a_quarter});
        arena_join_bot(room, "a");
        arena_run_to_tick(room, 120, 20 * S);
        uint64_t tick = ls_world_tick(ls_room_world(room->room));
        const ls_state_history *past = room->room->match.driver.history;
        assert_int_equal(ls_state_history_find(past, 0), tick - rates[i] / 4);
        assert_int_equal(ls_state_history_find(past, tick), tick);
        arena_destroy(room);
    }
}

/* A client without the capability is not told: it would not know the message. */
TEST(test_room_says_to_those_who_show_it)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan, .wait_players = 2});
    uint32_t clients[] = {arena_join_bot(room, "a"), arena_join_bot(room, "b")};
    char text[LS_REASON_BYTES];
    arena_run_to_tick(room, 10, 5 * S);
    assert_int_equal(ls_room_say(room->room, "supper", room->now_ns), 2);
    room->room->sessions->entrant.capabilities = 0;
    assert_int_equal(ls_room_say(room->room, "dessert", room->now_ns), 1);
    arena_run(room, 100 * MS);
    uint32_t heard = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(clients); i++) {
        ls_client *client = arena_client_at(room, clients[i]);
        assert_true(ls_client_next_text(client, text));
        assert_string_equal(text, "supper");
        heard += ls_client_next_text(client, text);
    }
    assert_int_equal(heard, 1);
    arena_destroy(room);
}

TEST(test_room_pauses_after_the_next_tick)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan, .wait_players = 2});
    arena_join_bot(room, "a");
    arena_join_bot(room, "b");
    arena_run_to_tick(room, 60, 5 * S);
    ls_room_pause(room->room, true);
    arena_run(room, 100 * MS);
    uint64_t tick = arena_stats(room).tick;
    assert_true(arena_stats(room).is_paused);
    arena_run(room, 20 * S); /* longer than any client may be silent */
    assert_int_equal(arena_stats(room).tick, tick);
    assert_int_equal(arena_stats(room).sessions, 2);
    ls_room_pause(room->room, false);
    arena_run(room, 1 * S);
    assert_in_range(arena_stats(room).tick, tick + 55, tick + 62);
    assert_false(arena_stats(room).is_paused);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    assert_int_equal(arena_log_count(room, "pause tick="), 1);
    assert_int_equal(arena_log_count(room, "resume tick="), 1);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

static void say_pause(puppet *client, arena *room, bool wants_pause)
{
    ls_plain plain;
    ls_pause_encode(wants_pause, &plain);
    puppet_send(client, room, &plain);
    puppet_run(client, room, 100 * MS);
}

TEST(test_room_players_have_a_budget_of_pauses)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = lan, .players_may_pause = true});
    arena_join_bot(room, "a");
    arena_run_to_tick(room, 30, 5 * S);
    puppet *client = puppet_enter(room, "puppet");
    for (uint32_t i = 0; i < LS_SERVER_PAUSES; i++) {
        say_pause(client, room, true);
        assert_true(arena_stats(room).is_paused);
        say_pause(client, room, true); /* repeating a pause is free */
        say_pause(client, room, false);
        assert_false(arena_stats(room).is_paused);
    }
    uint64_t dropped = ls_server_get_stats(room->server).packets_dropped;
    say_pause(client, room, true);
    assert_false(arena_stats(room).is_paused);
    assert_int_equal(ls_server_get_stats(room->server).packets_dropped, dropped + 1);
    puppet_destroy(client);
    arena_destroy(room);
}

TEST(test_room_pauses_need_permission)
{
    for (uint32_t may = 0; may < 2; may++) {
        arena *room = arena_create(
            &(arena_config){.seed = 1, .conditions = lan, .players_may_pause = may == 1});
        arena_join_bot(room, "a");
        arena_run_to_tick(room, 30, 5 * S);
        ls_handshake_client_config config = puppet_config(room, "puppet");
        config.flags = may ? LS_HANDSHAKE_SPECTATE : 0;
        puppet *client = puppet_create(room, &config);
        puppet_confirm(client, room);
        say_pause(client, room, true);
        assert_false(arena_stats(room).is_paused);
        puppet_destroy(client);
        arena_destroy(room);
    }
}

/* Pauses a match as its only player; `tick` is the tick of the pause. */
static arena *hold_match(uint32_t *holder, uint64_t *tick)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = lan, .players_may_pause = true});
    *holder = arena_join_bot(room, "a");
    arena_run_to_tick(room, 60, 5 * S);
    assert_ok(ls_client_pause(arena_client_at(room, *holder), true));
    arena_run(room, 1 * S);
    assert_true(arena_stats(room).is_paused);
    *tick = arena_stats(room).tick;
    return room;
}

TEST(test_room_pause_ends_with_the_session_that_asked)
{
    uint32_t holder;
    uint64_t tick;
    arena *room = hold_match(&holder, &tick);
    uint32_t other = arena_join_bot(room, "b");
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).tick, tick);
    arena_kill(room, holder);
    arena_run(room, LS_SERVER_SILENCE_NS + 2 * S);
    assert_false(arena_stats(room).is_paused);
    assert_true(arena_stats(room).tick > tick + 60);
    assert_true(arena_client_stats(room, other).is_playing);
    assert_true(arena_client_stats(room, other).tick + 5 > arena_stats(room).tick);
    arena_destroy(room);
}

TEST(test_room_pause_of_a_player_is_not_for_ever)
{
    uint32_t holder;
    uint64_t tick;
    arena *room = hold_match(&holder, &tick);
    arena_run(room, LS_SERVER_PAUSE_NS - 2 * S);
    assert_int_equal(arena_stats(room).tick, tick);
    arena_run(room, 3 * S);
    assert_false(arena_stats(room).is_paused);
    assert_true(arena_stats(room).tick > tick + 60);
    assert_int_equal(arena_log_count(room, "resume tick="), 1);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    arena_destroy(room);
}

/* A client that joins during a pause has a seat, but cannot play before the match continues. */
TEST(test_room_pause_can_be_ended_by_a_newcomer)
{
    uint32_t holder;
    uint64_t tick;
    arena *room = hold_match(&holder, &tick);
    uint32_t other = arena_join_bot(room, "b");
    arena_run(room, 1 * S);
    assert_false(arena_client_stats(room, other).is_playing);
    assert_int_equal(ls_client_pause(arena_client_at(room, other), true), LS_ERROR_REFUSED);
    assert_ok(ls_client_pause(arena_client_at(room, other), false));
    arena_run(room, 1 * S);
    assert_false(arena_stats(room).is_paused);
    assert_true(arena_client_stats(room, other).is_playing);
    arena_destroy(room);
}

/* The seats file contains only hashes of the resume secrets. */
TEST(test_room_tells_its_seats)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    uint64_t version = ls_room_seats_version(room->room);
    uint64_t of_server = ls_server_seats_version(room->server);
    puppet *client = puppet_enter(room, "anna");
    assert_true(ls_room_seats_version(room->room) > version);
    assert_true(ls_server_seats_version(room->server) > of_server);
    ls_seats_file *file = ls_alloc(sizeof *file);
    ls_room_seats(room->room, file);
    assert_string_equal(file->room, "arena");
    assert_int_equal(file->count, 1);
    assert_string_equal(file->seats[0].name, "anna");
    uint8_t hash[LS_SECRET_HASH_BYTES];
    ls_secret_hash(client->accept.resume_secret, LS_RESUME_BYTES, hash);
    assert_memory_equal(file->seats[0].secret_hash, hash, sizeof hash);
    assert_memory_not_equal(file->seats[0].secret_hash, client->accept.resume_secret,
                            LS_RESUME_BYTES);
    ls_free(file);
    puppet_destroy(client);
    arena_destroy(room);
}
