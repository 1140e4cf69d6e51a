#include "client/queue_delay.h"
#include "tests/support/test.h"

static ls_queue_delay delay_of(const uint64_t *samples_ms, uint32_t count)
{
    ls_queue_delay delay = {0};
    for (uint32_t i = 0; i < count; i++)
        ls_queue_delay_note(&delay, samples_ms[i] * MS, (1000 + i) * MS);
    return delay;
}
#define DELAY_OF(...)                                                                              \
    delay_of((const uint64_t[]){__VA_ARGS__}, LS_COUNT_OF(((const uint64_t[]){__VA_ARGS__})))

TEST(test_queue_delay_is_unknown_at_first)
{
    ls_queue_delay delay = {0};
    assert_int_equal(ls_queue_delay_ns(&delay), 0);
    assert_int_equal(ls_queue_delay_base_ns(&delay), 0);
    assert_int_equal(ls_queue_delay_target_ns(&delay), LS_QUEUE_DELAY_TARGET_MIN_NS);
}

TEST(test_queue_delay_is_what_exceeds_the_least)
{
    ls_queue_delay delay = DELAY_OF(100, 160, 170, 180, 190);
    assert_int_equal(ls_queue_delay_base_ns(&delay), 100 * MS);
    assert_int_equal(ls_queue_delay_ns(&delay), 60 * MS);
    assert_int_equal(ls_queue_delay_target_ns(&delay), 12500000);
}

/* Jitter delays some packets, a queue delays all. */
TEST(test_queue_delay_ignores_jitter)
{
    ls_queue_delay delay = DELAY_OF(100, 190, 180, 101, 170);
    assert_int_equal(ls_queue_delay_ns(&delay), 1 * MS);
}

TEST(test_queue_delay_takes_a_round_trip_that_is_only_the_least)
{
    ls_queue_delay delay = DELAY_OF(150, 150, 150, 150);
    ls_queue_delay_note_base(&delay, 100 * MS, 2 * S);
    assert_int_equal(ls_queue_delay_ns(&delay), 50 * MS);
}

/* A route that has become longer is no queue for ever. */
TEST(test_queue_delay_forgets_the_least_after_two_periods)
{
    ls_queue_delay delay = DELAY_OF(100);
    uint64_t now_ns = S;
    for (; now_ns < LS_QUEUE_DELAY_PERIOD_NS * 2; now_ns += S / 2) {
        ls_queue_delay_note(&delay, 150 * MS, now_ns);
        assert_int_equal(ls_queue_delay_base_ns(&delay), 100 * MS);
    }
    ls_queue_delay_note(&delay, 150 * MS, now_ns);
    assert_int_equal(ls_queue_delay_base_ns(&delay), 150 * MS);
    assert_int_equal(ls_queue_delay_ns(&delay), 0);
}
