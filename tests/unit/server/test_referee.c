#include "proto/root_batch.h"
#include "server/referee.h"
#include "tests/support/test.h"

typedef struct fixture {
    ls_referee referee;
    ls_referee_case client;
    uint64_t closed;
} fixture;

static void begin(fixture *f, uint64_t count, uint64_t closed)
{
    *f = (fixture){.closed = closed};
    ls_referee_init(&f->referee, 0);
    for (uint64_t i = 0; i < count; i++)
        ls_referee_push(&f->referee, 1000 + i);
}

static ls_report hear(fixture *f, uint64_t tick, uint64_t root, uint64_t now_ns)
{
    return ls_referee_report(&f->referee, &f->client, (ls_referee_held){tick, root}, f->closed,
                             now_ns);
}

/* Reports the roots of `count` ticks as a batch; that of tick `wrong` differs. */
static ls_report hear_batch(fixture *f, uint64_t first, uint32_t count, uint64_t wrong,
                            uint64_t now_ns)
{
    ls_referee_held report = {.tick = first, .root = first, .more = count - 1};
    for (uint64_t tick = first; tick < first + count; tick++)
        report.root = ls_root_batch_add(report.root, 1000 + tick + (tick == wrong));
    return ls_referee_report(&f->referee, &f->client, report, f->closed, now_ns);
}

TEST(test_referee_counts_right_roots_once)
{
    fixture f;
    begin(&f, 10, 9);
    for (uint32_t round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 10; i++)
            assert_int_equal(hear(&f, i, 1000 + i, 0), LS_REPORT_RIGHT);
    assert_int_equal(f.client.right_count, 10);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 1000 * MS));
}

/* Closes `count` ticks in the server's world, with a message of the client after each. Returns how
 * often ls_referee_is_mute() was true. */
static uint32_t close_ticks(fixture *f, uint64_t count)
{
    uint32_t times = 0;
    for (uint64_t i = 0; i < count; i++) {
        ls_referee_push(&f->referee, 1000 + f->referee.next);
        f->closed++;
        times += ls_referee_is_mute(&f->referee, &f->client, 100, 10);
    }
    return times;
}

TEST(test_referee_misses_roots_that_stop)
{
    fixture f;
    begin(&f, 500, 499);
    hear(&f, 499, 1499, 0);
    assert_false(ls_referee_is_mute(&f.referee, &f.client, 100, 10));
    assert_int_equal(close_ticks(&f, 99), 0);
    hear(&f, 499, 1499, 0); /* a repeated report does not count */
    assert_int_equal(close_ticks(&f, 1), 1);
    assert_int_equal(close_ticks(&f, 99), 0);
    f.closed++; /* a report of a closed tick that is not yet simulated counts */
    assert_int_equal(hear(&f, f.closed, 1000 + f.closed, 0), LS_REPORT_HELD);
    assert_int_equal(close_ticks(&f, 1), 0);
}

/* Ticks without a message of the client are not missed roots, so at most ten count per message. */
TEST(test_referee_misses_nothing_in_silence)
{
    fixture f;
    begin(&f, 10, 9);
    hear(&f, 9, 1009, 0);
    assert_false(ls_referee_is_mute(&f.referee, &f.client, 100, 10));
    for (uint32_t i = 0; i < 9; i++) {
        for (uint32_t k = 0; k < 300; k++)
            ls_referee_push(&f.referee, 1000 + f.referee.next);
        assert_false(ls_referee_is_mute(&f.referee, &f.client, 100, 10));
    }
    assert_int_equal(f.client.missed, 90);
}

TEST(test_referee_ignores_unknown_ticks)
{
    fixture f;
    begin(&f, 2 * LS_SERVER_ROOTS, 2 * LS_SERVER_ROOTS - 1);
    assert_int_equal(hear(&f, 2 * LS_SERVER_ROOTS, 1, 0), LS_REPORT_REFUSED);
    assert_int_equal(hear(&f, UINT64_MAX, 1, 0), LS_REPORT_REFUSED);
    assert_int_equal(hear(&f, LS_SERVER_ROOTS - 1, 1, 0), LS_REPORT_IGNORED);
    assert_int_equal(hear(&f, LS_SERVER_ROOTS, 1, 0), LS_REPORT_WRONG);
}

/* A resumed match has no earlier roots. */
TEST(test_referee_knows_nothing_before_its_first)
{
    fixture f = {.closed = 505};
    ls_referee_init(&f.referee, 500);
    for (uint64_t tick = 500; tick < 505; tick++)
        ls_referee_push(&f.referee, 1000 + tick);
    assert_int_equal(hear(&f, 499, 1, 0), LS_REPORT_IGNORED);
    assert_int_equal(hear(&f, 500, 1500, 0), LS_REPORT_RIGHT);
    assert_false(f.client.is_suspect);
}

TEST(test_referee_decides_at_once_when_the_tick_before_was_right)
{
    fixture f;
    begin(&f, 10, 9);
    hear(&f, 4, 1004, 0);
    hear(&f, 5, 77, 0);
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
    assert_int_equal(f.client.tick, 5);
    assert_int_equal(ls_referee_unreported_from(&f.client), 5);
    assert_int_equal(f.client.expected, 1005);
    assert_int_equal(f.client.found, 77);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 1000 * MS));
    assert_int_equal(hear(&f, 4, 1, 0), LS_REPORT_IGNORED);
}

TEST(test_referee_waits_for_earlier_reports)
{
    fixture f;
    begin(&f, 10, 9);
    hear(&f, 1, 1001, 0);
    hear(&f, 8, 88, 10 * MS);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 10 * MS));
    hear(&f, 5, 55, 20 * MS);
    hear(&f, 7, 77, 30 * MS);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 30 * MS));
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS,
                                  10 * MS + LS_SERVER_DESYNC_GRACE_NS));
    assert_int_equal(f.client.tick, 5);
    assert_int_equal(ls_referee_unreported_from(&f.client), 2);
    assert_int_equal(f.client.found, 55);
}

TEST(test_referee_compares_batches)
{
    fixture f;
    begin(&f, 20, 25);
    assert_int_equal(hear_batch(&f, 3, 10, UINT64_MAX, 0), LS_REPORT_RIGHT);
    assert_int_equal(f.client.right_count, 10);
    assert_int_equal(hear_batch(&f, 3, 12, UINT64_MAX, 0), LS_REPORT_RIGHT); /* overlaps */
    assert_int_equal(f.client.right_count, 12);
    /* Its last root is not known yet. */
    assert_int_equal(hear_batch(&f, 15, 6, UINT64_MAX, 0), LS_REPORT_HELD);
    assert_int_equal(hear_batch(&f, 15, 12, UINT64_MAX, 0), LS_REPORT_REFUSED);
    assert_false(ls_referee_check_held(&f.referee, &f.client, 20, 0));
    ls_referee_push(&f.referee, 1020);
    assert_true(ls_referee_check_held(&f.referee, &f.client, 20, 0));
    assert_int_equal(f.client.right_next, 21);
    assert_int_equal(f.client.right_count, 18);
    begin(&f, 2 * LS_SERVER_ROOTS, 2 * LS_SERVER_ROOTS);
    assert_int_equal(hear_batch(&f, LS_SERVER_ROOTS - 1, 9, LS_SERVER_ROOTS, 0),
                     LS_REPORT_REFUSED); /* the first root is no longer known */
    assert_int_equal(hear_batch(&f, LS_SERVER_ROOTS - 9, 9, LS_SERVER_ROOTS, 0),
                     LS_REPORT_IGNORED); /* none is */
    assert_int_equal(hear_batch(&f, LS_SERVER_ROOTS, 9, LS_SERVER_ROOTS, 0), LS_REPORT_WRONG);
}

/* A wrong batch names its last tick until the roots of it name the first wrong one. */
TEST(test_referee_finds_the_first_wrong_root_of_a_batch)
{
    fixture f;
    begin(&f, 20, 19);
    hear_batch(&f, 0, 5, UINT64_MAX, 0);
    assert_int_equal(hear_batch(&f, 5, 10, 9, 10 * MS), LS_REPORT_WRONG);
    assert_int_equal(f.client.tick, 14);
    assert_int_equal(ls_referee_unreported_from(&f.client), 5);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 10 * MS));
    assert_int_equal(hear_batch(&f, 5, 15, 9, 11 * MS), LS_REPORT_WRONG); /* of later ticks too */
    assert_int_equal(f.client.tick, 14);
    for (uint64_t tick = 5; tick < 9; tick++)
        hear(&f, tick, 1000 + tick, 20 * MS);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 20 * MS));
    hear(&f, 9, 99, 20 * MS);
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 20 * MS));
    assert_int_equal(f.client.tick, 9);
    assert_int_equal(f.client.found, 99);
    assert_int_equal(f.client.expected, 1009);
}

/* The root before the last one of a wrong batch is right; one before that is still missing. */
TEST(test_referee_waits_for_the_roots_of_a_batch)
{
    fixture f;
    begin(&f, 20, 19);
    hear_batch(&f, 5, 10, 7, 0);
    for (uint64_t tick = 8; tick < 15; tick++)
        hear(&f, tick, 1000 + tick, 0);
    hear(&f, 5, 1005, 0);
    hear(&f, 6, 1006, 0);
    assert_int_equal(ls_referee_unreported_from(&f.client), 7);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
    hear(&f, 7, 77, 0);
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
    assert_int_equal(f.client.tick, 7);
}

/* The root of the last tick of a wrong batch replaces the number of the batch; without any root the
 * verdict is about the batch. */
TEST(test_referee_judges_the_last_root_of_a_batch)
{
    for (uint32_t has_root = 0; has_root < 2; has_root++) {
        fixture f;
        begin(&f, 20, 19);
        hear_batch(&f, 5, 10, 14, 0);
        if (has_root)
            hear(&f, 14, 77, 0);
        assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
        assert_true(
            ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, LS_SERVER_DESYNC_GRACE_NS));
        assert_int_equal(f.client.tick, 14);
        assert_int_equal(f.client.found == 77, has_root);
        assert_int_equal(f.client.expected == 1014, has_root);
    }
}

/* A world that differed may equal the server's again: a right root of a later tick says nothing
 * about those that are missing before a wrong one. */
TEST(test_referee_misses_earlier_reports_despite_a_later_right_one)
{
    fixture f;
    begin(&f, 20, 19);
    hear(&f, 0, 1000, 0);
    hear(&f, 9, 99, 10 * MS);
    hear(&f, 11, 1011, 20 * MS);
    hear(&f, 12, 1012, 30 * MS);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 30 * MS));
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS,
                                  10 * MS + LS_SERVER_DESYNC_GRACE_NS));
    assert_int_equal(f.client.tick, 9);
    assert_int_equal(ls_referee_unreported_from(&f.client), 1);
}

TEST(test_referee_knows_the_tick_before_despite_a_later_right_one)
{
    fixture f;
    begin(&f, LS_SERVER_ROOTS + 500, LS_SERVER_ROOTS + 499);
    for (uint64_t tick = 500; tick < 600; tick++)
        hear(&f, tick, 1000 + tick, 0);
    hear(&f, LS_SERVER_ROOTS + 499, LS_SERVER_ROOTS + 1499, 0);
    hear(&f, 700, 77, 0);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
    assert_int_equal(ls_referee_unreported_from(&f.client), 600);
    hear(&f, 699, 1699, 0); /* overtaken */
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
    assert_int_equal(ls_referee_unreported_from(&f.client), 700);
}

/* Each tick uses the bit of the tick LS_SERVER_ROOTS before it. */
static void check_skipped_ticks(uint64_t skipped)
{
    fixture f;
    begin(&f, LS_SERVER_ROOTS, LS_SERVER_ROOTS - 1);
    for (uint64_t tick = 0; tick < LS_SERVER_ROOTS; tick++)
        hear(&f, tick, 1000 + tick, 0);
    close_ticks(&f, skipped + 1);
    uint64_t last = f.referee.next - 1;
    hear(&f, last, 1000 + last, 0);
    hear(&f, last - 1, 77, 0);
    bool is_kept = skipped < LS_SERVER_ROOTS;
    uint64_t oldest = last + 1 - LS_SERVER_ROOTS;
    assert_int_equal(ls_referee_unreported_from(&f.client), is_kept ? LS_SERVER_ROOTS : oldest);
}

TEST(test_referee_forgets_right_roots_that_are_too_old)
{
    check_skipped_ticks(2);
    check_skipped_ticks(700);
    check_skipped_ticks(LS_SERVER_ROOTS - 1);
    check_skipped_ticks(3 * LS_SERVER_ROOTS);
}

/* When the simulation lags behind the closed ticks, reports wait for the server's root. */
TEST(test_referee_holds_reports_of_ticks_to_come)
{
    fixture f;
    begin(&f, 5, 20);
    assert_int_equal(hear(&f, 5, 1005, 0), LS_REPORT_HELD);
    assert_int_equal(hear(&f, 5, 1005, 0), LS_REPORT_HELD); /* a repeated report is held once */
    assert_int_equal(hear(&f, 6, 77, 0), LS_REPORT_HELD);
    assert_int_equal(hear(&f, 20, 1020, 0), LS_REPORT_HELD);
    assert_int_equal(hear(&f, 21, 1021, 0), LS_REPORT_REFUSED); /* never closed */
    assert_int_equal(f.client.held_count, 3);
    assert_false(ls_referee_check_held(&f.referee, &f.client, 0, 0));
    assert_int_equal(f.client.held_count, 3);
    ls_referee_push(&f.referee, 1005);
    assert_true(ls_referee_check_held(&f.referee, &f.client, 5, 0));
    assert_int_equal(f.client.right_count, 1);
    assert_int_equal(f.client.held_count, 2);
    assert_false(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
    ls_referee_push(&f.referee, 1006);
    assert_false(ls_referee_check_held(&f.referee, &f.client, 0, 5));
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 5));
    assert_int_equal(f.client.tick, 6);
    assert_int_equal(f.client.held_count, 1);
}

TEST(test_referee_right_root_of_long_ago_is_not_near)
{
    fixture f;
    begin(&f, 5, 20);
    assert_int_equal(hear(&f, 5, 1005, 0), LS_REPORT_HELD);
    ls_referee_push(&f.referee, 1005);
    assert_false(ls_referee_check_held(&f.referee, &f.client, 6, 0));
    assert_int_equal(f.client.right_count, 1);
}

TEST(test_referee_holds_no_more_than_its_limit)
{
    fixture f;
    begin(&f, 1, 1000);
    for (uint64_t i = 0; i < LS_SERVER_REPORTS_HELD; i++)
        assert_int_equal(hear(&f, 10 + i, 1, 0), LS_REPORT_HELD);
    assert_int_equal(hear(&f, 500, 1, 0), LS_REPORT_REFUSED);
    assert_int_equal(hear(&f, 10, 1, 0), LS_REPORT_HELD);
    assert_int_equal(f.client.held_count, LS_SERVER_REPORTS_HELD);
}

/* After a resync, reports about the discarded world do not count. */
TEST(test_referee_forgets_the_world_before_a_reload)
{
    fixture f;
    begin(&f, 30, 29);
    f.client.reload_from = 20;
    assert_int_equal(hear(&f, 19, 7, 0), LS_REPORT_IGNORED);
    assert_int_equal(hear(&f, 20, 1020, 0), LS_REPORT_RIGHT);
    f.client.was_reloaded = true;
    assert_int_equal(hear(&f, 20, 7, 0), LS_REPORT_IGNORED);
    assert_int_equal(hear(&f, 21, 7, 0), LS_REPORT_WRONG);
    assert_true(ls_referee_decide(&f.client, LS_SERVER_DESYNC_GRACE_NS, 0));
}
