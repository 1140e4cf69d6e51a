#include "cli/network/delay_queue.h"

#include "test.h"
#include <lockstep/random.h>

static ls_delayed *add(ls_delay_queue *queue, uint64_t due_ns, uint64_t to, const char *text)
{
    ls_delayed head = {.due_ns = due_ns, .to = to, .bytes = (uint32_t)strlen(text)};
    ls_delayed *added = NULL;
    assert_ok(ls_delay_queue_add(queue, &head, (const uint8_t *)text, &added));
    return added;
}

static void test_delay_queue_gives_back_when_due(void **state)
{
    ls_delay_queue queue;
    ls_delay_queue_init(&queue);
    assert_true(ls_delay_queue_next_ns(&queue) == UINT64_MAX);
    assert_null(ls_delay_queue_take(&queue, UINT64_MAX));
    add(&queue, 20, 2, "later");
    add(&queue, 10, 1, "");
    assert_int_equal(ls_delay_queue_next_ns(&queue), 10);
    assert_null(ls_delay_queue_take(&queue, 9));
    ls_delayed *packet = ls_delay_queue_take(&queue, 10);
    assert_true(packet && packet->to == 1 && packet->bytes == 0);
    ls_free(packet);
    assert_null(ls_delay_queue_take(&queue, 19));
    packet = ls_delay_queue_take(&queue, 25);
    assert_true(packet && packet->to == 2 && packet->bytes == 5);
    assert_memory_equal(packet->data, "later", 5);
    ls_free(packet);
    assert_int_equal(queue.bytes, 0);
    ls_delay_queue_reset(&queue);
}

/* Entries come back once, by due time; equal times keep the order of insertion. */
static void test_delay_queue_orders(void **state)
{
    enum { COUNT = 5000, MOMENTS = 300 };
    ls_delay_queue queue;
    ls_delay_queue_init(&queue);
    for (uint64_t i = 0; i < COUNT; i++)
        add(&queue, ls_random_below(ls_random_draw(ls_random_root(1), i), MOMENTS), i, "x");
    bool seen[COUNT] = {false};
    uint64_t due_ns = 0, to = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        ls_delayed *packet = ls_delay_queue_take(&queue, MOMENTS);
        assert_non_null(packet);
        assert_true(packet->due_ns >= due_ns);
        assert_true(i == 0 || packet->due_ns > due_ns || packet->to > to);
        assert_false(seen[packet->to]);
        seen[packet->to] = true;
        due_ns = packet->due_ns;
        to = packet->to;
        ls_free(packet);
    }
    assert_null(ls_delay_queue_take(&queue, MOMENTS));
    ls_delay_queue_reset(&queue);
}

static void test_delay_queue_is_bounded(void **state)
{
    ls_delay_queue queue;
    ls_delay_queue_init(&queue);
    for (uint32_t i = 0; i < LS_DELAY_QUEUE_PACKETS_MAX; i++)
        add(&queue, i, i, "");
    ls_delayed head = {.due_ns = 0, .bytes = 1}, *added = NULL;
    assert_int_equal(ls_delay_queue_add(&queue, &head, (const uint8_t *)"x", &added),
                     LS_ERROR_LIMIT);
    assert_null(added);
    assert_int_equal(queue.count, LS_DELAY_QUEUE_PACKETS_MAX);
    ls_free(ls_delay_queue_take(&queue, 0));
    add(&queue, 0, 0, "x");
    ls_delay_queue_reset(&queue);
}

static void test_delay_queue_bounds_bytes(void **state)
{
    enum { LARGE = 65535, FIT = LS_DELAY_QUEUE_BYTES_MAX / LARGE };
    static uint8_t data[LARGE];
    ls_delay_queue queue;
    ls_delay_queue_init(&queue);
    ls_delayed head = {.bytes = LARGE}, *added = NULL;
    for (uint32_t i = 0; i < FIT; i++)
        assert_ok(ls_delay_queue_add(&queue, &head, data, &added));
    assert_int_equal(ls_delay_queue_add(&queue, &head, data, &added), LS_ERROR_LIMIT);
    ls_delay_queue_reset(&queue);
}

int main(void)
{
    return RUN_TESTS(test_delay_queue_gives_back_when_due, test_delay_queue_orders,
                     test_delay_queue_is_bounded, test_delay_queue_bounds_bytes);
}
