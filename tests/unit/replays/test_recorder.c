#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A disk with programmed failures; otherwise it keeps its bytes. */
typedef struct faulty_disk {
    ls_memory_sink memory;
    ls_sink sink;
    uint32_t fail_append_at; /* number of the failing call, from 1; 0: none */
    int append_code;
    uint32_t fail_sync_at;
    int sync_code;
    int close_code;
    size_t write_bytes_max; /* maximum of a short write; 0: writes are complete */
    bool is_interrupting;   /* every second append fails with EINTR */
    uint32_t append_count;
    uint32_t sync_count;
    uint32_t close_count;
} faulty_disk;

static int64_t faulty_append(void *context, const void *data, size_t bytes)
{
    faulty_disk *disk = context;
    disk->append_count++;
    if (disk->append_count == disk->fail_append_at)
        return -disk->append_code;
    if (disk->is_interrupting && disk->append_count % 2)
        return -EINTR;
    if (disk->write_bytes_max && bytes > disk->write_bytes_max)
        bytes = disk->write_bytes_max;
    return disk->sink.append(disk->sink.context, data, bytes);
}

static int faulty_sync(void *context)
{
    faulty_disk *disk = context;
    return ++disk->sync_count == disk->fail_sync_at ? -disk->sync_code : 0;
}

static int faulty_close(void *context)
{
    faulty_disk *disk = context;
    disk->close_count++;
    return -disk->close_code;
}

static ls_status start(faulty_disk *disk, ls_recorder **recorder, ls_error *error)
{
    ls_recording_header header = sample_header();
    ls_memory_sink_init(&disk->memory);
    disk->sink = ls_memory_sink_open(&disk->memory);
    ls_sink sink = {disk, faulty_append, faulty_sync, faulty_close};
    return ls_recorder_create_on(sink, "disk", &header, recorder, error);
}

/* Appends a frame and the root after it. */
static ls_status append_next(ls_recorder *recorder, ls_error *error)
{
    ls_status status = sample_append_frame(recorder, error);
    return status == LS_OK ? sample_add_root(recorder, error) : status;
}

/* Destroys the recorder, reads the disk, asserts its content and returns the recording's end. */
static ls_recording_end stop(faulty_disk *disk, ls_recorder *recorder)
{
    ls_recording_end end;
    ls_recorder_destroy(recorder);
    assert_int_equal(disk->close_count, 1);
    assert_ok(sample_read_bytes(disk->memory.data, disk->memory.bytes, &end, NULL));
    ls_memory_sink_reset(&disk->memory);
    return end;
}

TEST(test_recorder_writes_each_record_once)
{
    faulty_disk disk = {0};
    ls_recorder *recorder;
    assert_ok(start(&disk, &recorder, NULL));
    assert_int_equal(disk.append_count, 1);
    assert_int_equal(disk.sync_count, 1);
    sample_append(recorder, 100);
    assert_int_equal(disk.append_count, 101);
    assert_int_equal(ls_recorder_unsynced_ticks(recorder), 100);
    assert_ok(ls_recorder_sync(recorder, NULL));
    assert_int_equal(ls_recorder_unsynced_ticks(recorder), 0);
    assert_int_equal(ls_recorder_bytes(recorder), disk.memory.bytes);
    assert_ok(sample_finish(recorder, LS_CLOSING_DRAINED, NULL));
    assert_int_equal(disk.append_count, 102);
    assert_int_equal(disk.sync_count, 3);
    ls_recording_end end = stop(&disk, recorder);
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    assert_int_equal(end.tick_count, 100);
    assert_int_equal(end.closing.reason, LS_CLOSING_DRAINED);
    assert_int_equal(end.root_tick, 101);
}

TEST(test_recorder_completes_short_and_interrupted_writes)
{
    for (size_t bytes_max = 1; bytes_max < 20; bytes_max++) {
        faulty_disk disk = {.write_bytes_max = bytes_max, .is_interrupting = true};
        ls_recorder *recorder;
        assert_ok(start(&disk, &recorder, NULL));
        sample_append(recorder, 20);
        assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
        ls_recording_end end = stop(&disk, recorder);
        assert_int_equal(end.kind, LS_RECORDING_CLEAN);
        assert_int_equal(end.tick_count, 20);
    }
}

/* After a failure the recorder never touches the file again; all bytes written before are
 * readable. */
TEST(test_recorder_fails_for_good_on_append_error)
{
    static const int codes[] = {ENOSPC, EIO, EDQUOT};
    for (uint32_t at = 2; at < 40; at++) {
        faulty_disk disk = {.write_bytes_max = 40,
                            .fail_append_at = at,
                            .append_code = codes[at % LS_COUNT_OF(codes)]};
        ls_recorder *recorder;
        ls_error error, again;
        ls_status status = start(&disk, &recorder, &error);
        while (status == LS_OK)
            status = append_next(recorder, &error);
        assert_int_equal(status, LS_ERROR_IO);
        assert_non_null(strstr(error.text, "disk: cannot append"));
        assert_non_null(strstr(error.text, strerror(disk.append_code)));
        assert_int_equal(disk.append_count, at);
        if (!recorder) { /* the header itself failed */
            assert_int_equal(disk.close_count, 1);
            ls_memory_sink_reset(&disk.memory);
            continue;
        }
        uint64_t tick_count = ls_recorder_tick(recorder);
        uint32_t sync_count = disk.sync_count;
        assert_int_equal(append_next(recorder, &again), LS_ERROR_IO);
        assert_string_equal(error.text, again.text);
        assert_int_equal(ls_recorder_sync(recorder, &again), LS_ERROR_IO);
        assert_int_equal(ls_recorder_finish(recorder, LS_CLOSING_FAILED, &again), LS_ERROR_IO);
        assert_int_equal(disk.append_count, at);
        assert_int_equal(disk.sync_count, sync_count);
        ls_recording_end end = stop(&disk, recorder);
        assert_true(end.kind == LS_RECORDING_OPEN || end.kind == LS_RECORDING_TORN);
        assert_int_equal(end.tick_count, tick_count);
    }
}

TEST(test_recorder_never_syncs_again_after_failed_sync)
{
    faulty_disk disk = {.fail_sync_at = 3, .sync_code = EIO};
    ls_recorder *recorder;
    ls_error error;
    assert_ok(start(&disk, &recorder, NULL));
    sample_append(recorder, 5);
    assert_ok(ls_recorder_sync(recorder, &error));
    sample_append(recorder, 8);
    assert_int_equal(ls_recorder_sync(recorder, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "cannot sync (after 8 ticks"));
    assert_int_equal(ls_recorder_unsynced_ticks(recorder), 3);
    assert_int_equal(ls_recorder_sync(recorder, &error), LS_ERROR_IO);
    assert_int_equal(append_next(recorder, &error), LS_ERROR_IO);
    assert_int_equal(disk.sync_count, 3);
    assert_int_equal(stop(&disk, recorder).tick_count, 8);
}

TEST(test_recorder_reports_failed_start_and_close)
{
    faulty_disk disk = {.fail_sync_at = 1, .sync_code = EIO};
    ls_recorder *recorder;
    ls_error error;
    assert_int_equal(start(&disk, &recorder, &error), LS_ERROR_IO);
    assert_null(recorder);
    assert_int_equal(disk.close_count, 1);
    ls_memory_sink_reset(&disk.memory);

    disk = (faulty_disk){.close_code = EIO};
    assert_ok(start(&disk, &recorder, &error));
    assert_int_equal(sample_finish(recorder, LS_CLOSING_FINISHED, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "cannot close"));
    assert_int_equal(stop(&disk, recorder).kind, LS_RECORDING_CLEAN);
}

/* A seat outside the match, or too many bytes for a frame: the recorder refuses what a reader would
 * refuse, before writing it, and recording continues. */
TEST(test_recorder_refuses_unreadable_frames)
{
    static const uint8_t bytes[LS_INPUT_BYTES_MAX];
    faulty_disk disk = {0};
    ls_recorder *recorder;
    ls_error error;
    ls_input inputs[5];
    ls_frame frame = {.tick = 0, .count = 1, .inputs = inputs};
    assert_ok(start(&disk, &recorder, NULL));
    inputs[0] = (ls_input){.player = 4, .kind = LS_JOIN};
    assert_int_equal(ls_recorder_append(recorder, &frame, &error), LS_ERROR_USAGE);
    for (uint8_t i = 0; i < 5; i++)
        inputs[i] = (ls_input){.player = 0, .kind = LS_INPUT, .bytes = 210, .data = bytes};
    frame.count = 5;
    assert_int_equal(ls_recorder_append(recorder, &frame, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "tick 0"));
    assert_int_equal(disk.append_count, 1);
    sample_append(recorder, 3);
    assert_int_equal(stop(&disk, recorder).tick_count, 3);
}

/* Roots are not written separately until more wait than fit into a record. */
TEST(test_recorder_lets_roots_wait)
{
    faulty_disk disk = {0};
    ls_recorder *recorder;
    assert_ok(start(&disk, &recorder, NULL));
    for (uint32_t i = 0; i < 200; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    assert_int_equal(disk.append_count, 201);
    for (uint32_t i = 0; i <= LS_RECORD_ROOTS_MAX; i++) {
        assert_int_equal(disk.append_count, 201);
        assert_int_equal(ls_recorder_root_tick(recorder), i);
        assert_ok(sample_add_root(recorder, NULL));
    }
    assert_int_equal(disk.append_count, 202);
    assert_ok(sample_append_frame(recorder, NULL));
    assert_int_equal(disk.append_count, 203);
    assert_ok(sample_finish(recorder, LS_CLOSING_DRAINED, NULL));
    ls_recording_end end = stop(&disk, recorder);
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    assert_int_equal(end.tick_count, 201);
    assert_int_equal(end.root_tick, 202);
}

/* A failed write of roots fails the recording, like that of a frame. */
TEST(test_recorder_fails_for_good_on_roots)
{
    faulty_disk disk = {.fail_append_at = 102, .append_code = EIO};
    ls_recorder *recorder;
    ls_error error, again;
    ls_status status = start(&disk, &recorder, NULL);
    for (uint32_t i = 0; i < 100; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    uint32_t added = 0;
    while ((status = sample_add_root(recorder, &error)) == LS_OK)
        added++;
    assert_int_equal(added, LS_RECORD_ROOTS_MAX);
    assert_int_equal(status, LS_ERROR_IO);
    assert_int_equal(sample_add_root(recorder, &again), LS_ERROR_IO);
    assert_int_equal(ls_recorder_begin_epoch(recorder, 1, 0, &again), LS_ERROR_IO);
    assert_string_equal(error.text, again.text);
    assert_int_equal(disk.append_count, 102);
    assert_int_equal(stop(&disk, recorder).tick_count, 100);
}

/* A lag above the limit refuses frames, but not roots. */
TEST(test_recorder_bounds_the_lag)
{
    faulty_disk disk = {0};
    ls_recorder *recorder;
    ls_error error;
    assert_ok(start(&disk, &recorder, NULL));
    for (uint32_t i = 0; i < LS_RECORDING_LAG_TICKS_MAX; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sample_append_frame(recorder, &error), LS_ERROR_LIMIT);
        assert_non_null(strstr(error.text, "may lag its frames"));
        assert_int_equal(disk.append_count, 1 + LS_RECORDING_LAG_TICKS_MAX + i);
        assert_ok(sample_add_root(recorder, NULL));
        assert_ok(sample_append_frame(recorder, &error));
    }
    /* The match failed, so its last roots are never added. */
    assert_ok(ls_recorder_finish(recorder, LS_CLOSING_FAILED, NULL));
    ls_recording_end end = stop(&disk, recorder);
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    assert_int_equal(end.tick_count, LS_RECORDING_LAG_TICKS_MAX + 3);
    assert_int_equal(end.root_tick, 3);
}

/* The largest frame with the most roots is one record. */
TEST(test_recorder_writes_the_largest_record)
{
    static const uint8_t bytes[LS_INPUT_BYTES_MAX];
    faulty_disk disk = {0};
    ls_recorder *recorder;
    ls_input inputs[4];
    assert_ok(start(&disk, &recorder, NULL));
    for (uint32_t i = 0; i < LS_RECORD_ROOTS_MAX; i++)
        assert_ok(sample_append_frame(recorder, NULL));
    for (uint32_t i = 0; i < LS_RECORD_ROOTS_MAX; i++)
        assert_ok(sample_add_root(recorder, NULL));
    for (uint8_t i = 0; i < 4; i++)
        inputs[i] = (ls_input){.player = i, .kind = LS_INPUT, .bytes = 252, .data = bytes};
    inputs[3].bytes = 251;
    const ls_frame frame = {.tick = LS_RECORD_ROOTS_MAX, .count = 4, .inputs = inputs};
    assert_int_equal(ls_frame_bytes(&frame), LS_FRAME_BYTES_MAX);
    uint64_t before = ls_recorder_bytes(recorder);
    assert_ok(ls_recorder_append(recorder, &frame, NULL));
    uint64_t bytes_written = ls_recorder_bytes(recorder) - before;
    assert_true(bytes_written > LS_FRAME_BYTES_MAX && bytes_written <= LS_RECORD_BYTES_MAX);
    ls_recorder_destroy(recorder);
    ls_memory_sink_reset(&disk.memory);
}

TEST(test_recorder_refuses_a_taken_name)
{
    char directory[64], path[128];
    ls_recording_header header = sample_header();
    ls_recorder *recorder, *rival;
    ls_error error;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/match.lsr", directory);
    assert_ok(ls_recorder_create(path, &header, &recorder, &error));
    assert_int_equal(ls_recorder_create(path, &header, &rival, &error), LS_ERROR_IO);
    assert_null(rival);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "choose another name"));
    sample_append(recorder, 10);
    ls_recorder_destroy(recorder);
    assert_int_equal(test_directory_count(directory), 1);
    header.match.player_count = 0;
    snprintf(path, sizeof path, "%s/other.lsr", directory);
    assert_int_equal(ls_recorder_create(path, &header, &recorder, &error), LS_ERROR_USAGE);
    assert_int_equal(test_directory_count(directory), 1);
    test_directory_remove(directory);
}

static int64_t device_append(void *context, const void *data, size_t bytes)
{
    ssize_t written = write(*(int *)context, data, bytes);
    return written < 0 ? -errno : written;
}

static int device_sync(void *context)
{
    return 0;
}

static int device_close(void *context)
{
    return close(*(int *)context);
}

TEST(test_recorder_reports_a_full_device)
{
    int descriptor = open("/dev/full", O_WRONLY);
    if (descriptor < 0)
        skip();
    ls_recording_header header = sample_header();
    ls_sink sink = {&descriptor, device_append, device_sync, device_close};
    ls_recorder *recorder;
    ls_error error;
    assert_int_equal(ls_recorder_create_on(sink, "/dev/full", &header, &recorder, &error),
                     LS_ERROR_IO);
    assert_null(recorder);
    assert_non_null(strstr(error.text, "No space left on device"));
    assert_non_null(strstr(error.text, "free space"));
}
