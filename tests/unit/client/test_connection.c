#include "client/connection.h"
#include "tests/support/test.h"

static const uint64_t tick;

static void keep(void *context, const char *line)
{
    snprintf(context, 1024, "%s", line);
}

TEST(test_connection_logs_a_state_and_its_reason)
{
    char line[1024] = "";
    ls_connection connection = {
        .log = keep, .log_context = line, .tick = &tick, .peer = LS_PEER_NONE};
    ls_connection_refuse(&connection, LS_ERROR_INCOMPATIBLE, "they said \"%s\"", "x=1");
    assert_string_equal(line, "state is=refused tick=0 reason=\"they said 'x=1'\"");
    assert_string_equal(connection.reason, "they said \"x=1\"");
    assert_int_equal(connection.refusal, LS_ERROR_INCOMPATIBLE);
}

TEST(test_connection_never_leaves_a_final_state)
{
    ls_connection connection = {.tick = &tick, .peer = LS_PEER_NONE};
    ls_connection_enter(&connection, LS_CLIENT_ENDED, "over");
    ls_connection_enter(&connection, LS_CLIENT_PLAYING, "again");
    assert_int_equal(connection.state, LS_CLIENT_ENDED);
    ls_connection_refuse(&connection, LS_ERROR_REFUSED, "no more");
    assert_int_equal(connection.state, LS_CLIENT_ENDED);
    assert_ok(connection.refusal);
    assert_string_equal(connection.reason, "over");
}

TEST(test_connection_smooths_round_trips)
{
    ls_connection connection = {.peer = LS_PEER_NONE};
    ls_connection_sample_rtt(&connection, 80);
    assert_int_equal(connection.stats.rtt_ns, 80);
    ls_connection_sample_rtt(&connection, 160);
    assert_int_equal(connection.stats.rtt_ns, 90);
    /* A clock that jumps by an hour must not lead to a timeout of an hour. */
    ls_connection_sample_rtt(&connection, LS_CLIENT_RTT_MAX_NS + 1);
    assert_int_equal(connection.stats.rtt_ns, 90);
}
