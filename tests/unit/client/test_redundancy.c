#include "client/redundancy.h"
#include "tests/support/test.h"

#define LEAST (100 * MS)

typedef struct scene {
    ls_queue_delay line;
    ls_redundancy redundancy;
    uint64_t now_ns;
} scene;

static scene begin(void)
{
    scene self = {.now_ns = 10 * S};
    ls_queue_delay_note(&self.line, LEAST, self.now_ns);
    return self;
}

/* Sixty round trips a second; every third one is `jitter_ns` longer. */
static uint32_t pass(scene *self, uint64_t duration_ns, uint64_t rtt_ns, uint64_t jitter_ns)
{
    uint64_t until_ns = self->now_ns + duration_ns;
    for (uint32_t i = 0; self->now_ns < until_ns; self->now_ns += S / 60, i++) {
        uint64_t sample_ns = rtt_ns + (i % 3 ? jitter_ns : 0);
        ls_queue_delay_note(&self->line, sample_ns, self->now_ns);
        ls_redundancy_note(&self->redundancy, &self->line, sample_ns, self->now_ns);
    }
    return self->redundancy.withheld;
}

static void test_redundancy_is_whole_on_an_empty_line(void **state)
{
    scene self = begin();
    assert_int_equal(pass(&self, 20 * S, LEAST, 0), 0);
    assert_int_equal(pass(&self, 20 * S, LEAST + LEAST / 8, 0), 0);
}

static void test_redundancy_is_whole_with_jitter(void **state)
{
    scene self = begin();
    assert_int_equal(pass(&self, 20 * S, LEAST, 300 * MS), 0);
}

/* A little more wait withholds repeat after repeat, in rounds of a quarter of a second. */
static void test_redundancy_falls_step_by_step(void **state)
{
    scene self = begin();
    uint32_t after = pass(&self, S, LEAST + 30 * MS, 0);
    assert_in_range(after, 3, 4);
    assert_int_equal(pass(&self, 5 * S, LEAST + 30 * MS, 0), LS_WITHHELD_MAX);
    assert_int_equal(pass(&self, 5 * S, LEAST + 30 * MS, 0), LS_WITHHELD_MAX);
}

static void test_redundancy_ends_at_once_where_the_queue_is_long(void **state)
{
    scene self = begin();
    assert_int_equal(pass(&self, S / 2, LEAST + 110 * MS, 0), LS_WITHHELD_MAX);
}

/* It comes back one by one, as long as the line has room. Between the two bounds it stays. */
static void test_redundancy_comes_back_slowly(void **state)
{
    scene self = begin();
    (void)pass(&self, S / 2, 3 * LEAST, 0);
    assert_int_equal(pass(&self, 20 * S, LEAST + 20 * MS, 0), LS_WITHHELD_MAX);
    assert_int_equal(pass(&self, 4 * S, LEAST, 0), LS_WITHHELD_MAX);
    assert_int_equal(pass(&self, 2 * S, LEAST, 0), LS_WITHHELD_MAX - 1);
    assert_int_equal(pass(&self, 40 * S, LEAST, 0), 0);
}

/* A queue that is others' doing becomes the line's length. */
static void test_redundancy_comes_back_when_the_queue_stays(void **state)
{
    scene self = begin();
    (void)pass(&self, S, 3 * LEAST, 0);
    assert_int_equal(self.redundancy.withheld, LS_WITHHELD_MAX);
    assert_int_equal(pass(&self, 3 * LS_QUEUE_DELAY_PERIOD_NS, 3 * LEAST, 0), 0);
}

int main(void)
{
    return RUN_TESTS(
        test_redundancy_is_whole_on_an_empty_line, test_redundancy_is_whole_with_jitter,
        test_redundancy_falls_step_by_step, test_redundancy_ends_at_once_where_the_queue_is_long,
        test_redundancy_comes_back_slowly, test_redundancy_comes_back_when_the_queue_stays);
}
