#include "client/frames.h"
#include "tests/support/test.h"

/* Puts frames with one-byte bodies: the low byte of their tick. */
static void put(ls_frames *frames, uint64_t first, uint32_t count)
{
    static uint8_t bytes[LS_TICKS_MAX];
    ls_ticks ticks = {.first = first, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(first + count - 1 - i);
        ticks.bodies[i] = (ls_ticks_body){.data = &bytes[i], .bytes = 1};
    }
    ls_frames_put(frames, &ticks);
}

static uint32_t pop_all(ls_frames *frames)
{
    uint32_t count = 0;
    for (ls_ticks_body body; ls_frames_peek(frames, &body); count++) {
        assert_int_equal(body.data[0], (uint8_t)frames->next);
        ls_frames_pop(frames);
    }
    return count;
}

TEST(test_frames_come_out_in_order)
{
    ls_frames frames;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 100);
    put(&frames, 104, 4);
    put(&frames, 102, 3);
    assert_int_equal(pop_all(&frames), 0);
    put(&frames, 98, 4);
    assert_int_equal(pop_all(&frames), 8);
    assert_int_equal(frames.next, 108);
    assert_int_equal(frames.head, 108);
    put(&frames, 98, 4);
    assert_int_equal(pop_all(&frames), 0);
    ls_frames_reset(&frames);
}

/* A client that keeps up touches as many bodies as it ever has waiting, not the whole ring. */
TEST(test_frames_use_few_bodies_again)
{
    ls_frames frames;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 5);
    for (uint32_t i = 0; i < 3 * LS_CLIENT_RING_TICKS; i += 4) {
        put(&frames, 5 + i + 2, 2);
        put(&frames, 5 + i, 2);
        assert_int_equal(pop_all(&frames), 4);
    }
    for (uint32_t i = 4; i < LS_CLIENT_RING_TICKS; i++)
        assert_int_equal(frames.bodies[i][0], 0);
    assert_int_equal(frames.free_count, LS_CLIENT_RING_TICKS);
    ls_frames_reset(&frames);
}

/* A full ring, begun anew, has room for all again. */
TEST(test_frames_begin_anew_when_full)
{
    ls_frames frames;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 0);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < LS_CLIENT_RING_TICKS; i += 50)
            put(&frames, i + 1, 50);
        assert_int_equal(frames.free_count, 1);
        put(&frames, 0, 1);
        assert_int_equal(frames.have, LS_CLIENT_RING_TICKS);
        assert_int_equal(frames.free_count, 0);
        ls_frames_restart(&frames, 0);
    }
    ls_frames_reset(&frames);
}

TEST(test_frames_never_change_a_tick)
{
    ls_frames frames;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 0);
    put(&frames, 1, 1);
    uint8_t other = 99;
    ls_ticks ticks = {.first = 1, .count = 1, .bodies = {{.data = &other, .bytes = 1}}};
    ls_frames_put(&frames, &ticks);
    put(&frames, 0, 1);
    assert_int_equal(pop_all(&frames), 2);
    ls_frames_reset(&frames);
}

/* Tick 22 is missing, too, after a run of known ticks that is too short to end the gap. */
TEST(test_frames_find_the_first_gap)
{
    ls_frames frames;
    uint64_t first;
    uint32_t count;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 10);
    assert_false(ls_frames_gap(&frames, &first, &count));
    put(&frames, 10, 2);
    assert_false(ls_frames_gap(&frames, &first, &count));
    put(&frames, 15, LS_TICKS_WINDOW - 1);
    put(&frames, 23, LS_TICKS_WINDOW);
    put(&frames, 35, 1);
    assert_true(ls_frames_gap(&frames, &first, &count));
    assert_int_equal(first, 12);
    assert_int_equal(count, 23 - 12);
    ls_frames_reset(&frames);
}

TEST(test_frames_beyond_the_ring_only_move_the_head)
{
    ls_frames frames;
    uint64_t first;
    uint32_t count;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 10);
    put(&frames, 10 + LS_CLIENT_RING_TICKS, 5);
    put(&frames, UINT64_MAX - 100, 50);
    assert_int_equal(frames.head, UINT64_MAX - 50);
    assert_true(ls_frames_gap(&frames, &first, &count));
    assert_int_equal(first, 10);
    assert_int_equal(count, LS_CLIENT_RING_TICKS);
    for (uint64_t at = 10; at < 10 + LS_CLIENT_RING_TICKS; at += 50)
        put(&frames, at, 50);
    assert_false(ls_frames_gap(&frames, &first, &count));
    assert_int_equal(pop_all(&frames), LS_CLIENT_RING_TICKS);
    ls_frames_reset(&frames);
}

TEST(test_frames_restart_forgets)
{
    ls_frames frames;
    ls_frames_init(&frames);
    ls_frames_restart(&frames, 0);
    put(&frames, 1, 20);
    ls_frames_restart(&frames, 1);
    assert_int_equal(pop_all(&frames), 0);
    assert_int_equal(frames.head, 1);
    ls_frames_reset(&frames);
}
