/* A session with a server that the test controls: what the session shows, and when. */
#include "echo_sim.h"
#include "puppet_server.h"
#include "tests/support/test.h"
#include <lockstep/session.h>

enum { PREDICT = 8, TICK_MS = 17, ORDER_DELAY = 4 };

typedef struct table {
    puppet_server *server;
    ls_session *session;
    uint32_t predict_ticks;
    uint64_t tick;   /* the next tick that the server closes */
    double position; /* of the last picture drawn */
    uint64_t pictures, predicted_ahead;
    uint64_t happened, confirmed, cancelled;
} table;

static table *begin(uint32_t predict_ticks)
{
    static table self;
    self = (table){.server = puppet_server_create_of(&echo_sim), .predict_ticks = predict_ticks};
    ls_client_config config = ls_client_config_default();
    ls_error error = {""};
    config.program = self.server->program;
    config.unix_s = 1700000000;
    config.link = self.server->client_link = ls_network_open(self.server->network);
    assert_ok(ls_session_create(&config, predict_ticks, &self.session, &error));
    self.server->client = ls_session_client(self.session);
    ls_session_update(self.session, self.server->now_ns);
    assert_null(ls_session_view_of(self.session).confirmed);
    puppet_server_run(self.server, 100 * MS);
    puppet_server_load(self.server);
    return &self;
}

static void end(table *self)
{
    self->server->client = NULL;
    ls_session_destroy(self->session);
    puppet_server_destroy(self->server);
}

static void check_view(table *self)
{
    ls_session_view view = ls_session_view_of(self->session);
    uint64_t tick = ls_world_tick(view.confirmed), predicted = ls_world_tick(view.predicted);
    double position = (double)tick + view.fraction / 4294967296.0;
    uint64_t previous = ls_world_tick(view.confirmed_previous);
    /* A snapshot has no tick before it. */
    assert_true(previous + 1 == tick || (previous == tick && tick % 50 == 0));
    assert_true(predicted >= tick && predicted <= tick + self->predict_ticks);
    if (predicted > tick)
        assert_int_equal(ls_world_tick(view.predicted_previous) + 1, predicted);
    if (self->tick > 3 && self->position > 0)
        assert_true(position >= self->position);
    self->position = position;
    self->pictures++;
    self->predicted_ahead += predicted - tick;
}

static void listen(table *self)
{
    ls_event_update update;
    while (ls_session_poll(self->session, &update)) {
        self->happened += update.kind == LS_EVENT_HAPPENED;
        self->confirmed += update.is_confirmed;
        self->cancelled += update.kind == LS_EVENT_CANCELLED;
    }
}

/* The server closes a tick; then some pictures are drawn. */
static void play_tick(table *self, const ls_input *inputs, uint32_t count)
{
    puppet_server_frame(self->server, self->tick++, inputs, count);
    for (uint32_t ms = 0; ms < TICK_MS; ms++) {
        puppet_server_run(self->server, MS);
        if (ms % 6)
            continue;
        ls_session_update(self->session, self->server->now_ns);
        check_view(self);
        listen(self);
    }
}

static void join(table *self)
{
    const ls_input in = {.player = self->server->player, .kind = LS_JOIN};
    play_tick(self, &in, 1);
    for (uint32_t i = 0; i < 30; i++)
        play_tick(self, NULL, 0);
}

TEST(test_session_plays_out_evenly)
{
    table *self = begin(0);
    join(self);
    double before = self->position;
    uint64_t stalls = ls_session_get_stats(self->session).stalls;
    for (uint32_t i = 0; i < 100; i++)
        play_tick(self, NULL, 0);
    assert_true(self->position - before > 98 && self->position - before < 102);
    assert_true(self->position + 4 > (double)self->tick);
    ls_session_stats stats = ls_session_get_stats(self->session);
    assert_int_equal(stats.stalls, stalls);
    assert_int_equal(self->predicted_ahead, 0);
    assert_ptr_equal(ls_session_view_of(self->session).predicted,
                     ls_session_view_of(self->session).confirmed);
    /* When the stream stops, the picture stays at the end of the last tick. */
    puppet_server_run(self->server, 200 * MS);
    ls_session_update(self->session, self->server->now_ns);
    ls_session_view view = ls_session_view_of(self->session);
    assert_true(view.is_stalled && view.fraction > 0xf0000000u);
    assert_int_equal(ls_world_tick(view.confirmed), self->tick);
    end(self);
}

/* The match ends while the session still has ticks to show. */
TEST(test_session_runs_the_last_ticks_at_the_end)
{
    table *self = begin(0);
    join(self);
    for (uint32_t i = 0; i < 3; i++)
        puppet_server_frame(self->server, self->tick++, NULL, 0);
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_END, .tick = self->tick}, &plain);
    puppet_server_say(self->server, &plain);
    for (uint32_t ms = 0; ms < 5; ms++) {
        puppet_server_run(self->server, MS);
        ls_session_update(self->session, self->server->now_ns);
    }
    ls_client *client = ls_session_client(self->session);
    assert_int_equal(ls_client_get_state(client), LS_CLIENT_ENDED);
    assert_int_equal(ls_client_get_stats(client).tick, self->tick);
    end(self);
}

/* Loss makes ticks arrive in groups; the predicted tick must still advance one by one. */
TEST(test_session_predicts_evenly_while_ticks_come_in_threes)
{
    table *self = begin(PREDICT);
    join(self);
    uint64_t predicted = 0;
    uint32_t jumps = 0;
    for (uint32_t ms = 0; ms < 300 * TICK_MS; ms++) {
        if (ms % (3 * TICK_MS) == 0)
            for (uint32_t i = 0; i < 3; i++)
                puppet_server_frame(self->server, self->tick++, NULL, 0);
        puppet_server_run(self->server, MS);
        if (ms % 6)
            continue;
        ls_session_update(self->session, self->server->now_ns);
        check_view(self);
        uint64_t now = ls_world_tick(ls_session_view_of(self->session).predicted);
        if (ms > 100 * TICK_MS) {
            assert_true(now >= predicted);
            jumps += now > predicted + 1;
        }
        predicted = now;
    }
    assert_int_equal(jumps, 0);
    end(self);
}

static uint64_t orders_of(const ls_world *world)
{
    return ((const echo_sum *)ls_world_singleton(world, &echo_sums))->orders;
}

TEST(test_session_shows_an_order_at_once)
{
    table *self = begin(PREDICT);
    const uint8_t data[1] = {7};
    assert_int_equal(ls_session_submit(self->session, data, 1), LS_ERROR_REFUSED);
    join(self);
    assert_true(self->predicted_ahead > 0);
    uint64_t happened = self->happened, confirmed = self->confirmed;
    assert_ok(ls_session_submit(self->session, data, 1));
    play_tick(self, NULL, 0);
    play_tick(self, NULL, 0);
    ls_session_view view = ls_session_view_of(self->session);
    assert_int_equal(orders_of(view.confirmed), 0);
    assert_int_equal(orders_of(view.predicted), 1);
    assert_true(self->happened > happened);
    for (uint32_t i = 0; i < ORDER_DELAY; i++)
        play_tick(self, NULL, 0);
    const ls_input landed = {self->server->player, LS_INPUT, 1, data};
    play_tick(self, &landed, 1);
    for (uint32_t i = 0; i < 20; i++)
        play_tick(self, NULL, 0);
    view = ls_session_view_of(self->session);
    assert_int_equal(orders_of(view.confirmed), 1);
    assert_int_equal(orders_of(view.predicted), 1);
    ls_session_stats stats = ls_session_get_stats(self->session);
    assert_true(stats.prediction.rollbacks > 0); /* the order landed later than predicted */
    assert_int_equal(stats.predictions_failed, 0);
    assert_true(self->confirmed > confirmed);
    end(self);
}

TEST(test_session_holds_once_a_tick)
{
    table *self = begin(PREDICT);
    join(self);
    uint64_t submitted = ls_client_get_stats(self->server->client).states_submitted;
    for (uint32_t i = 0; i < 20; i++) {
        const uint8_t held[ECHO_STATE_BYTES] = {(uint8_t)i, 1};
        assert_ok(ls_session_submit_state(self->session, held));
        assert_ok(ls_session_submit_state(self->session, held));
        play_tick(self, NULL, 0);
    }
    submitted = ls_client_get_stats(self->server->client).states_submitted - submitted;
    assert_in_range(submitted, 19, 22);
    const echo_sum *confirmed =
        ls_world_singleton(ls_session_view_of(self->session).confirmed, &echo_sums);
    const echo_sum *predicted =
        ls_world_singleton(ls_session_view_of(self->session).predicted, &echo_sums);
    assert_int_not_equal(confirmed->value, predicted->value);
    end(self);
}

/* After a large jump the client loads a snapshot, and the session continues from it. */
TEST(test_session_follows_a_snapshot)
{
    table *self = begin(PREDICT);
    join(self);
    assert_ok(ls_session_submit(self->session, (const uint8_t[]){7}, 1));
    play_tick(self, NULL, 0);
    puppet_server_advance(self->server, 2000, true);
    self->tick = 2000;
    self->position = 0;
    puppet_server_frame(self->server, self->tick++, NULL, 0);
    for (uint32_t i = 0; i < 100; i++) {
        puppet_server_run(self->server, MS);
        ls_session_update(self->session, self->server->now_ns);
    }
    assert_int_equal(ls_client_get_state(self->server->client), LS_CLIENT_LOADING);
    puppet_server_load(self->server);
    self->tick = 2000;
    for (uint32_t i = 0; i < 60; i++)
        play_tick(self, NULL, 0);
    assert_true(self->position + 6 > (double)self->tick);
    /* Events that were reported but not confirmed are cancelled. */
    assert_true(self->cancelled > 0);
    assert_int_equal(ls_client_get_stats(self->server->client).snapshots_loaded, 2);
    end(self);
}

TEST(test_session_refuses_a_config_that_is_not_its_own)
{
    ls_client_config config = ls_client_config_default();
    ls_session *session;
    ls_error error = {""};
    assert_int_equal(ls_session_create(&config, LS_CLIENT_PREDICT_TICKS + 1, &session, &error),
                     LS_ERROR_USAGE);
    assert_null(session);
    assert_non_null(strstr(error.text, "0 to 64"));
    ls_session_destroy(NULL);
}

static void follow_restart(uint32_t tick)
{
    table *self = begin(40);
    const uint8_t held[ECHO_STATE_BYTES] = {1, 1};
    join(self);
    for (uint32_t i = 0; i < 100; i++) {
        play_tick(self, NULL, 0);
        assert_ok(ls_session_submit_state(self->session, held));
    }
    self->server->epoch = 2;
    puppet_server_advance(self->server, tick, false);
    self->server->tick = self->tick = tick;
    self->position = 0;
    for (uint64_t ms = 0; ms < LS_CLIENT_RESUME_NS / MS + 500; ms++) {
        puppet_server_run(self->server, MS);
        ls_session_update(self->session, self->server->now_ns);
    }
    assert_int_equal(ls_client_get_state(self->server->client), LS_CLIENT_LOADING);
    puppet_server_load(self->server);
    const ls_input in = {.player = self->server->player, .kind = LS_JOIN};
    for (uint32_t i = 0; i < 30; i++) {
        play_tick(self, &in, i == 0);
        uint64_t head = ls_client_get_stats(self->server->client).head;
        assert_in_range(ls_session_get_stats(self->session).input_tick, head, head + 8);
    }
    assert_true(self->position + 6 > (double)self->tick);
    uint64_t submitted = ls_client_get_stats(self->server->client).states_submitted;
    for (uint32_t i = 0; i < 20; i++) {
        play_tick(self, NULL, 0);
        assert_ok(ls_session_submit_state(self->session, held));
    }
    submitted = ls_client_get_stats(self->server->client).states_submitted - submitted;
    assert_in_range(submitted, 18, 30);
    assert_int_equal(ls_session_get_stats(self->session).predictions_failed, 0);
    end(self);
}

/* After a restart of the server that lost some or all ticks, old playout and delays no longer
 * count, and inputs are as fast as before. */
TEST(test_session_follows_a_server_that_lost_ticks)
{
    static const uint32_t ticks[] = {0, 50};
    for (uint32_t i = 0; i < LS_COUNT_OF(ticks); i++)
        follow_restart(ticks[i]);
}
