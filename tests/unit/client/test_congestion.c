#include "client/congestion.h"
#include "tests/support/test.h"

#define LEAST (100 * MS)
#define WAIT  (60 * MS)

typedef struct scene {
    ls_congestion congestion;
    uint64_t now_ns;
    uint32_t highest; /* level in the last pass() */
} scene;

/* Sixty round trips a second; two of three are `other_ns` instead. Returns the level. */
static uint32_t pass_mixed(scene *self, uint64_t duration_ns, uint64_t rtt_ns, uint64_t other_ns)
{
    uint64_t until_ns = self->now_ns + duration_ns;
    self->highest = 0;
    for (uint32_t i = 0; self->now_ns < until_ns; self->now_ns += S / 60, i++) {
        ls_congestion_note(&self->congestion, i % 3 ? other_ns : rtt_ns, self->now_ns);
        if (self->congestion.level > self->highest)
            self->highest = self->congestion.level;
    }
    return self->congestion.level;
}

static uint32_t pass(scene *self, uint64_t duration_ns, uint64_t rtt_ns)
{
    return pass_mixed(self, duration_ns, rtt_ns, rtt_ns);
}

static scene begin(void)
{
    scene self = {.now_ns = 10 * S};
    assert_int_equal(pass(&self, 5 * S, LEAST), 0);
    return self;
}

TEST(test_congestion_is_none_on_an_empty_line)
{
    scene self = begin();
    assert_int_equal(pass(&self, 20 * S, LEAST + LEAST / 5), 0);
    assert_int_equal(self.highest, 0);
}

TEST(test_congestion_is_none_with_jitter)
{
    scene self = begin();
    assert_int_equal(pass_mixed(&self, 20 * S, LEAST, LEAST + 300 * MS), 0);
    assert_int_equal(self.highest, 0);
}

/* An attacker's copies come before a third of the originals, for minutes. */
TEST(test_congestion_is_none_with_copies_on_a_faster_way)
{
    scene self = begin();
    assert_int_equal(pass_mixed(&self, 150 * S, LEAST / 4, LEAST), 0);
    assert_int_equal(self.highest, 0);
    assert_int_equal(pass(&self, 60 * S, LEAST), 0);
    assert_int_equal(self.highest, 0);
}

TEST(test_congestion_rises_step_by_step)
{
    scene self = begin();
    assert_in_range(pass(&self, S, LEAST + WAIT), 3, 4);
    assert_int_equal(pass(&self, S, LEAST + WAIT), LS_CONGESTION_MAX);
}

TEST(test_congestion_rises_faster_with_a_long_queue)
{
    scene self = begin();
    assert_in_range(pass(&self, S, 3 * LEAST), 6, LS_CONGESTION_MAX);
}

/* The level falls one by one, while the wait is short. */
TEST(test_congestion_falls_slowly)
{
    scene self = begin();
    (void)pass(&self, 2 * S, 3 * LEAST);
    assert_int_equal(pass(&self, S, LEAST), LS_CONGESTION_MAX);
    assert_int_equal(pass(&self, 2 * S, LEAST), LS_CONGESTION_MAX - 1);
    assert_int_equal(pass(&self, 40 * S, LEAST), 0);
}

/* A line that has no room for the lower level: each further attempt comes later. */
TEST(test_congestion_falls_later_each_time)
{
    scene self = begin();
    (void)pass(&self, S / 2, LEAST + WAIT);
    uint64_t last_ns = 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t level = self.congestion.level;
        uint64_t begin_ns = self.now_ns;
        while (pass(&self, S / 10, LEAST) == level)
            continue;
        uint64_t calm_ns = self.now_ns - begin_ns;
        assert_true(calm_ns > last_ns * 3 / 2);
        last_ns = calm_ns;
        while (pass(&self, S / 10, LEAST + WAIT) < level)
            continue;
    }
}

/* A line with room for level 4 and none for level 3: most of the time the level is 4, and it is
 * tried ever more rarely to go below. */
TEST(test_congestion_stays_at_the_lowest_level_with_room)
{
    scene self = begin();
    uint32_t tried = 0, stayed = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        bool had_room = self.congestion.level >= 4, is_late = i >= 1500;
        (void)pass(&self, S / 10, had_room ? LEAST : 3 * LEAST);
        tried += is_late && had_room && self.congestion.level < 4;
        stayed += is_late && self.congestion.level == 4;
    }
    assert_in_range(tried, 1, 3);
    assert_true(stayed >= 1200);
}

/* No level shortens the wait, so it is the line. The level is 0 again after a few seconds. */
TEST(test_congestion_ends_on_a_longer_route)
{
    scene self = begin();
    assert_int_equal(pass(&self, 8 * S, LEAST + WAIT), 0);
    assert_int_equal(self.highest, LS_CONGESTION_MAX);
    assert_int_equal(pass(&self, 100 * S, LEAST + WAIT), 0);
    assert_int_equal(self.highest, 0);
}

/* An attacker who makes the line seem longer and shorter again gains less each time. */
TEST(test_congestion_trials_become_rare)
{
    scene self = begin();
    uint64_t raised_ns = 0, begin_ns = self.now_ns;
    for (uint32_t i = 0; i < 120; i++)
        for (uint32_t k = 0; k < 50; k++)
            raised_ns += pass(&self, S / 10, i % 2 ? LEAST + WAIT : LEAST) ? S / 10 : 0;
    assert_true(self.now_ns - begin_ns >= 600 * S);
    assert_true(raised_ns < 60 * S);
}

/* The level that falls after a failed trial stays where the wait grows again. */
TEST(test_congestion_that_fails_falls_no_further_than_it_may)
{
    scene self = begin();
    (void)pass(&self, 4 * S, LEAST + WAIT);
    while (self.congestion.level > 4)
        (void)pass(&self, S / 10, LEAST + WAIT);
    assert_in_range(pass(&self, S, LEAST + 3 * WAIT), 5, LS_CONGESTION_MAX);
}

/* At rest after a failed trial, a round trip that doubles shows that the level does matter. */
TEST(test_congestion_rests_only_while_the_line_does)
{
    scene self = begin();
    assert_int_equal(pass(&self, 8 * S, LEAST + WAIT), 0);
    assert_int_equal(pass(&self, S, 2 * (LEAST + WAIT)), 0);
    assert_int_not_equal(pass(&self, S, 3 * (LEAST + WAIT)), 0);
}

/* The highest level has halved the wait: it is needed, however long the rest stays. */
TEST(test_congestion_stays_where_it_helps)
{
    scene self = begin();
    (void)pass(&self, 3 * S, 5 * LEAST);
    assert_int_equal(pass(&self, 20 * S, LEAST + WAIT), LS_CONGESTION_MAX);
}

/* While a queue empties, the samples of a round differ as with jitter. The rest of the wait does
 * not prove then that the highest level fails. */
TEST(test_congestion_remembers_a_queue_that_empties)
{
    scene self = begin();
    (void)pass(&self, 3 * S, 7 * LEAST);
    for (uint64_t rtt_ns = 7 * LEAST; rtt_ns > LEAST + WAIT; rtt_ns -= 8 * MS)
        (void)pass(&self, S / 60, rtt_ns);
    assert_int_equal(pass(&self, 20 * S, LEAST + WAIT), LS_CONGESTION_MAX);
}

/* A longer queue takes longer to empty, so its trial is longer. */
TEST(test_congestion_tries_longer_where_the_queue_is)
{
    scene self = begin();
    (void)pass(&self, S, 5 * LEAST);
    assert_int_equal(pass(&self, 6 * S, 5 * LEAST), LS_CONGESTION_MAX);
    assert_int_equal(pass(&self, 12 * S, 5 * LEAST), 0);
}

static void lose(scene *self, uint32_t percent)
{
    static uint64_t next;
    for (uint32_t i = 0; i < 100; i++, next++)
        if (i % 5 >= percent / 20)
            ls_congestion_note_packet(&self->congestion, next + 1, self->now_ns);
}

/* The round trip of a queue that was full from the start tells nothing; what it drops does. */
TEST(test_congestion_rises_with_the_loss_of_a_full_queue)
{
    scene self = begin();
    lose(&self, 20);
    assert_int_equal(pass(&self, 2 * S, LEAST), 0);
    for (uint32_t level = 2; level <= 6; level += 2) {
        lose(&self, 60);
        assert_int_equal(pass(&self, S, LEAST), level);
    }
    lose(&self, 60);
    assert_int_equal(pass(&self, S, LEAST), LS_CONGESTION_MAX);
    assert_int_equal(pass(&self, 20 * S, LEAST), 0);
}

/* The loss of a line whose round trip was long tells nothing about the line that is short now. */
TEST(test_congestion_forgets_the_loss_of_a_longer_line)
{
    scene self = {.now_ns = 10 * S};
    assert_int_equal(pass(&self, 5 * S + S / 2, 5 * LEAST), 0);
    lose(&self, 60);
    assert_int_equal(pass(&self, 5 * S, LEAST), 0);
    assert_int_equal(self.highest, 0);
}

/* Others fill the queue, so the highest level does not shorten the wait. The loss tells that the
 * queue is full: a client that gave up would take from the others what they left. */
TEST(test_congestion_does_not_give_up_in_a_full_queue)
{
    scene self = begin();
    (void)pass(&self, S, 5 * LEAST);
    for (uint32_t i = 0; i < 20; i++) {
        lose(&self, 20);
        (void)pass(&self, S, 5 * LEAST);
    }
    assert_int_equal(self.congestion.level, LS_CONGESTION_MAX);
    for (uint32_t i = 0; i < 20; i++) {
        lose(&self, 0);
        (void)pass(&self, S, 5 * LEAST);
    }
    assert_int_equal(self.congestion.level, 0);
}

/* Few packets come at the highest level, and still less of a full queue. */
TEST(test_congestion_counts_the_loss_of_few_packets)
{
    scene self = begin();
    (void)pass(&self, S, 5 * LEAST);
    uint64_t next = 1000000;
    ls_congestion_note_packet(&self.congestion, next, self.now_ns); /* an outage: it ends here */
    assert_int_equal(self.congestion.loss_permille, 1000);
    for (uint32_t i = 0; i < 8; i++) {
        (void)pass(&self, S / 2, 5 * LEAST);
        next += 4;
        ls_congestion_note_packet(&self.congestion, next, self.now_ns);
    }
    assert_in_range(self.congestion.loss_permille, 700, 800);
    assert_int_equal(self.congestion.level, LS_CONGESTION_MAX);
}

/* A loss that no line has raises the level also while it rests. */
TEST(test_congestion_rises_with_loss_at_rest)
{
    scene self = begin();
    assert_int_equal(pass(&self, 8 * S, LEAST + WAIT), 0);
    lose(&self, 60);
    assert_int_equal(pass(&self, S, LEAST + WAIT), 2);
}

/* The queue was full when the session began. Its first round trip tells, or one that is too long.
 */
TEST(test_congestion_begins_in_the_queue_of_others)
{
    scene self = {.now_ns = 10 * S};
    ls_congestion_init(&self.congestion);
    ls_congestion_note_base(&self.congestion, LEAST, self.now_ns);
    assert_int_equal(self.congestion.level, LS_CONGESTION_START);
    assert_in_range(pass(&self, 2 * S, 5 * LEAST), LS_CONGESTION_START + 1, LS_CONGESTION_MAX);
    ls_congestion_init(&self.congestion);
    ls_congestion_note_base(&self.congestion, LS_CONGESTION_LONG_NS, self.now_ns);
    assert_int_equal(self.congestion.level, LS_CONGESTION_START); /* a line around the world */
    ls_congestion_init(&self.congestion);
    ls_congestion_note_base(&self.congestion, 5 * LEAST, self.now_ns);
    assert_int_equal(self.congestion.level, LS_CONGESTION_MAX);
    assert_in_range(pass(&self, 2 * S, 5 * LEAST), LS_CONGESTION_START, LS_CONGESTION_START + 1);
    assert_int_equal(pass(&self, 4 * S, 5 * LEAST), 0); /* a long line */
    ls_congestion_init(&self.congestion);
    ls_congestion_note_base(&self.congestion, 5 * LEAST, self.now_ns);
    (void)pass(&self, S / 2, 5 * LEAST);
    uint32_t level = self.congestion.level;
    assert_in_range(pass(&self, 2 * S, LEAST), level - 2,
                    level - 1); /* a queue that is empty now */
}

/* A round trip that is measured as 0 is not a length of a line, and no wait either. */
TEST(test_congestion_is_none_without_a_round_trip)
{
    scene self = {.now_ns = 10 * S};
    ls_congestion_init(&self.congestion);
    ls_congestion_note_base(&self.congestion, MS, self.now_ns);
    assert_int_equal(pass(&self, 2 * S, 0), 0);
}

/* One outage is none of the line's congestion; one after the other is the full queue of others. */
TEST(test_congestion_rises_when_hardly_any_packet_arrives)
{
    scene self = begin();
    assert_int_equal(pass(&self, 2 * S, LEAST), 0);
    uint64_t next = 1000;
    for (uint32_t level = 0; level <= 6; level += 2, next += 100, self.now_ns += S) {
        ls_congestion_note_packet(&self.congestion, next, self.now_ns);
        assert_int_equal(self.congestion.level, level);
    }
    self.now_ns += 10 * S;
    uint32_t level = self.congestion.level;
    ls_congestion_note_packet(&self.congestion, next + 100, self.now_ns);
    assert_int_equal(self.congestion.level, level);
}

/* The level of a new session falls with each round until there is a sign. */
TEST(test_congestion_begins_with_few_repeats)
{
    scene self = {.now_ns = 10 * S};
    ls_congestion_init(&self.congestion);
    assert_int_equal(self.congestion.level, LS_CONGESTION_START);
    assert_int_equal(pass(&self, S + S / 2, LEAST), 0);
    ls_congestion_init(&self.congestion);
    assert_in_range(pass(&self, S / 4, LEAST), 1, LS_CONGESTION_START);
    assert_in_range(pass(&self, S, LEAST + WAIT), LS_CONGESTION_START, LS_CONGESTION_MAX);
}
