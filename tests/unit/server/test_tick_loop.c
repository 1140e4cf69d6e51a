#include "puppet.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

static const ls_impairment_conditions lan = {.delay_ns = 5 * MS};

/* A client that was ready and left no longer counts. */
TEST(test_tick_loop_forgets_clients_that_left_before_the_start)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan, .wait_players = 2});
    uint32_t first = arena_join_bot(room, "a");
    arena_run(room, 1 * S);
    ls_client_leave(arena_client_at(room, first), "", room->now_ns);
    arena_join_bot(room, "b");
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).state, LS_ROOM_WAITING);
    arena_join_bot(room, "c");
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).state, LS_ROOM_RUNNING);
    assert_int_equal(arena_stats(room).joins, 2);
    assert_int_equal(arena_stats(room).leaves, 0);
    arena_destroy(room);
}

TEST(test_tick_loop_keeps_the_rate)
{
    static const uint32_t rates[] = {1, 7, 60, 240};
    for (uint32_t i = 0; i < LS_COUNT_OF(rates); i++) {
        arena *room =
            arena_create(&(arena_config){.seed = 1, .conditions = lan, .tick_rate = rates[i]});
        arena_join_bot(room, "a");
        arena_run(room, 1 * S);
        uint64_t before = arena_stats(room).tick;
        arena_run(room, 10 * S);
        assert_in_range(arena_stats(room).tick - before, 10 * rates[i] - 1, 10 * rates[i] + 1);
        assert_int_equal(arena_stats(room).ticks_skipped, 0);
        arena_destroy(room);
    }
}

/* Enters a session that lacks the last tick. The next tick, which could also carry that one, is not
 * yet due. */
static puppet *lack_a_tick(arena *room, bool wants_pause)
{
    arena_join_bot(room, "bot");
    puppet *client = puppet_enter(room, "puppet");
    puppet_run(client, room, 1 * S);
    ls_room_pause(room->room, wants_pause);
    uint64_t tick = arena_stats(room).tick;
    while (arena_stats(room).tick == tick)
        puppet_run(client, room, MS);
    puppet_update(client, room, &(ls_update){.ack = tick});
    puppet_run(client, room, 8 * MS);
    assert_int_equal(arena_stats(room).tick, tick + 1);
    assert_int_equal(client->ticks_count, 0);
    return client;
}

/* The last tick before a pause is resent, because no other tick will carry it. */
TEST(test_tick_loop_resends_the_last_tick_before_a_hold)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    puppet *client = lack_a_tick(room, true);
    puppet_run(client, room, 100 * MS);
    assert_true(arena_stats(room).is_paused);
    assert_true(client->ticks_count > 0);
    assert_int_equal(client->ticks.first + client->ticks.count, arena_stats(room).tick);
    puppet_destroy(client);
    arena_destroy(room);
}

/* The last tick of a match is resent, because no other tick will carry it. */
TEST(test_tick_loop_resends_the_last_tick_before_the_end)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    puppet *client = lack_a_tick(room, false);
    uint64_t tick = arena_stats(room).tick;
    ls_server_drain(room->server, room->now_ns);
    puppet_run(client, room, 100 * MS);
    assert_true(client->ticks_count > 0);
    assert_int_equal(client->ticks.first + client->ticks.count, tick);
    assert_int_equal(client->notice_count, 0);
    puppet_destroy(client);
    arena_destroy(room);
}

/* Ends the ticks of a room, by a pause or a drain, while a client at the highest level of
 * congestion still lacks ticks that were to come in its next packet. Returns the client. */
static puppet *stop_before_a_late_packet(arena *room, bool wants_pause)
{
    arena_join_bot(room, "bot");
    puppet *client = puppet_enter(room, "puppet");
    puppet_run(client, room, 1 * S);
    puppet_update(client, room,
                  &(ls_update){.ack = arena_stats(room).tick, .congestion = LS_CONGESTION_MAX});
    puppet_run(client, room, 500 * MS);
    uint32_t count = client->ticks_count;
    while (client->ticks_count == count)
        puppet_run(client, room, MS);
    puppet_run(client, room, 40 * MS);
    puppet_update(client, room,
                  &(ls_update){.ack = client->ticks.first + client->ticks.count,
                               .congestion = LS_CONGESTION_MAX});
    if (wants_pause)
        ls_room_pause(room->room, true);
    else
        ls_server_drain(room->server, room->now_ns);
    return client;
}

/* On a congested line a client gets several ticks in one packet. The ticks before a pause or the
 * end do not wait for others, which never come, nor for a resend. A lost packet is resent as a
 * whole. */
TEST(test_tick_loop_sends_the_last_ticks_of_a_congested_line)
{
    for (uint32_t wants_pause = 0; wants_pause < 2; wants_pause++) {
        arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
        puppet *client = stop_before_a_late_packet(room, wants_pause);
        uint64_t lacks_from = client->ticks.first + client->ticks.count;
        uint32_t count = client->ticks_count;
        puppet_run(client, room, 125 * MS - 40 * MS);
        uint64_t last = arena_stats(room).tick;
        assert_true(last >= lacks_from + 2);
        assert_int_equal(client->ticks_count, count + 1);
        assert_true(client->ticks.first <= lacks_from);
        assert_int_equal(client->ticks.first + client->ticks.count, last);
        puppet_run(client, room, LS_CONGESTION_MAX * 100 * MS);
        assert_int_equal(client->ticks_count, count + 2);
        assert_true(client->ticks.first <= lacks_from);
        assert_int_equal(client->ticks.first + client->ticks.count, last);
        assert_int_equal(client->notice_count, 0);
        puppet_destroy(client);
        arena_destroy(room);
    }
}

/* Slow ticks over a long path: no tick is resent before its acknowledgement can arrive. On a path
 * that loses a fifth, ticks are resent long before the next one. */
TEST(test_tick_loop_resends_after_the_round_trip)
{
    static const ls_impairment_conditions lines[] = {{.delay_ns = 30 * MS},
                                                     {.delay_ns = 10 * MS, .loss = 200000}};
    for (uint32_t i = 0; i < LS_COUNT_OF(lines); i++) {
        arena *room =
            arena_create(&(arena_config){.seed = 1, .conditions = lines[i], .tick_rate = 5});
        arena_join_bot(room, "bot");
        arena_run(room, 10 * S);
        uint64_t sent = ls_server_get_stats(room->server).packets_sent;
        uint64_t ticks = arena_stats(room).tick;
        arena_run(room, 20 * S);
        sent = ls_server_get_stats(room->server).packets_sent - sent;
        ticks = arena_stats(room).tick - ticks;
        if (lines[i].loss)
            assert_in_range(sent, ticks + ticks / 8, 2 * ticks);
        else
            assert_int_equal(sent, ticks);
        arena_destroy(room);
    }
}

TEST(test_tick_loop_end_is_told_to_stragglers_too)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    arena_join_bot(room, "bot");
    puppet *straggler = puppet_enter(room, "straggler");
    puppet_run(straggler, room, 1 * S);
    ls_server_drain(room->server, room->now_ns);
    ls_server_drain(room->server, room->now_ns);
    uint64_t tick = arena_stats(room).tick;
    puppet_run(straggler, room, LS_SERVER_LINGER_NS - 100 * MS);
    assert_int_equal(straggler->notice_count, 0);
    assert_false(ls_server_is_done(room->server));
    puppet_run(straggler, room, 500 * MS);
    assert_int_equal(straggler->notice.kind, LS_NOTICE_END);
    assert_int_equal(straggler->notice.tick, tick);
    assert_int_equal(straggler->notice.server_root, ls_world_root(arena_world(room)));
    assert_true(ls_server_is_done(room->server));
    assert_int_equal(ls_server_step(room->server, room->now_ns), UINT64_MAX);
    assert_int_equal(arena_log_count(room, "end tick="), 1);
    puppet_destroy(straggler);
    arena_destroy(room);
}

/* At the end of a match, only a session that reported the last tick's root gets that root, as long
 * as reports still count. */
TEST(test_tick_loop_end_shows_no_root_before_the_report)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    arena_join_bot(room, "bot");
    puppet *client = puppet_enter(room, "echo");
    puppet_run(client, room, 1 * S);
    ls_server_drain(room->server, room->now_ns);
    uint64_t tick = arena_stats(room).tick;
    puppet_update(client, room, &(ls_update){.ack = tick});
    puppet_run(client, room, 500 * MS);
    assert_int_equal(client->notice_count, 0);
    ls_update report = {.ack = tick,
                        .root_count = 1,
                        .root_first = tick,
                        .roots = {ls_world_root(arena_world(room))}};
    puppet_update(client, room, &report);
    puppet_run(client, room, 50 * MS);
    assert_int_equal(client->notice.kind, LS_NOTICE_END);
    puppet_destroy(client);
    arena_destroy(room);
}

/* Returns the arena of a drained room, with a client that reported a wrong root before some ticks
 * without a report, then the right final root. Its verdict still waits. */
static arena *end_with_a_wrong_root(puppet **client, uint64_t *wrong)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    arena_join_bot(room, "bot");
    *client = puppet_enter(room, "recovered");
    puppet_run(*client, room, 1 * S);
    ls_server_drain(room->server, room->now_ns);
    uint64_t tick = arena_stats(room).tick;
    *wrong = tick - 2;
    ls_update report = {.ack = tick, .root_count = 1, .root_first = *wrong, .roots = {77}};
    puppet_update(*client, room, &report);
    report.root_first = tick;
    report.roots[0] = ls_world_root(arena_world(room));
    puppet_update(*client, room, &report);
    puppet_run(*client, room, 50 * MS);
    assert_int_equal(arena_stats(room).desyncs, 0);
    return room;
}

TEST(test_tick_loop_end_waits_for_a_verdict)
{
    puppet *client;
    uint64_t wrong;
    arena *room = end_with_a_wrong_root(&client, &wrong);
    assert_int_equal(client->notice_count, 0);
    puppet_run(client, room, LS_SERVER_LINGER_NS); /* it sends no evidence */
    assert_int_equal(client->notice_count, 2);
    assert_int_equal(client->notice.kind, LS_NOTICE_END);
    char line[40];
    snprintf(line, sizeof line, "desync tick=%llu ", (unsigned long long)wrong);
    assert_int_equal(arena_log_count(room, line), 1);
    puppet_destroy(client);
    arena_destroy(room);
}

/* A client cannot hide a wrong root by leaving before the verdict. */
TEST(test_tick_loop_end_counts_a_suspect_that_left)
{
    puppet *client;
    uint64_t wrong;
    arena *room = end_with_a_wrong_root(&client, &wrong);
    ls_plain plain;
    ls_bye_encode(&(ls_bye){0}, &plain);
    puppet_send(client, room, &plain);
    puppet_run(client, room, 50 * MS);
    assert_int_equal(arena_log_count(room, "leave tick="), 2);
    assert_int_equal(arena_log_count(room, "desync tick="), 1);
    assert_int_equal(arena_log_count(room, "desync_unexplained "), 1);
    assert_int_equal(arena_stats(room).desyncs_unexplained, 1);
    puppet_destroy(client);
    arena_destroy(room);
}

TEST(test_tick_loop_end_at_once_without_clients)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    arena_run(room, 100 * MS);
    ls_server_drain(room->server, room->now_ns);
    ls_server_step(room->server, room->now_ns);
    assert_true(ls_server_is_done(room->server));
    arena_destroy(room);
}
