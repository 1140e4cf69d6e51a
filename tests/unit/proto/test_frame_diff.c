#include "proto/frame_diff.h"
#include "tests/support/test.h"
#include <lockstep/random.h>

#include <string.h>

enum { BYTES = 700 };

/* Writes `body` after `other`, reads it back, and returns the number of bytes written. */
static size_t pass(const ls_ticks_body *other, const ls_ticks_body *body)
{
    uint8_t written[2 * BYTES], read[BYTES];
    ls_writer writer;
    ls_writer_init(&writer, written, sizeof written);
    ls_frame_diff_write(&writer, other, body);
    assert_false(writer.failed);
    ls_reader reader;
    ls_reader_init(&reader, written, writer.count);
    uint32_t changes = ls_read_u8(&reader);
    if (changes == LS_FRAME_DIFF_WHOLE)
        ls_read_bytes(&reader, read, body->bytes);
    else
        assert_true(ls_frame_diff_read(&reader, changes, other, read));
    assert_true(ls_reader_done(&reader));
    assert_memory_equal(read, body->data, body->bytes);
    return writer.count;
}

TEST(test_frame_diff_writes_only_what_differs)
{
    uint8_t before[BYTES] = {0}, after[BYTES] = {0};
    const ls_ticks_body other = {before, 40}, body = {after, 40};
    assert_int_equal(pass(&other, &body), 1);
    after[0] = after[7] = after[39] = 9;
    assert_int_equal(pass(&other, &body), 1 + 3 * 2);
    const ls_ticks_body shorter = {before, 39};
    assert_int_equal(pass(&shorter, &body), 1 + 40);
}

TEST(test_frame_diff_writes_a_frame_whole_if_that_is_not_longer)
{
    uint8_t before[BYTES] = {0}, after[BYTES] = {0};
    ls_ticks_body other = {before, 10}, body = {after, 10};
    memset(after, 1, 4);
    assert_int_equal(pass(&other, &body), 1 + 4 * 2);
    memset(after, 1, 5);
    assert_int_equal(pass(&other, &body), 1 + 10);
    /* Changes that are too far apart, and as many as the mark of a whole frame. */
    memset(after, 0, sizeof after);
    other.bytes = body.bytes = BYTES;
    after[255] = 1;
    assert_int_equal(pass(&other, &body), 1 + 2);
    after[255] = 0;
    after[256] = 1;
    assert_int_equal(pass(&other, &body), 1 + BYTES);
    memset(after, 1, 254);
    after[256] = 0;
    assert_int_equal(pass(&other, &body), 1 + 254 * 2);
    memset(after, 1, 255);
    assert_int_equal(pass(&other, &body), 1 + BYTES);
}

TEST(test_frame_diff_random)
{
    uint8_t before[BYTES], after[BYTES];
    for (uint32_t seed = 0; seed < 500; seed++) {
        ls_random_stream stream = ls_random_root(seed);
        uint32_t bytes = 1 + ls_random_below(ls_random_draw(stream, 0), BYTES);
        uint32_t changes = ls_random_below(ls_random_draw(stream, 1), bytes);
        for (uint32_t i = 0; i < bytes; i++)
            after[i] = before[i] = (uint8_t)ls_random_draw(stream, 100 + i);
        for (uint32_t i = 0; i < changes; i++)
            after[ls_random_below(ls_random_draw(stream, 1000 + i), bytes)] ^= 1;
        const ls_ticks_body other = {before, bytes}, body = {after, bytes};
        assert_true(pass(&other, &body) <= 1 + bytes);
    }
}

TEST(test_frame_diff_refuses_a_change_beyond_the_frame)
{
    static const uint8_t frame[4] = {0}, last[] = {3, 9}, beyond[] = {4, 9},
                         second[] = {1, 9, 2, 9};
    const ls_ticks_body other = {frame, 4};
    uint8_t bytes[4];
    ls_reader reader;
    ls_reader_init(&reader, last, 2);
    assert_true(ls_frame_diff_read(&reader, 1, &other, bytes));
    ls_reader_init(&reader, beyond, 2);
    assert_false(ls_frame_diff_read(&reader, 1, &other, bytes));
    ls_reader_init(&reader, second, 4);
    assert_false(ls_frame_diff_read(&reader, 2, &other, bytes));
    ls_reader_init(&reader, last, 2);
    assert_false(ls_frame_diff_read(&reader, 2, &other, bytes));
}
