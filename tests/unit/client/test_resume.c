#include "puppet_server.h"
#include "tally_sim.h"
#include "tests/support/test.h"

/* Begins with a player in the match: ticks 0 to 9 have run, with its JOIN in tick 0. */
static int begin(void **state)
{
    puppet_server_begin(state);
    puppet_server *server = *state;
    puppet_server_tick(server, 0, 10, true, 0);
    puppet_server_run(server, 50 * MS);
    assert_true(ls_client_get_stats(server->client).is_playing);
    assert_int_equal(ls_client_get_stats(server->client).tick, 10);
    return 0;
}

static ls_client_state state_of(const puppet_server *server)
{
    return ls_client_get_state(server->client);
}

/* The client loses the connection and reconnects; the ACCEPT names `tick`. */
static void lose_and_resume(puppet_server *server, uint64_t tick)
{
    server->tick = tick;
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 100 * MS);
}

static void give(puppet_server *server, uint8_t value)
{
    uint8_t bytes[4] = {value};
    assert_ok(ls_client_submit(server->client, bytes, 4));
}

static void land(puppet_server *server, uint64_t tick, uint8_t value)
{
    uint8_t bytes[4] = {value};
    ls_input input = {.player = server->player, .kind = LS_INPUT, .bytes = 4, .data = bytes};
    puppet_server_frame(server, tick, &input, 1);
}

TESTS_AROUND(begin, puppet_server_end);

TEST(test_resume_goes_on_with_the_same_world)
{
    puppet_server *server = *state;
    uint64_t root = ls_world_root(ls_client_world(server->client));
    uint8_t before[LS_RESUME_BYTES];
    memcpy(before, server->granted, sizeof before);
    lose_and_resume(server, 20);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).resumes, 1);
    assert_int_equal(server->confirms, 2);
    assert_true(server->has_resume);
    assert_memory_equal(server->shown, before, sizeof before);
    assert_memory_equal(ls_client_resume_secret(server->client), server->granted, sizeof before);
    assert_int_equal(ls_world_root(ls_client_world(server->client)), root);
    /* The client reports its last tick and fetches the missing ones. */
    assert_int_equal(server->update.ack, 10);
    assert_int_equal(puppet_server_stats(server).head, 20);
    assert_int_equal(server->update.gap_count == 10 || puppet_server_stats(server).gaps > 0, 1);
    puppet_server_tick(server, 10, 11, false, 0);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(puppet_server_stats(server).tick, 21);
    assert_int_equal(puppet_server_stats(server).snapshots_loaded, 1);
    /* Packets of the old session are ignored. */
    assert_true(puppet_server_stats(server).is_playing);
}

TEST(test_resume_stops_when_the_old_session_speaks)
{
    puppet_server *server = *state;
    server->is_silent = true;
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_RESUMING);
    assert_true(server->hellos > 1);
    puppet_server_tick(server, 10, 1, false, 0);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).tick, 11);
    assert_int_equal(puppet_server_stats(server).resumes, 0);
    /* A RELOAD in the old session is obeyed while the client reconnects. */
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_RESUMING);
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .tick = 12, .text = "so"}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_LOADING);
    server->is_silent = false;
    puppet_server_run(server, 900 * MS);
    assert_int_equal(server->auths, 1);
}

TEST(test_resume_follows_a_new_address)
{
    puppet_server *server = *state;
    ls_network_rebind(server->client_link);
    lose_and_resume(server, 10);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    puppet_server_tick(server, 10, 1, false, 0);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(puppet_server_stats(server).tick, 11);
}

TEST(test_resume_follows_a_disconnect)
{
    puppet_server *server = *state;
    server->tick = 10;
    ls_link_disconnect(server->link, server->peer);
    ls_link_flush(server->link, server->now_ns);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).resumes, 1);
}

TEST(test_resume_survives_an_outage_and_gives_up_in_the_end)
{
    puppet_server *server = *state;
    server->tick = 10;
    puppet_server_cut(server, true);
    puppet_server_run(server, 15 * S);
    assert_int_equal(state_of(server), LS_CLIENT_RESUMING);
    puppet_server_cut(server, false);
    puppet_server_run(server, 2100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    puppet_server_cut(server, true);
    puppet_server_run(server, LS_CLIENT_RESUME_TIMEOUT_NS - 20 * S);
    assert_int_equal(state_of(server), LS_CLIENT_RESUMING);
    puppet_server_run(server, 21 * S);
    assert_int_equal(state_of(server), LS_CLIENT_LOST);
}

/* The client also gives up on a server that accepts and then stays silent. */
TEST(test_resume_gives_up_a_mute_server)
{
    puppet_server *server = *state;
    server->tick = 10;
    puppet_server_run(server, LS_CLIENT_RESUME_TIMEOUT_NS + 1 * S);
    assert_int_equal(state_of(server), LS_CLIENT_LOST);
    assert_in_range(puppet_server_stats(server).resumes, 3, 30);
}

TESTS_AROUND(NULL, NULL);

TEST(test_resume_can_be_forbidden)
{
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.resume_ns = 0;
    puppet_server_join(server, &config);
    puppet_server_run(server, LS_CLIENT_SILENCE_NS - 100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_LOADING);
    puppet_server_run(server, 200 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_LOST);
    assert_int_equal(server->hellos, 1);
    puppet_server_destroy(server);
}

TESTS_AROUND(begin, puppet_server_end);

/* Orders 1 to 5 are submitted; 1 and 2 land before the loss, 3 in a tick that did not arrive. After
 * the resume and once all ticks have arrived, 4 and 5 are sent as 1 and 2. */
TEST(test_resume_resends_orders_that_did_not_land)
{
    puppet_server *server = *state;
    for (uint8_t value = 1; value <= 5; value++)
        give(server, value);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(server->update.input_count, 5);
    land(server, 10, 1);
    land(server, 11, 2);
    puppet_server_run(server, 20 * MS);
    lose_and_resume(server, 14);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    assert_int_equal(server->update.input_count, 0);
    land(server, 12, 3);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->update.input_count, 0); /* waits for tick 13 */
    puppet_server_tick(server, 13, 1, false, 0);
    /* The ACCEPT said 14, but the old session continues until the new one is confirmed. */
    land(server, 14, 4);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->update.input_count, 0);
    puppet_server_tick(server, 15, 1, true, 0);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->update.input_count, 1);
    assert_int_equal(server->update.inputs[0].sequence, 1);
    assert_int_equal(server->update.inputs[0].data[0], 5);
    puppet_server_tick(server, 16, 1, false, 1);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(server->update.input_count, 0);
    give(server, 6);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(server->update.inputs[0].sequence, 2);
    assert_int_equal(puppet_server_stats(server).inputs_lost, 0);
}

/* The seat was kept: there is no JOIN. The client waits for the tick that KEPT names, and sends
 * what did not land before it. */
TEST(test_resume_goes_on_in_a_kept_seat)
{
    puppet_server *server = *state;
    for (uint8_t value = 1; value <= 3; value++)
        give(server, value);
    puppet_server_run(server, 20 * MS);
    lose_and_resume(server, 14);
    assert_true(puppet_server_stats(server).is_playing);
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_KEPT, .tick = 13}, &plain);
    puppet_server_say(server, &plain);
    land(server, 10, 1);
    puppet_server_tick(server, 11, 1, false, 0);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->update.input_count, 0);
    land(server, 12, 2); /* the last tick with orders of the old session */
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->update.input_count, 1);
    assert_int_equal(server->update.inputs[0].sequence, 1);
    assert_int_equal(server->update.inputs[0].data[0], 3);
    assert_int_equal(puppet_server_stats(server).inputs_lost, 0);
}

/* A snapshot skips the ticks in which the orders may have landed: executing one twice is worse than
 * never. */
TEST(test_resume_gives_up_orders_with_unknown_fate)
{
    puppet_server *server = *state;
    give(server, 1);
    give(server, 2);
    puppet_server_run(server, 20 * MS);
    server->epoch = 2;
    puppet_server_advance(server, 900, true);
    lose_and_resume(server, 900);
    assert_int_equal(state_of(server), LS_CLIENT_LOADING);
    puppet_server_load(server);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    /* With the new epoch all players have left. */
    uint8_t early[4] = {3};
    assert_false(puppet_server_stats(server).is_playing);
    assert_int_equal(ls_client_submit(server->client, early, 4), LS_ERROR_REFUSED);
    puppet_server_tick(server, 900, 1, true, 0);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(server->update.input_count, 0);
    assert_int_equal(puppet_server_stats(server).inputs_lost, 2);
    give(server, 3);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(server->update.input_count, 1);
    assert_int_equal(server->update.inputs[0].sequence, 1);
}

TESTS_AROUND(NULL, NULL);

TEST(test_resume_loads_when_the_world_is_no_use)
{
    static const struct {
        uint64_t tick;
        uint32_t epoch;
        ls_client_state then;
    } cases[] = {{10, 1, LS_CLIENT_PLAYING},
                 {9, 1, LS_CLIENT_LOADING},
                 {10, 2, LS_CLIENT_LOADING},
                 {10 + LS_CLIENT_BEHIND_TICKS, 1, LS_CLIENT_PLAYING},
                 {11 + LS_CLIENT_BEHIND_TICKS, 1, LS_CLIENT_LOADING}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        begin(state);
        puppet_server *server = *state;
        server->epoch = cases[i].epoch;
        lose_and_resume(server, cases[i].tick);
        assert_int_equal(state_of(server), cases[i].then);
        puppet_server_end(state);
    }
}

TESTS_AROUND(begin, puppet_server_end);

TEST(test_resume_refuses_another_match)
{
    puppet_server *server = *state;
    server->match.seed++;
    lose_and_resume(server, 10);
    assert_int_equal(state_of(server), LS_CLIENT_LOST);
    assert_non_null(strstr(ls_client_reason(server->client), "another match"));
}

/* In another seat the client does not play until its JOIN, and its old orders are dropped. */
TEST(test_resume_may_give_another_seat)
{
    puppet_server *server = *state;
    give(server, 1);
    server->player = 2;
    lose_and_resume(server, 10);
    assert_int_equal(state_of(server), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).player, 2);
    assert_false(puppet_server_stats(server).is_playing);
    assert_int_equal(puppet_server_stats(server).inputs_lost, 1);
    puppet_server_tick(server, 10, 2, true, 0);
    puppet_server_run(server, 50 * MS);
    assert_true(puppet_server_stats(server).is_playing);
    assert_int_equal(server->update.input_count, 0);
}

/* The CONFIRM was lost with its connection: the server still expects the old secret, and would give
 * another seat to a client with the new one. */
TEST(test_resume_tries_the_secret_before)
{
    puppet_server *server = *state;
    uint8_t first[LS_RESUME_BYTES];
    memcpy(first, server->granted, sizeof first);
    lose_and_resume(server, 10);
    assert_memory_equal(server->shown, first, sizeof first);
    uint32_t auths = server->auths;
    server->player = 2; /* the newer secret would lead to another seat */
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 50 * MS);
    assert_true(server->auths - auths >= 2);
    assert_memory_equal(server->shown, first, sizeof first);
}

/* COOKIEs injected in the first attempt do not use up the AUTHs of the second one. */
TEST(test_resume_tries_cookies_anew_with_each_secret)
{
    puppet_server *server = *state;
    uint8_t first[LS_RESUME_BYTES];
    memcpy(first, server->granted, sizeof first);
    lose_and_resume(server, 10);
    server->player = 2;
    server->false_cookies = LS_CLIENT_AUTHS_PER_S / 2;
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 50 * MS);
    assert_memory_equal(server->shown, first, sizeof first);
    assert_int_equal(puppet_server_stats(server).resumes, 2);
}

TEST(test_resume_ends_with_the_server)
{
    puppet_server *server = *state;
    server->is_silent = true;
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 100 * MS);
    puppet_server_reject(server, LS_REJECT_POLICY, "the match is over");
    puppet_server_run(server, LS_CLIENT_REJECT_NS + 100 * MS);
    assert_int_equal(state_of(server), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
}
