/* A process that is killed at any time loses no tick that was appended before. */
#include "sample.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLS = 40, DELAY_US_MAX = 20000 };

/* In memory shared by both processes. */
typedef struct progress {
    _Atomic uint64_t appended;
    _Atomic uint64_t is_recording;
} progress;

/* Adds roots so that the recorder accepts more frames: their lag is limited. */
static bool add_roots(ls_recorder *recorder, uint32_t count)
{
    while (count && sample_add_root(recorder, NULL) == LS_OK)
        count--;
    return count == 0;
}

static void record_for_ever(const char *path, progress *seen)
{
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    if (ls_recorder_create(path, &header, &recorder, NULL) != LS_OK)
        _exit(1);
    atomic_store(&seen->is_recording, 1);
    for (uint64_t tick = 0;; tick++) {
        if (sample_append_frame(recorder, NULL) != LS_OK ||
            (tick % 3 == 2 && !add_roots(recorder, 3)) ||
            (tick % 64 == 63 && ls_recorder_sync(recorder, NULL) != LS_OK))
            _exit(1);
        atomic_store(&seen->appended, tick + 1);
    }
}

/* Kills one writer after a delay that depends on the seed; returns the number of ticks read. Those
 * with an odd seed append some ticks before, however slow the machine is. */
static uint64_t kill_one(const char *path, progress *seen, uint32_t seed)
{
    int result;
    ls_recording *recording;
    atomic_store(&seen->appended, 0);
    atomic_store(&seen->is_recording, 0);
    pid_t child = fork();
    if (child == 0)
        record_for_ever(path, seen);
    while (!atomic_load(&seen->is_recording) || atomic_load(&seen->appended) < seed % 2 * 3)
        usleep(100);
    usleep((useconds_t)(sample_root(seed) >> 16) % DELAY_US_MAX);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    assert_ok(ls_recording_open(path, &recording, NULL));
    assert_ok(sample_read(recording, NULL));
    const ls_recording_end *end = ls_recording_get_end(recording);
    uint64_t tick_count = end->tick_count;
    uint64_t appended = atomic_load(&seen->appended);
    if (tick_count < appended || tick_count > appended + 1)
        print_error("seed %u: %llu ticks read, %llu were appended\n", seed,
                    (unsigned long long)tick_count, (unsigned long long)appended);
    assert_true(tick_count == appended || tick_count == appended + 1);
    assert_true(end->kind == LS_RECORDING_OPEN || end->kind == LS_RECORDING_TORN);
    ls_recording_close(recording);
    return tick_count;
}

TEST(test_killed_writer_loses_nothing)
{
    char directory[64], path[128];
    uint64_t total = 0;
    progress *seen =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(seen != MAP_FAILED);
    test_directory_make(directory);
    for (uint32_t seed = 0; seed < KILLS; seed++) {
        snprintf(path, sizeof path, "%s/seed-%u.lsr", directory, seed);
        total += kill_one(path, seen, seed);
    }
    assert_true(total > KILLS);
    test_directory_remove(directory);
    munmap(seen, sizeof *seen);
}
