#include "cli/serve/agones_plan.h"

#include "test.h"

TEST(test_agones_plan_keeps_the_order)
{
    ls_agones_plan plan = {0};
    ls_agones_plan_want(&plan, LS_AGONES_TALLY + 2, 5);
    ls_agones_plan_want(&plan, LS_AGONES_READY, 5);
    ls_agones_plan_want(&plan, LS_AGONES_KEY, 7);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, 4), LS_AGONES_REQUESTS);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, 5), LS_AGONES_READY);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, 6), LS_AGONES_TALLY + 2);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, 6), LS_AGONES_REQUESTS);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, 7), LS_AGONES_KEY);
}

/* Health, the stream and the end do not wait for other requests. */
TEST(test_agones_plan_has_lanes)
{
    ls_agones_plan plan = {0};
    for (ls_agones_request i = 0; i < LS_AGONES_REQUESTS; i++)
        ls_agones_plan_want(&plan, i, 1);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_HEALTHS, 1), LS_AGONES_HEALTH);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_HEALTHS, 1), LS_AGONES_REQUESTS);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_WATCHES, 1), LS_AGONES_WATCH);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_SHUTDOWNS, 1), LS_AGONES_SHUTDOWN);
    for (ls_agones_request i = LS_AGONES_READY; i < LS_AGONES_HEALTH; i++)
        assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, 1), i);
}

TEST(test_agones_plan_pauses_grow_and_end)
{
    ls_agones_plan plan = {0};
    uint64_t now_ns = 1000, pause_ns = LS_AGONES_PAUSE_MIN_NS;
    ls_agones_plan_want(&plan, LS_AGONES_READY, now_ns);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, now_ns), LS_AGONES_READY);
        assert_int_equal(ls_agones_plan_fail(&plan, LS_AGONES_READY, now_ns), i == 0);
        ls_agones_plan_want(&plan, LS_AGONES_READY, now_ns); /* does not shorten the pause */
        now_ns += pause_ns;
        assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, now_ns - 1),
                         LS_AGONES_REQUESTS);
        if (pause_ns < LS_AGONES_PAUSE_MAX_NS)
            pause_ns *= 2;
    }
    assert_int_equal(pause_ns, LS_AGONES_PAUSE_MAX_NS);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, now_ns), LS_AGONES_READY);
    assert_true(ls_agones_plan_succeed(&plan, LS_AGONES_READY));
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, UINT64_MAX), LS_AGONES_REQUESTS);
    ls_agones_plan_want(&plan, LS_AGONES_READY, now_ns);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, now_ns), LS_AGONES_READY);
}

/* One change of state for several requests that fail. */
TEST(test_agones_plan_tells_changes_once)
{
    ls_agones_plan plan = {0};
    assert_false(ls_agones_plan_succeed(&plan, LS_AGONES_HEALTH));
    assert_true(ls_agones_plan_fail(&plan, LS_AGONES_HEALTH, 1));
    assert_false(ls_agones_plan_fail(&plan, LS_AGONES_WATCH, 1));
    assert_false(ls_agones_plan_succeed(&plan, LS_AGONES_READY));
    assert_false(ls_agones_plan_succeed(&plan, LS_AGONES_WATCH));
    assert_true(ls_agones_plan_succeed(&plan, LS_AGONES_HEALTH));
    assert_false(ls_agones_plan_succeed(&plan, LS_AGONES_HEALTH));
    assert_true(ls_agones_plan_fail(&plan, LS_AGONES_WATCH, 1));
}

TEST(test_agones_plan_forgets)
{
    ls_agones_plan plan = {0};
    ls_agones_plan_want(&plan, LS_AGONES_READY, 1);
    assert_true(ls_agones_plan_fail(&plan, LS_AGONES_READY, 1));
    ls_agones_plan_forget(&plan, LS_AGONES_READY);
    assert_int_equal(ls_agones_plan_take(&plan, LS_AGONES_CALLS, UINT64_MAX), LS_AGONES_REQUESTS);
    assert_true(ls_agones_plan_succeed(&plan, LS_AGONES_HEALTH)); /* no other one fails */
}
