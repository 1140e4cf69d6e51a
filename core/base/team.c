#include "core/base/team.h"

#include "core/base/platform.h"
#include "core/base/platform_cpu.h"

#include <stdatomic.h>

/* Iterations of waiting for a job: about 50 us of spinning; then, while a tick runs, about the same
 * time of yielding to other threads. SPINS_LAST_WORKER: how often the caller looks for workers that
 * are still in the job before it yields. */
enum { SPINS = 4000, YIELDS = 200, SPINS_LAST_WORKER = 200 };

/* The state of a team is one atomic word: the number of workers inside the job, whether the job is
 * open, and its number. So no worker can enter a job that was closed.
 *
 * Memory order (checked by tests/models/weak_team.pml): the store that opens a job publishes it,
 * and entering acquires it. Leaving publishes what the worker did, and the caller acquires that
 * before it returns. Entering and leaving are read-modify-writes, so they continue the release
 * sequences of the store and of each other. */
enum { INSIDE_BITS = 16 };
#define INSIDE      (((uint64_t)1 << INSIDE_BITS) - 1)
#define OPEN        ((uint64_t)1 << INSIDE_BITS)
#define NEXT_NUMBER (OPEN << 1)

struct worker {
    ls_team *team;
    ls_thread thread;
    uint32_t number;
    atomic_bool is_submitted; /* the pool has its task, which is about to run or works on a job */
};

struct ls_team {
    char padding_before[64]; /* padding: polled data has a cache line of its own */
    _Atomic uint64_t state;
    /* These change only while no worker is inside; `state` publishes them. */
    ls_team_function *function;
    void *job;
    uint64_t float_control; /* of the caller of ls_team_run(); tasks of a pool use it */
    char padding_after[64];
    /* Between ls_team_enter() and ls_team_leave(). Relaxed: it only prolongs a wait. */
    atomic_bool is_busy;
    atomic_uint sleepers;
    atomic_bool is_stopping;
    ls_mutex mutex;
    ls_wake wake;
    uint64_t wakes; /* guarded by the mutex */
    uint32_t threads, started;
    ls_team_pool pool; /* without functions: the team has threads of its own */
    struct worker workers[LS_THREADS_MAX];
};

/* This thread works on a job, or hands one to a pool. A task that the pool runs on this thread
 * meanwhile does not enter a job. There it could wait for a system that is below it on the same
 * stack, and that system cannot continue before the task returns. */
static _Thread_local bool is_occupied;

static bool is_new_job(uint64_t state, uint64_t seen)
{
    return state & OPEN && state / NEXT_NUMBER != seen;
}

/* Wakes the sleeping workers. No wake-up is lost: a worker that is about to sleep counts itself in
 * `sleepers` before it reads the state, and the caller changes the state before it reads
 * `sleepers`. All four accesses are seq_cst, so one of the two sees the other. With release and
 * acquire, both could read the old value. */
static void wake_sleepers(ls_team *team)
{
    if (atomic_load(&team->sleepers) == 0)
        return;
    ls_mutex_lock(&team->mutex);
    team->wakes++;
    ls_wake_all(&team->wake);
    ls_mutex_unlock(&team->mutex);
}

static void sleep_until_woken(ls_team *team, uint64_t seen)
{
    ls_mutex_lock(&team->mutex);
    uint64_t wakes = team->wakes;
    atomic_fetch_add(&team->sleepers, 1);
    while (team->wakes == wakes && !is_new_job(atomic_load(&team->state), seen) &&
           !atomic_load(&team->is_stopping))
        ls_wake_wait(&team->wake, &team->mutex);
    /* Relaxed: reading the old count costs one wake-up too many. */
    atomic_fetch_sub_explicit(&team->sleepers, 1, memory_order_relaxed);
    ls_mutex_unlock(&team->mutex);
}

/* Returns when there may be a new job; spurious returns are allowed. Relaxed: the exchange that
 * enters the job decides and acquires, and sleep_until_woken() looks again. */
static void wait_for_job(ls_team *team, uint64_t seen)
{
    for (uint32_t i = 0; i < SPINS; i++) {
        if (is_new_job(atomic_load_explicit(&team->state, memory_order_relaxed), seen) ||
            atomic_load_explicit(&team->is_stopping, memory_order_relaxed))
            return;
        ls_pause();
    }
    for (uint32_t i = 0; i < YIELDS && atomic_load_explicit(&team->is_busy, memory_order_relaxed);
         i++) {
        if (is_new_job(atomic_load_explicit(&team->state, memory_order_relaxed), seen))
            return;
        ls_thread_yield();
    }
    sleep_until_woken(team, seen);
}

/* Enters the open job, unless it is number `*seen`, and stores its number in `*seen`. False: no job
 * with another number is open. */
static bool enter(ls_team *team, uint64_t *seen)
{
    uint64_t state = atomic_load_explicit(&team->state, memory_order_relaxed);
    while (is_new_job(state, *seen)) {
        if (!atomic_compare_exchange_weak_explicit(&team->state, &state, state + 1,
                                                   memory_order_acquire, memory_order_relaxed))
            continue;
        *seen = state / NEXT_NUMBER;
        return true;
    }
    return false;
}

/* The exchange in enter() has acquired function, job and all that the caller did before. The
 * release covers reads, too: the caller overwrites what this worker has read. */
static void leave(ls_team *team)
{
    atomic_fetch_sub_explicit(&team->state, 1, memory_order_release);
}

static void worker_main(void *argument)
{
    struct worker *self = argument;
    ls_team *team = self->team;
    uint64_t seen = 0;
    /* Relaxed: nothing is published by `is_stopping`, and sleep_until_woken() reads it seq_cst. */
    while (!atomic_load_explicit(&team->is_stopping, memory_order_relaxed)) {
        if (!enter(team, &seen)) {
            wait_for_job(team, seen);
            continue;
        }
        team->function(team->job, self->number);
        leave(team);
    }
}

/* A task of a pool works on the job that is open when it runs, if any: not always the one for which
 * it was submitted. The pool's threads may have another floating-point mode than the caller.
 * `is_submitted` changes before the task leaves, so that the next job submits it again. For a task
 * that does not enter, that store is the last access to the team. It is a release, because another
 * thread may free the team after it. */
static void run_task(void *argument)
{
    struct worker *self = argument;
    ls_team *team = self->team;
    uint64_t seen = 0;
    if (is_occupied || !enter(team, &seen)) {
        atomic_store_explicit(&self->is_submitted, false, memory_order_release);
        return;
    }
    uint64_t mode = ls_float_control();
    is_occupied = true;
    ls_float_control_set(team->float_control);
    team->function(team->job, self->number);
    ls_float_control_set(mode);
    is_occupied = false;
    /* Relaxed: leaving publishes it. */
    atomic_store_explicit(&self->is_submitted, false, memory_order_relaxed);
    leave(team);
}

/* Submits no second task for a worker if the pool has not run the first yet: that one works on this
 * job. Acquire: pairs with a task that did not enter. */
static void submit_tasks(ls_team *team)
{
    for (uint32_t i = 1; team->pool.submit && i < team->threads; i++) {
        struct worker *worker = &team->workers[i];
        if (atomic_load_explicit(&worker->is_submitted, memory_order_acquire))
            continue;
        /* Relaxed: the pool orders the task after its submission. */
        atomic_store_explicit(&worker->is_submitted, true, memory_order_relaxed);
        team->pool.submit(team->pool.context, run_task, worker);
    }
}

void ls_team_run(ls_team *team, ls_team_function *function, void *job)
{
    team->function = function;
    team->job = job;
    team->float_control = ls_float_control();
    /* Relaxed: while the job is closed, only this thread writes the state. */
    uint64_t number = atomic_load_explicit(&team->state, memory_order_relaxed) / NEXT_NUMBER + 1;
    atomic_store(&team->state, number * NEXT_NUMBER | OPEN); /* seq_cst for wake_sleepers() */
    wake_sleepers(team);
    bool was_occupied = is_occupied;
    is_occupied = true;
    submit_tasks(team);
    function(job, 0);
    is_occupied = was_occupied;
    /* Acquire, here and below: pairs with each worker that leaves. Closing itself publishes
     * nothing: a worker that comes too late reads nothing of the job. */
    uint64_t state = atomic_fetch_and_explicit(&team->state, ~OPEN, memory_order_acquire);
    for (uint32_t looks = 0; state & INSIDE; looks++) {
        if (looks < SPINS_LAST_WORKER)
            ls_pause();
        else
            ls_thread_yield();
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

static ls_status start(ls_team *team, uint32_t number, bool is_pinned, ls_error *error)
{
    struct worker *worker = &team->workers[number];
    *worker = (struct worker){.team = team, .number = number};
    if (!ls_thread_start(&worker->thread, worker_main, worker))
        return ls_error_set(error, LS_ERROR_IO, "could not start thread %u; ask for fewer threads",
                            number + 1);
    team->started = number;
    if (is_pinned && !ls_thread_pin(&worker->thread, number))
        return ls_error_set(error, LS_ERROR_IO,
                            "could not pin thread %u to a CPU; leave the threads unpinned", number);
    return LS_OK;
}

static ls_status check_cpus(uint32_t threads, ls_error *error)
{
    uint32_t cpus = ls_cpu_count();
    if (cpus == 0)
        return ls_error_set(error, LS_ERROR_IO,
                            "could not ask for the CPUs; leave the threads unpinned");
    if (threads > cpus)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%u threads cannot be pinned to %u CPUs; ask for at most %u threads or "
                            "leave them unpinned",
                            threads, cpus, cpus);
    return LS_OK;
}

static ls_team *allocate(uint32_t threads)
{
    ls_team *made = ls_alloc(sizeof *made);
    made->threads = threads;
    ls_mutex_init(&made->mutex);
    ls_wake_init(&made->wake);
    return made;
}

ls_status ls_team_create(uint32_t threads, bool is_pinned, ls_team **team, ls_error *error)
{
    *team = NULL;
    ls_status status = is_pinned ? check_cpus(threads, error) : LS_OK;
    if (status != LS_OK)
        return status;
    ls_team *made = allocate(threads);
    for (uint32_t i = 1; i < threads; i++) {
        status = start(made, i, is_pinned, error);
        if (status != LS_OK) {
            ls_team_destroy(made);
            return status;
        }
    }
    *team = made;
    return LS_OK;
}

ls_team *ls_team_create_on_pool(uint32_t threads, const ls_team_pool *pool)
{
    ls_team *made = allocate(threads);
    made->pool = *pool;
    for (uint32_t i = 1; i < threads; i++) {
        made->workers[i].team = made;
        made->workers[i].number = i;
    }
    return made;
}

/* The pool still has the addresses of tasks that it has not run. Acquire: see run_task(). */
static void wait_for_tasks(ls_team *team)
{
    for (uint32_t i = 1; team->pool.submit && i < team->threads; i++) {
        while (atomic_load_explicit(&team->workers[i].is_submitted, memory_order_acquire))
            team->pool.wait(team->pool.context);
    }
}

void ls_team_destroy(ls_team *team)
{
    if (!team)
        return;
    wait_for_tasks(team);
    atomic_store(&team->is_stopping, true); /* seq_cst for wake_sleepers() */
    wake_sleepers(team);
    for (uint32_t i = 1; i <= team->started; i++)
        ls_thread_join(&team->workers[i].thread);
    ls_wake_destroy(&team->wake);
    ls_mutex_destroy(&team->mutex);
    ls_free(team);
}
