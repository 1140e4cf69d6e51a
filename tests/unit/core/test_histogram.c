#include "core/base/histogram.h"
#include "tests/support/test.h"

TEST(test_histogram_is_empty_at_first)
{
    ls_histogram histogram = {0};
    assert_int_equal(ls_histogram_permille(&histogram, 500), 0);
    assert_int_equal(ls_histogram_permille(&histogram, 1000), 0);
}

/* Every value from a microsecond to minutes is told within an eighth, never too low. */
TEST(test_histogram_tells_each_value)
{
    for (uint64_t ns = 1000; ns < 300 * S; ns += ns / 7 + 1) {
        ls_histogram histogram = {0};
        ls_histogram_add(&histogram, ns);
        ls_histogram_add(&histogram, 400 * S);
        uint64_t told_ns = ls_histogram_permille(&histogram, 500);
        assert_in_range(told_ns, ns, ns + ns / 8 + 16000);
    }
}

TEST(test_histogram_tells_percentiles)
{
    ls_histogram histogram = {0};
    for (uint32_t i = 0; i < 1000; i++)
        ls_histogram_add(&histogram, i < 990 ? 10 * MS : 500 * MS);
    assert_in_range(ls_histogram_permille(&histogram, 500), 10 * MS, 12 * MS);
    assert_in_range(ls_histogram_permille(&histogram, 990), 10 * MS, 12 * MS);
    assert_int_equal(ls_histogram_permille(&histogram, 991), 500 * MS);
    assert_int_equal(ls_histogram_permille(&histogram, 1000), 500 * MS);
    assert_int_equal(histogram.max_ns, 500 * MS);
}

TEST(test_histogram_takes_any_value)
{
    ls_histogram histogram = {0};
    ls_histogram_add(&histogram, 0);
    ls_histogram_add(&histogram, UINT64_MAX);
    assert_in_range(ls_histogram_permille(&histogram, 500), 0, 16000);
    assert_true(ls_histogram_permille(&histogram, 1000) > 0);
    assert_int_equal(histogram.max_ns, UINT64_MAX);
}

TEST(test_histogram_counts_below_a_boundary)
{
    ls_histogram histogram = {0};
    ls_histogram_add(&histogram, 0);
    ls_histogram_add(&histogram, 63999);
    ls_histogram_add(&histogram, 64000);
    ls_histogram_add(&histogram, 3 * S);
    assert_int_equal(histogram.sum_ns, 127999 + 3 * S);
    assert_int_equal(ls_histogram_below(&histogram, 0), 1);
    assert_int_equal(ls_histogram_below(&histogram, 2), 2); /* 64 us */
    assert_int_equal(ls_histogram_below(&histogram, 3), 3);
    assert_int_equal(ls_histogram_below(&histogram, 17), 3); /* 2.1 s */
    assert_int_equal(ls_histogram_below(&histogram, 18), 4);
}
