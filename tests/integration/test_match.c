/* Whole matches in virtual time: server, clients, recording, all roots equal. */
#include "arena.h"
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

static void assert_book_in_order(arena *room)
{
    const tally_book *book = tally_of(arena_world(room));
    for (uint32_t i = 0; i < TALLY_PLAYERS; i++)
        assert_int_equal(book->disorder[i], 0);
    assert_int_equal(book->strangers, 0);
}

TEST(test_match_survives_loss_and_reorder)
{
    for (uint64_t seed = 0; seed <= 3; seed++) {
        arena *room = arena_create(&(arena_config){.seed = seed,
                                                   .conditions = seed ? arena_lossy : arena_lan,
                                                   .wait_players = 4,
                                                   .ticks_max = 600});
        for (uint32_t i = 0; i < 4; i++)
            arena_join_bot(room, "bot");
        arena_run_to_tick(room, 590, 40 * S);
        arena_assert_all_equal(room);
        arena_run_to_end(room, 10 * S);
        arena_assert_all_equal(room);
        arena_assert_recording(room, 600);
        assert_book_in_order(room);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(arena_client_stats(room, i).tick, 600);
        if (seed == 0)
            assert_int_equal(arena_stats(room).roots_checked, 4 * 601);
        assert_int_equal(arena_stats(room).desyncs, 0);
        assert_int_equal(arena_stats(room).leaves, 0);
        arena_destroy(room);
    }
}

TEST(test_match_late_joiner_catches_up)
{
    arena *room = arena_create(&(arena_config){.seed = 2, .conditions = arena_lossy});
    arena_join_bot(room, "first");
    arena_run_to_tick(room, 300, 10 * S);
    uint32_t late = arena_join_bot(room, "late");
    ls_client_config config = arena_client_config(room, "watcher");
    config.is_spectator = true;
    uint32_t watcher = arena_join(room, &config);
    arena_run(room, 2 * S);
    arena_assert_all_equal(room);
    assert_true(arena_client_stats(room, late).is_playing);
    assert_int_equal(arena_client_stats(room, late).player, 1);
    assert_true(tally_of(arena_world(room))->inputs[1] > 30);
    assert_false(arena_client_stats(room, watcher).is_playing);
    assert_int_equal(arena_stats(room).joins, 2);
    assert_int_equal(arena_stats(room).sessions, 3);
    assert_book_in_order(room);
    arena_destroy(room);
}

/* An outage longer than the kept ticks: the client loads a second snapshot without leaving. */
TEST(test_match_outage_is_caught_up)
{
    arena *room =
        arena_create(&(arena_config){.seed = 3, .conditions = arena_lan, .tick_rate = 120});
    arena_join_bot(room, "steady");
    uint32_t cut = arena_join_bot(room, "cut");
    arena_run_to_tick(room, 200, 10 * S);
    ls_impairment_conditions dead = arena_lan;
    dead.loss = LS_PROBABILITY_ONE;
    ls_network_set_conditions(room->clients[cut].link, &dead);
    arena_run(room, 3 * S);
    ls_network_set_conditions(room->clients[cut].link, &arena_lan);
    arena_run(room, 2 * S);
    arena_assert_all_equal(room);
    assert_int_equal(arena_client_stats(room, cut).snapshots_loaded, 1);
    ls_network_set_conditions(room->clients[cut].link, &dead);
    arena_run(room, 9 * S + 500 * MS);
    ls_network_set_conditions(room->clients[cut].link, &arena_lan);
    arena_run(room, 2 * S);
    arena_assert_all_equal(room);
    assert_int_equal(arena_client_stats(room, cut).snapshots_loaded, 2);
    assert_int_equal(arena_stats(room).leaves, 0);
    assert_book_in_order(room);
    arena_destroy(room);
}

/* Asserts that the world shows this leave of the seat in an earlier tick than this join. */
static void assert_leave_then_join(arena *room, uint32_t seat, uint32_t leaves, uint32_t joins)
{
    uint64_t left = 0, joined = 0, until_ns = room->now_ns + 20 * S;
    while (!joined && room->now_ns < until_ns) {
        arena_run(room, MS); /* less than one tick */
        const tally_book *book = tally_of(arena_world(room));
        assert_in_range(book->leaves[seat], leaves - 1, leaves);
        if (!left && book->leaves[seat] == leaves)
            left = ls_world_tick(arena_world(room));
        if (book->joins[seat] == joins)
            joined = ls_world_tick(arena_world(room));
    }
    assert_int_not_equal(left, 0);
    assert_true(joined > left);
}

/* When a seat is reused, the simulation must see a LEAVE before the JOIN: it cannot tell a
 * returning player from another one. */
TEST(test_match_seat_taken_again_shows_leave_then_join)
{
    arena *room = arena_create(&(arena_config){.seed = 9, .conditions = arena_lan});
    arena_join_bot(room, "steady");
    uint32_t index = arena_join_bot(room, "away");
    arena_run_to_tick(room, 100, 10 * S);
    uint8_t seat = arena_client_stats(room, index).player;
    /* Cut the line until the server ends the session: the client resumes by itself. */
    ls_impairment_conditions dead = arena_lan;
    dead.loss = LS_PROBABILITY_ONE;
    ls_network_set_conditions(room->clients[index].link, &dead);
    arena_run(room, LS_SERVER_SILENCE_NS - 1 * S);
    ls_network_set_conditions(room->clients[index].link, &arena_lan);
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).leaves, 0);
    ls_network_set_conditions(room->clients[index].link, &dead);
    arena_run(room, LS_SERVER_SILENCE_NS - 1 * S);
    assert_int_equal(tally_of(arena_world(room))->leaves[seat], 0);
    arena_run(room, 3 * S);
    assert_int_equal(tally_of(arena_world(room))->leaves[seat], 1);
    ls_network_set_conditions(room->clients[index].link, &arena_lan);
    assert_leave_then_join(room, seat, 1, 2);
    assert_int_equal(arena_client_stats(room, index).player, seat);
    assert_int_equal(arena_client_stats(room, index).resumes, 1);
    /* Another process takes over the seat before the server notices that the first is gone. */
    uint8_t secret[LS_RESUME_BYTES];
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, index)), sizeof secret);
    arena_kill(room, index);
    ls_client_config config = arena_client_config(room, "away");
    config.is_bot = true;
    config.resume_secret = secret;
    index = arena_join(room, &config);
    assert_leave_then_join(room, seat, 2, 3);
    assert_int_equal(arena_client_stats(room, index).player, seat);
    assert_book_in_order(room);
    arena_destroy(room);
}

TEST(test_match_inputs_land_once_in_order)
{
    arena *room = arena_create(&(arena_config){.seed = 4, .conditions = arena_lossy});
    ls_client_config config = arena_client_config(room, "hand");
    uint32_t index = arena_join(room, &config);
    uint32_t number = 0;
    while (number < 500) {
        arena_run(room, 20 * MS);
        uint8_t bytes[LS_INPUT_BYTES_MAX] = {(uint8_t)(number + 1), (uint8_t)((number + 1) >> 8)};
        uint32_t count = 4 + number % (LS_INPUT_BYTES_MAX - 4);
        ls_status status = ls_client_submit(arena_client_at(room, index), bytes, count);
        number += status == LS_OK;
        assert_true(status == LS_OK || status == LS_ERROR_REFUSED || status == LS_ERROR_LIMIT);
    }
    arena_run(room, 2 * S);
    const tally_book *book = tally_of(arena_world(room));
    assert_int_equal(book->inputs[0], 500);
    assert_int_equal(book->last[0], 500);
    assert_book_in_order(room);
    assert_int_equal(arena_client_stats(room, index).inputs_acked, 500);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

TEST(test_match_drain_ends_in_order)
{
    arena *room = arena_create(&(arena_config){.seed = 5, .conditions = arena_lossy});
    arena_join_bot(room, "a");
    arena_join_bot(room, "b");
    arena_run_to_tick(room, 100, 10 * S);
    uint64_t begin_ns = room->now_ns;
    ls_server_drain(room->server, room->now_ns);
    uint32_t late = arena_join_bot(room, "late");
    arena_run_to_end(room, 10 * S);
    assert_true(room->now_ns - begin_ns < 5 * S);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(ls_client_get_state(arena_client_at(room, i)), LS_CLIENT_ENDED);
        assert_int_equal(arena_client_stats(room, i).tick, arena_stats(room).tick);
    }
    assert_true(ls_client_get_state(arena_client_at(room, late)) >= LS_CLIENT_REFUSED);
    assert_true(room->recording.closed);
    arena_assert_recording(room, arena_stats(room).tick);
    assert_int_equal(arena_log_count(room, "reason=drained"), 1);
    arena_destroy(room);
}

TEST(test_match_ends_when_empty)
{
    arena *room =
        arena_create(&(arena_config){.seed = 6, .conditions = arena_lan, .end_when_empty = true});
    uint32_t index = arena_join_bot(room, "alone");
    arena_run_to_tick(room, 30, 5 * S);
    ls_client_leave(arena_client_at(room, index), "supper", room->now_ns);
    arena_run_to_end(room, 2 * S);
    assert_int_equal(arena_log_count(room, "reason=\"supper\""), 1);
    assert_int_equal(arena_log_count(room, "reason=abandoned"), 1);
    arena_destroy(room);
}

TEST(test_match_slow_ticks_are_repeated)
{
    arena *room = arena_create(&(arena_config){
        .seed = 7, .conditions = arena_lossy, .wait_players = 2, .tick_rate = 5, .ticks_max = 50});
    arena_join_bot(room, "a");
    arena_join_bot(room, "b");
    arena_run_to_end(room, 30 * S);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(arena_client_stats(room, i).tick, 50);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* After a stall the server runs at most four ticks at once, then moves its schedule. */
TEST(test_match_schedule_skips_after_a_stall)
{
    arena *room = arena_create(&(arena_config){.seed = 8, .conditions = arena_lan});
    arena_join_bot(room, "a");
    arena_run_to_tick(room, 60, 5 * S);
    uint64_t before = arena_stats(room).tick;
    room->now_ns += 2 * S;
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(arena_stats(room).tick, before + LS_SERVER_CATCH_UP_TICKS);
    assert_in_range(arena_stats(room).ticks_skipped, 110, 120);
    arena_run(room, 1 * S);
    assert_in_range(arena_stats(room).tick, before + 60, before + 66);
    arena_assert_all_equal(room);
    arena_destroy(room);
}
