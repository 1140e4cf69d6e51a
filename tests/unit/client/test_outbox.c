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
        assert_true(ls_outbox_submit(&outbox, &i, 1));
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

static void test_outbox_is_bounded(void **state)
{
    (void)state;
    ls_outbox outbox;
    uint8_t data[LS_INPUT_BYTES_MAX] = {0};
    ls_outbox_init(&outbox);
    for (uint32_t i = 0; i < LS_CLIENT_INPUT_QUEUE; i++)
        assert_true(ls_outbox_submit(&outbox, data, sizeof data));
    assert_false(ls_outbox_submit(&outbox, data, 1));
    assert_true(ls_outbox_acknowledge(&outbox, 1));
    assert_true(ls_outbox_submit(&outbox, data, 1));
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
    assert_true(ls_outbox_submit(&outbox, &data, 1));
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
    for (uint64_t tick = 100; tick < 107; tick++)
        ls_outbox_add_root(&outbox, tick, tick * 3);
    assert_false(ls_outbox_is_full(&outbox));
    ls_outbox_add_root(&outbox, 107, 107 * 3);
    assert_true(ls_outbox_is_full(&outbox));
    ls_outbox_fill(&outbox, &update);
    assert_false(ls_outbox_is_full(&outbox));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outbox_numbers_and_repeats_inputs),
        cmocka_unit_test(test_outbox_is_bounded),
        cmocka_unit_test(test_outbox_refuses_an_ack_of_nothing),
        cmocka_unit_test(test_outbox_keeps_the_newest_roots),
    };
    return cmocka_run_group_tests_name("outbox", tests, NULL, NULL);
}
