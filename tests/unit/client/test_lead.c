#include "client/lead.h"
#include "proto/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MS  UINT64_C(1000000)
#define RTT (50 * MS)

static void test_lead_rises_at_once_and_once(void **state)
{
    (void)state;
    ls_lead lead;
    ls_lead_init(&lead, 50);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START);
    /* 45 ms late are three ticks of 20; the same second's word is told again and again. */
    for (uint64_t now = 1000 * MS; now < 1900 * MS; now += 20 * MS)
        ls_lead_hear(&lead, -45000, RTT, now);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START + 3);
    /* The server tells the worst of two seconds at most. */
    ls_lead_hear(&lead, -45000, RTT, 3000 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START + 3);
    ls_lead_hear(&lead, -1, RTT, 3100 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START + 4);
    ls_lead_hear_substitute(&lead, RTT, 3200 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START + 4);
    ls_lead_hear_substitute(&lead, RTT, 4300 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START + 5);
}

static void test_lead_falls_slowly(void **state)
{
    (void)state;
    ls_lead lead;
    ls_lead_init(&lead, 50);
    uint64_t now = 1000 * MS;
    for (; now < 2900 * MS; now += 20 * MS)
        ls_lead_hear(&lead, 40000, RTT, now);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START);
    for (; now < 3100 * MS; now += 20 * MS)
        ls_lead_hear(&lead, 40000, RTT, now);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START - 1);
    /* Not below what leaves a tick and the margin, nor below one. */
    for (; now < 9000 * MS; now += 20 * MS)
        ls_lead_hear(&lead, 25000, RTT, now);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START - 1);
    for (; now < 90000 * MS; now += 20 * MS)
        ls_lead_hear(&lead, 90000, RTT, now);
    assert_int_equal(lead.ticks, 1);
}

/* What was said before an outage, and came behind it, is late by all of it. */
static void test_lead_does_not_hear_an_outage(void **state)
{
    (void)state;
    ls_lead lead;
    ls_lead_init(&lead, 30);
    for (uint64_t now = 1000 * MS; now < 9000 * MS; now += 20 * MS)
        ls_lead_hear(&lead, -5000000, RTT, now);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START);
    /* On a slow line it is no outage. */
    ls_lead_hear(&lead, -1000000, 700 * MS, 9000 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START + 31);
}

/* Much too far ahead it is no longer than it takes to know so. */
static void test_lead_falls_to_what_is_needed(void **state)
{
    (void)state;
    ls_lead lead;
    ls_lead_init(&lead, 50);
    lead.ticks = 30;
    uint64_t now = 1000 * MS;
    for (; now <= 3000 * MS; now += 20 * MS)
        ls_lead_hear(&lead, now == 2000 * MS ? 515000 : 615000, RTT, now);
    assert_int_equal(lead.ticks, 30 - 25);
    /* So many ticks have their state already: what is told meanwhile is of before. */
    for (; now < 5500 * MS; now += 20 * MS)
        ls_lead_hear(&lead, 515000, RTT, now);
    assert_int_equal(lead.ticks, 30 - 25);
    for (; now < 9000 * MS; now += 20 * MS)
        ls_lead_hear(&lead, 15000, RTT, now);
    assert_int_equal(lead.ticks, 30 - 25);
}

static void test_lead_is_bounded(void **state)
{
    (void)state;
    ls_lead lead;
    ls_lead_init(&lead, 240);
    ls_lead_hear(&lead, LS_SLACK_NONE, RTT, 1000 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_START);
    for (uint64_t now = 1000 * MS; now < 9000 * MS; now += 20 * MS)
        ls_lead_hear(&lead, -400000, RTT, now);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_MAX);
    ls_lead_hear(&lead, INT32_MIN, RTT, 20000 * MS);
    assert_int_equal(lead.ticks, LS_CLIENT_LEAD_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lead_rises_at_once_and_once),
        cmocka_unit_test(test_lead_falls_slowly),
        cmocka_unit_test(test_lead_does_not_hear_an_outage),
        cmocka_unit_test(test_lead_falls_to_what_is_needed),
        cmocka_unit_test(test_lead_is_bounded),
    };
    return cmocka_run_group_tests_name("lead", tests, NULL, NULL);
}
