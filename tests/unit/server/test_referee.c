#include "server/referee.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void init(ls_referee *referee, uint64_t count)
{
    ls_referee_init(referee);
    for (uint64_t i = 0; i < count; i++)
        ls_referee_push(referee, 1000 + i);
}

static void test_referee_counts_right_roots_once(void **state)
{
    (void)state;
    ls_referee referee;
    ls_referee_case client = {0};
    init(&referee, 10);
    for (uint32_t round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 10; i++)
            assert_int_equal(ls_referee_hear(&referee, &client, i, 1000 + i, 0), LS_REPORT_RIGHT);
    assert_int_equal(client.right_count, 10);
    assert_false(ls_referee_decide(&client, 1000 * MS));
}

static void test_referee_ignores_what_it_cannot_know(void **state)
{
    (void)state;
    ls_referee referee;
    ls_referee_case client = {0};
    init(&referee, 2 * LS_SERVER_ROOTS);
    assert_int_equal(ls_referee_hear(&referee, &client, 2 * LS_SERVER_ROOTS, 1, 0),
                     LS_REPORT_IGNORED);
    assert_int_equal(ls_referee_hear(&referee, &client, UINT64_MAX, 1, 0), LS_REPORT_IGNORED);
    assert_int_equal(ls_referee_hear(&referee, &client, LS_SERVER_ROOTS - 1, 1, 0),
                     LS_REPORT_IGNORED);
    assert_int_equal(ls_referee_hear(&referee, &client, LS_SERVER_ROOTS, 1, 0), LS_REPORT_WRONG);
}

static void test_referee_decides_at_once_when_the_tick_before_was_right(void **state)
{
    (void)state;
    ls_referee referee;
    ls_referee_case client = {0};
    init(&referee, 10);
    ls_referee_hear(&referee, &client, 4, 1004, 0);
    ls_referee_hear(&referee, &client, 5, 77, 0);
    assert_true(ls_referee_decide(&client, 0));
    assert_int_equal(client.tick, 5);
    assert_int_equal(client.expected, 1005);
    assert_int_equal(client.found, 77);
    assert_false(ls_referee_decide(&client, 1000 * MS));
    assert_int_equal(ls_referee_hear(&referee, &client, 4, 1, 0), LS_REPORT_IGNORED);
}

static void test_referee_waits_for_earlier_reports(void **state)
{
    (void)state;
    ls_referee referee;
    ls_referee_case client = {0};
    init(&referee, 10);
    ls_referee_hear(&referee, &client, 1, 1001, 0);
    ls_referee_hear(&referee, &client, 8, 88, 10 * MS);
    assert_false(ls_referee_decide(&client, 10 * MS));
    ls_referee_hear(&referee, &client, 5, 55, 20 * MS);
    ls_referee_hear(&referee, &client, 7, 77, 30 * MS);
    assert_false(ls_referee_decide(&client, 30 * MS));
    assert_true(ls_referee_decide(&client, 10 * MS + LS_SERVER_DESYNC_GRACE_NS));
    assert_int_equal(client.tick, 5);
    assert_int_equal(client.found, 55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_referee_counts_right_roots_once),
        cmocka_unit_test(test_referee_ignores_what_it_cannot_know),
        cmocka_unit_test(test_referee_decides_at_once_when_the_tick_before_was_right),
        cmocka_unit_test(test_referee_waits_for_earlier_reports),
    };
    return cmocka_run_group_tests_name("referee", tests, NULL, NULL);
}
