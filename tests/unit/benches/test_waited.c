/* The kernel's counters of waiting time, with two threads that compete for one processor. */
#include "benches/bench.h"

#include "tests/unit/core/harness.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { COMPUTE_MS = 200, WAITED_MS_MIN = 20 };

static pthread_barrier_t both;

static uint64_t cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void compute(void)
{
    uint64_t begin_ms = cpu_ms();
    while (cpu_ms() - begin_ms < COMPUTE_MS)
        ;
}

static void *compute_beside(void *unused)
{
    pthread_barrier_wait(&both);
    compute();
    pthread_barrier_wait(&both); /* a thread's counters vanish when it ends */
    return NULL;
}

TEST(test_waited_counts_both_threads_of_one_processor)
{
    cpu_set_t before, one;
    pthread_t thread;
    if (access("/proc/self/schedstat", R_OK) != 0)
        skip();
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
    uint64_t waited_ns = bench_waited_ns();
    assert_int_equal(pthread_create(&thread, NULL, compute_beside, NULL), 0);
    pthread_barrier_wait(&both);
    compute();
    waited_ns = bench_waited_ns() - waited_ns;
    pthread_barrier_wait(&both);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&both);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_true(waited_ns >= WAITED_MS_MIN * UINT64_C(1000000));
}
