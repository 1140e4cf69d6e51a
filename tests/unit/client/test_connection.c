#include "client/client_internal.h"
#include "puppet_server.h"
#include "tests/support/test.h"

static void keep(void *context, const char *line)
{
    snprintf(context, 1024, "%s", line);
}

static void test_connection_logs_a_state_and_its_reason(void **state)
{
    char line[1024] = "";
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.log = keep;
    config.log_context = line;
    puppet_server_join(server, &config);
    ls_connection_refuse(&server->client->connection, LS_ERROR_INCOMPATIBLE, "they said \"%s\"",
                         "x=1");
    assert_string_equal(line, "state is=refused tick=0 reason=\"they said 'x=1'\"");
    assert_string_equal(ls_client_reason(server->client), "they said \"x=1\"");
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_INCOMPATIBLE);
    puppet_server_destroy(server);
}

static void test_connection_never_leaves_a_final_state(void **state)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    ls_connection_enter(&server->client->connection, LS_CLIENT_ENDED, "over");
    ls_connection_enter(&server->client->connection, LS_CLIENT_PLAYING, "again");
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    ls_connection_refuse(&server->client->connection, LS_ERROR_REFUSED, "no more");
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    assert_int_equal(ls_client_refusal(server->client), LS_OK);
    assert_string_equal(ls_client_reason(server->client), "over");
    puppet_server_destroy(server);
}

static void test_connection_smooths_round_trips(void **state)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    ls_connection_sample_rtt(&server->client->connection, 80);
    assert_int_equal(ls_client_get_stats(server->client).rtt_ns, 80);
    ls_connection_sample_rtt(&server->client->connection, 160);
    assert_int_equal(ls_client_get_stats(server->client).rtt_ns, 90);
    /* A clock that jumps by an hour must not make a timeout of an hour. */
    ls_connection_sample_rtt(&server->client->connection, LS_CLIENT_RTT_MAX_NS + 1);
    assert_int_equal(ls_client_get_stats(server->client).rtt_ns, 90);
    puppet_server_destroy(server);
}

int main(void)
{
    return RUN_TESTS(test_connection_logs_a_state_and_its_reason,
                     test_connection_never_leaves_a_final_state,
                     test_connection_smooths_round_trips);
}
