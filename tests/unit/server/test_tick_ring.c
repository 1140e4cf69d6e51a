#include "server/tick_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void push(ls_tick_ring *ring, uint32_t count, uint16_t bytes)
{
    uint8_t data[LS_INPUT_BYTES_MAX] = {0};
    for (uint32_t i = 0; i < count; i++) {
        ls_input inputs[3];
        memcpy(data, &ring->next, 8);
        for (uint32_t k = 0; k < 3; k++)
            inputs[k] = (ls_input){.player = 0, .kind = LS_INPUT, .bytes = bytes, .data = data};
        ls_frame frame = {.tick = ring->next, .count = 3, .inputs = inputs};
        assert_int_equal(ls_tick_ring_push(ring, &frame), 1 + 3 * (4 + bytes));
    }
}

/* The body holds the tick that the message says it is of. */
static void assert_bodies(const ls_ticks *ticks)
{
    for (uint32_t i = 0; i < ticks->count; i++) {
        uint64_t tick;
        memcpy(&tick, ticks->bodies[i].data + 1 + 4, 8);
        assert_int_equal(tick, ticks->first + ticks->count - 1 - i);
    }
    ls_plain plain;
    assert_true(ls_ticks_encode(ticks, &plain));
}

static void test_tick_ring_window_is_newest_unacked(void **state)
{
    (void)state;
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring);
    assert_int_equal(ls_tick_ring_window(&ring, 0, &ticks), 0);
    push(&ring, 3, 8);
    assert_int_equal(ls_tick_ring_window(&ring, 0, &ticks), 3);
    assert_int_equal(ticks.first, 0);
    assert_bodies(&ticks);
    assert_int_equal(ls_tick_ring_window(&ring, 2, &ticks), 1);
    assert_int_equal(ls_tick_ring_window(&ring, 3, &ticks), 0);
    push(&ring, 50, 8);
    assert_int_equal(ls_tick_ring_window(&ring, 2, &ticks), LS_TICKS_WINDOW);
    assert_int_equal(ticks.first, 45);
    assert_bodies(&ticks);
    ls_tick_ring_reset(&ring);
}

static void test_tick_ring_window_fits_a_message(void **state)
{
    (void)state;
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring);
    push(&ring, 20, 150);
    assert_int_equal(ls_tick_ring_window(&ring, 0, &ticks), 2);
    assert_int_equal(ticks.first, 18);
    assert_bodies(&ticks);
    ls_tick_ring_reset(&ring);
}

static void test_tick_ring_range_is_oldest_first(void **state)
{
    (void)state;
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring);
    push(&ring, 100, 8);
    assert_int_equal(ls_tick_ring_range(&ring, 10, 5, &ticks), 5);
    assert_int_equal(ticks.first, 10);
    assert_bodies(&ticks);
    assert_int_equal(ls_tick_ring_range(&ring, 10, 90, &ticks), 30);
    assert_bodies(&ticks);
    assert_int_equal(ls_tick_ring_range(&ring, 98, 600, &ticks), 2);
    assert_int_equal(ls_tick_ring_range(&ring, 100, 1, &ticks), 0);
    assert_int_equal(ls_tick_ring_range(&ring, UINT64_MAX, 600, &ticks), 0);
    ls_tick_ring_reset(&ring);
}

static void test_tick_ring_forgets_the_oldest(void **state)
{
    (void)state;
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring);
    push(&ring, LS_SERVER_RING_TICKS + 50, 8);
    assert_int_equal(ls_tick_ring_first(&ring), 50);
    assert_int_equal(ls_tick_ring_range(&ring, 49, 10, &ticks), 0);
    assert_int_equal(ls_tick_ring_range(&ring, 50, 10, &ticks), 10);
    assert_bodies(&ticks);
    ls_tick_ring_reset(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tick_ring_window_is_newest_unacked),
        cmocka_unit_test(test_tick_ring_window_fits_a_message),
        cmocka_unit_test(test_tick_ring_range_is_oldest_first),
        cmocka_unit_test(test_tick_ring_forgets_the_oldest),
    };
    return cmocka_run_group_tests_name("tick_ring", tests, NULL, NULL);
}
