#include "client/tick_timing.h"
#include "tests/support/test.h"

enum { RATE = 20, FIRST = 1000 };
#define TICK (50 * MS)

/* A line of 100 ms there and back. */
static ls_queue_delay line_of(uint64_t rtt_ns)
{
    ls_queue_delay line = {0};
    ls_queue_delay_note(&line, 100 * MS, S);
    for (uint32_t i = 0; i < LS_QUEUE_DELAY_SAMPLES; i++)
        ls_queue_delay_note(&line, rtt_ns, S);
    return line;
}

/* Ticks FIRST.. arrive and run, each `late_ns` after its time; returns the next one. */
static uint64_t pass(ls_tick_timing *timing, uint64_t tick, uint64_t end, uint64_t late_ns)
{
    for (; tick < end; tick++) {
        uint64_t now_ns = 10 * S + (tick - FIRST) * TICK + late_ns;
        ls_tick_timing_note_arrival(timing, tick, now_ns);
        ls_tick_timing_note_run(timing, tick, now_ns);
    }
    return tick;
}

static uint64_t time_of(uint64_t tick)
{
    return 10 * S + (tick - FIRST) * TICK;
}

TEST(test_tick_timing_knows_nothing_at_first)
{
    ls_tick_timing timing;
    ls_queue_delay line = line_of(100 * MS);
    ls_tick_timing_init(&timing, RATE);
    ls_tick_timing_note_run(&timing, FIRST, S);
    assert_int_equal(timing.late.count, 0);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, FIRST, &line, S), 0);
}

/* The newest tick was closed half a round trip before it came; then it grows older. */
TEST(test_tick_timing_is_half_a_round_trip_behind)
{
    ls_tick_timing timing;
    ls_queue_delay line = line_of(100 * MS);
    ls_tick_timing_init(&timing, RATE);
    uint64_t next = pass(&timing, FIRST, FIRST + 100, 0), now_ns = time_of(next - 1);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, now_ns), 50 * MS);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, now_ns + 30 * MS), 80 * MS);
    /* A tick that has come and was not run. */
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next - 1, &line, now_ns), 50 * MS + TICK);
    assert_int_equal(ls_histogram_permille(&timing.late, 1000), 0);
}

/* Neither process nor line: nothing comes, nothing is run. */
TEST(test_tick_timing_shows_who_is_frozen)
{
    ls_tick_timing timing;
    ls_queue_delay line = line_of(100 * MS);
    ls_tick_timing_init(&timing, RATE);
    uint64_t next = pass(&timing, FIRST, FIRST + 100, 0), now_ns = time_of(next - 1);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, now_ns + 4 * S),
                     50 * MS + 4 * S);
    /* All that has waited comes at once, and is late by as much as it waited. */
    now_ns = time_of(next + 79);
    for (uint64_t tick = next; tick < next + 80; tick++)
        ls_tick_timing_note_arrival(&timing, tick, now_ns);
    for (uint64_t tick = next; tick < next + 80; tick++)
        ls_tick_timing_note_run(&timing, tick, now_ns);
    assert_int_equal(timing.late.max_ns, 79 * TICK);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next + 80, &line, now_ns), 50 * MS);
}

TEST(test_tick_timing_takes_a_queue_for_one_on_the_way_here)
{
    ls_tick_timing timing;
    ls_queue_delay line = line_of(180 * MS);
    ls_tick_timing_init(&timing, RATE);
    uint64_t next = pass(&timing, FIRST, FIRST + 100, 0);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, time_of(next - 1)), 130 * MS);
}

/* Jitter is lateness: ticks are due when they come at the earliest. */
TEST(test_tick_timing_measures_lateness)
{
    ls_tick_timing timing;
    ls_tick_timing_init(&timing, RATE);
    uint64_t next = FIRST;
    for (uint32_t i = 0; i < 200; i++)
        next = pass(&timing, next, next + 1, i % 10 ? 20 * MS : 0);
    assert_int_equal(timing.late.count, 200);
    assert_in_range(ls_histogram_permille(&timing.late, 500), 20 * MS, 23 * MS);
    assert_in_range(ls_histogram_permille(&timing.late, 90), 0, 16000);
}

/* A tick that was lost, and the one that repeats it, are whole at the same time. */
TEST(test_tick_timing_counts_ticks_when_they_are_whole)
{
    ls_tick_timing timing;
    ls_tick_timing_init(&timing, RATE);
    ls_tick_timing_note_whole(&timing, FIRST, FIRST + 1, S);
    assert_int_equal(timing.arrived.count, 0);
    for (uint64_t tick = FIRST; tick < FIRST + 100; tick++) {
        ls_tick_timing_note_arrival(&timing, tick, time_of(tick));
        if (tick % 2)
            ls_tick_timing_note_whole(&timing, tick - 1, tick + 1, time_of(tick));
    }
    assert_int_equal(timing.arrived.count, 100);
    assert_int_equal(timing.arrived.max_ns, TICK);
    assert_in_range(ls_histogram_permille(&timing.arrived, 500), 0, TICK / 2);
    assert_int_equal(timing.late.count, 0);
}

/* A server that could not keep its schedule closes all later ticks later. That is no delay. */
TEST(test_tick_timing_follows_a_schedule_that_moved)
{
    ls_tick_timing timing;
    ls_queue_delay line = line_of(100 * MS);
    ls_tick_timing_init(&timing, RATE);
    uint64_t next = pass(&timing, FIRST, FIRST + 100, 0);
    next = pass(&timing, next, next + 2 * RATE + 1, 300 * MS);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, time_of(next - 1) + 300 * MS),
                     50 * MS);
    /* A pause of any length. */
    ls_tick_timing_restart(&timing);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, time_of(next) + S), 0);
    next = pass(&timing, next, next + 1, 70 * S);
    assert_int_equal(ls_tick_timing_behind_ns(&timing, next, &line, time_of(next - 1) + 70 * S),
                     50 * MS);
}
