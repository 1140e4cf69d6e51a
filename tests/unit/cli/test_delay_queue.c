#include "cli/network/delay_queue.h"

#include "test.h"
#include <lockstep/random.h>

typedef struct item {
    ls_delayed delayed;
    uint64_t number;
} item;

static void add(ls_delay_queue *queue, uint64_t due_ns, uint64_t number)
{
    item *added = ls_alloc(sizeof *added);
    added->number = number;
    ls_delay_queue_push(queue, &added->delayed, due_ns);
}

TEST(test_delay_queue_gives_back_when_due)
{
    ls_delay_queue queue = {0};
    assert_true(ls_delay_queue_next_ns(&queue) == UINT64_MAX);
    assert_null(ls_delay_queue_take(&queue, UINT64_MAX));
    add(&queue, 20, 2);
    add(&queue, 10, 1);
    assert_int_equal(ls_delay_queue_next_ns(&queue), 10);
    assert_null(ls_delay_queue_take(&queue, 9));
    item *first = (item *)ls_delay_queue_take(&queue, 10);
    assert_true(first && first->number == 1);
    ls_free(first);
    assert_null(ls_delay_queue_take(&queue, 19));
    ls_delay_queue_reset(&queue);
    assert_true(ls_delay_queue_next_ns(&queue) == UINT64_MAX);
}

/* Items come back once, by due time; equal times keep the order of insertion. */
TEST(test_delay_queue_orders)
{
    enum { COUNT = 5000, MOMENTS = 300 };
    ls_delay_queue queue = {0};
    for (uint64_t i = 0; i < COUNT; i++)
        add(&queue, ls_random_below(ls_random_draw(ls_random_root(1), i), MOMENTS), i);
    bool seen[COUNT] = {false};
    uint64_t due_ns = 0, number = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        item *next = (item *)ls_delay_queue_take(&queue, MOMENTS);
        assert_non_null(next);
        assert_true(next->delayed.due_ns >= due_ns);
        assert_true(i == 0 || next->delayed.due_ns > due_ns || next->number > number);
        assert_false(seen[next->number]);
        seen[next->number] = true;
        due_ns = next->delayed.due_ns;
        number = next->number;
        ls_free(next);
    }
    assert_null(ls_delay_queue_take(&queue, MOMENTS));
    ls_delay_queue_reset(&queue);
}
