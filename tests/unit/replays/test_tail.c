#include "sample.h"

enum { TICKS = 40, SECTOR = 512 };

/* Reads a recording truncated at `cut` and followed by `padding` zeros. */
static ls_status read_cut(const ls_memory_sink *memory, size_t cut, size_t padding,
                          ls_recording_end *end)
{
    uint8_t *copy = ls_alloc(cut + padding);
    memcpy(copy, memory->data, cut);
    ls_status status = sample_read_bytes(copy, cut + padding, end, NULL);
    ls_free(copy);
    return status;
}

static size_t header_bytes(const ls_memory_sink *memory)
{
    ls_recording_end end;
    ls_memory_sink first;
    sample_record(&first, 0, false);
    assert_ok(read_cut(memory, first.bytes, 0, &end));
    ls_memory_sink_reset(&first);
    return end.valid_bytes;
}

/* Zeros after whole records: the file had grown, but its blocks were not written. */
TEST(test_tail_zeros_after_whole_records)
{
    ls_memory_sink memory;
    ls_recording_end end;
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        sample_record(&memory, TICKS, is_closed);
        for (size_t padding = 1; padding < 3 * SECTOR; padding += 37) {
            assert_ok(read_cut(&memory, memory.bytes, padding, &end));
            assert_int_equal(end.kind, LS_RECORDING_ZEROS);
            assert_int_equal(end.tick_count, TICKS);
            assert_int_equal(end.ignored_bytes, padding);
            assert_int_equal(end.is_closed, is_closed);
        }
        ls_memory_sink_reset(&memory);
    }
}

/* A power cut left only zeros from some sector on: the file is torn, wherever that sector
 * begins. */
TEST(test_tail_zeros_from_a_sector_on)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record(&memory, TICKS, true);
    size_t sectors = memory.bytes / SECTOR;
    assert_true(sectors >= 4);
    for (size_t cut = (header_bytes(&memory) / SECTOR + 1) * SECTOR; cut < memory.bytes;
         cut += SECTOR) {
        for (size_t padding = 1; padding < 9 * SECTOR; padding = padding * 3 + 7) {
            assert_ok(read_cut(&memory, cut, padding, &end));
            assert_true(end.kind == LS_RECORDING_TORN || end.kind == LS_RECORDING_ZEROS);
            assert_true(end.valid_bytes <= cut && end.tick_count > 0);
        }
    }
    ls_memory_sink_reset(&memory);
}

/* A missing sector between two written ones is damage, not an end. */
TEST(test_tail_hole_is_damage)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record(&memory, TICKS, true);
    memset(memory.data + 2 * SECTOR, 0, SECTOR);
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.kind, LS_RECORDING_DAMAGED);
    assert_true(end.tick_count > 0 && end.valid_bytes <= 2 * SECTOR);
    ls_memory_sink_reset(&memory);
}

/* Makes a record claim more than 1,024 bytes, within a frame's maximum. */
static void claim_more(ls_memory_sink *memory, size_t at)
{
    memory->data[at + 1] |= 0x80;
    memory->data[at + 2] = 8;
}

/* A length changed to reach past the end of the file looks like a torn end; the records after it
 * prove damage. */
TEST(test_tail_changed_length_is_damage)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record(&memory, 3, true);
    size_t at = header_bytes(&memory);
    claim_more(&memory, at);
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.valid_bytes, at);
    ls_memory_sink_reset(&memory);
}

static void append_type(ls_recorder *recorder, int type)
{
    static const uint64_t columns[1] = {9};
    uint8_t bytes[32];
    const ls_recording_keyframe keyframe = sample_keyframe(64, bytes);
    if (type == LS_RECORD_CLOSING)
        assert_ok(ls_recorder_finish(recorder, LS_CLOSING_FAILED, NULL));
    else if (type == LS_RECORD_EPOCH)
        assert_ok(ls_recorder_begin_epoch(recorder, 1, 0, NULL));
    else if (type == LS_RECORD_KEYFRAME)
        assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
    else if (type == LS_RECORD_COLUMNS)
        assert_ok(ls_recorder_append_columns(recorder, 65, columns, 1, NULL));
    else if (type == LS_RECORD_SIGNATURE)
        assert_ok(ls_recorder_sign(recorder, NULL));
}

/* A record of any type after it proves damage. */
TEST(test_tail_changed_length_before_each_type_is_damage)
{
    for (int type = LS_RECORD_FRAME; type <= LS_RECORD_KNOWN_MAX; type++) {
        ls_memory_sink memory;
        ls_recording_header header = sample_header();
        const ls_identity identity = sample_identity();
        ls_recorder *recorder;
        ls_recording_end end;
        ls_memory_sink_init(&memory);
        const ls_recorder_config config = {.sink = ls_memory_sink_open(&memory),
                                           .name = "memory",
                                           .header = &header,
                                           .identity = &identity};
        assert_ok(ls_recorder_begin(&config, &recorder, NULL));
        for (uint32_t i = 0; i < LS_RECORD_ROOTS_MAX; i++)
            assert_ok(sample_append_frame(recorder, NULL));
        size_t at = memory.bytes;
        assert_ok(sample_append_frame(recorder, NULL));
        size_t behind = memory.bytes;
        if (type == LS_RECORD_FRAME)
            assert_ok(sample_append_frame(recorder, NULL));
        else
            append_type(recorder, type);
        while (type == LS_RECORD_ROOTS && memory.bytes == behind)
            assert_ok(sample_add_root(recorder, NULL));
        ls_recorder_destroy(recorder);
        assert_int_equal(memory.data[behind], type);
        claim_more(&memory, at);
        assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL),
                         LS_ERROR_CORRUPT);
        assert_int_equal(end.valid_bytes, at);
        ls_memory_sink_reset(&memory);
    }
}

/* A complete last record with a changed byte is damaged, not torn. */
TEST(test_tail_changed_last_record_is_damage)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record(&memory, 3, false);
    memory.data[memory.bytes - 12] ^= 4;
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.tick_count, 2);
    ls_memory_sink_reset(&memory);
}

/* This also holds if its checksum happens to end in a zero: a torn write would leave zeros after
 * it. */
TEST(test_tail_changed_record_that_ends_in_zero_is_damage)
{
    ls_memory_sink memory;
    ls_recording_end end;
    uint8_t last = 1;
    for (uint64_t root = 0; last != 0; root++) {
        const ls_frame empty = {.tick = 0};
        ls_recorder *recorder = sample_begin(&memory);
        assert_ok(ls_recorder_add_root(recorder, root, NULL));
        assert_ok(ls_recorder_append(recorder, &empty, NULL));
        ls_recorder_destroy(recorder);
        last = memory.data[memory.bytes - 1];
        if (last != 0)
            ls_memory_sink_reset(&memory);
    }
    memory.data[memory.bytes - 12] ^= 4;
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    ls_memory_sink_reset(&memory);
}

/* A player's input may contain bytes shaped like records, but without the salt: they do not turn a
 * torn end into damage. */
TEST(test_tail_forged_record_is_no_record)
{
    uint8_t forged[64];
    ls_memory_sink memory;
    ls_recording_end end;
    ls_recording_header header = sample_header();
    const ls_frame empty = {.tick = 0};
    ls_writer writer;
    ls_writer_init(&writer, forged, sizeof forged);
    ls_write_u64(&writer, 1);
    ls_state_memory states = {0};
    ls_record_encode_frame(&empty, &(ls_record_roots){.count = 1}, &states, header.salt ^ 1,
                           &writer);
    const ls_input input = {
        .player = 0, .kind = LS_INPUT, .bytes = (uint16_t)writer.count, .data = forged};
    const ls_frame frame = {.tick = 0, .count = 1, .inputs = &input};
    ls_recorder *recorder = sample_begin(&memory);
    assert_ok(ls_recorder_append(recorder, &frame, NULL));
    ls_recorder_destroy(recorder);
    assert_ok(sample_read_bytes(memory.data, memory.bytes - 1, &end, NULL));
    assert_int_equal(end.kind, LS_RECORDING_TORN);
    ls_memory_sink_reset(&memory);
}

/* Junk that claims to be a long record and contains more such claims must be rejected in bounded
 * time. */
TEST(test_tail_search_is_bounded)
{
    enum { JUNK = 8 << 20 };
    static const uint8_t claim[5] = {LS_RECORD_FRAME, 0x80, 8, 1, 0};
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record(&memory, 1, false);
    uint8_t *copy = ls_alloc(memory.bytes + JUNK);
    memcpy(copy, memory.data, memory.bytes);
    for (size_t i = 0; i + 5 <= JUNK; i += 5)
        memcpy(copy + memory.bytes + i, claim, 5);
    memcpy(copy + memory.bytes, "\x90\xff\xff\xff\x1f", 5);
    assert_int_equal(sample_read_bytes(copy, memory.bytes + JUNK, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.tick_count, 1);
    ls_free(copy);
    ls_memory_sink_reset(&memory);
}
