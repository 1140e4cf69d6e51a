#include "client/order_queue.h"
#include "tests/support/test.h"

TEST(test_order_queue_numbers_and_repeats_inputs)
{
    ls_order_queue queue = {0};
    ls_update update = {0};
    for (uint8_t i = 1; i <= 20; i++)
        assert_true(ls_order_queue_submit(&queue, 0, &i, 1));
    ls_order_queue_fill(&queue, &update);
    assert_int_equal(update.input_count, LS_UPDATE_INPUTS_MAX);
    assert_int_equal(update.inputs[0].sequence, 1);
    assert_int_equal(update.inputs[0].data[0], 1);
    assert_true(ls_order_queue_acknowledge(&queue, 5));
    assert_true(ls_order_queue_acknowledge(&queue, 3));
    ls_order_queue_fill(&queue, &update);
    assert_int_equal(update.inputs[0].sequence, 6);
    assert_int_equal(update.inputs[7].data[0], 13);
    assert_true(ls_order_queue_acknowledge(&queue, 20));
    ls_order_queue_fill(&queue, &update);
    assert_int_equal(update.input_count, 0);
}

TEST(test_order_queue_sends_the_tick_of_each_order)
{
    ls_order_queue queue = {0};
    ls_update update = {0};
    uint8_t data = 9;
    for (uint64_t wish = 0; wish < 3; wish++)
        assert_true(ls_order_queue_submit(&queue, wish * 100, &data, 1));
    ls_order_queue_fill(&queue, &update);
    assert_int_equal(update.inputs[0].tick, 0);
    assert_int_equal(update.inputs[1].tick, 100);
    assert_int_equal(update.inputs[2].tick, 200);
}

TEST(test_order_queue_is_bounded)
{
    ls_order_queue queue = {0};
    uint8_t data[LS_INPUT_BYTES_MAX] = {0};
    for (uint32_t i = 0; i < LS_CLIENT_INPUT_QUEUE; i++)
        assert_true(ls_order_queue_submit(&queue, 0, data, sizeof data));
    assert_false(ls_order_queue_submit(&queue, 0, data, 1));
    assert_true(ls_order_queue_acknowledge(&queue, 1));
    assert_true(ls_order_queue_submit(&queue, 0, data, 1));
    ls_update update = {0};
    ls_plain plain;
    ls_order_queue_fill(&queue, &update);
    assert_in_range(update.input_count, 1, LS_UPDATE_INPUTS_MAX - 1);
    assert_true(ls_update_encode(&update, &plain));
}

TEST(test_order_queue_refuses_an_ack_of_nothing)
{
    ls_order_queue queue = {0};
    uint8_t data = 1;
    assert_true(ls_order_queue_submit(&queue, 0, &data, 1));
    assert_false(ls_order_queue_acknowledge(&queue, 2));
    assert_false(ls_order_queue_acknowledge(&queue, UINT32_MAX));
    assert_int_equal(queue.acked, 0);
}

static void submit(ls_order_queue *queue, uint8_t value)
{
    assert_true(ls_order_queue_submit(queue, 0, &value, 1));
}

static void land(ls_order_queue *queue, uint8_t value)
{
    ls_order_queue_note_executed(queue, &(ls_input){.kind = LS_INPUT, .bytes = 1, .data = &value});
}

/* The orders in the next update, as text: "1:a 2:b". */
static const char *offered(ls_order_queue *queue)
{
    static char text[128];
    ls_update update = {0};
    size_t bytes = 0;
    text[0] = 0;
    ls_order_queue_fill(queue, &update);
    for (uint32_t i = 0; i < update.input_count; i++)
        bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "%s%u:%c", i ? " " : "",
                                  update.inputs[i].sequence, update.inputs[i].data[0]);
    return text;
}

TEST(test_order_queue_resends_orders_that_did_not_land)
{
    ls_order_queue queue = {0};
    for (uint8_t value = 'a'; value <= 'e'; value++)
        submit(&queue, value);
    assert_true(ls_order_queue_acknowledge(&queue, 3));
    land(&queue, 'a');
    ls_order_queue_pause(&queue);
    ls_order_queue_pause(&queue);
    assert_string_equal(offered(&queue), "");
    assert_false(ls_order_queue_acknowledge(&queue, 1)); /* none was sent in this session */
    assert_true(ls_order_queue_acknowledge(&queue, 0));
    land(&queue, 'b');
    submit(&queue, 'f');
    ls_order_queue_resume(&queue);
    /* c was acknowledged, but its session ended before it landed. */
    assert_string_equal(offered(&queue), "1:c 2:d 3:e 4:f");
    assert_true(ls_order_queue_acknowledge(&queue, 2));
    ls_order_queue_resume(&queue);
    assert_string_equal(offered(&queue), "3:e 4:f");
    assert_int_equal(queue.lost, 0);
}

/* Equal orders are matched by position. */
TEST(test_order_queue_counts_alike_orders)
{
    ls_order_queue queue = {0};
    for (uint32_t i = 0; i < 4; i++)
        submit(&queue, 'x');
    land(&queue, 'x');
    land(&queue, 'y'); /* another player's order */
    land(&queue, 'x');
    ls_order_queue_pause(&queue);
    ls_order_queue_resume(&queue);
    assert_string_equal(offered(&queue), "1:x 2:x");
}

/* After skipped frames, an order that may have landed in them is not sent in another session. */
TEST(test_order_queue_gives_up_orders_of_skipped_frames)
{
    ls_order_queue queue = {0};
    submit(&queue, 'a');
    submit(&queue, 'b');
    ls_order_queue_skip(&queue, UINT64_MAX);
    assert_string_equal(offered(&queue),
                        "1:a 2:b"); /* within one session the server recognises them by number */
    assert_true(ls_order_queue_acknowledge(&queue, 1));
    submit(&queue, 'c');
    ls_order_queue_pause(&queue);
    ls_order_queue_resume(&queue);
    assert_int_equal(queue.lost, 1); /* b */
    assert_string_equal(offered(&queue), "1:c");
    ls_order_queue_pause(&queue);
    submit(&queue, 'd');
    ls_order_queue_skip(&queue, UINT64_MAX);
    ls_order_queue_resume(&queue);
    assert_int_equal(queue.lost, 2); /* c */
    assert_string_equal(offered(&queue), "1:d");
    ls_order_queue_drop(&queue);
    assert_string_equal(offered(&queue), "");
    assert_int_equal(queue.lost, 3);
}

/* The server lost ticks and would refuse orders for distant ticks, so they now request the next
 * tick. */
TEST(test_order_queue_forgets_wishes_of_ticks_that_were_lost)
{
    ls_order_queue queue = {0};
    ls_update update = {0};
    for (uint64_t wish = 40; wish < 42; wish++)
        assert_true(ls_order_queue_submit(&queue, wish, (const uint8_t *)"x", 1));
    ls_order_queue_pause(&queue);
    for (uint64_t wish = 40; wish < 42; wish++)
        assert_true(ls_order_queue_submit(&queue, wish, (const uint8_t *)"y", 1));
    ls_order_queue_skip(&queue, 40);
    ls_order_queue_resume(&queue);
    ls_order_queue_fill(&queue, &update);
    assert_int_equal(update.input_count, 2);
    assert_int_equal(update.inputs[0].tick, 40);
    assert_int_equal(update.inputs[1].tick, 0);
}

/* In a paused match the server accepts orders until its queue is full; then the session ends. */
TEST(test_order_queue_keeps_orders_queued_in_the_server)
{
    enum { GIVEN = 2 * LS_CLIENT_INPUT_QUEUE };
    ls_order_queue queue = {0};
    for (uint32_t i = 0; i < GIVEN; i++) {
        submit(&queue, (uint8_t)i);
        if (i + 1 == LS_CLIENT_INPUT_QUEUE)
            assert_true(ls_order_queue_acknowledge(&queue, i + 1));
    }
    ls_order_queue_pause(&queue);
    ls_order_queue_resume(&queue);
    uint8_t data = 0;
    assert_false(ls_order_queue_submit(&queue, 0, &data, 1));
    for (uint32_t i = 0; i < GIVEN; i++) {
        ls_update update = {0};
        ls_order_queue_fill(&queue, &update);
        assert_int_equal(update.inputs[0].sequence, i + 1);
        assert_int_equal(update.inputs[0].data[0], i);
        assert_true(ls_order_queue_acknowledge(&queue, i + 1));
    }
    assert_int_equal(queue.lost, 0);
}

/* If the server acknowledges more orders than the client keeps, those that cannot be resent count
 * as lost. */
TEST(test_order_queue_counts_orders_it_cannot_resend)
{
    ls_order_queue queue = {0};
    for (uint32_t i = 0; i < LS_CLIENT_INPUTS_KEPT + 3; i++) {
        submit(&queue, (uint8_t)i);
        assert_true(ls_order_queue_acknowledge(&queue, i + 1));
    }
    ls_order_queue_pause(&queue);
    ls_order_queue_resume(&queue);
    ls_update update = {0};
    ls_order_queue_fill(&queue, &update);
    assert_int_equal(update.inputs[0].sequence, 1);
    assert_int_equal(update.inputs[0].data[0], 3);
    assert_int_equal(queue.lost, 3);
}

/* Sequence numbers match the acknowledgements through any number of sessions. */
TEST(test_order_queue_survives_many_sessions)
{
    ls_order_queue queue = {0};
    uint32_t landed = 0, given = 0;
    for (uint32_t session = 0; session < 50; session++) {
        while (given - landed < LS_CLIENT_INPUT_QUEUE)
            submit(&queue, (uint8_t)given++);
        for (uint32_t round = 0; round < 5; round++) {
            ls_update update = {0};
            ls_order_queue_fill(&queue, &update);
            assert_int_equal(update.input_count, LS_UPDATE_INPUTS_MAX);
            assert_int_equal(update.inputs[0].sequence, 1 + round * 3);
            assert_int_equal(update.inputs[0].data[0], (uint8_t)landed);
            for (uint32_t i = 0; i < 3; i++)
                land(&queue, (uint8_t)landed++);
            assert_true(ls_order_queue_acknowledge(&queue, (round + 1) * 3));
        }
        ls_order_queue_pause(&queue);
        ls_order_queue_resume(&queue);
    }
    assert_int_equal(queue.lost, 0);
}
