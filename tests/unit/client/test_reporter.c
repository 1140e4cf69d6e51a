#include "client/reporter.h"
#include "puppet_server.h"
#include "tests/support/test.h"

/* The client has loaded the world before tick 0. */
static puppet_server *begin(uint32_t capabilities)
{
    puppet_server *server = puppet_server_create();
    puppet_server_set_handshake(server, &server->identity, capabilities);
    puppet_server_join(server, NULL);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    return server;
}

/* Ticks of the server from `first` on, ten a second, for this number of seconds. */
static uint64_t play(puppet_server *server, uint64_t first, uint32_t seconds)
{
    for (uint32_t i = 0; i < 10 * seconds; i++) {
        puppet_server_tick(server, first++, 1, false, 0);
        puppet_server_run(server, 100 * MS);
    }
    return first;
}

TEST(test_reporter_reports_every_ten_seconds)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES);
    puppet_server_tick(server, 0, 1, true, 0);
    uint64_t next = play(server, 1, 9);
    assert_int_equal(server->reports, 0);
    next = play(server, next, 2);
    assert_int_equal(server->reports, 1);
    assert_int_equal(server->report.rtt_us, puppet_server_stats(server).rtt_ns / 1000);
    assert_int_equal(server->report.loss_permille, 0);
    assert_int_equal(server->report.delay_ticks, LS_REPORT_NONE);
    assert_int_equal(server->report.rollback_ticks, LS_REPORT_NONE);
    play(server, next, 10);
    assert_int_equal(server->reports, 2);
    puppet_server_destroy(server);
}

/* An order given at tick 1 is in tick 4. The second order was not timed: the first was under way.
 */
TEST(test_reporter_times_an_order)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES);
    const uint8_t order[4] = {1};
    const ls_input input = {.kind = LS_INPUT, .bytes = 4, .data = order};
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_ok(ls_client_submit(server->client, order, 4));
    puppet_server_run(server, 20 * MS);
    puppet_server_tick(server, 1, 3, false, 0);
    puppet_server_run(server, 20 * MS);
    puppet_server_frame(server, 4, &input, 1);
    uint64_t next = play(server, 5, 11);
    assert_int_equal(server->reports, 1);
    assert_int_equal(server->report.delay_ticks, 3);
    play(server, next, 10);
    assert_int_equal(server->reports, 2);
    assert_int_equal(server->report.delay_ticks, LS_REPORT_NONE);
    puppet_server_destroy(server);
}

TEST(test_reporter_keeps_the_largest)
{
    ls_reporter reporter = {0};
    ls_reporter_note_order(&reporter, 7, 100);
    ls_reporter_note_order(&reporter, 8, 190);
    ls_reporter_note_executed(&reporter, 6, 150);
    assert_false(reporter.has_delay);
    ls_reporter_note_executed(&reporter, 8, 103);
    assert_int_equal(reporter.delay_max, 3);
    ls_reporter_note_delay(&reporter, 10, 12);
    ls_reporter_note_delay(&reporter, 12, 10);
    assert_int_equal(reporter.delay_max, 3);
    ls_reporter_note_rollback(&reporter, 0);
    assert_true(reporter.predicts);
    ls_reporter_note_rollback(&reporter, 5);
    ls_reporter_note_rollback(&reporter, 2);
    assert_int_equal(reporter.rollback_max, 5);
}

TEST(test_reporter_tells_only_servers_that_listen)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES & ~LS_CAPABILITY_REPORT);
    puppet_server_tick(server, 0, 1, true, 0);
    play(server, 1, 21);
    assert_int_equal(server->reports, 0);
    puppet_server_destroy(server);
}
