#include "server/resend_timer.h"

#include <lockstep/limits.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

/* Tick after tick, each acknowledged `rtt_ns` after it was sent. */
static void answer(ls_resend_timer *patience, uint32_t ticks, uint64_t rtt_ns)
{
    for (uint32_t i = 1; i <= ticks; i++) {
        ls_resend_timer_sent(patience, i, i * 1000 * MS);
        ls_resend_timer_acked(patience, i, i * 1000 * MS + rtt_ns);
    }
}

static void test_patience_is_least_while_nothing_is_known(void **state)
{
    (void)state;
    ls_resend_timer patience = {0};
    assert_int_equal(ls_resend_timer_ns(&patience), LS_SERVER_RESEND_NS);
    ls_resend_timer_acked(&patience, 7, 80 * MS);
    assert_int_equal(ls_resend_timer_ns(&patience), LS_SERVER_RESEND_NS);
}

static void test_patience_follows_the_round_trip(void **state)
{
    (void)state;
    ls_resend_timer patience = {0};
    answer(&patience, 100, 40 * MS);
    assert_in_range(ls_resend_timer_ns(&patience), 40 * MS, 42 * MS);
    answer(&patience, 1, 60 * MS); /* one that is late makes it doubt */
    assert_in_range(ls_resend_timer_ns(&patience), 60 * MS, 65 * MS);
    answer(&patience, 100, 1 * MS);
    assert_int_equal(ls_resend_timer_ns(&patience), LS_SERVER_RESEND_NS);
}

static void test_patience_ends_where_losses_must_heal(void **state)
{
    (void)state;
    ls_resend_timer patience = {0};
    answer(&patience, 100, 900 * MS);
    assert_int_equal(ls_resend_timer_ns(&patience), LS_SERVER_RESEND_MAX_NS);
    answer(&patience, 100, 40 * MS); /* and comes back */
    assert_in_range(ls_resend_timer_ns(&patience), 40 * MS, 45 * MS);
}

/* Ticks of 20 ms, of which several are under way at once: each sample is of one of them. */
static void test_patience_measures_ticks_under_way(void **state)
{
    (void)state;
    ls_resend_timer patience = {0};
    for (uint32_t tick = 1; tick <= 200; tick++) {
        ls_resend_timer_sent(&patience, tick, tick * 20 * MS);
        if (tick > 3)
            ls_resend_timer_acked(&patience, tick - 3, tick * 20 * MS + 5 * MS);
    }
    assert_in_range(ls_resend_timer_ns(&patience), 65 * MS, 67 * MS);
}

/* What was lost came with a later tick, and says nothing of how long an answer takes. */
static void test_patience_ignores_what_was_lost(void **state)
{
    (void)state;
    ls_resend_timer patience = {0};
    answer(&patience, 100, 20 * MS);
    uint64_t before = ls_resend_timer_ns(&patience);
    ls_resend_timer_sent(&patience, 101, 0);
    ls_resend_timer_sent(&patience, 102, 50 * MS);
    ls_resend_timer_acked(&patience, 102, 70 * MS);
    assert_int_equal(ls_resend_timer_ns(&patience), before);
    ls_resend_timer_sent(&patience, 103, 100 * MS); /* the next one is timed anew */
    ls_resend_timer_acked(&patience, 103, 120 * MS);
    assert_in_range(ls_resend_timer_ns(&patience), 20 * MS, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patience_is_least_while_nothing_is_known),
        cmocka_unit_test(test_patience_follows_the_round_trip),
        cmocka_unit_test(test_patience_ends_where_losses_must_heal),
        cmocka_unit_test(test_patience_measures_ticks_under_way),
        cmocka_unit_test(test_patience_ignores_what_was_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
