#include "core/base/team.h"

#include "core/base/cycle_counter.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Iterations of waiting for a job: about 50 us of spinning; then, while a tick runs, about the same
 * time of yielding to other threads. */
enum { SPINS = 4000, YIELDS = 200, SPINS_LAST_WORKER = 200 };

/* The state of a team is one atomic word: the number of workers inside the job, whether the job is
 * open, and its number. So no worker can enter a job that was closed. */
enum { INSIDE_BITS = 16 };
#define INSIDE      (((uint64_t)1 << INSIDE_BITS) - 1)
#define OPEN        ((uint64_t)1 << INSIDE_BITS)
#define NEXT_NUMBER (OPEN << 1)

struct worker {
    ls_team *team;
    pthread_t thread;
    uint32_t number;
};

struct ls_team {
    char padding_before[64]; /* padding: polled data has a cache line of its own */
    _Atomic uint64_t state;
    ls_team_function *function; /* function and job change only while no worker is inside */
    void *job;
    char padding_after[64];
    atomic_bool is_busy; /* between ls_team_enter() and ls_team_leave() */
    atomic_uint sleepers;
    atomic_bool is_stopping;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    uint64_t wakes; /* guarded by the mutex */
    uint32_t started;
    struct worker workers[LS_THREADS_MAX];
};

static bool is_new_job(uint64_t state, uint64_t seen)
{
    return state & OPEN && state / NEXT_NUMBER != seen;
}

/* Wakes the sleeping workers. No wake-up is lost: a worker that is about to sleep counts itself in
 * `sleepers` before it reads the state. */
static void wake_sleepers(ls_team *team)
{
    if (atomic_load(&team->sleepers) == 0)
        return;
    pthread_mutex_lock(&team->mutex);
    team->wakes++;
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
}

static void sleep_until_woken(ls_team *team, uint64_t seen)
{
    pthread_mutex_lock(&team->mutex);
    uint64_t wakes = team->wakes;
    atomic_fetch_add(&team->sleepers, 1);
    while (team->wakes == wakes && !is_new_job(atomic_load(&team->state), seen) &&
           !atomic_load(&team->is_stopping))
        pthread_cond_wait(&team->wake, &team->mutex);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->mutex);
}

/* Returns when there may be a new job; spurious returns are allowed. */
static void wait_for_job(ls_team *team, uint64_t seen)
{
    for (uint32_t i = 0; i < SPINS; i++) {
        if (is_new_job(atomic_load_explicit(&team->state, memory_order_relaxed), seen) ||
            atomic_load_explicit(&team->is_stopping, memory_order_relaxed))
            return;
        ls_pause();
    }
    for (uint32_t i = 0; i < YIELDS && atomic_load(&team->is_busy); i++) {
        if (is_new_job(atomic_load_explicit(&team->state, memory_order_relaxed), seen))
            return;
        sched_yield();
    }
    sleep_until_woken(team, seen);
}

static void *worker_main(void *argument)
{
    struct worker *self = argument;
    ls_team *team = self->team;
    uint64_t seen = 0;
    while (!atomic_load(&team->is_stopping)) {
        uint64_t state = atomic_load_explicit(&team->state, memory_order_relaxed);
        if (!is_new_job(state, seen)) {
            wait_for_job(team, seen);
            continue;
        }
        if (!atomic_compare_exchange_weak_explicit(&team->state, &state, state + 1,
                                                   memory_order_acquire, memory_order_relaxed))
            continue;
        seen = state / NEXT_NUMBER;
        team->function(team->job, self->number);
        atomic_fetch_sub_explicit(&team->state, 1, memory_order_release);
    }
    return NULL;
}

void ls_team_run(ls_team *team, ls_team_function *function, void *job)
{
    team->function = function;
    team->job = job;
    uint64_t number = atomic_load_explicit(&team->state, memory_order_relaxed) / NEXT_NUMBER + 1;
    atomic_store(&team->state, number * NEXT_NUMBER | OPEN);
    wake_sleepers(team);
    function(job, 0);
    uint64_t state = atomic_fetch_and_explicit(&team->state, ~OPEN, memory_order_acquire);
    for (uint32_t looks = 0; state & INSIDE; looks++) {
        if (looks < SPINS_LAST_WORKER)
            ls_pause();
        else
            sched_yield();
        state = atomic_load_explicit(&team->state, memory_order_acquire);
    }
}

void ls_team_enter(ls_team *team, bool is_waking)
{
    atomic_store_explicit(&team->is_busy, true, memory_order_relaxed);
    if (is_waking)
        wake_sleepers(team);
}

void ls_team_leave(ls_team *team)
{
    atomic_store_explicit(&team->is_busy, false, memory_order_relaxed);
}

/* The `index`-th CPU of the set, or -1. */
static int cpu_at(const cpu_set_t *set, uint32_t index)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, set) && index-- == 0)
            return cpu;
    }
    return -1;
}

static ls_status pin(pthread_t thread, const cpu_set_t *usable, uint32_t number, ls_error *error)
{
    cpu_set_t one;
    int cpu = cpu_at(usable, number);
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (pthread_setaffinity_np(thread, sizeof one, &one) != 0)
        return ls_error_set(error, LS_ERROR_IO,
                            "could not pin thread %u to CPU %d; leave the threads unpinned", number,
                            cpu);
    return LS_OK;
}

static ls_status start(ls_team *team, uint32_t number, const cpu_set_t *pinned, ls_error *error)
{
    struct worker *worker = &team->workers[number];
    *worker = (struct worker){.team = team, .number = number};
    if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
        return ls_error_set(error, LS_ERROR_IO, "could not start thread %u; ask for fewer threads",
                            number + 1);
    team->started = number;
    return pinned ? pin(worker->thread, pinned, number, error) : LS_OK;
}

ls_status ls_team_create(uint32_t threads, bool is_pinned, ls_team **team, ls_error *error)
{
    cpu_set_t usable;
    *team = NULL;
    if (is_pinned) {
        if (pthread_getaffinity_np(pthread_self(), sizeof usable, &usable) != 0)
            return ls_error_set(error, LS_ERROR_IO,
                                "could not ask for the CPUs; leave the threads unpinned");
        if (threads > (uint32_t)CPU_COUNT(&usable))
            return ls_error_set(error, LS_ERROR_USAGE,
                                "%u threads cannot be pinned to %d CPUs; ask for at most %d "
                                "threads or leave them unpinned",
                                threads, CPU_COUNT(&usable), CPU_COUNT(&usable));
    }
    ls_team *made = ls_alloc(sizeof *made);
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    for (uint32_t i = 1; i < threads; i++) {
        ls_status status = start(made, i, is_pinned ? &usable : NULL, error);
        if (status != LS_OK) {
            ls_team_destroy(made);
            return status;
        }
    }
    *team = made;
    return LS_OK;
}

void ls_team_destroy(ls_team *team)
{
    if (!team)
        return;
    atomic_store(&team->is_stopping, true);
    wake_sleepers(team);
    for (uint32_t i = 1; i <= team->started; i++)
        pthread_join(team->workers[i].thread, NULL);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->mutex);
    ls_free(team);
}
