#include "benches/pair.h"

#include "core/base/platform_cpu.h"
#include <lockstep/base.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static struct {
    pthread_once_t once;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint_fast64_t asked; /* number of the requested job; changed under the mutex */
    atomic_uint_fast64_t done;
    bench_half *work;
    void *data;
    uint32_t first, end;
} pair = {.once = PTHREAD_ONCE_INIT,
          .mutex = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

/* About 50 us of polling before sleep, as in the engine's workers. */
enum { SPINS = 4000, SPINS_FOR_THE_LAST = 200 };

static void wait_for_work(uint64_t seen)
{
    for (uint32_t i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pair.asked, memory_order_acquire) != seen)
            return;
        ls_pause();
    }
    pthread_mutex_lock(&pair.mutex);
    while (pair.asked == seen)
        pthread_cond_wait(&pair.wake, &pair.mutex);
    pthread_mutex_unlock(&pair.mutex);
}

static void *help(void *unused)
{
    (void)unused;
    for (uint64_t seen = 0;; seen++) {
        wait_for_work(seen);
        pair.work(pair.data, pair.first, pair.end);
        atomic_store_explicit(&pair.done, seen + 1, memory_order_release);
    }
    return NULL;
}

static void start_helper(void)
{
    pthread_t thread;
    LS_ASSERT(pthread_create(&thread, NULL, help, NULL) == 0);
    pthread_detach(thread);
}

void bench_split(uint32_t threads, bench_half *work, void *data, uint32_t count)
{
    if (threads == 1) {
        work(data, 0, count);
        return;
    }
    pthread_once(&pair.once, start_helper);
    uint32_t middle = count / 2 / 64 * 64; /* the halves share no presence word */
    pthread_mutex_lock(&pair.mutex);
    pair.work = work;
    pair.data = data;
    pair.first = middle;
    pair.end = count;
    uint64_t asked = ++pair.asked;
    pthread_cond_signal(&pair.wake);
    pthread_mutex_unlock(&pair.mutex);
    work(data, 0, middle);
    /* Polling is limited, because the helper may be waiting for this thread's processor. */
    for (uint32_t i = 0; atomic_load_explicit(&pair.done, memory_order_acquire) != asked; i++) {
        if (i < SPINS_FOR_THE_LAST)
            ls_pause();
        else
            sched_yield();
    }
}
