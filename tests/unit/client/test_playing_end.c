/* The end of a match, as a client takes it. */
#include "puppet_server.h"
#include "tally_sim.h"
#include "tests/support/test.h"

TESTS_AROUND(puppet_server_begin, puppet_server_end);

TEST(test_playing_end_has_its_root_checked)
{
    puppet_server *server = *state;
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_END, .tick = 0, .server_root = 99}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    assert_string_equal(ls_client_reason(server->client), "the match ended at tick 0");
    assert_true(puppet_server_stats(server).has_diverged);
    assert_int_equal(puppet_server_stats(server).root_server, 99);
}

/* A client may be held for ever. */
TEST(test_playing_end_does_not_wait_for_the_limit)
{
    puppet_server *server = *state;
    ls_plain plain;
    ls_client_set_limit(server->client, 3);
    puppet_server_tick(server, 0, 9, false, 0);
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_END, .tick = 9}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    assert_string_equal(ls_client_reason(server->client),
                        "the match ended at tick 9; here it reached 3");
}

TEST(test_playing_end_does_not_wait_for_missing_ticks)
{
    puppet_server *server = *state;
    ls_plain plain;
    puppet_server_tick(server, 0, 3, false, 0);
    puppet_server_tick(server, 4, 5, false, 0);
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_END, .tick = 9, .server_root = 1}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    assert_string_equal(ls_client_reason(server->client),
                        "the match ended at tick 9; here it reached 3");
    assert_false(puppet_server_stats(server).has_diverged);
}

TESTS_AROUND(NULL, NULL);

/* The last ticks and END come in one step of a client that runs a tick a step; then the line ends.
 */
TEST(test_playing_end_comes_after_the_ticks_that_are_here)
{
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.step_ticks = 1;
    puppet_server_join(server, &config);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    puppet_server_run(server, 20 * MS);
    puppet_server_advance(server, 9, false);
    puppet_server_tick(server, 0, 9, false, 0);
    ls_plain plain;
    ls_notice_encode(
        &(ls_notice){.kind = LS_NOTICE_END, .tick = 9, .server_root = ls_world_root(server->world)},
        &plain);
    puppet_server_say(server, &plain);
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .tick = 9}, &plain);
    puppet_server_say(server, &plain); /* too late */
    for (uint32_t i = 0; i < 20 && puppet_server_stats(server).tick == 0; i++)
        puppet_server_run(server, MS);
    assert_in_range(puppet_server_stats(server).tick, 1, 8);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    ls_link_disconnect(server->link, server->peer);
    for (uint32_t i = 0; i < 10; i++)
        ls_client_step(server->client, server->now_ns + (i + 1) * LS_CLIENT_SILENCE_NS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    assert_string_equal(ls_client_reason(server->client), "the match ended at tick 9");
    assert_false(puppet_server_stats(server).has_diverged);
    puppet_server_destroy(server);
}
