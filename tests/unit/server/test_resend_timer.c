#include "server/resend_timer.h"
#include "tests/support/test.h"

#include <lockstep/limits.h>

/* Sends `ticks` ticks and acknowledges each after `rtt_ns`. */
static void answer(ls_resend_timer *timer, uint32_t ticks, uint64_t rtt_ns)
{
    for (uint32_t i = 1; i <= ticks; i++) {
        ls_resend_timer_sent(timer, i, i * 1000 * MS);
        ls_resend_timer_acked(timer, i, i * 1000 * MS + rtt_ns);
    }
}

TEST(test_resend_timer_is_shortest_without_samples)
{
    ls_resend_timer timer = {0};
    assert_int_equal(ls_resend_timer_ns(&timer), LS_SERVER_RESEND_NS);
    ls_resend_timer_acked(&timer, 7, 80 * MS);
    assert_int_equal(ls_resend_timer_ns(&timer), LS_SERVER_RESEND_NS);
}

TEST(test_resend_timer_follows_the_round_trip)
{
    ls_resend_timer timer = {0};
    answer(&timer, 100, 40 * MS);
    assert_in_range(ls_resend_timer_ns(&timer), 40 * MS, 42 * MS);
    answer(&timer, 1, 60 * MS); /* one late acknowledgement increases the deviation */
    assert_in_range(ls_resend_timer_ns(&timer), 60 * MS, 65 * MS);
    answer(&timer, 100, 1 * MS);
    assert_int_equal(ls_resend_timer_ns(&timer), LS_SERVER_RESEND_NS);
}

TEST(test_resend_timer_has_a_maximum)
{
    ls_resend_timer timer = {0};
    answer(&timer, 100, 900 * MS);
    assert_int_equal(ls_resend_timer_ns(&timer), LS_SERVER_RESEND_MAX_NS);
    answer(&timer, 100, 40 * MS); /* the timer falls again */
    assert_in_range(ls_resend_timer_ns(&timer), 40 * MS, 45 * MS);
}

/* With ticks of 20 ms several are unacknowledged at any time, yet each sample is of one tick. */
TEST(test_resend_timer_measures_ticks_under_way)
{
    ls_resend_timer timer = {0};
    for (uint32_t tick = 1; tick <= 200; tick++) {
        ls_resend_timer_sent(&timer, tick, tick * 20 * MS);
        if (tick > 3)
            ls_resend_timer_acked(&timer, tick - 3, tick * 20 * MS + 5 * MS);
    }
    assert_in_range(ls_resend_timer_ns(&timer), 65 * MS, 67 * MS);
}

/* A packet of the same round that arrived before the ticks were sent: the acknowledgement may be of
 * an earlier packet, and gives the shortest sample. */
TEST(test_resend_timer_bears_an_earlier_arrival)
{
    ls_resend_timer timer = {0};
    ls_resend_timer_sent(&timer, 1, 1000 * MS);
    ls_resend_timer_acked(&timer, 1, 990 * MS);
    assert_int_equal(ls_resend_timer_ns(&timer), LS_SERVER_RESEND_NS);
}

/* The acknowledgement of a lost tick comes with a later tick, so it is no sample of the round
 * trip. */
TEST(test_resend_timer_ignores_lost_ticks)
{
    ls_resend_timer timer = {0};
    answer(&timer, 100, 20 * MS);
    uint64_t before = ls_resend_timer_ns(&timer);
    ls_resend_timer_sent(&timer, 101, 0);
    ls_resend_timer_sent(&timer, 102, 50 * MS);
    ls_resend_timer_acked(&timer, 102, 70 * MS);
    assert_int_equal(ls_resend_timer_ns(&timer), before);
    ls_resend_timer_sent(&timer, 103, 100 * MS); /* the next tick is timed again */
    ls_resend_timer_acked(&timer, 103, 120 * MS);
    assert_in_range(ls_resend_timer_ns(&timer), 20 * MS, before);
}
