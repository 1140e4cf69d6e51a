#include "sample.h"

#include <lockstep/hash.h>

enum { BUFFER_BYTES = 4096 };

TEST(test_record_header_round_trip)
{
    uint8_t buffer[BUFFER_BYTES];
    ls_recording_header header = sample_header(), read;
    header.first_tick = 9;
    header.created_unix_s = -5;
    ls_writer writer;
    ls_writer_init(&writer, buffer, sizeof buffer);
    assert_ok(ls_record_encode_header(&header, &writer, NULL));
    ls_reader reader;
    ls_reader_init(&reader, buffer, writer.count);
    assert_ok(ls_record_decode_header("x", &reader, &read, NULL));
    assert_int_equal(reader.offset, writer.count);
    assert_int_equal(read.salt, header.salt);
    assert_int_equal(read.simulation.rules_version, 7);
    assert_memory_equal(read.simulation.fingerprint, header.simulation.fingerprint, 16);
    assert_string_equal(read.simulation.name, "skirmish");
    assert_string_equal(read.simulation.version, "1.2");
    assert_string_equal(read.build, "test build");
    assert_memory_equal(&read.match, &header.match, sizeof read.match);
    assert_memory_equal(read.server_key, header.server_key, 32);
    assert_int_equal(read.created_unix_s, -5);
    assert_int_equal(read.first_tick, 9);
}

/* The largest header fits into the maximum that readers and the recorder's buffer rely on. */
TEST(test_record_header_largest)
{
    uint8_t buffer[BUFFER_BYTES];
    ls_recording_header header = sample_header(), read;
    memset(header.simulation.name, 'n', LS_RECORDING_TEXT_BYTES - 1);
    memset(header.simulation.version, 'v', LS_RECORDING_TEXT_BYTES - 1);
    memset(header.build, 'b', LS_RECORDING_TEXT_BYTES - 1);
    header.match.option_count = LS_OPTIONS_MAX;
    ls_writer writer;
    ls_writer_init(&writer, buffer, sizeof buffer);
    assert_ok(ls_record_encode_header(&header, &writer, NULL));
    assert_int_equal(writer.count, LS_RECORDING_PREFIX_BYTES + 3 + LS_RECORD_HEADER_PAYLOAD_MAX +
                                       LS_RECORD_CHECKSUM_BYTES);
    ls_reader reader;
    ls_reader_init(&reader, buffer, writer.count);
    assert_ok(ls_record_decode_header("x", &reader, &read, NULL));
}

/* The room's name is a record of its own, which is left for the walk over all records. */
TEST(test_record_header_names_the_room)
{
    uint8_t buffer[BUFFER_BYTES];
    ls_recording_header header = sample_header(), read;
    ls_writer writer;
    ls_reader reader;
    ls_writer_init(&writer, buffer, sizeof buffer);
    assert_ok(ls_record_encode_header(&header, &writer, NULL));
    size_t plain = writer.count;
    for (uint32_t i = 0; i < 2; i++) {
        header.has_room = true;
        strcpy(header.room, i ? "arena" : "");
        ls_writer_init(&writer, buffer, sizeof buffer);
        assert_ok(ls_record_encode_header(&header, &writer, NULL));
        assert_int_equal(writer.count, plain + 11 + strlen(header.room));
        ls_reader_init(&reader, buffer, writer.count);
        assert_ok(ls_record_decode_header("x", &reader, &read, NULL));
        assert_int_equal(reader.offset, plain);
        assert_true(read.has_room);
        assert_string_equal(read.room, header.room);
    }
    buffer[plain + 4] ^= 1; /* damaged: the walk finds that; here it only names no room */
    ls_reader_init(&reader, buffer, writer.count);
    assert_ok(ls_record_decode_header("x", &reader, &read, NULL));
    assert_false(read.has_room);
    header.first_tick = 9; /* a later file of a match has none */
    ls_writer_init(&writer, buffer, sizeof buffer);
    assert_ok(ls_record_encode_header(&header, &writer, NULL));
    assert_int_equal(writer.count, plain);
}

static void refuse_header(const ls_recording_header *header, const char *word)
{
    uint8_t buffer[BUFFER_BYTES];
    ls_writer writer;
    ls_error error;
    ls_writer_init(&writer, buffer, sizeof buffer);
    assert_int_equal(ls_record_encode_header(header, &writer, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, word));
    assert_int_equal(writer.count, 0);
}

TEST(test_record_header_refuses_limits)
{
    ls_recording_header header = sample_header();
    header.simulation.name[2] = '\n';
    refuse_header(&header, "name");
    header = sample_header();
    memset(header.simulation.version, 'v', sizeof header.simulation.version);
    refuse_header(&header, "version");
    header = sample_header();
    header.build[0] = 0x7f;
    refuse_header(&header, "build");
    header = sample_header();
    header.match.tick_rate = 0x10000 + 60; /* truncation to 16 bits would make it valid */
    refuse_header(&header, "tick rate");
    header = sample_header();
    header.match.player_count = 0x100 + 4;
    refuse_header(&header, "player count");
    header = sample_header();
    header.match.option_count = LS_OPTIONS_MAX + 1;
    refuse_header(&header, "options");
    header = sample_header();
    header.first_tick = UINT64_MAX;
    refuse_header(&header, "first tick");
}

/* Decodes a header with one changed byte or with added bytes, under a valid checksum. */
static ls_status decode_changed(size_t at, uint8_t value, size_t extra_bytes)
{
    uint8_t buffer[BUFFER_BYTES] = {0};
    ls_recording_header header = sample_header(), read;
    ls_writer writer;
    ls_writer_init(&writer, buffer, sizeof buffer);
    header.salt = 0;
    assert_ok(ls_record_encode_header(&header, &writer, NULL));
    writer.count -= LS_RECORD_CHECKSUM_BYTES;
    /* This header has a length of two bytes. */
    buffer[LS_RECORDING_PREFIX_BYTES + 3 + at] = value;
    for (size_t i = 0; i < extra_bytes; i++)
        ls_write_u8(&writer, 0);
    buffer[LS_RECORDING_PREFIX_BYTES + 1] += (uint8_t)extra_bytes;
    ls_write_u64(&writer, ls_hash_bytes(buffer, writer.count));
    ls_reader reader;
    ls_reader_init(&reader, buffer, writer.count);
    return ls_record_decode_header("x", &reader, &read, NULL);
}

TEST(test_record_header_refuses_verified_nonsense)
{
    enum { FIRST_TICK = 68, TICK_RATE = 100, SEATS = 102, OPTIONS = 103, NAME = 120 };
    assert_ok(decode_changed(0, 9, 0));
    assert_int_equal(decode_changed(0, 9, 1), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(FIRST_TICK + 7, 0x80, 0), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(TICK_RATE, 0, 0), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(SEATS, 65, 0), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(OPTIONS, 17, 0), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(NAME, 200, 0), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(NAME + 1, 0x1b, 0), LS_ERROR_CORRUPT);
}

TEST(test_record_overflow_sets_the_flag)
{
    uint8_t buffer[128] = {0};
    sample_frame sample;
    sample_frame_init(&sample, 0);
    const ls_record_roots roots = {.count = 1, .values = {2}};
    size_t needed = sizeof buffer;
    for (size_t capacity = sizeof buffer; capacity >= 8; capacity--) {
        ls_writer writer;
        ls_state_memory memory = {0};
        ls_writer_init(&writer, buffer, capacity);
        ls_write_u64(&writer, 1);
        ls_record_encode_frame(&sample.frame, &roots, &memory, 3, &writer);
        assert_int_equal(writer.failed, capacity < needed);
        if (capacity == sizeof buffer)
            needed = writer.count;
    }
    assert_int_equal(needed, 8 + 2 + (1 + 9 + 1 + 4) + 8);
}

/* A record is verified in place, and only with its salt and the checksum before it. */
TEST(test_record_verify_needs_salt_and_predecessor)
{
    uint8_t buffer[BUFFER_BYTES];
    sample_frame sample;
    sample_frame_init(&sample, 3);
    ls_writer writer;
    ls_writer_init(&writer, buffer, sizeof buffer);
    ls_write_u64(&writer, 77);
    ls_state_memory memory = {0};
    ls_record_encode_frame(&sample.frame, &(ls_record_roots){.count = 1}, &memory, 99, &writer);
    ls_reader file;
    ls_record record;
    ls_reader_init(&file, buffer, writer.count);
    assert_true(ls_record_verify(&file, 8, 99, &record));
    assert_int_equal(record.type, LS_RECORD_FRAME);
    assert_int_equal(record.bytes, writer.count - 8);
    assert_false(ls_record_verify(&file, 8, 98, &record));
    buffer[0] ^= 1;
    assert_false(ls_record_verify(&file, 8, 99, &record));
}

/* A full keyframe can be verified without earlier records. */
TEST(test_record_keyframe_begins_a_chain)
{
    uint8_t buffer[BUFFER_BYTES], bytes[32];
    const ls_recording_keyframe keyframe = sample_keyframe(20, bytes);
    ls_recording_keyframe read;
    ls_writer writer;
    ls_reader file;
    ls_record record;
    ls_writer_init(&writer, buffer, sizeof buffer);
    ls_write_u64(&writer, 77);
    ls_record_encode_keyframe(&keyframe, 99, &writer);
    ls_reader_init(&file, buffer, writer.count);
    buffer[0] ^= 1;
    assert_true(ls_record_verify(&file, 8, 99, &record));
    assert_true(ls_record_decode_keyframe(&record, 4, &read));
    assert_int_equal(read.tick, 20);
    assert_int_equal(read.base_tick, 16);
    assert_int_equal(read.players, 4);
    assert_true(read.is_paused);
    assert_int_equal(read.bytes, keyframe.bytes);
    assert_memory_equal(read.data, keyframe.data, keyframe.bytes);
    assert_false(ls_record_decode_keyframe(&record, 2, &read)); /* seat 2 is not in the match */
    assert_false(ls_record_verify(&file, 8, 98, &record));
    buffer[12] ^= 1;
    assert_false(ls_record_verify(&file, 8, 99, &record));
}

TEST(test_record_numbers_have_one_form)
{
    static const uint64_t values[] = {0, 1, 127, 128, 300, 1 << 21, 1ull << 63, UINT64_MAX};
    static const uint8_t wrong[][11] = {
        {0x80},
        {0x80, 0},
        {0xff, 0x80, 0},
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
        {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
    };
    uint8_t buffer[16];
    ls_writer writer;
    ls_reader reader;
    for (size_t i = 0; i < LS_COUNT_OF(values); i++) {
        ls_writer_init(&writer, buffer, LS_NUMBER_BYTES);
        ls_write_number(&writer, values[i]);
        assert_false(writer.failed);
        ls_reader_init(&reader, buffer, writer.count);
        assert_true(ls_read_number(&reader) == values[i] && ls_reader_done(&reader));
        ls_reader_init(&reader, buffer, writer.count - 1);
        (void)ls_read_number(&reader);
        assert_true(reader.failed);
    }
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        ls_reader_init(&reader, wrong[i], i ? sizeof wrong[i] : 1);
        (void)ls_read_number(&reader);
        assert_true(reader.failed);
    }
}

TEST(test_record_peek_refuses_lengths)
{
    static const struct {
        uint8_t head[5];
        uint8_t bytes;
        bool is_good;
    } cases[] = {
        {{0, 5}, 2, false},
        {{LS_RECORD_FRAME, 0x8b, 0x0c}, 3, true},
        {{LS_RECORD_FRAME, 0x8c, 0x0c}, 3, false},
        {{LS_RECORD_FRAME, 0x80, 0x00}, 3, false},
        {{LS_RECORD_ROOTS, 0x81, 0x04}, 3, true},
        {{LS_RECORD_ROOTS, 0x82, 0x04}, 3, false},
        {{LS_RECORD_HEADER, 0xe8, 0x04}, 3, true},
        {{LS_RECORD_HEADER, 0xe9, 0x04}, 3, false},
        {{LS_RECORD_CLOSING, 0x8c, 0x04}, 3, true},
        {{LS_RECORD_CLOSING, 0x8d, 0x04}, 3, false},
        {{LS_RECORD_EPOCH, 20}, 2, true},
        {{LS_RECORD_EPOCH, 21}, 2, false},
        {{LS_RECORD_KEYFRAME, 0x9f, 0x80, 0x80, 0x10}, 5, true},
        {{LS_RECORD_KEYFRAME, 0xa0, 0x80, 0x80, 0x10}, 5, false},
        {{LS_RECORD_SIGNATURE, 74}, 2, true},
        {{LS_RECORD_SIGNATURE, 75}, 2, false},
        {{0x90, 0x80, 0x80, 0x80, 0x20}, 5, true},
        {{0x90, 0x81, 0x80, 0x80, 0x20}, 5, false},
        {{0x90, 0xff, 0xff, 0xff, 0xff}, 5, false},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_reader file;
        ls_record record;
        ls_reader_init(&file, cases[i].head, cases[i].bytes);
        assert_int_equal(ls_record_peek(&file, 0, &record), cases[i].is_good);
        file.count = 1;
        assert_false(ls_record_peek(&file, 0, &record));
    }
}

TEST(test_record_reason_names)
{
    assert_string_equal(ls_closing_reason_name(LS_CLOSING_FINISHED), "finished");
    assert_string_equal(ls_closing_reason_name(LS_CLOSING_DRAINED), "drained");
    assert_string_equal(ls_closing_reason_name(LS_CLOSING_ABANDONED), "abandoned");
    assert_string_equal(ls_closing_reason_name(LS_CLOSING_FAILED), "failed");
    assert_string_equal(ls_closing_reason_name(LS_CLOSING_CUT), "cut");
    assert_string_equal(ls_closing_reason_name(0), "unknown");
    assert_string_equal(ls_closing_reason_name(6), "unknown");
}
