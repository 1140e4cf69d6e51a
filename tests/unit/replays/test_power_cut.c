/* Power cuts. A disk keeps what was synced, and any subset of the later sectors, with any length
 * that the file had in the meantime. The test tries all combinations.
 * Property: every tick reported as durable is read, and no tick that was not written. A file with
 * only an incomplete end is truncated cleanly and resumed. A missing sector before a present one
 * may look like damage: that file stays unchanged, and its start can be resumed. */
#include "sample.h"

enum { SECTOR = 512, SECTORS_MAX = 7, SYNC_STEPS = 14, TICKS = 84, IMAGE_BYTES = 1 << 16 };

/* A possible moment of the power cut: after each call that wrote or synced. */
typedef struct cut {
    size_t synced, written;
    uint64_t promised, appended; /* ticks */
} cut;

typedef struct tally {
    uint32_t images, whole, torn, zeros, holes;
} tally;

static uint8_t image[IMAGE_BYTES];

/* Makes the disk's content: sectors whose bit in `kept` is set are present; the others have their
 * synced bytes, or zeros. */
static void make_image(const uint8_t *data, const cut *at, uint32_t kept, size_t length)
{
    memset(image, 0, length);
    memcpy(image, data, at->synced);
    size_t first = at->synced / SECTOR * SECTOR;
    for (uint32_t i = 0; first + i * SECTOR < length; i++) {
        size_t from = first + i * SECTOR, to = from + SECTOR;
        from = from < at->synced ? at->synced : from;
        to = to < length ? to : length;
        to = to < at->written ? to : at->written;
        if (kept >> i & 1 && from < to)
            memcpy(image + from, data + from, to - from);
    }
}

/* Resumes a copy; it must then be readable to its end. */
static void go_on(const uint8_t *data, size_t bytes, uint64_t tick_count)
{
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found, end;
    ls_memory_sink_init(&memory);
    ls_sink sink = ls_memory_sink_open(&memory);
    sink.append(sink.context, data, bytes);
    const ls_recorder_existing config = {ls_memory_sink_reopen(&memory), "cut"};
    assert_ok(ls_recorder_resume_on(&config, &recorder, &found, NULL));
    assert_int_equal(found.tick_count, tick_count);
    assert_int_equal(memory.bytes, found.valid_bytes);
    assert_int_equal(memory.synced_bytes, memory.bytes);
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
    assert_ok(sample_read_bytes(memory.data, memory.bytes, &end, NULL));
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    assert_int_equal(end.tick_count, tick_count + 3);
    ls_memory_sink_reset(&memory);
}

static void refuse_and_keep(size_t bytes)
{
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found;
    ls_memory_sink_init(&memory);
    ls_sink sink = ls_memory_sink_open(&memory);
    sink.append(sink.context, image, bytes);
    const ls_recorder_existing config = {ls_memory_sink_reopen(&memory), "cut"};
    assert_int_equal(ls_recorder_resume_on(&config, &recorder, &found, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(memory.bytes, bytes);
    assert_memory_equal(memory.data, image, bytes);
    ls_memory_sink_reset(&memory);
}

/* True if a sector is missing before a present one. */
static bool has_hole(uint32_t kept)
{
    return (kept & (kept + 1)) != 0;
}

static void check_image(const cut *at, uint32_t kept, size_t length, tally *sum)
{
    ls_recording_end end;
    ls_status status = sample_read_bytes(image, length, &end, NULL);
    assert_true(end.tick_count >= at->promised && end.tick_count <= at->appended);
    assert_true(end.valid_bytes >= at->synced);
    sum->images++;
    sum->whole += end.kind == LS_RECORDING_OPEN;
    sum->torn += end.kind == LS_RECORDING_TORN;
    sum->zeros += end.kind == LS_RECORDING_ZEROS;
    if (status == LS_OK) {
        go_on(image, length, end.tick_count);
        return;
    }
    assert_int_equal(end.kind, LS_RECORDING_DAMAGED);
    assert_true(has_hole(kept));
    sum->holes++;
    refuse_and_keep(length);
    go_on(image, end.valid_bytes, end.tick_count);
}

static void check_moment(const uint8_t *data, const cut *at, tally *sum)
{
    size_t first = at->synced / SECTOR * SECTOR;
    size_t sectors = (at->written - first + SECTOR - 1) / SECTOR;
    assert_true(at->written <= IMAGE_BYTES && sectors <= SECTORS_MAX);
    for (uint32_t kept = 0; kept < 1u << sectors; kept++) {
        for (size_t end = 0; end <= sectors; end++) {
            size_t length = end == sectors ? at->written : first + end * SECTOR;
            if (length < at->synced)
                continue;
            make_image(data, at, kept, length);
            check_image(at, kept, length, sum);
        }
    }
}

/* Records frames, roots, keyframes, columns, signatures and a record of several sectors, with
 * occasional syncs. */
static uint32_t record(ls_memory_sink *memory, cut *moments)
{
    static const uint64_t columns[SAMPLE_COLUMNS] = {1, 2, 3};
    static const uint8_t evidence[2 * SECTOR + 100] = {1};
    const ls_recording_header header = sample_header();
    const ls_identity identity = sample_identity();
    ls_recorder *recorder;
    uint8_t bytes[32];
    uint32_t count = 0;
    ls_memory_sink_init(memory);
    const ls_recorder_config config = {.sink = ls_memory_sink_open(memory),
                                       .name = "cut",
                                       .header = &header,
                                       .identity = &identity};
    assert_ok(ls_recorder_begin(&config, &recorder, NULL));
    for (uint32_t step = 0; ls_recorder_tick(recorder) < TICKS; step++) {
        uint64_t tick = ls_recorder_tick(recorder);
        if (step % SYNC_STEPS == SYNC_STEPS - 1)
            assert_ok(ls_recorder_sync(recorder, NULL));
        else if (step % 9 == 3)
            assert_ok(sample_add_root(recorder, NULL));
        else if (step % 9 == 5)
            assert_ok(ls_recorder_sign(recorder, NULL));
        else if (step % 20 == 7) {
            const ls_recording_keyframe keyframe = sample_keyframe(tick / 16 * 16, bytes);
            if (keyframe.tick >= ls_recorder_next_keyframe(recorder))
                assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
        } else if (step % 30 == 11)
            assert_ok(ls_recorder_append_columns(recorder, tick, columns, SAMPLE_COLUMNS, NULL));
        else if (step % 40 == 20)
            assert_ok(ls_recorder_append_evidence(recorder, evidence, sizeof evidence, NULL));
        else
            assert_ok(sample_append_frame(recorder, NULL));
        moments[count++] =
            (cut){.synced = memory->synced_bytes,
                  .written = memory->bytes,
                  .promised = ls_recorder_tick(recorder) - ls_recorder_unsynced_ticks(recorder),
                  .appended = ls_recorder_tick(recorder)};
    }
    ls_recorder_destroy(recorder);
    return count;
}

TEST(test_power_cut_keeps_durable_ticks)
{
    static cut moments[4 * TICKS];
    ls_memory_sink memory;
    tally sum = {0};
    uint32_t count = record(&memory, moments);
    for (uint32_t i = 0; i < count; i++)
        check_moment(memory.data, &moments[i], &sum);
    print_message("%u images: %u end open, %u torn, %u in zeros, %u with a hole\n", sum.images,
                  sum.whole, sum.torn, sum.zeros, sum.holes);
    assert_true(sum.whole > 100 && sum.torn > 100 && sum.zeros > 100 && sum.holes > 100);
    assert_true(moments[count - 1].promised > TICKS / 2);
    ls_memory_sink_reset(&memory);
}
