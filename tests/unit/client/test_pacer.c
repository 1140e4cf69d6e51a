/* The pacer on simulated paths: the server ticks evenly; packets are delayed or lost. Each packet
 * contains all ticks since the last one that arrived. */
#include "client/pacer.h"
#include "tests/support/test.h"

typedef struct path {
    uint64_t random;
    uint32_t loss_percent;
    int64_t delay_ns, jitter_ns;
    int64_t pause_from_ns, pause_to_ns; /* packets sent in this time are lost */
} path;

enum { FLIGHTS = 256 };

typedef struct session {
    ls_pacer pacer;
    path path;
    uint64_t now_ns, tick_ns, start_ns;
    uint64_t sent; /* heads sent so far: 1 .. sent */
    uint64_t arrivals[FLIGHTS], heads[FLIGHTS];
    double last_position;
    uint64_t stalled_steps, steps, backward;
    double depth_sum; /* sum of the ticks between playout and head */
    ls_playout playout;
} session;

static int64_t below(session *self, int64_t count)
{
    return count ? (int64_t)(test_random(&self->path.random) % (uint64_t)count) : 0;
}

static void begin(session *self, uint32_t rate, path of)
{
    *self = (session){.path = of, .tick_ns = LS_SECOND_NS / rate};
    self->now_ns = self->start_ns = UINT64_C(5000000000);
    ls_pacer_init(&self->pacer, rate);
}

static bool is_lost(session *self, int64_t at_ns)
{
    return below(self, 100) < self->path.loss_percent ||
           (at_ns >= self->path.pause_from_ns && at_ns < self->path.pause_to_ns);
}

static void send_due(session *self)
{
    while (self->start_ns + (self->sent + 1) * self->tick_ns <= self->now_ns) {
        uint64_t head = ++self->sent, at = self->start_ns + head * self->tick_ns;
        bool lost = is_lost(self, (int64_t)(at - self->start_ns));
        self->heads[head % FLIGHTS] = lost ? 0 : head;
        self->arrivals[head % FLIGHTS] =
            at + (uint64_t)(self->path.delay_ns + below(self, self->path.jitter_ns));
    }
}

static void receive_due(session *self)
{
    for (uint32_t i = 0; i < FLIGHTS; i++) {
        if (!self->heads[i] || self->arrivals[i] > self->now_ns)
            continue;
        ls_pacer_arrival(&self->pacer, self->arrivals[i], self->heads[i]);
        self->heads[i] = 0;
    }
}

static void step(session *self)
{
    self->now_ns += 7 * MS; /* a display of 143 Hz */
    send_due(self);
    receive_due(self);
    if (!ls_pacer_update(&self->pacer, self->now_ns, &self->playout))
        return;
    double position = (double)self->playout.tick + self->playout.fraction / 4294967296.0;
    self->backward += position < self->last_position;
    self->last_position = position;
    self->stalled_steps += self->playout.is_stalled;
    self->steps++;
    self->depth_sum += (double)self->sent - position;
    assert_in_range(self->playout.speed_ppm + 50000, 0, 100000);
    assert_true(self->playout.tick <= self->pacer.head);
}

static void run(session *self, uint32_t seconds)
{
    uint64_t end = self->now_ns + seconds * LS_SECOND_NS;
    self->stalled_steps = self->steps = 0;
    self->depth_sum = 0;
    while (self->now_ns < end)
        step(self);
    assert_int_equal(self->backward, 0);
}

static double mean_depth(const session *self)
{
    return self->depth_sum / (double)self->steps;
}

TEST(test_pacer_runs_evenly_on_an_even_path)
{
    session self;
    begin(&self, 60, (path){.random = 1, .delay_ns = 25 * MS});
    run(&self, 5);
    uint64_t tick = self.playout.tick;
    run(&self, 10);
    assert_in_range(self.playout.tick, tick + 599, tick + 601);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).stalls, 0);
    /* 25 ms are 1.5 ticks, and the margin is one tick. */
    assert_true(mean_depth(&self) < 3.2);
}

TEST(test_pacer_does_not_stall_at_5_percent_loss)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        session self;
        begin(&self, 60,
              (path){.random = seed, .loss_percent = 5, .delay_ns = 23 * MS, .jitter_ns = 4 * MS});
        run(&self, 10); /* learns the path */
        uint64_t stalls = ls_pacer_get_stats(&self.pacer).stalls;
        run(&self, 60);
        stalls = ls_pacer_get_stats(&self.pacer).stalls - stalls;
        /* Four lost packets in a row occur every few hours at this rate. */
        assert_true(stalls <= 1 && self.stalled_steps <= 3);
        assert_true(mean_depth(&self) < 7.0);
    }
}

TEST(test_pacer_follows_a_step_of_delay_up_and_down)
{
    session self;
    begin(&self, 60, (path){.random = 3, .delay_ns = 25 * MS, .jitter_ns = 2 * MS});
    run(&self, 8);
    double before = mean_depth(&self);
    self.path.delay_ns = 125 * MS;
    run(&self, 20);
    uint64_t stalls = ls_pacer_get_stats(&self.pacer).stalls;
    run(&self, 30);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).stalls, stalls);
    double after = mean_depth(&self);
    assert_true(after > before + 4 && after < before + 12);
    self.path.delay_ns = 25 * MS;
    run(&self, 40);
    run(&self, 10);
    assert_true(mean_depth(&self) < before + 1);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).stalls, stalls);
}

TEST(test_pacer_holds_while_the_stream_pauses)
{
    session self;
    begin(&self, 60,
          (path){.random = 4,
                 .delay_ns = 25 * MS,
                 .pause_from_ns = 5000 * MS,
                 .pause_to_ns = 8000 * MS});
    run(&self, 7);
    assert_true(self.playout.is_stalled);
    assert_int_equal(self.playout.tick, self.pacer.head);
    uint64_t tick = self.playout.tick;
    assert_in_range(self.playout.fraction, 0xf0000000u, UINT32_MAX);
    step(&self);
    assert_int_equal(self.playout.tick, tick);
    run(&self, 3); /* resumes at second 8 in one step, not by a minute of faster playout */
    assert_false(self.playout.is_stalled);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).snaps, 1);
    uint64_t stalls = ls_pacer_get_stats(&self.pacer).stalls;
    run(&self, 10);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).stalls, stalls);
    assert_true(mean_depth(&self) < 16);
    assert_in_range(ls_pacer_get_stats(&self.pacer).depth_ns, 1, 40 * MS);
}

/* Changes the schedule like a server that skipped two seconds. */
TEST(test_pacer_takes_a_new_schedule_within_a_second)
{
    session self;
    begin(&self, 60, (path){.random = 5, .delay_ns = 25 * MS, .jitter_ns = 2 * MS});
    run(&self, 6);
    self.start_ns += 2 * LS_SECOND_NS;
    run(&self, 2);
    run(&self, 1);
    uint64_t stalls = ls_pacer_get_stats(&self.pacer).stalls;
    run(&self, 20);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).stalls, stalls);
    assert_true(mean_depth(&self) < 5);
    self.start_ns += 3 * LS_SECOND_NS; /* announced: a pause of the match */
    run(&self, 3);
    ls_pacer_rebase(&self.pacer);
    run(&self, 1);
    stalls = ls_pacer_get_stats(&self.pacer).stalls;
    run(&self, 10);
    assert_int_equal(ls_pacer_get_stats(&self.pacer).stalls, stalls);
}

TEST(test_pacer_begins_at_any_tick_and_survives_any_number)
{
    static const uint64_t heads[] = {0, 1, 1000000, UINT64_MAX / 2, UINT64_MAX - 100};
    for (uint32_t i = 0; i < LS_COUNT_OF(heads); i++) {
        ls_pacer pacer;
        ls_playout playout;
        ls_pacer_init(&pacer, 60);
        assert_false(ls_pacer_update(&pacer, 5, &playout));
        uint64_t now = 77;
        for (uint64_t tick = 0; tick < 100; tick++, now += LS_SECOND_NS / 60) {
            ls_pacer_arrival(&pacer, now, heads[i] + tick);
            assert_true(ls_pacer_update(&pacer, now, &playout));
            assert_true(playout.tick <= heads[i] + tick);
        }
        assert_true(heads[i] + 99 - playout.tick < 4);
        ls_pacer_arrival(&pacer, now, UINT64_MAX);
        assert_true(ls_pacer_update(&pacer, now, &playout));
    }
}
