#include "client/outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_outbox_numbers_and_repeats_inputs(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_update update = {0};
    ls_outbox_init(&outbox);
    for (uint8_t i = 1; i <= 20; i++)
        assert_true(ls_outbox_submit(&outbox, 0, &i, 1));
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.input_count, LS_UPDATE_INPUTS_MAX);
    assert_int_equal(update.inputs[0].sequence, 1);
    assert_int_equal(update.inputs[0].data[0], 1);
    assert_true(ls_outbox_acknowledge(&outbox, 5));
    assert_true(ls_outbox_acknowledge(&outbox, 3));
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.inputs[0].sequence, 6);
    assert_int_equal(update.inputs[7].data[0], 13);
    assert_true(ls_outbox_acknowledge(&outbox, 20));
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.input_count, 0);
}

static void test_outbox_says_what_each_order_wishes(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_update update = {0};
    uint8_t data = 9;
    ls_outbox_init(&outbox);
    for (uint64_t wish = 0; wish < 3; wish++)
        assert_true(ls_outbox_submit(&outbox, wish * 100, &data, 1));
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.inputs[0].tick, 0);
    assert_int_equal(update.inputs[1].tick, 100);
    assert_int_equal(update.inputs[2].tick, 200);
}

static void test_outbox_is_bounded(void **state)
{
    (void)state;
    ls_outbox outbox;
    uint8_t data[LS_INPUT_BYTES_MAX] = {0};
    ls_outbox_init(&outbox);
    for (uint32_t i = 0; i < LS_CLIENT_INPUT_QUEUE; i++)
        assert_true(ls_outbox_submit(&outbox, 0, data, sizeof data));
    assert_false(ls_outbox_submit(&outbox, 0, data, 1));
    assert_true(ls_outbox_acknowledge(&outbox, 1));
    assert_true(ls_outbox_submit(&outbox, 0, data, 1));
    ls_update update = {0};
    ls_plain plain;
    ls_outbox_fill(&outbox, &update);
    assert_in_range(update.input_count, 1, LS_UPDATE_INPUTS_MAX - 1);
    assert_true(ls_update_encode(&update, &plain));
}

static void test_outbox_refuses_an_ack_of_nothing(void **state)
{
    (void)state;
    ls_outbox outbox;
    uint8_t data = 1;
    ls_outbox_init(&outbox);
    assert_true(ls_outbox_submit(&outbox, 0, &data, 1));
    assert_false(ls_outbox_acknowledge(&outbox, 2));
    assert_false(ls_outbox_acknowledge(&outbox, UINT32_MAX));
    assert_int_equal(outbox.acked, 0);
}

static void test_outbox_keeps_the_newest_roots(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_update update = {0};
    ls_outbox_init(&outbox);
    for (uint64_t tick = 100; tick < 108; tick++)
        ls_outbox_add_root(&outbox, tick, tick * 3);
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.root_count, LS_UPDATE_ROOTS_MAX);
    ls_outbox_add_root(&outbox, 108, 108 * 3);
    ls_outbox_fill(&outbox, &update);
    for (uint64_t i = 0; i < LS_UPDATE_ROOTS_MAX; i++) {
        assert_int_equal(update.roots[i].tick, 101 + i);
        assert_int_equal(update.roots[i].root, (101 + i) * 3);
    }
    assert_int_equal(outbox.roots_sent, 9);
    ls_outbox_drop_roots(&outbox);
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.root_count, 0);
}

/* Who catches up runs many ticks at once: one update that is lost may leave no hole. */
static void test_outbox_of_a_burst_carries_each_root_twice(void **state)
{
    (void)state;
    ls_outbox outbox;
    uint32_t carried[64] = {0};
    ls_outbox_init(&outbox);
    for (uint64_t tick = 0; tick < LS_COUNT_OF(carried); tick++) {
        ls_update update = {0};
        ls_outbox_add_root(&outbox, tick, tick * 3);
        if (!ls_outbox_is_full(&outbox))
            continue;
        ls_outbox_fill(&outbox, &update);
        assert_false(ls_outbox_is_full(&outbox));
        for (uint32_t i = 0; i < update.root_count; i++)
            carried[update.roots[i].tick]++;
    }
    for (uint32_t i = 0; i + LS_UPDATE_ROOTS_MAX / 2 < LS_COUNT_OF(carried); i++)
        assert_int_equal(carried[i], 2);
}

static void submit(ls_outbox *outbox, uint8_t value)
{
    assert_true(ls_outbox_submit(outbox, 0, &value, 1));
}

static void land(ls_outbox *outbox, uint8_t value)
{
    ls_outbox_land(outbox, &(ls_input){.kind = LS_INPUT, .bytes = 1, .data = &value});
}

/* The orders that an update offers now, as text: "1:a 2:b". */
static const char *offered(ls_outbox *outbox)
{
    static char text[128];
    ls_update update = {0};
    size_t bytes = 0;
    text[0] = 0;
    ls_outbox_fill(outbox, &update);
    for (uint32_t i = 0; i < update.input_count; i++)
        bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "%s%u:%c", i ? " " : "",
                                  update.inputs[i].sequence, update.inputs[i].data[0]);
    return text;
}

static void test_outbox_offers_again_what_did_not_land(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_outbox_init(&outbox);
    for (uint8_t value = 'a'; value <= 'e'; value++)
        submit(&outbox, value);
    assert_true(ls_outbox_acknowledge(&outbox, 3));
    land(&outbox, 'a');
    ls_outbox_pause(&outbox);
    ls_outbox_pause(&outbox);
    assert_string_equal(offered(&outbox), "");
    assert_false(ls_outbox_acknowledge(&outbox, 1)); /* none was given in this session */
    assert_true(ls_outbox_acknowledge(&outbox, 0));
    land(&outbox, 'b');
    submit(&outbox, 'f');
    ls_outbox_resume(&outbox);
    /* c was taken, and went with its session. */
    assert_string_equal(offered(&outbox), "1:c 2:d 3:e 4:f");
    assert_true(ls_outbox_acknowledge(&outbox, 2));
    ls_outbox_resume(&outbox);
    assert_string_equal(offered(&outbox), "3:e 4:f");
    assert_int_equal(outbox.lost, 0);
}

/* Alike orders are told apart by their order alone. */
static void test_outbox_counts_alike_orders(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_outbox_init(&outbox);
    for (uint32_t i = 0; i < 4; i++)
        submit(&outbox, 'x');
    land(&outbox, 'x');
    land(&outbox, 'y'); /* not ours */
    land(&outbox, 'x');
    ls_outbox_pause(&outbox);
    ls_outbox_resume(&outbox);
    assert_string_equal(offered(&outbox), "1:x 2:x");
}

/* Frames were jumped over: what may have landed in them is not sent again in another session. */
static void test_outbox_gives_up_what_was_jumped_over(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_outbox_init(&outbox);
    submit(&outbox, 'a');
    submit(&outbox, 'b');
    ls_outbox_skip(&outbox, UINT64_MAX);
    assert_string_equal(offered(&outbox), "1:a 2:b"); /* in this one, it knows them by number */
    assert_true(ls_outbox_acknowledge(&outbox, 1));
    submit(&outbox, 'c');
    ls_outbox_pause(&outbox);
    ls_outbox_resume(&outbox);
    assert_int_equal(outbox.lost, 1); /* b */
    assert_string_equal(offered(&outbox), "1:c");
    ls_outbox_pause(&outbox);
    submit(&outbox, 'd');
    ls_outbox_skip(&outbox, UINT64_MAX);
    ls_outbox_resume(&outbox);
    assert_int_equal(outbox.lost, 2); /* c */
    assert_string_equal(offered(&outbox), "1:d");
    ls_outbox_drop_orders(&outbox);
    assert_string_equal(offered(&outbox), "");
    assert_int_equal(outbox.lost, 3);
}

/* A server that lost ticks takes no order for one so far ahead: the order is for the next. */
static void test_outbox_forgets_wishes_of_ticks_that_were_lost(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_update update = {0};
    ls_outbox_init(&outbox);
    for (uint64_t wish = 40; wish < 42; wish++)
        assert_true(ls_outbox_submit(&outbox, wish, (const uint8_t *)"x", 1));
    ls_outbox_pause(&outbox);
    for (uint64_t wish = 40; wish < 42; wish++)
        assert_true(ls_outbox_submit(&outbox, wish, (const uint8_t *)"y", 1));
    ls_outbox_skip(&outbox, 40);
    ls_outbox_resume(&outbox);
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.input_count, 2);
    assert_int_equal(update.inputs[0].tick, 40);
    assert_int_equal(update.inputs[1].tick, 0);
}

/* The match is paused: the server takes orders as long as it has room, and its session ends. */
static void test_outbox_keeps_what_waits_in_the_server(void **state)
{
    (void)state;
    enum { GIVEN = 2 * LS_CLIENT_INPUT_QUEUE };
    ls_outbox outbox;
    ls_outbox_init(&outbox);
    for (uint32_t i = 0; i < GIVEN; i++) {
        submit(&outbox, (uint8_t)i);
        if (i + 1 == LS_CLIENT_INPUT_QUEUE)
            assert_true(ls_outbox_acknowledge(&outbox, i + 1));
    }
    ls_outbox_pause(&outbox);
    ls_outbox_resume(&outbox);
    uint8_t data = 0;
    assert_false(ls_outbox_submit(&outbox, 0, &data, 1));
    for (uint32_t i = 0; i < GIVEN; i++) {
        ls_update update = {0};
        ls_outbox_fill(&outbox, &update);
        assert_int_equal(update.inputs[0].sequence, i + 1);
        assert_int_equal(update.inputs[0].data[0], i);
        assert_true(ls_outbox_acknowledge(&outbox, i + 1));
    }
    assert_int_equal(outbox.lost, 0);
}

/* A server that took more than it has to: what is not here any more is said to be lost. */
static void test_outbox_counts_what_it_cannot_offer_again(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_outbox_init(&outbox);
    for (uint32_t i = 0; i < LS_CLIENT_INPUTS_KEPT + 3; i++) {
        submit(&outbox, (uint8_t)i);
        assert_true(ls_outbox_acknowledge(&outbox, i + 1));
    }
    ls_outbox_pause(&outbox);
    ls_outbox_resume(&outbox);
    ls_update update = {0};
    ls_outbox_fill(&outbox, &update);
    assert_int_equal(update.inputs[0].sequence, 1);
    assert_int_equal(update.inputs[0].data[0], 3);
    assert_int_equal(outbox.lost, 3);
}

/* However often sessions change, the numbers on the wire are those that the acks are about. */
static void test_outbox_survives_many_sessions(void **state)
{
    (void)state;
    ls_outbox outbox;
    ls_outbox_init(&outbox);
    uint32_t landed = 0, given = 0;
    for (uint32_t session = 0; session < 50; session++) {
        while (given - landed < LS_CLIENT_INPUT_QUEUE)
            submit(&outbox, (uint8_t)given++);
        for (uint32_t round = 0; round < 5; round++) {
            ls_update update = {0};
            ls_outbox_fill(&outbox, &update);
            assert_int_equal(update.input_count, LS_UPDATE_INPUTS_MAX);
            assert_int_equal(update.inputs[0].sequence, 1 + round * 3);
            assert_int_equal(update.inputs[0].data[0], (uint8_t)landed);
            for (uint32_t i = 0; i < 3; i++)
                land(&outbox, (uint8_t)landed++);
            assert_true(ls_outbox_acknowledge(&outbox, (round + 1) * 3));
        }
        ls_outbox_pause(&outbox);
        ls_outbox_resume(&outbox);
    }
    assert_int_equal(outbox.lost, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outbox_numbers_and_repeats_inputs),
        cmocka_unit_test(test_outbox_says_what_each_order_wishes),
        cmocka_unit_test(test_outbox_is_bounded),
        cmocka_unit_test(test_outbox_refuses_an_ack_of_nothing),
        cmocka_unit_test(test_outbox_keeps_the_newest_roots),
        cmocka_unit_test(test_outbox_of_a_burst_carries_each_root_twice),
        cmocka_unit_test(test_outbox_offers_again_what_did_not_land),
        cmocka_unit_test(test_outbox_counts_alike_orders),
        cmocka_unit_test(test_outbox_gives_up_what_was_jumped_over),
        cmocka_unit_test(test_outbox_forgets_wishes_of_ticks_that_were_lost),
        cmocka_unit_test(test_outbox_keeps_what_waits_in_the_server),
        cmocka_unit_test(test_outbox_counts_what_it_cannot_offer_again),
        cmocka_unit_test(test_outbox_survives_many_sessions),
    };
    return cmocka_run_group_tests_name("outbox", tests, NULL, NULL);
}
