#include "puppet_server.h"
#include "tally_sim.h"
#include "tests/support/test.h"

static void answer(puppet_server *server, uint64_t first, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += LS_TICKS_WINDOW) {
        uint32_t left = count - at;
        puppet_server_tick(server, first + at, left < LS_TICKS_WINDOW ? left : LS_TICKS_WINDOW,
                           false, 0);
    }
}

TESTS_AROUND(puppet_server_begin, puppet_server_end);

/* The client fetches the ticks that closed while its snapshot loaded. */
TEST(test_playing_gaps_close_after_a_snapshot)
{
    puppet_server *server = *state;
    puppet_server_tick(server, 3000, 8, false, 0);
    puppet_server_run(server, 20 * MS);
    for (uint32_t i = 0; i < 100 && puppet_server_stats(server).tick < 3008; i++) {
        assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
        answer(server, server->update.ack, 64);
        puppet_server_run(server, 20 * MS);
    }
    assert_in_range(puppet_server_stats(server).tick, 3008, 3072);
    assert_int_equal(puppet_server_stats(server).snapshots_loaded, 1);
}

/* A lost tick has come, and those after it, when another packet repeats it; a client that holds its
 * ticks back runs them later. */
TEST(test_playing_gaps_tell_when_ticks_have_come)
{
    puppet_server *server = *state;
    const uint64_t tick_ns = LS_SECOND_NS / server->match.tick_rate;
    for (uint64_t tick = 0; tick < 60; tick++) {
        if (tick == 30)
            ls_client_set_limit(server->client, 30);
        if (tick < 40 || tick == 43)
            puppet_server_tick(server, tick == 43 ? 40 : tick, tick == 43 ? 4 : 1, false, 0);
        puppet_server_run(server, tick_ns);
    }
    assert_int_equal(puppet_server_stats(server).tick, 30);
    assert_in_range(puppet_server_stats(server).late_max_ns, 0, tick_ns);
    assert_in_range(puppet_server_stats(server).arrived_p99_ns, 5 * tick_ns / 2, 4 * tick_ns);
    ls_client_set_limit(server->client, UINT64_MAX);
    puppet_server_run(server, tick_ns);
    assert_in_range(puppet_server_stats(server).late_max_ns, 29 * tick_ns, 32 * tick_ns);
    assert_in_range(puppet_server_stats(server).arrived_p99_ns, 5 * tick_ns / 2, 4 * tick_ns);
}

/* Runs until an update requests ticks from `first` on. */
static void run_to_gap(puppet_server *server, uint64_t first)
{
    for (uint32_t i = 0; i < 50; i++) {
        puppet_server_run(server, 1 * MS);
        if (server->update.gap_count && server->update.gap_first == first)
            return;
    }
}

/* Requests grow while they are answered, and shrink when they are not. */
TEST(test_playing_gaps_are_fetched_in_parts)
{
    puppet_server *server = *state;
    ls_client_set_limit(server->client, 0); /* no roots to report */
    puppet_server_tick(server, 3000, 8, false, 0);
    run_to_gap(server, 0);
    static const uint32_t asked[] = {64, 128, 256};
    uint64_t next = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(asked); i++) {
        assert_int_equal(server->update.gap_first, next);
        assert_int_equal(server->update.gap_count, asked[i]);
        answer(server, next, asked[i]);
        next += asked[i];
        run_to_gap(server, next);
    }
    assert_int_equal(server->update.gap_first, next);
    assert_int_equal(server->update.gap_count, LS_CLIENT_RING_TICKS - next);
    for (uint32_t i = 0; i < 1000 && server->update.gap_count != LS_TICKS_MAX; i++)
        puppet_server_run(server, 1 * MS);
    assert_int_equal(server->update.gap_count, LS_TICKS_MAX);
}

/* A client that does not catch up, or lags by more ticks than a server keeps, loads a new
 * snapshot. */
TEST(test_playing_gaps_too_long_reload)
{
    puppet_server *server = *state;
    puppet_server_tick(server, 2000, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    puppet_server_tick(server, 2000 + LS_CLIENT_BEHIND_TICKS, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    puppet_server_tick(server, 2001 + LS_CLIENT_BEHIND_TICKS, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_advance(server, 900, false);
    puppet_server_load(server);
    uint64_t kept = LS_SERVER_RING_NS / LS_SECOND_NS * server->match.tick_rate;
    puppet_server_tick(server, 900 + kept, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
}
