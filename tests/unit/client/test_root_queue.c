#include "client/root_queue.h"
#include "tests/support/test.h"

static void test_root_queue_keeps_the_newest_roots(void **state)
{
    ls_root_queue queue = {0};
    ls_update update = {0};
    for (uint64_t tick = 100; tick < 108; tick++)
        ls_root_queue_add(&queue, tick, tick * 3);
    ls_root_queue_fill(&queue, &update);
    assert_int_equal(update.root_count, LS_UPDATE_ROOTS_MAX);
    ls_root_queue_add(&queue, 108, 108 * 3);
    ls_root_queue_fill(&queue, &update);
    for (uint64_t i = 0; i < LS_UPDATE_ROOTS_MAX; i++) {
        assert_int_equal(update.roots[i].tick, 101 + i);
        assert_int_equal(update.roots[i].root, (101 + i) * 3);
    }
    assert_int_equal(queue.sent, 9);
    ls_root_queue_drop(&queue);
    ls_root_queue_fill(&queue, &update);
    assert_int_equal(update.root_count, 0);
}

/* A client that catches up runs many ticks at once: one lost update must leave no hole. */
static void test_root_queue_of_a_burst_carries_each_root_twice(void **state)
{
    ls_root_queue queue = {0};
    uint32_t carried[64] = {0};
    for (uint64_t tick = 0; tick < LS_COUNT_OF(carried); tick++) {
        ls_update update = {0};
        ls_root_queue_add(&queue, tick, tick * 3);
        if (!ls_root_queue_is_full(&queue))
            continue;
        ls_root_queue_fill(&queue, &update);
        assert_false(ls_root_queue_is_full(&queue));
        for (uint32_t i = 0; i < update.root_count; i++)
            carried[update.roots[i].tick]++;
    }
    for (uint32_t i = 0; i + LS_UPDATE_ROOTS_MAX / 2 < LS_COUNT_OF(carried); i++)
        assert_int_equal(carried[i], 2);
}

int main(void)
{
    return RUN_TESTS(test_root_queue_keeps_the_newest_roots,
                     test_root_queue_of_a_burst_carries_each_root_twice);
}
