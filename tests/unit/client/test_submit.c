#include "client/input_delay.h"
#include "puppet_server.h"
#include "tally_sim.h"
#include "tests/support/test.h"

static ls_client_stats stats_of(const puppet_server *server)
{
    return ls_client_get_stats(server->client);
}

static void hold(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)ls_world_tick(world);
    bytes[1] = (uint8_t)player;
}

static bool state_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes)
{
    return bytes[1] == player;
}

/* tally_sim with states of two bytes. */
static ls_sim holding_sim;

static puppet_server *begin_holding(bool is_bot)
{
    holding_sim = tally_sim;
    holding_sim.state_bytes = 2;
    holding_sim.bot_state = hold;
    holding_sim.bot = NULL;
    holding_sim.state_is_valid = state_is_valid;
    puppet_server *server = puppet_server_create_of(&holding_sim);
    ls_client_config config = ls_client_config_default();
    config.is_bot = is_bot;
    puppet_server_join(server, &config);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    return server;
}

TEST(test_submit_proposes_states)
{
    puppet_server *server = begin_holding(false);
    const uint8_t good[2] = {7, 0}, bad[2] = {7, 1};
    ls_client *client = server->client;
    assert_int_equal(ls_client_submit_state(client, 5, good), LS_ERROR_REFUSED);
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_submit_state(client, 0, good),
                     LS_ERROR_REFUSED); /* the tick is closed */
    assert_int_equal(ls_client_submit_state(client, 5, bad), LS_ERROR_USAGE);
    assert_int_equal(ls_client_submit_state(client, 1 + LS_CLIENT_STATE_AHEAD, good),
                     LS_ERROR_LIMIT);
    assert_ok(ls_client_submit_state(client, 5, good));
    assert_int_equal(ls_client_submit_state(client, 5, good), LS_ERROR_REFUSED);
    assert_ok(ls_client_submit_state(client, 7, good));
    puppet_server_run(server, 7 * MS);
    assert_int_equal(server->update.state_count, 3);
    assert_int_equal(server->update.state_first, 5);
    /* Open states are resent 20 times a second while no ticks come, closed ones never. */
    uint32_t before = server->updates;
    puppet_server_run(server, 1000 * MS);
    assert_in_range(server->updates - before, 19, 21);
    puppet_server_tick(server, 1, 7, false, 0);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(server->update.state_count, 0);
    assert_int_equal(stats_of(server).states_submitted, 2);
    puppet_server_destroy(server);
}

TEST(test_submit_requests_a_tick_for_an_order)
{
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    puppet_server_join(server, &config);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    const uint8_t order[4] = {1};
    assert_int_equal(ls_client_submit_at(server->client, 1 + LS_CLIENT_STATE_AHEAD, order, 4),
                     LS_ERROR_LIMIT);
    assert_ok(ls_client_submit_at(server->client, LS_CLIENT_STATE_AHEAD, order, 4));
    puppet_server_run(server, 20 * MS);
    assert_int_equal(server->update.input_count, 1);
    assert_int_equal(server->update.inputs[0].tick, LS_CLIENT_STATE_AHEAD);
    puppet_server_destroy(server);
}

TEST(test_submit_holds_for_a_bot)
{
    puppet_server *server = begin_holding(true);
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(server->update.state_count, 1);
    assert_int_equal(server->update.state_first, 1 + LS_CLIENT_INPUT_DELAY_START);
    assert_int_equal(server->update.states[0], 1);
    /* One state was late and the server substituted one: the delay rises, and skipped ticks get the
     * held state again. */
    puppet_server_set_times(server, 0, 0, -20000);
    puppet_server_tick(server, 1, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    uint32_t delay = stats_of(server).input_delay_ticks;
    assert_int_equal(delay, LS_CLIENT_INPUT_DELAY_START + 2);
    assert_int_equal(server->update.state_first + server->update.state_count, 2 + delay + 1);
    const uint8_t held[2] = {9, 0};
    ls_input input = {.player = 0, .kind = LS_SUBSTITUTE, .bytes = 2, .data = held};
    puppet_server_set_times(server, 0, 0, LS_SLACK_NONE);
    puppet_server_run(server, 1200 * MS);
    puppet_server_frame(server, 2, &input, 1);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(stats_of(server).input_delay_ticks, delay + 1);
    assert_int_equal(stats_of(server).substitutes, 1);
    puppet_server_destroy(server);
}

/* A RELOAD arrives, and the session goes silent before the snapshot has loaded: until then the
 * client knows no tick for a state. */
TEST(test_submit_sends_no_state_before_the_snapshot)
{
    puppet_server *server = begin_holding(false);
    const uint8_t held[2] = {7, 0};
    puppet_server_tick(server, 0, 10, true, 0);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(stats_of(server).head, 10);
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .text = "so"}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    assert_int_equal(ls_client_submit_state(server->client, 12, held), LS_ERROR_REFUSED);
    server->is_silent = true;
    puppet_server_run(server, LS_CLIENT_RESUME_NS + 100 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_RESUMING);
    assert_int_equal(ls_client_submit_state(server->client, 12, held), LS_ERROR_REFUSED);
    server->is_silent = false;
    puppet_server_run(server, 1200 * MS);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    assert_int_equal(stats_of(server).head, 0);
    /* Newer ticks may still exist until none has arrived for a while. */
    assert_int_equal(ls_client_submit_state(server->client, 0, held), LS_ERROR_REFUSED);
    puppet_server_run(server, LS_CLIENT_HEAD_NS);
    assert_ok(ls_client_submit_state(server->client, 0, held));
    puppet_server_destroy(server);
}
