#include "client/input_delay.h"
#include "proto/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MS  UINT64_C(1000000)
#define RTT (50 * MS)

/* One word, and a state that is said when it comes, as far ahead as the delay asks for. */
static void hear(ls_input_delay *delay, int32_t slack_us, uint64_t now)
{
    ls_input_delay_note_state(delay, delay->ticks);
    ls_input_delay_note_slack(delay, slack_us, RTT, now);
}

/* Hears one slack for so long, in which states are said so many ticks ahead. */
static uint64_t hear_for(ls_input_delay *delay, uint64_t ms, int32_t slack_us, uint64_t ticks,
                         uint64_t now)
{
    for (uint64_t until = now + ms * MS; now < until; now += 20 * MS) {
        ls_input_delay_note_state(delay, ticks);
        ls_input_delay_note_slack(delay, slack_us, RTT, now);
    }
    return now;
}

static void test_lead_rises_at_once_and_once(void **state)
{
    (void)state;
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    /* 45 ms late are three ticks of 20; the same second's word is told again and again. */
    for (uint64_t now = 1000 * MS; now < 1900 * MS; now += 20 * MS)
        ls_input_delay_note_slack(&delay, -45000, RTT, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 3);
    /* The server tells the worst of two seconds at most. */
    ls_input_delay_note_slack(&delay, -45000, RTT, 3000 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 3);
    ls_input_delay_note_slack(&delay, -1, RTT, 3100 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 4);
    ls_input_delay_note_substitute(&delay, RTT, 3200 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 4);
    ls_input_delay_note_substitute(&delay, RTT, 4300 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 5);
}

static void test_lead_falls_slowly(void **state)
{
    (void)state;
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    uint64_t now = 1000 * MS;
    for (; now < 2900 * MS; now += 20 * MS)
        hear(&delay, 40000, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    for (; now < 3100 * MS; now += 20 * MS)
        hear(&delay, 40000, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START - 1);
    /* Not below what leaves a tick and the margin, nor below one. */
    for (; now < 9000 * MS; now += 20 * MS)
        hear(&delay, 25000, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START - 1);
    for (; now < 90000 * MS; now += 20 * MS)
        hear(&delay, 90000, now);
    assert_int_equal(delay.ticks, 1);
}

/* What was said before an outage, and came behind it, is late by all of it. */
static void test_lead_does_not_hear_an_outage(void **state)
{
    (void)state;
    ls_input_delay delay;
    ls_input_delay_init(&delay, 30);
    for (uint64_t now = 1000 * MS; now < 9000 * MS; now += 20 * MS)
        ls_input_delay_note_slack(&delay, -5000000, RTT, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    /* On a slow line it is no outage. */
    ls_input_delay_note_slack(&delay, -1000000, 700 * MS, 9000 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 31);
}

/* Much too far ahead it is no longer than it takes to know so. */
static void test_lead_falls_to_what_is_needed(void **state)
{
    (void)state;
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    delay.ticks = 30;
    uint64_t now = 1000 * MS;
    for (; now <= 3000 * MS; now += 20 * MS)
        hear(&delay, now == 2000 * MS ? 515000 : 615000, now);
    assert_int_equal(delay.ticks, 30 - 25);
    /* So many ticks have their state already: what is told meanwhile is of before. */
    for (; now < 5500 * MS; now += 20 * MS)
        hear(&delay, 515000, now);
    assert_int_equal(delay.ticks, 30 - 25);
    for (; now < 9000 * MS; now += 20 * MS)
        hear(&delay, 15000, now);
    assert_int_equal(delay.ticks, 30 - 25);
}

/* What comes early because it was said further ahead than the delay asks for. */
static void test_lead_knows_how_far_ahead_states_were_said(void **state)
{
    (void)state;
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    delay.ticks = 10;
    /* Seven ticks of slack, all of them said on top: the delay is as high as it has to be. */
    uint64_t now = hear_for(&delay, 9000, 150000, 17, 1000 * MS);
    assert_int_equal(delay.ticks, 10);
    /* Four of them: three too many. What it is now was not said before the last word about it. */
    now = hear_for(&delay, 1900, 150000, 14, now);
    assert_int_equal(delay.ticks, 10);
    now = hear_for(&delay, 300, 150000, 14, now);
    assert_int_equal(delay.ticks, 10 - 3);
    /* One state nearer to the head is not told of yet: two seconds begin with it. */
    ls_input_delay_init(&delay, 50);
    delay.ticks = 10;
    now = hear_for(&delay, 3000, 150000, 17, now);
    now = hear_for(&delay, 1900, 150000, 13, now);
    assert_int_equal(delay.ticks, 10);
    now = hear_for(&delay, 2200, 150000, 13, now);
    assert_int_equal(delay.ticks, 10 - 4);
}

static void test_lead_is_bounded(void **state)
{
    (void)state;
    ls_input_delay delay;
    ls_input_delay_init(&delay, 240);
    ls_input_delay_note_slack(&delay, LS_SLACK_NONE, RTT, 1000 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    for (uint64_t now = 1000 * MS; now < 9000 * MS; now += 20 * MS)
        ls_input_delay_note_slack(&delay, -400000, RTT, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_MAX);
    ls_input_delay_note_slack(&delay, INT32_MIN, RTT, 20000 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lead_rises_at_once_and_once),
        cmocka_unit_test(test_lead_falls_slowly),
        cmocka_unit_test(test_lead_does_not_hear_an_outage),
        cmocka_unit_test(test_lead_falls_to_what_is_needed),
        cmocka_unit_test(test_lead_knows_how_far_ahead_states_were_said),
        cmocka_unit_test(test_lead_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
