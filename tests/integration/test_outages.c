/* A game's session (include/lockstep/session.h) after an outage. Its inputs must be as early as
 * before, arrive in time, and be predicted for its own seat. No other player acts, so nothing is
 * rolled back. */
#include <lockstep/session.h>

#include "arena.h"
#include "echo_sim.h"

#include "tests/support/test.h"

/* The time to settle after an outage, and then the time of observation. */
#define SETTLE_NS (2 * S + 500 * MS)
#define WATCH_NS  (2 * S)

enum { PREDICT = 20, PICTURE_MS = 16 };

typedef struct game {
    arena *room;
    ls_link *link;
    ls_session *session;
    uint64_t picture_ns; /* when the next picture is drawn */
    bool is_stopped;     /* as by SIGSTOP */
    uint64_t open;       /* events reported, but neither confirmed nor cancelled yet */
    uint32_t tick_rate;
    uint64_t ahead_max;
} game;

static ls_client_stats stats_of(const game *self)
{
    return ls_client_get_stats(ls_session_client(self->session));
}

static game begin(uint32_t tick_rate, ls_desync_policy desync, uint64_t corrupt_at)
{
    arena_config config = {.sim = &echo_sim,
                           .players = 2,
                           .tick_rate = tick_rate,
                           .desync = desync,
                           .conditions = {.delay_ns = 30 * MS, .jitter_ns = 5 * MS}};
    game self = {.room = arena_create(&config), .tick_rate = tick_rate};
    ls_client_config client = arena_client_config(self.room, "game");
    client.link = self.link = ls_network_open(self.room->network);
    client.corrupt_at = corrupt_at;
    ls_error error = {""};
    assert_ok(ls_session_create(&client, PREDICT, &self.session, &error));
    self.picture_ns = self.room->now_ns;
    return self;
}

static void end(game *self)
{
    ls_session_destroy(self->session);
    ls_link_destroy(self->link);
    arena_destroy(self->room);
}

static void draw(game *self)
{
    const uint8_t held[ECHO_STATE_BYTES] = {1, 1};
    ls_session_update(self->session, self->room->now_ns);
    ls_event_update update;
    while (ls_session_poll(self->session, &update)) {
        if (update.kind == LS_EVENT_HAPPENED)
            self->open += !update.is_confirmed;
        else
            self->open--;
    }
    ls_client_stats stats = stats_of(self);
    ls_status status = ls_session_submit_state(self->session, held);
    assert_true(status == LS_OK || status == LS_ERROR_REFUSED);
    uint64_t ahead = ls_session_get_stats(self->session).input_tick - stats.head;
    assert_true(ahead < LS_CLIENT_STATE_AHEAD);
    self->ahead_max = ahead > self->ahead_max ? ahead : self->ahead_max;
}

static void play(game *self, uint64_t duration_ns)
{
    uint64_t until_ns = self->room->now_ns + duration_ns;
    while (self->room->now_ns < until_ns) {
        arena_run(self->room, 4 * MS);
        if (self->is_stopped || self->room->now_ns < self->picture_ns)
            continue;
        self->picture_ns = self->room->now_ns + PICTURE_MS * MS;
        draw(self);
    }
}

static void cut(game *self, bool is_cut)
{
    ls_impairment_conditions line = {
        .delay_ns = 30 * MS, .jitter_ns = 5 * MS, .loss = is_cut ? LS_PROBABILITY_ONE : 0};
    ls_network_set_conditions(self->link, &line);
}

/* Plays and returns how many ticks the session's inputs were ahead of the head, at most. */
static uint64_t watch(game *self)
{
    self->ahead_max = 0;
    play(self, WATCH_NS);
    return self->ahead_max;
}

static void check_settled(game *self, uint64_t ahead)
{
    play(self, SETTLE_NS);
    assert_int_equal(ls_client_get_state(ls_session_client(self->session)), LS_CLIENT_PLAYING);
    assert_true(stats_of(self).is_playing);
    uint64_t substitutes = stats_of(self).substitutes;
    ls_session_stats before = ls_session_get_stats(self->session);
    uint64_t max = ahead + self->tick_rate / 10 + 2;
    assert_in_range(watch(self), 1, max);
    assert_in_range(stats_of(self).substitutes - substitutes, 0, 2);
    ls_session_stats after = ls_session_get_stats(self->session);
    assert_in_range(after.prediction.rollbacks - before.prediction.rollbacks, 0, 3);
    assert_int_equal(after.predictions_failed, 0);
    assert_true(after.predicted_tick > stats_of(self).tick);
    assert_in_range(after.depth_ns, 1, 150 * MS + S / self->tick_rate);
    /* Inputs in flight belong to predicted ticks. */
    assert_in_range(self->open, 0, PREDICT);
}

static const uint32_t rates[] = {20, 30, 60};

/* Lets both players play; returns how many ticks the inputs are ahead. */
static uint64_t settle(game *self)
{
    arena_join_bot(self->room, "idle");
    play(self, 4 * S);
    uint64_t ahead = watch(self);
    assert_in_range(ahead, 1, 15);
    return ahead;
}

TEST(test_outages_of_the_line)
{
    static const uint64_t outages_ns[] = {S, 5 * S, 15 * S};
    for (uint32_t i = 0; i < LS_COUNT_OF(rates) * LS_COUNT_OF(outages_ns); i++) {
        game self = begin(rates[i % 3], LS_DESYNC_REPORT, LS_TICK_NEVER);
        uint64_t ahead = settle(&self);
        cut(&self, true);
        play(&self, outages_ns[i / 3]);
        cut(&self, false);
        /* After a long outage the client must first notice the loss, and retries once a second. */
        play(&self, outages_ns[i / 3] > S ? S + 200 * MS : 0);
        check_settled(&self, ahead);
        end(&self);
    }
}

/* A stopped process: when it continues, all packets arrive at once. */
TEST(test_outages_of_the_process)
{
    static const uint64_t outages_ns[] = {S, 5 * S, 13 * S};
    for (uint32_t i = 0; i < LS_COUNT_OF(rates) * LS_COUNT_OF(outages_ns); i++) {
        game self = begin(rates[i % 3], LS_DESYNC_REPORT, LS_TICK_NEVER);
        uint64_t ahead = settle(&self);
        self.is_stopped = true;
        play(&self, outages_ns[i / 3]);
        self.is_stopped = false;
        check_settled(&self, ahead);
        end(&self);
    }
}

TEST(test_outages_by_a_snapshot)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(rates); i++) {
        game self = begin(rates[i], LS_DESYNC_RESYNC, 8 * rates[i]);
        uint64_t ahead = settle(&self);
        play(&self, 3 * S);
        assert_int_equal(stats_of(&self).reloads, 1);
        check_settled(&self, ahead);
        end(&self);
    }
}

/* Another client takes the seat during the outage; another seat becomes free. */
TEST(test_outages_into_another_seat)
{
    game self = begin(30, LS_DESYNC_REPORT, LS_TICK_NEVER);
    uint64_t ahead = settle(&self);
    uint8_t seat = stats_of(&self).player;
    self.is_stopped = true;
    play(&self, 11 * S);
    uint32_t other = arena_join_bot(self.room, "other");
    play(&self, 2 * S);
    assert_int_equal(ls_client_get_stats(arena_client_at(self.room, other)).player, seat);
    ls_client_leave(arena_client_at(self.room, 0), "makes room", self.room->now_ns);
    play(&self, S);
    self.is_stopped = false;
    check_settled(&self, ahead);
    assert_int_not_equal(stats_of(&self).player, seat);
    end(&self);
}
