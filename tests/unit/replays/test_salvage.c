/* Salvage after damage gives only written ticks, and each part is a readable recording. */
#include "replays/salvage.h"

#include "sample.h"

#include "tests/support/sanitizer.h"

enum { TICKS = 200, FULL_TICKS = 16 /* as in sample_keyframe() */, SALT = 77 };

typedef struct saved {
    uint32_t parts;
    uint64_t ticks, first_tick, end_tick; /* ticks: of all parts; first_tick: of the first part;
                                             end_tick: of the last part */
} saved;

/* Writes each part and reads it again; sample_read_bytes() asserts ticks and roots. */
static void save_parts(const ls_recording *recording, saved *result)
{
    ls_salvage *salvage = ls_salvage_create(recording, NULL);
    ls_salvage_part part;
    uint64_t before = ls_recording_get_header(recording)->first_tick +
                      ls_recording_find_end(recording)->tick_count;
    while (ls_salvage_next(salvage, &part)) {
        ls_memory_sink memory;
        ls_recording_end end;
        ls_error error;
        ls_memory_sink_init(&memory);
        assert_true(part.first_tick >= before && part.end_tick > part.first_tick);
        if (ls_salvage_write(salvage, ls_memory_sink_open(&memory), "part", SALT, &error) != LS_OK)
            fail_msg("%s", error.text);
        assert_ok(sample_read_bytes(memory.data, memory.bytes, &end, NULL));
        assert_int_equal(end.kind, LS_RECORDING_CLEAN);
        assert_int_equal(end.tick_count, part.end_tick - part.first_tick);
        assert_int_equal(end.root_tick, part.first_tick + part.roots);
        ls_memory_sink_reset(&memory);
        if (result->parts++ == 0)
            result->first_tick = part.first_tick;
        result->end_tick = before = part.end_tick;
        result->ticks += part.end_tick - part.first_tick;
    }
    assert_true(ls_salvage_seen_tick(salvage) >= before);
    ls_salvage_destroy(salvage);
}

/* Returns false if even the header is unreadable. */
static bool save(const uint8_t *data, size_t bytes, ls_recording_end *end, saved *result)
{
    ls_recording *recording;
    *result = (saved){0};
    if (ls_recording_open_memory("damaged", data, bytes, &recording, NULL) != LS_OK)
        return false;
    *end = *ls_recording_find_end(recording);
    save_parts(recording, result);
    ls_recording_close(recording);
    return true;
}

enum { STRIDE = HAS_ADDRESS_SANITIZER ? 7 : 1 }; /* the sanitizer is seven times as slow */

/* Whichever byte changes, the loss ends at the next full keyframe. */
TEST(test_salvage_loses_up_to_the_next_full_keyframe)
{
    ls_memory_sink memory;
    sample_record_all(&memory, 0, TICKS, true);
    uint32_t saved_count = 0;
    for (size_t at = 0; at < memory.bytes; at += STRIDE) {
        ls_recording_end end;
        saved parts;
        memory.data[at] ^= 0x40;
        bool is_read = save(memory.data, memory.bytes, &end, &parts);
        memory.data[at] ^= 0x40;
        if (!is_read || end.kind != LS_RECORDING_DAMAGED) {
            assert_true(!is_read || parts.parts == 0);
            continue;
        }
        /* No part can begin at the last full keyframes if no tick follows. */
        if (end.tick_count + 2 * FULL_TICKS + 2 > TICKS)
            continue;
        saved_count++;
        assert_int_equal(parts.parts, 1);
        assert_int_equal(parts.end_tick, TICKS);
        assert_true(parts.first_tick <= end.tick_count + 2 * FULL_TICKS);
    }
    assert_true(saved_count * STRIDE > memory.bytes / 2);
    ls_memory_sink_reset(&memory);
}

TEST(test_salvage_of_two_damages)
{
    ls_memory_sink memory;
    sample_record_all(&memory, 0, TICKS, true);
    uint32_t threes = 0;
    for (size_t at = memory.bytes / 8; at < memory.bytes / 2; at += 7) {
        ls_recording_end end;
        saved parts;
        size_t second = at + memory.bytes / 3;
        memory.data[at] ^= 1;
        memory.data[second] ^= 1;
        assert_true(save(memory.data, memory.bytes, &end, &parts));
        memory.data[at] ^= 1;
        memory.data[second] ^= 1;
        assert_true(parts.parts >= 1 && parts.parts <= 2);
        assert_true(end.tick_count + parts.ticks + 4 * FULL_TICKS > TICKS);
        threes += parts.parts == 2;
    }
    assert_true(threes > 0);
    ls_memory_sink_reset(&memory);
}

/* A run of zeros where sectors were never written, in a recording without an end. */
TEST(test_salvage_after_a_hole)
{
    ls_memory_sink memory;
    ls_recording_end end;
    saved parts;
    sample_record_all(&memory, 0, TICKS, false);
    memset(memory.data + 2048, 0, 512);
    assert_true(save(memory.data, memory.bytes, &end, &parts));
    assert_int_equal(end.kind, LS_RECORDING_DAMAGED);
    assert_int_equal(parts.parts, 1);
    assert_int_equal(parts.end_tick, TICKS);
    ls_memory_sink_reset(&memory);
}

TEST(test_salvage_of_good_and_of_torn_files_is_nothing)
{
    ls_memory_sink memory;
    ls_recording_end end;
    saved parts;
    sample_record_all(&memory, 0, TICKS, true);
    assert_true(save(memory.data, memory.bytes, &end, &parts));
    assert_int_equal(parts.parts, 0);
    for (size_t bytes = memory.bytes - 200; bytes < memory.bytes; bytes++) {
        assert_true(save(memory.data, bytes, &end, &parts));
        assert_int_equal(parts.parts, 0);
    }
    ls_memory_sink_reset(&memory);
}
