/* Threads and waits of the system. */
#include "harness.h"

#include "core/base/platform.h"

#include <stdatomic.h>

enum { WAIT_NS = 20000000 };
static const uint64_t patience_ns = 60 * UINT64_C(1000000000);

/* The state that two threads share. */
static struct {
    ls_mutex mutex;
    ls_wake wake;
    bool is_set;
    atomic_bool has_ended;
} shared;

static void start(void)
{
    ls_mutex_init(&shared.mutex);
    ls_wake_init(&shared.wake);
    shared.is_set = false;
    atomic_store(&shared.has_ended, false);
}

static void finish(void)
{
    ls_wake_destroy(&shared.wake);
    ls_mutex_destroy(&shared.mutex);
}

static void set(void *argument)
{
    (void)argument;
    ls_mutex_lock(&shared.mutex);
    shared.is_set = true;
    ls_wake_one(&shared.wake);
    ls_mutex_unlock(&shared.mutex);
    atomic_store(&shared.has_ended, true);
}

TEST(test_platform_wait_ends_after_its_time)
{
    start();
    ls_mutex_lock(&shared.mutex);
    uint64_t begin_ns = ls_monotonic_ns();
    while (ls_wake_wait_for(&shared.wake, &shared.mutex, WAIT_NS))
        begin_ns = ls_monotonic_ns(); /* the system may wake it for nothing */
    assert_true(ls_monotonic_ns() - begin_ns >= WAIT_NS);
    ls_mutex_unlock(&shared.mutex);
    finish();
}

TEST(test_platform_wake_ends_a_wait)
{
    ls_thread thread;
    start();
    ls_mutex_lock(&shared.mutex);
    assert_true(ls_thread_start(&thread, set, NULL));
    uint64_t begin_ns = ls_monotonic_ns();
    while (!shared.is_set)
        assert_true(ls_wake_wait_for(&shared.wake, &shared.mutex, patience_ns));
    assert_true(ls_monotonic_ns() - begin_ns < patience_ns);
    ls_mutex_unlock(&shared.mutex);
    ls_thread_join(&thread);
    finish();
}

/* It runs without a join, and also when it may use idle CPUs only. */
TEST(test_platform_runs_a_detached_thread_to_its_end)
{
    static ls_thread thread; /* may outlive the test by a moment */
    start();
    ls_mutex_lock(&shared.mutex);
    assert_true(ls_thread_start(&thread, set, NULL));
    ls_thread_make_idle(&thread);
    ls_thread_detach(&thread);
    ls_mutex_unlock(&shared.mutex);
    uint64_t begin_ns = ls_monotonic_ns();
    while (!atomic_load(&shared.has_ended) && ls_monotonic_ns() - begin_ns < patience_ns)
        ls_thread_yield();
    assert_true(atomic_load(&shared.has_ended));
    finish();
}
