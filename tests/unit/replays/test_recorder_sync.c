/* A sync on another thread while the owner continues to append. */
#include "sample.h"

#include <errno.h>
#include <pthread.h>

enum { ROUNDS = 20, TICKS_MAX = 2000 };

static void *run(void *context)
{
    ls_recorder_sync_run(context);
    return NULL;
}

/* Appends while the other thread syncs; ticks appended in the meantime are not reported as
 * durable. */
static void append_beside_syncs(ls_recorder *recorder)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ls_recorder_ticket ticket;
        pthread_t thread;
        sample_append(recorder, ls_recorder_tick(recorder) + 10);
        uint64_t promised = ls_recorder_tick(recorder);
        assert_ok(ls_recorder_sync_begin(recorder, &ticket, NULL));
        assert_int_equal(pthread_create(&thread, NULL, run, &ticket), 0);
        sample_append(recorder, promised + TICKS_MAX / ROUNDS);
        assert_int_equal(pthread_join(thread, NULL), 0);
        sample_append(recorder, ls_recorder_tick(recorder) + 1);
        assert_ok(ls_recorder_sync_end(recorder, &ticket, NULL));
        assert_int_equal(ls_recorder_unsynced_ticks(recorder),
                         ls_recorder_tick(recorder) - promised);
    }
}

TEST(test_recorder_sync_beside_appends_to_a_file)
{
    char directory[64], path[128];
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    ls_recording *recording;
    ls_recording_end found;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_ok(ls_recorder_create(path, &header, &recorder, NULL));
    append_beside_syncs(recorder);
    ls_recorder_destroy(recorder);
    assert_ok(ls_recorder_resume(path, &recorder, &found, NULL));
    append_beside_syncs(recorder);
    assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
    assert_ok(ls_recording_open(path, &recording, NULL));
    assert_ok(sample_read(recording, NULL));
    assert_int_equal(ls_recording_get_end(recording)->kind, LS_RECORDING_CLEAN);
    ls_recording_close(recording);
    test_directory_remove(directory);
}

TEST(test_recorder_sync_beside_appends_to_memory)
{
    ls_memory_sink memory;
    ls_recording_end end;
    ls_recorder *recorder = sample_begin(&memory);
    append_beside_syncs(recorder);
    ls_recorder_destroy(recorder);
    assert_true(memory.synced_bytes <= memory.bytes);
    assert_ok(sample_read_bytes(memory.data, memory.synced_bytes, &end, NULL));
    ls_memory_sink_reset(&memory);
}

/* A disk with programmed failures of syncs and appends. */
typedef struct disk {
    ls_memory_sink memory;
    ls_sink sink;
    int append_code, sync_code;
    uint32_t append_count, sync_count;
} disk;

static int64_t disk_append(void *context, const void *data, size_t bytes)
{
    disk *to = context;
    to->append_count++;
    return to->append_code ? -to->append_code : to->sink.append(to->sink.context, data, bytes);
}

static int disk_sync(void *context)
{
    disk *to = context;
    to->sync_count++;
    return -to->sync_code;
}

static int disk_close(void *context)
{
    return 0;
}

static ls_recorder *start(disk *to, ls_recorder_ticket *ticket)
{
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    *to = (disk){0};
    to->sink = ls_memory_sink_open(&to->memory);
    const ls_sink sink = {to, disk_append, disk_sync, disk_close};
    assert_ok(ls_recorder_create_on(sink, "disk", &header, &recorder, NULL));
    sample_append(recorder, 5);
    assert_ok(ls_recorder_sync_begin(recorder, ticket, NULL));
    return recorder;
}

TEST(test_recorder_sync_failure_is_for_good)
{
    disk to;
    ls_recorder_ticket ticket;
    ls_error error;
    ls_recorder *recorder = start(&to, &ticket);
    to.sync_code = EIO;
    ls_recorder_sync_run(&ticket);
    sample_append(recorder, 7); /* the failure is not known yet */
    assert_int_equal(ls_recorder_sync_end(recorder, &ticket, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "disk: cannot sync (after 7 ticks"));
    assert_int_equal(ls_recorder_unsynced_ticks(recorder), 7);
    to.sync_code = 0;
    assert_int_equal(ls_recorder_sync_begin(recorder, &ticket, &error), LS_ERROR_IO);
    assert_int_equal(ls_recorder_sync(recorder, &error), LS_ERROR_IO);
    assert_int_equal(ls_recorder_finish(recorder, LS_CLOSING_FAILED, &error), LS_ERROR_IO);
    assert_int_equal(to.sync_count, 2);
    ls_recorder_destroy(recorder);
    ls_memory_sink_reset(&to.memory);
}

/* The sync succeeded and counts; the append that failed in the meantime is reported. */
TEST(test_recorder_sync_tells_the_append_that_failed)
{
    disk to;
    ls_recorder_ticket ticket;
    ls_error error;
    ls_recorder *recorder = start(&to, &ticket);
    ls_recorder_sync_run(&ticket);
    to.append_code = ENOSPC;
    assert_int_equal(sample_append_frame(recorder, NULL), LS_ERROR_IO);
    assert_int_equal(ls_recorder_sync_end(recorder, &ticket, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "disk: cannot append (after 5 ticks"));
    assert_int_equal(ls_recorder_unsynced_ticks(recorder), 0);
    ls_recorder_destroy(recorder);
    ls_memory_sink_reset(&to.memory);
}
