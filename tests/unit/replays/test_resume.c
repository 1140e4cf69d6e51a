#include "sample.h"

#include <lockstep/file_sink.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICKS = 12, MORE = 5 };

static ls_status resume(ls_memory_sink *memory, ls_recorder **recorder, ls_recording_end *found,
                        ls_error *error)
{
    const ls_recorder_existing config = {.existing = ls_memory_sink_reopen(memory),
                                         .name = "m.lsr"};
    return ls_recorder_resume_on(&config, recorder, found, error);
}

/* Asserts that resuming is refused: the error names the file, the file is closed, and no byte has
 * changed. */
static void assert_refused(ls_memory_sink *memory, ls_status expected, const char *word)
{
    ls_recorder *recorder;
    ls_recording_end found;
    ls_error error;
    size_t bytes = memory->bytes;
    uint8_t *copy = memcpy(ls_alloc(bytes + 1), memory->data, bytes);
    assert_int_equal(resume(memory, &recorder, &found, &error), expected);
    assert_null(recorder);
    assert_true(memory->closed);
    assert_int_equal(memory->bytes, bytes);
    assert_memory_equal(memory->data, copy, bytes);
    assert_non_null(strstr(error.text, "m.lsr: "));
    assert_non_null(strstr(error.text, word));
    ls_free(copy);
}

/* Records more ticks, closes the recording, and reads everything. */
static void go_on_and_read(ls_memory_sink *memory, ls_recorder *recorder, uint64_t tick_count)
{
    ls_recording_end end;
    sample_append(recorder, tick_count);
    assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
    assert_ok(sample_read_bytes(memory->data, memory->bytes, &end, NULL));
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    assert_int_equal(end.tick_count, tick_count);
    assert_int_equal(end.root_tick, tick_count + 1);
}

/* Truncated anywhere after the header: whole records stay, the rest is cut off, and recording
 * continues. */
TEST(test_resume_after_a_cut_at_every_length)
{
    ls_memory_sink whole, header, memory;
    sample_record(&whole, TICKS, false);
    sample_record(&header, 0, false);
    for (size_t cut = 0; cut <= whole.bytes; cut++) {
        ls_recorder *recorder;
        ls_recording_end found, read;
        ls_error error;
        ls_memory_sink_init(&memory);
        ls_sink sink = ls_memory_sink_open(&memory);
        sink.append(sink.context, whole.data, cut);
        if (cut < header.bytes) {
            assert_refused(&memory, LS_ERROR_CORRUPT, "is");
            ls_memory_sink_reset(&memory);
            continue;
        }
        assert_ok(sample_read_bytes(memory.data, memory.bytes, &read, NULL));
        assert_ok(resume(&memory, &recorder, &found, &error));
        assert_int_equal(found.tick_count, read.tick_count);
        assert_int_equal(found.valid_bytes + found.ignored_bytes, cut);
        assert_int_equal(memory.bytes, found.valid_bytes);
        assert_int_equal(memory.synced_bytes, found.valid_bytes);
        assert_int_equal(ls_recorder_tick(recorder), found.tick_count);
        assert_int_equal(ls_recorder_root_tick(recorder), found.root_tick);
        assert_int_equal(ls_recorder_bytes(recorder), found.valid_bytes);
        assert_int_equal(ls_recorder_unsynced_ticks(recorder), 0);
        go_on_and_read(&memory, recorder, found.tick_count + MORE);
        ls_memory_sink_reset(&memory);
    }
    ls_memory_sink_reset(&whole);
    ls_memory_sink_reset(&header);
}

TEST(test_resume_cuts_off_zeros)
{
    static const uint8_t zeros[700];
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found;
    sample_record(&memory, TICKS, false);
    ls_sink sink = ls_memory_sink_open(&memory);
    sink.append(sink.context, zeros, sizeof zeros);
    assert_ok(resume(&memory, &recorder, &found, NULL));
    assert_int_equal(found.kind, LS_RECORDING_ZEROS);
    assert_int_equal(found.ignored_bytes, sizeof zeros);
    go_on_and_read(&memory, recorder, TICKS + MORE);
    ls_memory_sink_reset(&memory);
}

TEST(test_resume_refuses_closed_and_damaged_files)
{
    ls_memory_sink memory;
    sample_record(&memory, TICKS, true);
    assert_refused(&memory, LS_ERROR_REFUSED, "its match is over (finished, 12 ticks)");
    memory.data[memory.bytes / 2] ^= 1;
    assert_refused(&memory, LS_ERROR_CORRUPT, "is damaged at byte");
    memory.data[8] = 1;
    assert_refused(&memory, LS_ERROR_INCOMPATIBLE, "format version 1");
    ls_memory_sink_reset(&memory);
}

/* Each resume raises the epoch; readers return the epochs with the ticks. */
TEST(test_resume_counts_epochs)
{
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found;
    sample_record(&memory, 2, false);
    for (uint32_t epoch = 1; epoch < 4; epoch++) {
        assert_ok(resume(&memory, &recorder, &found, NULL));
        assert_int_equal(found.epoch_count, epoch - 1);
        assert_int_equal(ls_recorder_epoch(recorder), 10 * (epoch - 1));
        assert_ok(ls_recorder_begin_epoch(recorder, 10 * epoch, 1000 + epoch, NULL));
        assert_int_equal(ls_recorder_epoch(recorder), 10 * epoch);
        sample_append(recorder, 2 + 2 * epoch);
        ls_recorder_destroy(recorder);
    }
    ls_recording *recording;
    const ls_recording_tick *tick;
    assert_ok(ls_recording_open_memory("m", memory.data, memory.bytes, &recording, NULL));
    for (uint32_t i = 0; i < 8; i++) {
        assert_ok(ls_recording_next(recording, &tick, NULL));
        assert_int_equal(tick->epoch, i / 2 * 10);
    }
    assert_ok(ls_recording_next(recording, &tick, NULL));
    const ls_recording_end *end = ls_recording_get_end(recording);
    assert_int_equal(end->epoch_count, 3);
    assert_int_equal(end->epoch.epoch, 30);
    assert_int_equal(end->epoch.tick, 6);
    assert_int_equal(end->epoch.unix_s, 1003);
    ls_recording_rewind(recording);
    assert_ok(ls_recording_next(recording, &tick, NULL));
    assert_int_equal(tick->epoch, 0);
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
}

/* A disk that fails to truncate or sync. */
typedef struct stubborn_disk {
    ls_sink_existing inner;
    int truncate_code, sync_code;
    uint32_t close_count;
} stubborn_disk;

static int stubborn_truncate(void *context, uint64_t bytes)
{
    stubborn_disk *disk = context;
    return disk->truncate_code ? -disk->truncate_code
                               : disk->inner.truncate(disk->inner.sink.context, bytes);
}

static int stubborn_sync(void *context)
{
    return -((stubborn_disk *)context)->sync_code;
}

static int64_t stubborn_append(void *context, const void *data, size_t bytes)
{
    stubborn_disk *disk = context;
    return disk->inner.sink.append(disk->inner.sink.context, data, bytes);
}

static int stubborn_close(void *context)
{
    ((stubborn_disk *)context)->close_count++;
    return 0;
}

TEST(test_resume_reports_a_disk_that_refuses)
{
    for (int part = 0; part < 2; part++) {
        ls_memory_sink memory;
        ls_recorder *recorder;
        ls_recording_end found;
        ls_error error;
        sample_record(&memory, TICKS, false);
        stubborn_disk disk = {.inner = ls_memory_sink_reopen(&memory)};
        *(part ? &disk.sync_code : &disk.truncate_code) = EIO;
        const ls_recorder_existing config = {
            .existing = {.sink = {&disk, stubborn_append, stubborn_sync, stubborn_close},
                         .data = memory.data,
                         .bytes = memory.bytes,
                         .truncate = stubborn_truncate},
            .name = "m.lsr"};
        assert_int_equal(ls_recorder_resume_on(&config, &recorder, &found, &error), LS_ERROR_IO);
        assert_null(recorder);
        assert_int_equal(disk.close_count, 1);
        assert_non_null(strstr(error.text, "m.lsr: cannot cut off"));
        ls_memory_sink_reset(&memory);
    }
}

/* The writer of a real file dies with half a record written. The file is then resumed. */
TEST(test_resume_by_file)
{
    char directory[64], path[128];
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    ls_recording *recording;
    ls_recording_end found;
    ls_error error;
    struct stat facts;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_int_equal(ls_recorder_resume(path, &recorder, &found, &error), LS_ERROR_NOT_FOUND);
    assert_int_equal(ls_recorder_resume(directory, &recorder, &found, &error), LS_ERROR_IO);
    assert_ok(ls_recorder_create(path, &header, &recorder, NULL));
    sample_append(recorder, TICKS);
    ls_recorder_destroy(recorder);
    int descriptor = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(descriptor, "\x02\x30half...", 9), 9);
    close(descriptor);
    for (uint32_t i = 1; i < 4; i++) {
        assert_ok(ls_recorder_resume(path, &recorder, &found, &error));
        assert_int_equal(found.kind, i == 1 ? LS_RECORDING_TORN : LS_RECORDING_OPEN);
        assert_int_equal(found.ignored_bytes, i == 1 ? 9 : 0);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_size, found.valid_bytes);
        assert_ok(ls_recorder_begin_epoch(recorder, i, 5, &error));
        sample_append(recorder, TICKS + MORE * i);
        assert_ok(ls_recorder_sync(recorder, &error));
        if (i == 3)
            assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, &error));
        ls_recorder_destroy(recorder);
    }
    assert_int_equal(ls_recorder_resume(path, &recorder, &found, &error), LS_ERROR_REFUSED);
    assert_ok(ls_recording_open(path, &recording, NULL));
    assert_ok(sample_read(recording, NULL));
    assert_int_equal(ls_recording_get_end(recording)->kind, LS_RECORDING_CLEAN);
    assert_int_equal(ls_recording_get_end(recording)->tick_count, TICKS + 3 * MORE);
    ls_recording_close(recording);
    assert_int_equal(test_directory_count(directory), 1);
    test_directory_remove(directory);
}

static ls_status resume_and_let_go(const char *path, ls_error *error)
{
    ls_recorder *recorder;
    ls_recording_end found;
    ls_status status = ls_recorder_resume(path, &recorder, &found, error);
    ls_recorder_destroy(recorder);
    return status;
}

static int exit_status_of_resume_in_a_child(const char *path)
{
    int result;
    pid_t child = fork();
    if (child == 0)
        _exit((int)resume_and_let_go(path, NULL));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

/* A recorder that created or resumed a recording locks it until it is destroyed. */
TEST(test_resume_is_refused_while_another_records)
{
    char directory[64], path[128];
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    ls_recording_end found;
    ls_error error;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_ok(ls_recorder_create(path, &header, &recorder, NULL));
    for (int pass = 0; pass < 2; pass++) {
        sample_append(recorder, ls_recorder_tick(recorder) + MORE);
        uint64_t bytes = ls_recorder_bytes(recorder);
        assert_int_equal(exit_status_of_resume_in_a_child(path), LS_ERROR_REFUSED);
        assert_int_equal(resume_and_let_go(path, &error), LS_ERROR_REFUSED);
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, "another process records"));
        ls_recorder_destroy(recorder);
        assert_ok(exit_status_of_resume_in_a_child(path));
        assert_ok(ls_recorder_resume(path, &recorder, &found, &error));
        assert_int_equal(found.valid_bytes, bytes);
    }
    ls_recorder_destroy(recorder);
    test_directory_remove(directory);
}
