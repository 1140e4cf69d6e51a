#include "test.h"

#include "proto/rtt.h"

TEST(test_rtt_begins_with_the_first_sample)
{
    uint64_t rtt_ns = 0, deviation_ns = 0;
    ls_rtt_smooth(&rtt_ns, &deviation_ns, 80);
    assert_int_equal(rtt_ns, 80);
    assert_int_equal(deviation_ns, 40);
}

/* The deviation is measured from the estimate before the sample. */
TEST(test_rtt_moves_by_an_eighth_and_its_deviation_by_a_quarter)
{
    uint64_t rtt_ns = 80, deviation_ns = 40;
    ls_rtt_smooth(&rtt_ns, &deviation_ns, 160);
    assert_int_equal(rtt_ns, 90);
    assert_int_equal(deviation_ns, 50);
    ls_rtt_smooth(&rtt_ns, &deviation_ns, 10);
    assert_int_equal(rtt_ns, 80);
    assert_int_equal(deviation_ns, 57);
}
