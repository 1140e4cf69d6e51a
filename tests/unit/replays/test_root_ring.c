#include "sample.h"

static ls_recording_roots roots_of(uint64_t first_tick, uint32_t count, uint64_t *values)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = sample_root(first_tick + i);
    return (ls_recording_roots){.first_tick = first_tick, .count = count, .values = values};
}

/* Roots arrive one by one, late, or many at once, up to the maximum lag. */
TEST(test_root_ring_takes_any_lag)
{
    static ls_root_ring ring;
    static uint64_t values[LS_RECORDING_LAG_TICKS_MAX + 1];
    ls_root_difference difference;
    uint64_t own = 1000, compared = 1000;
    ls_root_ring_init(&ring, own);
    for (uint32_t lag = 1; lag <= LS_RECORDING_LAG_TICKS_MAX + 1; lag = lag * 2 + 1) {
        while (own - compared < lag)
            ls_root_ring_push(&ring, sample_root(own++));
        ls_recording_roots roots = roots_of(compared, lag, values);
        assert_true(ls_root_ring_compare(&ring, &roots, &difference));
        roots = roots_of(own, 0, values);
        assert_true(ls_root_ring_compare(&ring, &roots, &difference));
        compared = own;
    }
    while (own - compared < LS_RECORDING_LAG_TICKS_MAX + 1)
        ls_root_ring_push(&ring, sample_root(own++));
    ls_recording_roots roots = roots_of(compared, LS_RECORDING_LAG_TICKS_MAX + 1, values);
    assert_true(ls_root_ring_compare(&ring, &roots, &difference));
}

TEST(test_root_ring_names_the_first_difference)
{
    static ls_root_ring ring;
    uint64_t values[20];
    ls_root_difference difference;
    for (uint64_t wrong = 5; wrong < 25; wrong++) {
        ls_root_ring_init(&ring, 5);
        for (uint64_t tick = 5; tick < 25; tick++)
            ls_root_ring_push(&ring, sample_root(tick) ^ (tick >= wrong));
        ls_recording_roots roots = roots_of(5, 20, values);
        assert_false(ls_root_ring_compare(&ring, &roots, &difference));
        assert_int_equal(difference.tick, wrong);
        assert_int_equal(difference.expected, sample_root(wrong));
        assert_int_equal(difference.found, sample_root(wrong) ^ 1);
    }
}

/* Roots missing in the file are not compared; later ones are. */
TEST(test_root_ring_skips_unknown_roots)
{
    static ls_root_ring ring;
    uint64_t values[20];
    ls_root_difference difference;
    ls_root_ring_init(&ring, 5);
    for (uint64_t tick = 5; tick < 25; tick++)
        ls_root_ring_push(&ring, sample_root(tick) ^ (tick == 9 || tick == 20));
    ls_recording_roots roots = roots_of(5, 4, values);
    assert_true(ls_root_ring_compare(&ring, &roots, &difference));
    roots = roots_of(10, 0, values);
    assert_true(ls_root_ring_compare(&ring, &roots, &difference));
    roots = roots_of(10, 3, values);
    assert_true(ls_root_ring_compare(&ring, &roots, &difference));
    assert_int_equal(ring.compared_tick, 13);
    roots = roots_of(13, 12, values);
    assert_false(ls_root_ring_compare(&ring, &roots, &difference));
    assert_int_equal(difference.tick, 20);
}
