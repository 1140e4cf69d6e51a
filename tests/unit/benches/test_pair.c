/* Two threads process each element once, whether the helper is awake or asleep. */
#include "benches/pair.h"

#include "tests/unit/core/harness.h"

#include <unistd.h>

enum { COUNT_MAX = 1000, CALLS = 3000, CALLS_AFTER_SLEEP = 20, SLEEP_US = 2000 };

static uint8_t done[COUNT_MAX];

static void work(void *data, uint32_t first, uint32_t end)
{
    uint8_t *elements = data;
    for (uint32_t i = first; i < end; i++)
        elements[i]++;
}

static void split(uint32_t threads, uint32_t count)
{
    memset(done, 0, sizeof done);
    bench_split(threads, work, done, count);
    for (uint32_t i = 0; i < COUNT_MAX; i++)
        assert_int_equal(done[i], i < count);
}

TEST(test_pair_does_each_element_once)
{
    for (uint32_t call = 0; call < CALLS; call++)
        split(1 + call % 2, call % COUNT_MAX);
}

TEST(test_pair_wakes_the_helper)
{
    for (uint32_t call = 0; call < CALLS_AFTER_SLEEP; call++) {
        usleep(SLEEP_US); /* longer than the helper spins; otherwise this tests less */
        split(2, COUNT_MAX);
    }
}
