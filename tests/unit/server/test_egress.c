#include "server/egress.h"
#include "tests/support/test.h"

enum { PER_S = 100000, LEVEL_MAX = PER_S / 2 };

/* Sends packets of 100 bytes with this rank as long as there is room; returns the bytes sent. */
static uint32_t drain(ls_egress *egress, uint64_t now_ns, uint32_t rank)
{
    uint32_t bytes = 0;
    for (; ls_egress_allows(egress, now_ns, 100, rank); bytes += 100)
        ls_egress_charge(egress, now_ns, 100);
    return bytes;
}

TEST(test_egress_without_a_limit_has_always_room)
{
    ls_egress egress;
    ls_egress_init(&egress, 0);
    ls_egress_charge(&egress, S, UINT32_MAX);
    assert_true(ls_egress_allows(&egress, S, UINT32_MAX, LS_EGRESS_RANK_LAST));
}

TEST(test_egress_sends_its_rate_and_half_a_second_at_once)
{
    ls_egress egress;
    ls_egress_init(&egress, PER_S);
    assert_int_equal(drain(&egress, 0, 0), LEVEL_MAX);
    uint32_t sent = 0;
    for (uint64_t now_ns = 0; now_ns <= 10 * S; now_ns += MS)
        sent += drain(&egress, now_ns, 0);
    assert_int_equal(sent, 10 * PER_S);
    assert_int_equal(drain(&egress, UINT64_MAX, 0), LEVEL_MAX);
    assert_int_equal(drain(&egress, 5 * S, 0), 0); /* time that goes backwards adds no room */
}

/* When ticks take 80 % of the limit, a fifth remains. */
TEST(test_egress_gives_what_ticks_leave)
{
    ls_egress egress;
    ls_egress_init(&egress, PER_S);
    drain(&egress, 0, 0);
    uint32_t sent = 0;
    for (uint64_t now_ns = 50 * MS; now_ns <= 10 * S; now_ns += 50 * MS) {
        ls_egress_charge(&egress, now_ns, PER_S * 8 / 10 / 20);
        sent += drain(&egress, now_ns, 0);
    }
    assert_in_range(sent, 10 * PER_S / 5 - 100, 10 * PER_S / 5);
}

/* Ticks above the limit are sent anyway. One second after the last of them there is room again. */
TEST(test_egress_forgets_debts_above_a_second)
{
    ls_egress egress;
    ls_egress_init(&egress, PER_S);
    for (uint64_t now_ns = 0; now_ns < 10 * S; now_ns += 50 * MS) {
        ls_egress_charge(&egress, now_ns, 2 * PER_S / 20);
        assert_true(now_ns < S || !ls_egress_allows(&egress, now_ns, 1, 0));
    }
    ls_egress_charge(&egress, 10 * S, UINT32_MAX);
    assert_false(ls_egress_allows(&egress, 11 * S, 1, 0));
    assert_true(ls_egress_allows(&egress, 11 * S + MS, 100, 0));
}

TEST(test_egress_leaves_room_for_lower_ranks)
{
    ls_egress egress;
    ls_egress_init(&egress, PER_S);
    assert_in_range(drain(&egress, 0, LS_EGRESS_RANK_LAST), 1, 100);
    assert_in_range(drain(&egress, 0, LS_EGRESS_RANK_LAST / 4), LEVEL_MAX * 3 / 4 - 300,
                    LEVEL_MAX * 3 / 4 + 300);
    assert_false(ls_egress_allows(&egress, 0, 1, LS_EGRESS_RANK_LAST / 2));
    assert_in_range(drain(&egress, 0, 0), LEVEL_MAX / 4 - 300, LEVEL_MAX / 4 + 300);
}

TEST(test_egress_of_the_largest_limit_is_exact)
{
    ls_egress egress;
    ls_egress_init(&egress, UINT32_MAX);
    ls_egress_charge(&egress, 0, UINT32_MAX);
    ls_egress_charge(&egress, 0, UINT32_MAX);
    assert_false(
        ls_egress_allows(&egress, S, 1, 0)); /* the debt is limited to the bytes of one second */
    assert_true(ls_egress_allows(&egress, S + MS, 1 << 20, 0));
    assert_true(ls_egress_allows(&egress, UINT64_MAX, INT32_MAX, LS_EGRESS_RANK_LAST));
}
