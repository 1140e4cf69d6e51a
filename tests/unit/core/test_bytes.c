#include "tests/support/test.h"

#include <lockstep/bytes.h>
#include <lockstep/random.h>

#include <string.h>

enum { SEED = 5, SAMPLE_BYTES = 1 + 2 + 4 + 8 + 1 + 5 + 3 };

static void write_sample(ls_writer *writer)
{
    ls_write_u8(writer, 0x12);
    ls_write_u16(writer, 0x3456);
    ls_write_u32(writer, 0x789abcde);
    ls_write_u64(writer, 0xf0123456789abcde);
    ls_write_text(writer, "hello");
    ls_write_bytes(writer, "xyz", 3);
}

static void read_sample(ls_reader *reader)
{
    char text[8], bytes[3];
    uint64_t sum = ls_read_u8(reader);
    sum += ls_read_u16(reader);
    sum += ls_read_u32(reader);
    sum += ls_read_u64(reader);
    ls_read_text(reader, text, sizeof text);
    ls_read_bytes(reader, bytes, sizeof bytes);
    if (!reader->failed)
        assert_true(strlen(text) < sizeof text && sum != 0);
}

TEST(test_bytes_are_little_endian)
{
    static const uint8_t expected[SAMPLE_BYTES] = "\x12\x56\x34\xde\xbc\x9a\x78"
                                                  "\xde\xbc\x9a\x78\x56\x34\x12\xf0"
                                                  "\x05hello"
                                                  "xy\x7a";
    uint8_t data[SAMPLE_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, data, sizeof data);
    write_sample(&writer);
    assert_false(writer.failed);
    assert_int_equal(writer.count, SAMPLE_BYTES);
    assert_memory_equal(data, expected, SAMPLE_BYTES);
}

TEST(test_bytes_round_trip)
{
    uint8_t data[SAMPLE_BYTES];
    char text[6], bytes[3];
    ls_writer writer;
    ls_reader reader;
    ls_writer_init(&writer, data, sizeof data);
    write_sample(&writer);
    ls_reader_init(&reader, data, writer.count);
    assert_int_equal(ls_reader_left(&reader), SAMPLE_BYTES);
    assert_int_equal(ls_read_u8(&reader), 0x12);
    assert_int_equal(ls_read_u16(&reader), 0x3456);
    assert_int_equal(ls_read_u32(&reader), 0x789abcde);
    assert_true(ls_read_u64(&reader) == 0xf0123456789abcde);
    ls_read_text(&reader, text, sizeof text);
    assert_string_equal(text, "hello");
    assert_false(ls_reader_done(&reader));
    ls_read_bytes(&reader, bytes, sizeof bytes);
    assert_memory_equal(bytes, "xyz", 3);
    assert_true(ls_reader_done(&reader));
}

/* Allocates the exact size, so that the address sanitizer reports a single byte too many. */
TEST(test_bytes_writer_stops_at_every_capacity)
{
    for (size_t capacity = 0; capacity < SAMPLE_BYTES; capacity++) {
        uint8_t *data = test_malloc(capacity + 1);
        data[capacity] = 0xa5;
        ls_writer writer;
        ls_writer_init(&writer, data, capacity);
        write_sample(&writer);
        assert_true(writer.failed);
        assert_true(writer.count <= capacity);
        assert_int_equal(data[capacity], 0xa5);
        size_t count = writer.count;
        ls_write_u8(&writer, 1);
        ls_write_bytes(&writer, NULL, 0);
        assert_true(writer.failed && writer.count == count);
        test_free(data);
    }
}

TEST(test_bytes_reader_stops_at_every_length)
{
    uint8_t whole[SAMPLE_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, whole, sizeof whole);
    write_sample(&writer);
    for (size_t count = 0; count < SAMPLE_BYTES; count++) {
        uint8_t *data = test_malloc(count ? count : 1);
        memcpy(data, whole, count);
        ls_reader reader;
        ls_reader_init(&reader, data, count);
        read_sample(&reader);
        assert_true(reader.failed && reader.offset <= count);
        assert_false(ls_reader_done(&reader));
        test_free(data);
    }
}

TEST(test_bytes_failed_reader_gives_zeros)
{
    static const uint8_t data[4] = {1, 2, 3, 4};
    uint8_t bytes[2] = {9, 9};
    char text[2] = "x";
    ls_reader reader;
    ls_reader_init(&reader, data, sizeof data);
    assert_true(ls_read_u64(&reader) == 0);
    assert_true(reader.failed);
    assert_int_equal(ls_read_u8(&reader), 0);
    assert_int_equal(ls_read_u16(&reader), 0);
    assert_int_equal(ls_read_u32(&reader), 0);
    assert_null(ls_read_view(&reader, 1));
    assert_null(ls_read_view(&reader, 0));
    ls_read_bytes(&reader, bytes, sizeof bytes);
    assert_true(bytes[0] == 0 && bytes[1] == 0);
    ls_read_text(&reader, text, sizeof text);
    assert_string_equal(text, "");
}

/* A size near SIZE_MAX must not pass the bounds check by wrapping around. */
TEST(test_bytes_huge_counts_are_refused)
{
    uint8_t data[8] = {0};
    ls_reader reader;
    ls_reader_init(&reader, data, sizeof data);
    ls_read_u16(&reader);
    assert_null(ls_read_view(&reader, SIZE_MAX));
    assert_true(reader.failed);
    ls_writer writer;
    ls_writer_init(&writer, data, sizeof data);
    ls_write_u16(&writer, 1);
    ls_write_bytes(&writer, data, SIZE_MAX);
    assert_true(writer.failed);
    assert_int_equal(writer.count, 2);
}

TEST(test_bytes_view_points_into_the_input)
{
    uint8_t data[5] = {0};
    ls_reader reader;
    ls_reader_init(&reader, data, sizeof data);
    ls_read_u8(&reader);
    assert_ptr_equal(ls_read_view(&reader, 4), data + 1);
    assert_ptr_equal(ls_read_view(&reader, 0), data + 5);
    assert_true(ls_reader_done(&reader));
}

static bool text_is_read(const void *data, size_t count, size_t capacity)
{
    char text[300];
    memset(text, 'x', sizeof text);
    ls_reader reader;
    ls_reader_init(&reader, data, count);
    ls_read_text(&reader, text, capacity);
    assert_int_equal(text[capacity], 'x');
    if (reader.failed)
        assert_string_equal(text, "");
    return !reader.failed;
}

TEST(test_bytes_text_limits)
{
    char longest[257];
    uint8_t data[300];
    memset(longest, 'a', 256);
    longest[256] = 0;
    ls_writer writer;
    ls_writer_init(&writer, data, sizeof data);
    ls_write_text(&writer, longest);
    assert_true(writer.failed);
    assert_int_equal(writer.count, 0);
    longest[255] = 0;
    ls_writer_init(&writer, data, sizeof data);
    ls_write_text(&writer, longest);
    assert_false(writer.failed);
    assert_true(text_is_read(data, writer.count, 256));
    assert_false(text_is_read(data, writer.count, 255));
    assert_true(text_is_read("\0", 1, 1));
    assert_true(text_is_read("\3abc", 4, 4));
    assert_false(text_is_read("\3abc", 4, 3));
    assert_false(text_is_read("\3abc", 3, 4));
}

TEST(test_bytes_text_refuses_control_characters)
{
    for (int character = 0; character < 256; character++) {
        uint8_t data[4] = {3, 'a', (uint8_t)character, 'b'};
        bool is_control = character < 0x20 || character == 0x7f;
        assert_int_equal(text_is_read(data, sizeof data, 8), !is_control);
    }
}

TEST(test_bytes_every_flipped_bit)
{
    uint8_t data[SAMPLE_BYTES];
    for (size_t bit = 0; bit < 8 * SAMPLE_BYTES; bit++) {
        ls_writer writer;
        ls_writer_init(&writer, data, sizeof data);
        write_sample(&writer);
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ls_reader reader;
        ls_reader_init(&reader, data, sizeof data);
        read_sample(&reader);
    }
}

/* Writes random values, and reads them back in the same order. */
static void check_series(ls_random_stream stream)
{
    uint8_t data[64];
    ls_writer writer;
    ls_reader reader;
    ls_writer_init(&writer, data, sizeof data);
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t value = ls_random_draw(stream, i);
        switch (value & 3) {
        case 0:
            ls_write_u8(&writer, (uint8_t)value);
            break;
        case 1:
            ls_write_u16(&writer, (uint16_t)value);
            break;
        case 2:
            ls_write_u32(&writer, (uint32_t)value);
            break;
        default:
            ls_write_u64(&writer, value);
            break;
        }
    }
    assert_false(writer.failed);
    ls_reader_init(&reader, data, writer.count);
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t value = ls_random_draw(stream, i);
        switch (value & 3) {
        case 0:
            assert_int_equal(ls_read_u8(&reader), (uint8_t)value);
            break;
        case 1:
            assert_int_equal(ls_read_u16(&reader), (uint16_t)value);
            break;
        case 2:
            assert_int_equal(ls_read_u32(&reader), (uint32_t)value);
            break;
        default:
            assert_true(ls_read_u64(&reader) == value);
            break;
        }
    }
    assert_true(ls_reader_done(&reader));
}

TEST(test_bytes_random_round_trips)
{
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < 10000; i++)
        check_series(ls_random_child(ls_random_root(SEED), i));
}
