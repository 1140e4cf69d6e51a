#include "server/tick_ring.h"
#include "tests/support/test.h"

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

/* Each body contains the tick that its place in the message implies. */
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

TEST(test_tick_ring_window_is_newest_unacked)
{
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring, 0, LS_SERVER_RING_TICKS);
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

TEST(test_tick_ring_window_fits_a_message)
{
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring, 0, LS_SERVER_RING_TICKS);
    push(&ring, 20, 150);
    assert_int_equal(ls_tick_ring_window(&ring, 0, &ticks), 2);
    assert_int_equal(ticks.first, 18);
    assert_bodies(&ticks);
    ls_tick_ring_reset(&ring);
}

TEST(test_tick_ring_range_is_oldest_first)
{
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring, 0, LS_SERVER_RING_TICKS);
    push(&ring, 100, 8);
    assert_int_equal(ls_tick_ring_range(&ring, 10, 5, &ticks), 5);
    assert_int_equal(ticks.first, 10);
    assert_bodies(&ticks);
    assert_int_equal(ls_tick_ring_range(&ring, 10, 90, &ticks), 29);
    assert_bodies(&ticks);
    assert_int_equal(ls_tick_ring_range(&ring, 98, 600, &ticks), 2);
    assert_int_equal(ls_tick_ring_range(&ring, 100, 1, &ticks), 0);
    assert_int_equal(ls_tick_ring_range(&ring, UINT64_MAX, 600, &ticks), 0);
    ls_tick_ring_reset(&ring);
}

TEST(test_tick_ring_forgets_the_oldest)
{
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring, 0, LS_SERVER_RING_TICKS);
    push(&ring, LS_SERVER_RING_TICKS + 50, 8);
    assert_int_equal(ls_tick_ring_first(&ring), 50);
    assert_int_equal(ls_tick_ring_range(&ring, 49, 10, &ticks), 0);
    assert_int_equal(ls_tick_ring_range(&ring, 50, 10, &ticks), 10);
    assert_bodies(&ticks);
    ls_tick_ring_reset(&ring);
}

enum { MODEL_TICKS = 20000, MODEL_BYTES = LS_FRAME_BYTES_MAX };

static uint64_t draw(uint64_t *random)
{
    return (*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u) >> 33;
}

/* Compares with a plain table, for frames of random sizes and long runs of small and of large ones.
 * The ring's block wraps and grows, and kept frames stay unchanged. */
TEST(test_tick_ring_is_as_its_model)
{
    static uint8_t model[LS_SERVER_RING_TICKS][MODEL_BYTES];
    static uint32_t sizes[LS_SERVER_RING_TICKS];
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t random = seed, first_tick = seed * 1000003;
        ls_tick_ring ring;
        ls_tick_ring_init(&ring, first_tick, LS_SERVER_RING_TICKS);
        for (uint64_t tick = first_tick; tick < first_tick + MODEL_TICKS; tick++) {
            static uint8_t data[4][LS_INPUT_BYTES_MAX];
            ls_input inputs[4];
            uint32_t limit = draw(&random) % 1000 < 5 ? 250 : (uint32_t)(tick / 1500 % 4) * 60 + 2;
            uint32_t count = (uint32_t)(draw(&random) % 4);
            for (uint32_t i = 0; i < count; i++) {
                uint32_t bytes = 1 + (uint32_t)(draw(&random) % limit);
                for (uint32_t k = 0; k < bytes; k++)
                    data[i][k] = (uint8_t)draw(&random);
                inputs[i] = (ls_input){0, LS_INPUT, (uint16_t)bytes, data[i]};
            }
            ls_frame frame = {.tick = tick, .count = count, .inputs = inputs};
            ls_writer writer;
            uint32_t slot = (uint32_t)(tick % LS_SERVER_RING_TICKS);
            ls_writer_init(&writer, model[slot], MODEL_BYTES);
            ls_frame_encode(&frame, &writer);
            sizes[slot] = (uint32_t)writer.count;
            assert_int_equal(ls_tick_ring_push(&ring, &frame), sizes[slot]);
            for (uint64_t kept = draw(&random) % 40 ? tick : ls_tick_ring_first(&ring);
                 kept <= tick; kept++) {
                ls_ticks_body body = ls_tick_ring_body(&ring, kept);
                assert_int_equal(body.bytes, sizes[kept % LS_SERVER_RING_TICKS]);
                assert_memory_equal(body.data, model[kept % LS_SERVER_RING_TICKS], body.bytes);
            }
        }
        assert_int_equal(ls_tick_ring_first(&ring),
                         first_tick + MODEL_TICKS - LS_SERVER_RING_TICKS);
        /* At most twice the kept bytes plus the largest frame. */
        assert_true(ring.capacity <= 4u * LS_SERVER_RING_TICKS * LS_FRAME_BYTES_MAX);
        ls_tick_ring_reset(&ring);
    }
}

/* The ring stops growing once it contains all kept ticks. */
TEST(test_tick_ring_stops_growing)
{
    ls_tick_ring ring;
    ls_tick_ring_init(&ring, 0, LS_SERVER_RING_TICKS);
    push(&ring, 2 * LS_SERVER_RING_TICKS, 200);
    uint32_t capacity = ring.capacity;
    assert_true(capacity < 3u * LS_SERVER_RING_TICKS * (1 + 3 * 204));
    push(&ring, 20 * LS_SERVER_RING_TICKS, 200);
    assert_int_equal(ring.capacity, capacity);
    ls_tick_ring_reset(&ring);
}

/* The ring keeps one minute at any rate if that fits, and never less than LS_SERVER_RING_TICKS. */
TEST(test_tick_ring_keeps_the_ticks_that_fit)
{
    assert_int_equal(ls_tick_ring_ticks(1), LS_SERVER_RING_TICKS);
    assert_int_equal(ls_tick_ring_ticks(60), 3600);
    assert_int_equal(ls_tick_ring_ticks(LS_TICK_RATE_MAX), 14400);
    ls_tick_ring ring;
    ls_ticks ticks = {0};
    ls_tick_ring_init(&ring, 5, 14400);
    push(&ring, 20000, 8);
    assert_int_equal(ls_tick_ring_first(&ring), 20005 - 14400);
    assert_int_equal(ls_tick_ring_range(&ring, 20005 - 14400, 10, &ticks), 10);
    assert_bodies(&ticks);
    push(&ring, 20000, LS_INPUT_BYTES_MAX);
    assert_int_equal(ring.capacity, LS_SERVER_RING_BYTES);
    assert_true(ring.count >= LS_SERVER_RING_TICKS);
    assert_true((ring.count + 2) * (1 + 3 * (4 + LS_INPUT_BYTES_MAX)) > LS_SERVER_RING_BYTES);
    assert_int_equal(ls_tick_ring_range(&ring, ls_tick_ring_first(&ring), 1, &ticks), 1);
    assert_bodies(&ticks);
    ls_tick_ring_reset(&ring);
}
