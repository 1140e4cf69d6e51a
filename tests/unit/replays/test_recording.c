#include "sample.h"

#include <lockstep/file_sink.h>
#include <lockstep/hash.h>

#include <sys/stat.h>
#include <unistd.h>

enum { TICKS = 12 };

static ls_status open_path(const char *path, ls_error *error)
{
    ls_recording *recording;
    ls_status status = ls_recording_open(path, &recording, error);
    ls_recording_close(recording);
    assert_true(status == LS_OK || (strstr(error->text, path) && !strchr(error->text, '\n')));
    return status;
}

TEST(test_recording_round_trip_by_file)
{
    char directory[64], path[128];
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    ls_recording *recording;
    uint8_t bytes[32];
    const ls_recording_keyframe keyframe = sample_keyframe(992, bytes);
    ls_recorder_config config = {.name = path, .header = &header, .keyframe = &keyframe};
    header.first_tick = 992;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_ok(ls_file_sink_create(path, &config.sink, NULL));
    assert_ok(ls_recorder_begin(&config, &recorder, NULL));
    sample_append(recorder, 1292);
    assert_ok(sample_finish(recorder, LS_CLOSING_ABANDONED, NULL));
    ls_recorder_destroy(recorder);
    assert_ok(ls_recording_open(path, &recording, NULL));
    assert_string_equal(ls_recording_get_header(recording)->simulation.name, "skirmish");
    for (int pass = 0; pass < 2; pass++) {
        assert_ok(sample_read(recording, NULL));
        const ls_recording_end *end = ls_recording_get_end(recording);
        assert_int_equal(end->kind, LS_RECORDING_CLEAN);
        assert_int_equal(end->tick_count, 300);
        assert_int_equal(end->closing.tick_count, 300);
        assert_int_equal(end->root_tick, 1293);
        assert_int_equal(end->closing.reason, LS_CLOSING_ABANDONED);
        ls_error text;
        ls_recording_describe_end(recording, &text);
        assert_non_null(strstr(text.text, "closed (abandoned) after tick 1291"));
        ls_recording_rewind(recording);
    }
    ls_recording_close(recording);
    test_directory_remove(directory);
}

TEST(test_recording_damage_names_byte_and_tick)
{
    ls_memory_sink memory;
    ls_recording *recording;
    ls_error error;
    char at[32];
    sample_record(&memory, TICKS, true);
    memory.data[memory.bytes / 2] ^= 0x10;
    assert_ok(ls_recording_open_memory("m.lsr", memory.data, memory.bytes, &recording, NULL));
    assert_int_equal(sample_read(recording, &error), LS_ERROR_CORRUPT);
    const ls_recording_end *end = ls_recording_get_end(recording);
    assert_true(end->tick_count > 0 && end->tick_count < TICKS);
    snprintf(at, sizeof at, "byte %u, after tick %u:", (unsigned)end->valid_bytes,
             (unsigned)end->tick_count - 1);
    assert_non_null(strstr(error.text, "m.lsr: is damaged at"));
    assert_non_null(strstr(error.text, at));
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
}

TEST(test_recording_refuses_other_files)
{
    char directory[64], path[128];
    ls_error error;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_int_equal(open_path(path, &error), LS_ERROR_NOT_FOUND);
    test_file_write(path, "", 0);
    assert_int_equal(open_path(path, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "is empty"));
    test_file_write(path, "Dear diary, nothing happened today.", 35);
    assert_int_equal(open_path(path, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "is not a Lockstep recording"));
    test_file_write(path, "\x89LS", 3);
    assert_int_equal(open_path(path, &error), LS_ERROR_CORRUPT);
    assert_int_equal(open_path(directory, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "is a directory"));
    assert_int_equal(open_path("/dev/zero", &error), LS_ERROR_IO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(open_path(path, &error), LS_ERROR_IO);
    assert_int_equal(unlink(path), 0);
    test_file_write(path, "", 0);
    assert_int_equal(truncate(path, (off_t)LS_RECORDING_FILE_BYTES_MAX + 1), 0);
    assert_int_equal(open_path(path, &error), LS_ERROR_LIMIT);
    test_directory_remove(directory);
}

TEST(test_recording_refuses_another_version)
{
    ls_memory_sink memory;
    ls_recording_end end;
    ls_error error;
    sample_record(&memory, 1, true);
    memory.data[8] = 1;
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "format version 1 (byte 8)"));
    assert_non_null(strstr(error.text, "the older program"));
    memory.data[8] = 4;
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "format version 4 (byte 8)"));
    assert_non_null(strstr(error.text, "the newer program"));
    ls_memory_sink_reset(&memory);
}

/* Appends a record of any type with a valid checksum, as a newer writer would. */
static void append_raw(ls_memory_sink *memory, uint8_t type, const void *payload, size_t bytes)
{
    uint8_t buffer[256];
    ls_writer writer;
    ls_writer_init(&writer, buffer, sizeof buffer);
    ls_write_bytes(&writer, memory->data + memory->bytes - 8, 8);
    ls_write_u8(&writer, type);
    ls_write_number(&writer, bytes);
    ls_write_bytes(&writer, payload, bytes);
    size_t from = type == LS_RECORD_KEYFRAME ? 8 : 0;
    ls_write_u64(&writer, ls_hash_bytes(buffer + from, writer.count - from) ^ sample_header().salt);
    ls_sink sink = ls_memory_sink_open(memory);
    sink.append(sink.context, buffer + 8, writer.count - 8);
}

TEST(test_recording_skips_or_refuses_unknown_types)
{
    ls_memory_sink memory;
    ls_recording_end end;
    ls_error error;
    sample_record(&memory, 3, true);
    append_raw(&memory, 0x91, "index", 5);
    append_raw(&memory, 0xff, "", 0);
    assert_ok(sample_read_bytes(memory.data, memory.bytes, &end, &error));
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    append_raw(&memory, 0x11, "whatever", 8);
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_int_equal(end.kind, LS_RECORDING_UNKNOWN_TYPE);
    assert_int_equal(end.tick_count, 3);
    assert_non_null(strstr(error.text, "type 17"));
    ls_memory_sink_reset(&memory);
}

typedef struct raw_record {
    uint8_t type;
    uint8_t payload[80];
    size_t bytes;
} raw_record;

/* Asserts that the record is refused, and that the three ticks before it are read. */
static void assert_corrupt(const raw_record *record, bool is_closed)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record(&memory, 3, is_closed);
    append_raw(&memory, record->type, record->payload, record->bytes);
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.tick_count, 3);
    assert_int_equal(end.is_closed, is_closed);
    ls_memory_sink_reset(&memory);
}

/* Invalid content is refused even with valid checksums. */
TEST(test_recording_refuses_verified_nonsense)
{
    static const raw_record cases[] = {
        {LS_RECORD_FRAME, {9}, 3},                         /* not the next tick */
        {LS_RECORD_FRAME, {3}, 2},                         /* truncated before its inputs */
        {LS_RECORD_FRAME, {3}, 4},                         /* a trailing byte */
        {LS_RECORD_FRAME, {0x83, 0}, 4},                   /* an overlong encoding of its tick */
        {LS_RECORD_FRAME, {3, [2] = 1, 0x08, 9}, 5},       /* a truncated input */
        {LS_RECORD_FRAME, {3, [2] = 1, 0x2b}, 4},          /* repeats a state that does not exist */
        {LS_RECORD_FRAME, {3, [2] = 1, 0x10, 0, 0, 9}, 7}, /* an overlong encoding of player 0 */
        {LS_RECORD_FRAME, {3, [2] = 1, 0x12, 4}, 5},       /* a seat outside the match */
        {LS_RECORD_FRAME, {3, [2] = 1, 0x89}, 4},          /* an unknown bit */
        {LS_RECORD_FRAME, {3, [2] = 1, 0x01}, 4},          /* a player before the first one */
        {LS_RECORD_FRAME, {3, [1] = 1}, 9},                /* a truncated root */
        {LS_RECORD_FRAME, {3, [1] = 2}, 1 + 1 + 16 + 1},   /* a root of a future tick */
        {LS_RECORD_FRAME, {3, [1] = 65}, 3},               /* more roots than a record may hold */
        {LS_RECORD_ROOTS, {0}, 1},                         /* none */
        {LS_RECORD_ROOTS, {2}, 17},                        /* a root of a future tick */
        {LS_RECORD_ROOTS, {1}, 10},                        /* a trailing byte */
        {LS_RECORD_EPOCH, {3, [8] = 0}, 20},               /* not higher than the epoch before */
        {LS_RECORD_EPOCH, {2, [8] = 1}, 20},               /* at another tick */
        {LS_RECORD_EPOCH, {3, [8] = 1}, 19},               /* truncated */
        {LS_RECORD_CLOSING, {4, 1, [2] = 1}, 11},          /* another count of ticks */
        {LS_RECORD_CLOSING, {3, 1}, 3},                    /* finished without its last root */
        {LS_RECORD_CLOSING, {3, 4, [2] = 2}, 3 + 16},      /* a root of a future tick */
        {LS_RECORD_CLOSING, {3, 4}, 2},                    /* truncated */
        {LS_RECORD_KEYFRAME, {4, 0, 0, 0, 1}, 5},          /* of a future tick */
        {LS_RECORD_KEYFRAME, {3, 1, 0, 0, 1}, 5},          /* the base is missing */
        {LS_RECORD_KEYFRAME, {3, 4, 0, 0, 1}, 5},          /* the base is before tick 0 */
        {LS_RECORD_KEYFRAME, {3, 0, 16, 0, 1}, 5},         /* a seat outside the match */
        {LS_RECORD_KEYFRAME, {3, 0, 0, 2, 1}, 5},          /* neither paused nor running */
        {LS_RECORD_KEYFRAME, {3, 0, 0, 0}, 4},             /* without a state */
        {LS_RECORD_COLUMNS, {4}, 9},                       /* of a future tick */
        {LS_RECORD_COLUMNS, {3}, 1},                       /* no hashes */
        {LS_RECORD_COLUMNS, {3}, 8},                       /* a truncated hash */
        {LS_RECORD_SIGNATURE, {2}, 65},                    /* at another tick */
        {LS_RECORD_SIGNATURE, {3}, 64},                    /* truncated */
        {LS_RECORD_HEADER, {0}, 20},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++)
        assert_corrupt(&cases[i], false);
}

/* A frame that is further ahead of its roots than any recorder writes. */
TEST(test_recording_refuses_too_long_a_lag)
{
    static const uint8_t frame[4] = {0x80 | (LS_RECORDING_LAG_TICKS_MAX & 0x7f),
                                     LS_RECORDING_LAG_TICKS_MAX >> 7};
    ls_memory_sink memory;
    ls_recording_end end;
    ls_recorder *recorder = sample_begin(&memory);
    for (uint32_t i = 0; i < LS_RECORDING_LAG_TICKS_MAX; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    ls_recorder_destroy(recorder);
    assert_ok(sample_read_bytes(memory.data, memory.bytes, &end, NULL));
    append_raw(&memory, LS_RECORD_FRAME, frame, sizeof frame);
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.tick_count, LS_RECORDING_LAG_TICKS_MAX);
    ls_memory_sink_reset(&memory);
}

/* The maximum number of missing roots arrives at once; one more would be of a future tick. */
TEST(test_recording_gives_many_roots_at_once)
{
    ls_memory_sink memory;
    ls_recording *recording;
    const ls_recording_tick *tick;
    ls_recorder *recorder = sample_begin(&memory);
    for (uint32_t i = 0; i < LS_RECORDING_LAG_TICKS_MAX; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    sample_append(recorder, LS_RECORDING_LAG_TICKS_MAX + 1);
    ls_recorder_destroy(recorder);
    assert_ok(ls_recording_open_memory("m", memory.data, memory.bytes, &recording, NULL));
    for (uint32_t i = 0; i < LS_RECORDING_LAG_TICKS_MAX; i++) {
        assert_ok(ls_recording_next(recording, &tick, NULL));
        assert_int_equal(tick->roots.count, 0);
    }
    assert_ok(ls_recording_next(recording, &tick, NULL));
    assert_int_equal(tick->roots.first_tick, 0);
    assert_int_equal(tick->roots.count, LS_RECORDING_LAG_TICKS_MAX + 1);
    ls_recording_rewind(recording);
    assert_ok(sample_read(recording, NULL));
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
}

/* The valid records that the cases above modify. */
TEST(test_recording_takes_records_of_every_type)
{
    static const raw_record cases[] = {
        {LS_RECORD_FRAME, {3}, 3},
        {LS_RECORD_FRAME, {3, [1] = 1, [2] = 0xaf}, 11},
        {LS_RECORD_FRAME, {3, [2] = 1, 0x10, 2, 0, 9}, 7},
        {LS_RECORD_FRAME, {3, [2] = 1, 0x12, 3}, 5},
        {LS_RECORD_FRAME, {3, [2] = 2, 0x0b, 0, 7, 0x23}, 7},
        {LS_RECORD_ROOTS, {1}, 9},
        {LS_RECORD_EPOCH, {3, [8] = 1}, 20},
        {LS_RECORD_CLOSING, {3, 1, [2] = 1}, 11},
        {LS_RECORD_CLOSING, {3, 4}, 3},
        {LS_RECORD_CLOSING, {3, 99}, 3},
        {LS_RECORD_KEYFRAME, {3, 0, 15, 1, 1}, 5},
        {LS_RECORD_KEYFRAME, {0, 0, 0, 0, 1}, 5},
        {LS_RECORD_COLUMNS, {3}, 9},
        {LS_RECORD_SIGNATURE, {3}, 65},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_memory_sink memory;
        ls_recording *recording;
        const ls_recording_tick *tick;
        sample_record(&memory, 3, false);
        append_raw(&memory, cases[i].type, cases[i].payload, cases[i].bytes);
        assert_ok(ls_recording_open_memory("m", memory.data, memory.bytes, &recording, NULL));
        do {
            assert_ok(ls_recording_next(recording, &tick, NULL));
        } while (tick);
        assert_int_equal(ls_recording_get_end(recording)->ignored_bytes, 0);
        ls_recording_close(recording);
        ls_memory_sink_reset(&memory);
    }
}

TEST(test_recording_refuses_ticks_after_its_closing)
{
    static const raw_record cases[] = {
        {LS_RECORD_FRAME, {3}, 3},
        {LS_RECORD_ROOTS, {1}, 9},
        {LS_RECORD_EPOCH, {3, [8] = 1}, 20},
        {LS_RECORD_CLOSING, {3, 4}, 3},
        {LS_RECORD_KEYFRAME, {3, 0, 0, 0, 1}, 5},
        {LS_RECORD_COLUMNS, {3}, 9},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++)
        assert_corrupt(&cases[i], true);
}

TEST(test_recording_names_another_simulation)
{
    ls_memory_sink memory;
    ls_recording *recording;
    ls_error error;
    ls_recording_simulation simulation = sample_header().simulation;
    sample_record(&memory, 1, true);
    assert_ok(ls_recording_open_memory("m.lsr", memory.data, memory.bytes, &recording, NULL));
    strcpy(simulation.version, "9.9");
    assert_ok(ls_recording_check_simulation(recording, &simulation, &error));
    simulation.fingerprint[15] ^= 1;
    assert_int_equal(ls_recording_check_simulation(recording, &simulation, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "skirmish 1.2"));
    assert_non_null(strstr(error.text, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));
    assert_non_null(strstr(error.text, "skirmish 9.9"));
    assert_non_null(strstr(error.text, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfefe"));
    simulation = sample_header().simulation;
    simulation.rules_version = 8;
    assert_int_equal(ls_recording_check_simulation(recording, &simulation, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "engine rules 7, this program has 8"));
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
}
