#include "client/input_delay.h"
#include "proto/message.h"
#include "tests/support/test.h"

#define RTT (50 * MS)

/* Notes a slack and, at the same time, a state with the current delay. */
static void report(ls_input_delay *delay, int32_t slack_us, uint64_t now)
{
    ls_input_delay_note_state(delay, delay->ticks);
    ls_input_delay_note_slack(delay, slack_us, RTT, now);
}

/* Reports the same slack for `ms`, with states submitted `ticks` ahead. */
static uint64_t report_for(ls_input_delay *delay, uint64_t ms, int32_t slack_us, uint64_t ticks,
                           uint64_t now)
{
    for (uint64_t until = now + ms * MS; now < until; now += 20 * MS) {
        ls_input_delay_note_state(delay, ticks);
        ls_input_delay_note_slack(delay, slack_us, RTT, now);
    }
    return now;
}

TEST(test_input_delay_rises_at_once_and_once)
{
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    /* 45 ms late is three ticks of 20 ms; the server repeats the report for a second. */
    for (uint64_t now = 1000 * MS; now < 1900 * MS; now += 20 * MS)
        ls_input_delay_note_slack(&delay, -45000, RTT, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 3);
    /* A slack is the worst of at most two seconds, so an old one may be repeated. */
    ls_input_delay_note_slack(&delay, -45000, RTT, 3000 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 3);
    ls_input_delay_note_slack(&delay, -1, RTT, 3100 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 4);
    ls_input_delay_note_substitute(&delay, RTT, 3200 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 4);
    ls_input_delay_note_substitute(&delay, RTT, 4300 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 5);
}

TEST(test_input_delay_falls_slowly)
{
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    uint64_t now = 1000 * MS;
    for (; now < 2900 * MS; now += 20 * MS)
        report(&delay, 40000, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    for (; now < 3100 * MS; now += 20 * MS)
        report(&delay, 40000, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START - 1);
    /* The delay stays if the slack is a tick and the margin, and never falls below one tick. */
    for (; now < 9000 * MS; now += 20 * MS)
        report(&delay, 25000, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START - 1);
    for (; now < 90000 * MS; now += 20 * MS)
        report(&delay, 90000, now);
    assert_int_equal(delay.ticks, 1);
}

/* States from before an outage that arrive after it are late by its whole length. */
TEST(test_input_delay_ignores_an_outage)
{
    ls_input_delay delay;
    ls_input_delay_init(&delay, 30);
    for (uint64_t now = 1000 * MS; now < 9000 * MS; now += 20 * MS)
        ls_input_delay_note_slack(&delay, -5000000, RTT, now);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START);
    /* With a long round trip, the same lateness is not an outage. */
    ls_input_delay_note_slack(&delay, -1000000, 700 * MS, 9000 * MS);
    assert_int_equal(delay.ticks, LS_CLIENT_INPUT_DELAY_START + 31);
}

/* A delay that is far too high falls as soon as this is certain. */
TEST(test_input_delay_falls_to_the_needed_delay)
{
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    delay.ticks = 30;
    uint64_t now = 1000 * MS;
    for (; now <= 3000 * MS; now += 20 * MS)
        report(&delay, now == 2000 * MS ? 515000 : 615000, now);
    assert_int_equal(delay.ticks, 30 - 25);
    /* Ticks within the old delay already have states, so reported slack belongs to earlier
     * submissions. */
    for (; now < 5500 * MS; now += 20 * MS)
        report(&delay, 515000, now);
    assert_int_equal(delay.ticks, 30 - 25);
    for (; now < 9000 * MS; now += 20 * MS)
        report(&delay, 15000, now);
    assert_int_equal(delay.ticks, 30 - 25);
}

/* States may be early because they were submitted further ahead than the delay requires. */
TEST(test_input_delay_knows_how_far_ahead_states_were_submitted)
{
    ls_input_delay delay;
    ls_input_delay_init(&delay, 50);
    delay.ticks = 10;
    /* Seven ticks of slack, all from submitting seven ticks further ahead: the delay is as low as
     * possible. */
    uint64_t now = report_for(&delay, 9000, 150000, 17, 1000 * MS);
    assert_int_equal(delay.ticks, 10);
    /* Four ticks further ahead: the delay is three ticks too high. Reports older than the change do
     * not count. */
    now = report_for(&delay, 1900, 150000, 14, now);
    assert_int_equal(delay.ticks, 10);
    now = report_for(&delay, 300, 150000, 14, now);
    assert_int_equal(delay.ticks, 10 - 3);
    /* States one tick closer to the head are not reported yet, so the two seconds start again. */
    ls_input_delay_init(&delay, 50);
    delay.ticks = 10;
    now = report_for(&delay, 3000, 150000, 17, now);
    now = report_for(&delay, 1900, 150000, 13, now);
    assert_int_equal(delay.ticks, 10);
    now = report_for(&delay, 2200, 150000, 13, now);
    assert_int_equal(delay.ticks, 10 - 4);
}

TEST(test_input_delay_is_bounded)
{
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
