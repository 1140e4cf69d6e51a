#include "client/root_queue.h"
#include "tests/support/test.h"

#define TIMEOUT_NS 1000

static ls_update fill(ls_root_queue *queue, uint64_t now_ns)
{
    ls_update update = {.ack = 1000, .stamp_us = (uint32_t)now_ns + 7};
    ls_root_queue_fill(queue, now_ns, TIMEOUT_NS, &update);
    return update;
}

static void add(ls_root_queue *queue, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ls_root_queue_add(queue, first + i, (first + i) * 3);
}

static void assert_roots(const ls_update *update, uint64_t first, uint32_t count, bool begin)
{
    assert_int_equal(update->root_count, count);
    assert_int_equal(update->batch_count, 0);
    if (!count)
        return;
    assert_int_equal(update->root_first, first);
    assert_int_equal(update->roots_begin, begin);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(update->roots[i], (first + i) * 3);
}
static void assert_batch(const ls_update *update, uint64_t first, uint32_t count, bool begin)
{
    uint64_t batch = first;
    for (uint32_t i = 0; i < count; i++)
        batch = ls_root_batch_add(batch, (first + i) * 3);
    assert_int_equal(update->root_first, first);
    assert_int_equal(update->root_count, 1);
    assert_int_equal(update->batch_count, count);
    assert_int_equal(update->roots_begin, begin);
    assert_true(update->roots[0] == batch);
}
#define ASSERT_SENDS_BATCH(queue, now_ns, first, count, begin)                                     \
    do {                                                                                           \
        ls_update update_ = fill(queue, now_ns);                                                   \
        assert_batch(&update_, first, count, begin);                                               \
    } while (0)
#define ASSERT_SENDS(queue, now_ns, first, count, begin)                                           \
    do {                                                                                           \
        ls_update update_ = fill(queue, now_ns);                                                   \
        assert_roots(&update_, first, count, begin);                                               \
    } while (0)

TEST(test_root_queue_sends_each_root_once)
{
    ls_root_queue queue = {0};
    add(&queue, 100, 2);
    ASSERT_SENDS(&queue, 5, 100, 2, true);
    ASSERT_SENDS(&queue, 6, 0, 0, false);
    add(&queue, 102, 1);
    ASSERT_SENDS(&queue, 7, 102, 1, false);
    ls_root_queue_acknowledge(&queue, 103, 0);
    ASSERT_SENDS(&queue, 5 + TIMEOUT_NS, 0, 0, false);
    assert_int_equal(queue.sent, 3);
}

TEST(test_root_queue_sends_what_is_overdue_from_the_oldest_on)
{
    ls_root_queue queue = {0};
    add(&queue, 100, 1);
    ASSERT_SENDS(&queue, 0, 100, 1, true);
    add(&queue, 101, 2);
    ASSERT_SENDS(&queue, TIMEOUT_NS - 1, 101, 2, false);
    add(&queue, 103, 1);
    ASSERT_SENDS(&queue, TIMEOUT_NS, 100, 4, true);
    assert_int_equal(queue.sent, 4);
    ls_root_queue_acknowledge(&queue, 102, 0);
    ASSERT_SENDS(&queue, 2 * TIMEOUT_NS, 102, 2, false);
}

TEST(test_root_queue_takes_no_acknowledgement_of_what_it_has_not_sent)
{
    ls_root_queue queue = {0};
    add(&queue, 100, 2);
    ls_root_queue_acknowledge(&queue, 101, 0);
    ls_root_queue_acknowledge(&queue, 99, 0);
    ASSERT_SENDS(&queue, 0, 100, 2, true);
    ls_root_queue_acknowledge(&queue, 103, 0);
    ls_root_queue_acknowledge(&queue, 99, 0);
    assert_int_equal(queue.count, 2);
    ls_root_queue_restart(&queue); /* a new session has acknowledged none */
    ls_root_queue_acknowledge(&queue, 102, 0);
    ASSERT_SENDS(&queue, 1, 100, 2, true);
    ls_root_queue_acknowledge(&queue, 102, 0);
    assert_int_equal(queue.acked, queue.count);
    ls_root_queue_drop(&queue);
    /* Ticks are acknowledged modulo 2^32. */
    add(&queue, UINT64_C(0x1fffffffe), 4);
    ASSERT_SENDS(&queue, 2, UINT64_C(0x1fffffffe), 4, true);
    ls_root_queue_acknowledge(&queue, 1, 0);
    assert_int_equal(queue.first + queue.acked, UINT64_C(0x200000001));
}

/* When the client catches up, each update is full. Without acknowledgements the oldest roots are
 * dropped. */
TEST(test_root_queue_is_bounded)
{
    ls_root_queue queue = {0};
    add(&queue, 0, LS_UPDATE_ROOTS_MAX - 1);
    assert_false(ls_root_queue_is_full(&queue));
    add(&queue, LS_UPDATE_ROOTS_MAX - 1, 5);
    assert_true(ls_root_queue_is_full(&queue));
    ASSERT_SENDS(&queue, 0, 0, LS_UPDATE_ROOTS_MAX, true);
    assert_false(ls_root_queue_is_full(&queue));
    ASSERT_SENDS(&queue, 0, LS_UPDATE_ROOTS_MAX, 4, false);
    add(&queue, LS_UPDATE_ROOTS_MAX + 4, LS_ROOT_QUEUE_MAX);
    assert_int_equal(queue.count, LS_ROOT_QUEUE_MAX);
    assert_int_equal(queue.unsent, LS_ROOT_QUEUE_MAX);
    ASSERT_SENDS(&queue, 0, LS_UPDATE_ROOTS_MAX + 4, LS_UPDATE_ROOTS_MAX, true);
    ls_root_queue_drop(&queue);
    ASSERT_SENDS(&queue, 0, 0, 0, false);
    add(&queue, 7, 1); /* of another world */
    ASSERT_SENDS(&queue, 0, 7, 1, true);
}

/* The server found that a batch is wrong, and needs its roots. */
TEST(test_root_queue_sends_all_when_a_batch_is_refused)
{
    ls_root_queue queue = {.is_sparse = true};
    add(&queue, 100, 10);
    ASSERT_SENDS_BATCH(&queue, 1, 100, 10, true);
    assert_false(ls_root_queue_acknowledge(&queue, 110, 8));
    add(&queue, 110, 5);
    ASSERT_SENDS_BATCH(&queue, 2, 110, 5, false);
    assert_false(
        ls_root_queue_acknowledge(&queue, 110, 8)); /* it has not received the update yet */
    assert_true(ls_root_queue_acknowledge(&queue, 110, 9));
    ASSERT_SENDS(&queue, 3, 110, 5, false);
    ls_root_queue_drop(&queue);
    ASSERT_SENDS(&queue, 4, 0, 0, false);
}

/* A spectator sends all roots that are not acknowledged as one number. */
TEST(test_root_queue_sends_batches)
{
    ls_root_queue queue = {.is_sparse = true};
    add(&queue, 100, 20);
    assert_false(ls_root_queue_is_full(&queue));
    ASSERT_SENDS_BATCH(&queue, 0, 100, 20, true);
    ASSERT_SENDS(&queue, TIMEOUT_NS - 1, 0, 0, false);
    ASSERT_SENDS_BATCH(&queue, TIMEOUT_NS, 100, 20, true); /* no acknowledgement came */
    add(&queue, 120, 1);
    ASSERT_SENDS_BATCH(&queue, TIMEOUT_NS + 1, 100, 21, true);
    assert_false(ls_root_queue_acknowledge(&queue, 121, 0));
    ASSERT_SENDS(&queue, 3 * TIMEOUT_NS, 0, 0, false);
    add(&queue, 121, 1);
    ASSERT_SENDS(&queue, 3 * TIMEOUT_NS, 121, 1, false); /* one root is no batch */
    assert_int_equal(queue.sent, 22);
}

/* The largest batch has all roots that are kept. */
TEST(test_root_queue_sends_no_batch_beyond_what_it_keeps)
{
    ls_root_queue queue = {.is_sparse = true};
    add(&queue, 100, LS_ROOT_QUEUE_MAX + 5);
    ASSERT_SENDS_BATCH(&queue, 0, 105, LS_ROOT_QUEUE_MAX, true);
}

TEST(test_root_queue_sends_all_that_it_is_asked_for)
{
    ls_root_queue queue = {.is_sparse = true};
    add(&queue, 100, 20);
    ASSERT_SENDS_BATCH(&queue, 0, 100, 20, true);
    assert_false(ls_root_queue_acknowledge(&queue, 120, 0));
    assert_false(ls_root_queue_acknowledge(&queue, 99, 0)); /* this root is no longer kept */
    assert_true(ls_root_queue_acknowledge(&queue, 105, 0));
    add(&queue, 120, 1);
    assert_true(ls_root_queue_is_full(&queue));
    ASSERT_SENDS(&queue, 1, 105, 8, false);
    ASSERT_SENDS(&queue, 1, 113, 8, false);
    add(&queue, 121, 2);
    ASSERT_SENDS(&queue, 2, 121, 2, false);
    assert_false(ls_root_queue_acknowledge(&queue, 113, 0)); /* eight were lost */
    ASSERT_SENDS(&queue, 1 + TIMEOUT_NS, 113, 8, false);
    assert_false(ls_root_queue_acknowledge(&queue, 121, 0));
    ASSERT_SENDS_BATCH(&queue, 2 + TIMEOUT_NS, 121, 2, false);
    ls_root_queue_restart(
        &queue); /* the new session does not need roots that the old one acknowledged */
    ASSERT_SENDS_BATCH(&queue, 3, 121, 2, true);
}
