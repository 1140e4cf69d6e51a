/* Recordings with records of every type: what a reader finds in them besides frames, when they are
 * truncated or changed anywhere. */
#include "sample.h"

#include <lockstep/hash.h>

enum { TICKS = 150, LATER = 992, SHORT = 12 };

static ls_recording *open_all(const ls_memory_sink *memory)
{
    ls_recording *recording;
    assert_ok(ls_recording_open_memory("m.lsr", memory->data, memory->bytes, &recording, NULL));
    return recording;
}

TEST(test_recording_all_seeks_every_tick)
{
    for (uint64_t first = 0; first <= LATER; first += LATER) {
        ls_memory_sink memory;
        const ls_recording_tick *tick;
        sample_record_all(&memory, first, TICKS, true);
        ls_recording *recording = open_all(&memory);
        for (uint64_t at = 0; at < TICKS; at++) {
            uint64_t wanted = first + at * 89 % TICKS, root_tick = 0;
            assert_ok(ls_recording_seek(recording, wanted, NULL));
            for (uint64_t i = wanted; i < first + TICKS && i < wanted + 3; i++) {
                sample_frame sample;
                sample_frame_init(&sample, i);
                assert_ok(ls_recording_next(recording, &tick, NULL));
                assert_int_equal(tick->frame.tick, i);
                assert_int_equal(tick->frame.count, sample.frame.count);
                assert_int_equal(tick->epoch, (i - first) / 32 + ((i - first) % 32 >= 7));
                assert_true(i == wanted || tick->roots.first_tick == root_tick);
                root_tick = tick->roots.first_tick + tick->roots.count;
            }
        }
        assert_ok(ls_recording_seek(recording, first + TICKS, NULL));
        assert_ok(ls_recording_next(recording, &tick, NULL));
        assert_null(tick);
        assert_int_equal(ls_recording_get_end(recording)->kind, LS_RECORDING_CLEAN);
        ls_error error;
        assert_int_equal(ls_recording_seek(recording, first + TICKS + 1, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "m.lsr: has no tick"));
        if (first)
            assert_int_equal(ls_recording_seek(recording, first - 1, &error), LS_ERROR_USAGE);
        ls_recording_rewind(recording);
        assert_ok(sample_read(recording, NULL));
        ls_recording_close(recording);
        ls_memory_sink_reset(&memory);
    }
}

TEST(test_recording_all_finds_the_last_full_keyframe_of_a_tick)
{
    const ls_recording_keyframe list[] = {{.tick = 4, .base_tick = 4}, {.tick = 8, .base_tick = 4},
                                          {.tick = 8, .base_tick = 8}, {.tick = 8, .base_tick = 8},
                                          {.tick = 8, .base_tick = 4}, {.tick = 9, .base_tick = 8}};
    uint32_t count = LS_COUNT_OF(list);
    assert_ptr_equal(ls_recording_find_full(list, count, 4), &list[0]);
    assert_ptr_equal(ls_recording_find_full(list, count, 8), &list[3]);
    assert_ptr_equal(ls_recording_find_full(list, 3, 8), &list[2]);
    assert_null(ls_recording_find_full(list, 2, 8));
    assert_null(ls_recording_find_full(list, count, 9));
    assert_null(ls_recording_find_full(NULL, 0, 0));
}

TEST(test_recording_all_lists_its_records)
{
    for (uint64_t first = 0; first <= LATER; first += LATER) {
        ls_memory_sink memory;
        const ls_recording_keyframe *keyframes;
        const ls_recording_columns *columns;
        uint8_t bytes[32];
        uint64_t root;
        size_t evidence_bytes;
        sample_record_all(&memory, first, TICKS, false);
        ls_recording *recording = open_all(&memory);
        assert_int_equal(ls_recording_keyframes(recording, &keyframes), (TICKS + 3) / 4);
        for (uint32_t i = 0; i < (TICKS + 3) / 4; i++) {
            const ls_recording_keyframe expected = sample_keyframe(first + 4 * i, bytes);
            assert_int_equal(keyframes[i].tick, expected.tick);
            assert_int_equal(keyframes[i].base_tick, expected.base_tick);
            assert_int_equal(keyframes[i].players, expected.players);
            assert_int_equal(keyframes[i].is_paused, expected.is_paused);
            assert_int_equal(keyframes[i].bytes, expected.bytes);
            assert_memory_equal(keyframes[i].data, expected.data, expected.bytes);
            assert_int_equal(memory.data[keyframes[i].offset], LS_RECORD_KEYFRAME);
        }
        uint32_t count = ls_recording_columns_list(recording, &columns);
        assert_int_equal(count, TICKS / 3);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(columns[i].tick, (first + 2) / 3 * 3 + 3 * i);
            assert_int_equal(columns[i].count, SAMPLE_COLUMNS);
            for (uint32_t k = 0; k < SAMPLE_COLUMNS; k++)
                assert_int_equal(ls_recording_column(&columns[i], k),
                                 sample_column(columns[i].tick, k));
        }
        for (uint64_t tick = first; tick < first + TICKS; tick++) {
            assert_true(ls_recording_find_root(recording, tick, &root));
            assert_int_equal(root, sample_root(tick));
        }
        assert_false(ls_recording_find_root(recording, first + TICKS, &root));
        assert_false(ls_recording_find_root(recording, first - 1, &root));
        const uint8_t *evidence = ls_recording_evidence(recording, &evidence_bytes);
        assert_int_equal(evidence_bytes, 5);
        assert_memory_equal(evidence, "proof", 5);
        assert_int_equal(ls_recording_find_end(recording)->tick_count, TICKS);
        assert_int_equal(ls_recording_find_end(recording)->kind, LS_RECORDING_OPEN);
        ls_recording_close(recording);
        ls_memory_sink_reset(&memory);
    }
}

TEST(test_recording_all_tells_how_far_it_is_signed)
{
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        ls_memory_sink memory;
        ls_recording_signed vouched;
        sample_record_all(&memory, LATER, TICKS, is_closed);
        ls_recording *recording = open_all(&memory);
        assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
        assert_true(vouched.has_key);
        /* Signatures of every fifth tick, from 995 on. */
        assert_int_equal(vouched.count, (TICKS - 3 + 4) / 5 + is_closed);
        assert_int_equal(vouched.tick, is_closed ? LATER + TICKS : 1140);
        ls_recording_close(recording);
        ls_memory_sink_reset(&memory);
    }
    ls_memory_sink memory;
    ls_recording_signed vouched;
    sample_record(&memory, 5, true);
    ls_recording *recording = open_all(&memory);
    assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
    assert_true(vouched.has_key && vouched.count == 0 && vouched.tick == 0);
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
}

/* Recomputes every checksum, as an attacker can do with the salt in the file. */
static void seal_again(ls_memory_sink *memory)
{
    ls_reader file;
    ls_record record;
    ls_reader_init(&file, memory->data, memory->bytes);
    size_t at = LS_RECORDING_PREFIX_BYTES;
    for (; at < memory->bytes && ls_record_peek(&file, at, &record); at += record.bytes) {
        size_t before = record.type == LS_RECORD_HEADER     ? LS_RECORDING_PREFIX_BYTES
                        : record.type == LS_RECORD_KEYFRAME ? 0
                                                            : LS_RECORD_CHECKSUM_BYTES;
        size_t bytes = record.bytes - LS_RECORD_CHECKSUM_BYTES;
        ls_writer writer;
        ls_writer_init(&writer, memory->data + at + bytes, LS_RECORD_CHECKSUM_BYTES);
        ls_write_u64(&writer, ls_hash_bytes(memory->data + at - before, before + bytes) ^
                                  sample_header().salt);
    }
    assert_int_equal(at, memory->bytes);
}

/* Valid checksums do not help a forger: the signature after the change is wrong, and earlier ones
 * are good. */
TEST(test_recording_all_forgery_breaks_the_next_signature)
{
    uint32_t changed = 0;
    ls_memory_sink memory;
    sample_record_all(&memory, 0, 40, true);
    uint8_t *original = memcpy(ls_alloc(memory.bytes), memory.data, memory.bytes);
    for (size_t at = LS_RECORDING_PREFIX_BYTES + 40; at < memory.bytes; at += 7) {
        ls_recording *recording;
        ls_recording_signed vouched;
        ls_error error;
        memcpy(memory.data, original, memory.bytes);
        seal_again(&memory);
        assert_memory_equal(memory.data, original, memory.bytes);
        memory.data[at] ^= 0x11;
        ls_reader file;
        ls_record record;
        size_t end = LS_RECORDING_PREFIX_BYTES;
        ls_reader_init(&file, memory.data, memory.bytes);
        while (end < memory.bytes && ls_record_peek(&file, end, &record))
            end += record.bytes;
        if (end != memory.bytes)
            continue; /* changes a length: not tested here */
        seal_again(&memory);
        if (memcmp(memory.data, original, memory.bytes) == 0 ||
            ls_recording_open_memory("m.lsr", memory.data, memory.bytes, &recording, NULL) != LS_OK)
            continue;
        if (ls_recording_find_end(recording)->kind == LS_RECORDING_CLEAN) {
            changed++;
            assert_int_equal(ls_recording_check_signatures(recording, &vouched, &error),
                             LS_ERROR_CORRUPT);
            assert_non_null(strstr(error.text, "the server's signature at byte"));
            assert_true(vouched.bytes <= at);
        }
        ls_recording_close(recording);
    }
    assert_true(changed > 50);
    ls_free(original);
    ls_memory_sink_reset(&memory);
}

/* Truncates and resumes: whole records stay with their content, the rest is cut off. The new writer
 * signs and makes keyframes. */
static void go_on(const ls_memory_sink *joined, size_t cut, uint64_t first)
{
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found, end;
    ls_recording_signed vouched;
    const ls_identity identity = sample_identity();
    ls_memory_sink_init(&memory);
    ls_sink sink = ls_memory_sink_open(&memory);
    sink.append(sink.context, joined->data, cut);
    const ls_recorder_existing config = {ls_memory_sink_reopen(&memory), "m.lsr"};
    ls_status status = ls_recorder_resume_on(&config, &recorder, &found, NULL);
    if (status == LS_OK) {
        uint8_t bytes[32];
        assert_true(ls_recorder_sign_with(recorder, &identity));
        sample_append(recorder, ls_recorder_tick(recorder) + 1);
        ls_recording_keyframe keyframe = sample_keyframe(ls_recorder_tick(recorder), bytes);
        keyframe.base_tick = keyframe.tick;
        assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
        assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
        assert_ok(sample_read_bytes(memory.data, memory.bytes, &end, NULL));
        assert_int_equal(end.kind, LS_RECORDING_CLEAN);
        assert_int_equal(end.tick_count, found.tick_count + 1);
        ls_recording *recording = open_all(&memory);
        assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
        assert_int_equal(vouched.tick, first + end.tick_count);
        ls_recording_close(recording);
        ls_recorder_destroy(recorder);
    } else
        assert_true(status == LS_ERROR_CORRUPT || status == LS_ERROR_REFUSED);
    ls_memory_sink_reset(&memory);
}

TEST(test_recording_all_truncated_at_every_length)
{
    for (uint64_t first = 0; first <= LATER; first += LATER) {
        ls_memory_sink memory;
        uint64_t ticks_before = 0;
        uint32_t signed_before = 0;
        sample_record_all(&memory, first, SHORT, true);
        for (size_t cut = 0; cut <= memory.bytes; cut++) {
            uint8_t *copy = memcpy(ls_alloc(cut), memory.data, cut);
            ls_recording *recording;
            ls_recording_signed vouched;
            if (ls_recording_open_memory("m", copy, cut, &recording, NULL) == LS_OK) {
                const ls_recording_end *end = ls_recording_find_end(recording);
                assert_true(end->tick_count - ticks_before <= 1);
                assert_true(end->tick_count == ticks_before || end->ignored_bytes == 0);
                ticks_before = end->tick_count;
                if (end->ignored_bytes)
                    assert_true(end->kind == LS_RECORDING_TORN || end->kind == LS_RECORDING_ZEROS);
                else
                    assert_int_equal(end->kind,
                                     end->is_closed ? LS_RECORDING_CLEAN : LS_RECORDING_OPEN);
                assert_ok(sample_read(recording, NULL));
                assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
                assert_true(vouched.count - signed_before <= 1);
                signed_before = vouched.count;
                ls_recording_close(recording);
            }
            ls_free(copy);
            if (cut < memory.bytes - 110) /* before the closing record */
                go_on(&memory, cut, first);
        }
        assert_int_equal(ticks_before, SHORT);
        assert_true(signed_before >= 3);
        ls_memory_sink_reset(&memory);
    }
}

/* For any flipped bit, no tick before it is lost and none after it is read. */
TEST(test_recording_all_every_bit_flip_is_detected)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record_all(&memory, LATER, SHORT, true);
    uint32_t later_keyframes = 0, torn = 0;
    for (size_t bit = 0; bit < memory.bytes * 8; bit++) {
        memory.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ls_status status = sample_read_bytes(memory.data, memory.bytes, &end, NULL);
        memory.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(end.valid_bytes <= bit / 8);
        bool is_refused = end.kind == LS_RECORDING_RUNNING && status != LS_OK;
        bool is_damaged = end.kind == LS_RECORDING_DAMAGED && status == LS_ERROR_CORRUPT;
        bool is_torn = end.kind == LS_RECORDING_TORN && end.tick_count == SHORT;
        assert_true(is_refused || is_damaged || is_torn);
        torn += is_torn;
        if (end.later_keyframes > later_keyframes)
            later_keyframes = end.later_keyframes;
    }
    assert_true(torn < 5 * 8);
    assert_int_equal(later_keyframes, SHORT / 4 - 1); /* the damage may begin in the first one */
    ls_memory_sink_reset(&memory);
}

/* A part of a match without its first state cannot be read. */
TEST(test_recording_all_part_needs_its_state)
{
    ls_memory_sink memory;
    ls_recording_end end;
    sample_record_all(&memory, LATER, SHORT, true);
    ls_recording *recording = open_all(&memory);
    const ls_recording_keyframe *keyframes;
    assert_true(ls_recording_keyframes(recording, &keyframes) > 0);
    size_t from = keyframes[0].offset;
    ls_reader file;
    ls_record record;
    ls_reader_init(&file, memory.data, memory.bytes);
    assert_true(ls_record_peek(&file, from, &record));
    ls_recording_close(recording);
    memmove(memory.data + from, memory.data + from + record.bytes,
            memory.bytes - from - record.bytes);
    memory.bytes -= record.bytes;
    seal_again(&memory);
    assert_int_equal(sample_read_bytes(memory.data, memory.bytes, &end, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(end.valid_bytes, from);
    ls_memory_sink_reset(&memory);
}
