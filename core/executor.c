/* Executors. The parallel one keeps a list of systems whose predecessors have ended; every thread
 * takes chunks of pages from them, and whoever ends the last chunk of a system releases those that
 * waited for it. Nothing that a system sees depends on who takes what. */
#include "core/executor.h"

#include "core/check.h"
#include "core/executor_internal.h"
#include "core/run.h"

#include <sched.h>
#include <string.h>

/* Fewer living entities than this are cheaper to step alone than to share. */
enum { ENTITIES_TO_SHARE = 1024, SPINS_BEFORE_YIELD = 2000 };

struct worker {
    ls_executor *executor;
    pthread_t thread;
    uint32_t number;
};

struct ls_executor {
    ls_executor_config config;
    struct worker workers[LS_THREADS_MAX]; /* number 0 is the caller */
    uint32_t started;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    uint64_t tick_number;     /* under the mutex: raised to start a tick */
    bool is_stopping;         /* under the mutex */
    const ls_tick_job *job;   /* under the mutex: of the tick that runs, or NULL */
    struct range_job *ranges; /* under the mutex: of ls_executor_for(), or NULL */
    atomic_uint inside;       /* workers that may still look at the job */
    atomic_uint systems_left;
    atomic_uint ready_count;
    atomic_flag ready_lock;
    atomic_uint ready[LS_SYSTEMS_MAX]; /* positions, in the order in which they became ready */
};

static void run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed)
{
    if (job->world->runs[position].is_off)
        return;
    ls_run_begin(job, position, 1);
    for (uint32_t chunk = 0; chunk < job->world->runs[position].chunks; chunk++)
        ls_run_chunk(job, position, chunk, 0, page_seed);
    ls_run_end(job, position);
}

static void run_serial(const ls_tick_job *job, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        run_alone(job, i, 0);
}

/* What may not run at the same time waits as if it had an order, where several run at once. */
static void reset_pending(const ls_tick_job *job, uint32_t first, uint32_t end, bool is_alone)
{
    for (uint32_t i = first; i < end; i++) {
        const ls_plan_system *plan = &job->world->program->systems[i];
        atomic_store_explicit(&job->world->runs[i].pending,
                              plan->predecessor_count + (is_alone ? 0 : plan->apart_before_count),
                              memory_order_relaxed);
    }
}

/* A random legal order: any system whose predecessors have ended may be next. */
static void run_shuffled(const ls_tick_job *job, uint64_t seed, uint32_t first, uint32_t end)
{
    const ls_program *program = job->world->program;
    ls_random_stream stream = ls_random_child(ls_random_root(seed), job->world->state.tick);
    uint64_t page_seed = ls_random_draw(stream, LS_SYSTEMS_MAX) | 1;
    bool is_done[LS_SYSTEMS_MAX] = {false};
    reset_pending(job, first, end, true);
    for (uint32_t step = first; step < end; step++) {
        uint32_t candidates[LS_SYSTEMS_MAX], count = 0;
        for (uint32_t i = first; i < end; i++) {
            if (!is_done[i] && atomic_load(&job->world->runs[i].pending) == 0)
                candidates[count++] = i;
        }
        LS_ASSERT(count > 0); /* the order has no cycle */
        uint32_t chosen = candidates[ls_random_below(ls_random_draw(stream, step), count)];
        run_alone(job, chosen, page_seed);
        is_done[chosen] = true;
        for (uint32_t i = 0; i < program->systems[chosen].successor_count; i++)
            atomic_fetch_sub(&job->world->runs[program->systems[chosen].successors[i]].pending, 1);
    }
}

static void end_system(ls_executor *executor, const ls_tick_job *job, uint32_t position);

static void make_ready(ls_executor *executor, const ls_tick_job *job, uint32_t position)
{
    ls_run *run = &job->world->runs[position];
    if (!run->is_off)
        ls_run_begin(job, position, executor->config.threads);
    if (run->is_off || run->chunks == 0) {
        end_system(executor, job, position);
        return;
    }
    while (atomic_flag_test_and_set_explicit(&executor->ready_lock, memory_order_acquire))
        ;
    uint32_t at = atomic_load_explicit(&executor->ready_count, memory_order_relaxed);
    atomic_store_explicit(&executor->ready[at], position, memory_order_relaxed);
    atomic_store_explicit(&executor->ready_count, at + 1, memory_order_release);
    atomic_flag_clear_explicit(&executor->ready_lock, memory_order_release);
}

/* The depth of this mutual recursion is bounded by the longest chain of systems without a match. */
static void end_system(ls_executor *executor, const ls_tick_job *job, uint32_t position)
{
    const ls_plan_system *plan = &job->world->program->systems[position];
    if (!job->world->runs[position].is_off)
        ls_run_end(job, position);
    for (uint32_t i = 0; i < plan->successor_count + plan->apart_count; i++) {
        uint32_t next = plan->successors[i];
        ls_run *run = &job->world->runs[next];
        if (atomic_fetch_sub_explicit(&run->pending, 1, memory_order_acq_rel) == 1)
            make_ready(executor, job, next);
    }
    atomic_fetch_sub_explicit(&executor->systems_left, 1, memory_order_acq_rel);
}

/* Takes one chunk of any ready system; false when there is none. */
static bool run_one(ls_executor *executor, const ls_tick_job *job, uint32_t worker,
                    uint32_t *first_open)
{
    uint32_t count = atomic_load_explicit(&executor->ready_count, memory_order_acquire);
    for (uint32_t i = *first_open; i < count; i++) {
        uint32_t position = atomic_load_explicit(&executor->ready[i], memory_order_relaxed);
        ls_run *run = &job->world->runs[position];
        uint32_t chunk = atomic_load_explicit(&run->next, memory_order_relaxed);
        if (chunk < run->chunks)
            chunk = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        if (chunk >= run->chunks) {
            *first_open += i == *first_open;
            continue;
        }
        ls_run_chunk(job, position, chunk, worker, 0);
        if (atomic_fetch_add_explicit(&run->done, 1, memory_order_acq_rel) + 1 == run->chunks)
            end_system(executor, job, position);
        return true;
    }
    return false;
}

static void work(ls_executor *executor, const ls_tick_job *job, uint32_t worker)
{
    uint32_t first_open = 0, idle = 0;
    while (atomic_load_explicit(&executor->systems_left, memory_order_acquire) > 0) {
        if (run_one(executor, job, worker, &first_open))
            idle = 0;
        else if (++idle > SPINS_BEFORE_YIELD)
            sched_yield();
    }
}

/* Ranges are taken in order by whoever is free. */
struct range_job {
    ls_range_function *function;
    void *argument;
    uint32_t count, step;
    atomic_uint next;
};

static void take_ranges(struct range_job *job)
{
    uint32_t first;
    while ((first = atomic_fetch_add_explicit(&job->next, job->step, memory_order_relaxed)) <
           job->count)
        job->function(job->argument, first,
                      job->count - first < job->step ? job->count - first : job->step);
}

static void *worker_main(void *argument)
{
    struct worker *self = argument;
    ls_executor *executor = self->executor;
    uint64_t seen = 0;
    pthread_mutex_lock(&executor->mutex);
    for (;;) {
        while (executor->tick_number == seen && !executor->is_stopping)
            pthread_cond_wait(&executor->wake, &executor->mutex);
        if (executor->is_stopping)
            break;
        seen = executor->tick_number;
        /* Nobody enters a tick that is over: its job is gone. */
        const ls_tick_job *job = executor->job;
        struct range_job *ranges = executor->ranges;
        if (!job && !ranges)
            continue;
        atomic_fetch_add_explicit(&executor->inside, 1, memory_order_relaxed);
        pthread_mutex_unlock(&executor->mutex);
        if (job)
            work(executor, job, self->number);
        else
            take_ranges(ranges);
        atomic_fetch_sub_explicit(&executor->inside, 1, memory_order_release);
        pthread_mutex_lock(&executor->mutex);
    }
    pthread_mutex_unlock(&executor->mutex);
    return NULL;
}

static void run_parallel(ls_executor *executor, const ls_tick_job *job, uint32_t first,
                         uint32_t end)
{
    reset_pending(job, first, end, false);
    atomic_store(&executor->ready_count, 0);
    atomic_store(&executor->systems_left, end - first);
    for (uint32_t i = first; i < end; i++) {
        const ls_plan_system *plan = &job->world->program->systems[i];
        if (plan->predecessor_count + plan->apart_before_count == 0)
            make_ready(executor, job, i);
    }
    pthread_mutex_lock(&executor->mutex);
    executor->job = job;
    executor->tick_number++;
    pthread_cond_broadcast(&executor->wake);
    pthread_mutex_unlock(&executor->mutex);
    work(executor, job, 0);
    pthread_mutex_lock(&executor->mutex);
    executor->job = NULL;
    pthread_mutex_unlock(&executor->mutex);
    while (atomic_load_explicit(&executor->inside, memory_order_acquire) > 0)
        sched_yield();
}

enum { RANGES_PER_THREAD = 8 };

void ls_executor_for(ls_executor *executor, uint32_t count, ls_range_function *function,
                     void *argument)
{
    if (!executor || executor->started == 0 || count < 2) {
        function(argument, 0, count);
        return;
    }
    struct range_job ranges = {.function = function, .argument = argument, .count = count};
    ranges.step = count / ((executor->started + 1) * RANGES_PER_THREAD);
    ranges.step += ranges.step == 0;
    pthread_mutex_lock(&executor->mutex);
    executor->ranges = &ranges;
    executor->tick_number++;
    pthread_cond_broadcast(&executor->wake);
    pthread_mutex_unlock(&executor->mutex);
    take_ranges(&ranges);
    pthread_mutex_lock(&executor->mutex);
    executor->ranges = NULL;
    pthread_mutex_unlock(&executor->mutex);
    while (atomic_load_explicit(&executor->inside, memory_order_acquire) > 0)
        sched_yield();
}

void ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first, uint32_t end)
{
    if (job->check)
        ls_check_systems(job, first, end);
    else if (executor && executor->config.shuffle_seed)
        run_shuffled(job, executor->config.shuffle_seed, first, end);
    else if (executor && executor->config.threads > 1 &&
             ls_store_has_living(job->world, executor->config.share_from))
        run_parallel(executor, job, first, end);
    else
        run_serial(job, first, end);
}

struct ls_trace *ls_executor_trace(const ls_executor *executor)
{
    return executor ? executor->config.trace : NULL;
}

ls_status ls_executor_create(const ls_executor_config *config, ls_executor **executor,
                             ls_error *error)
{
    *executor = NULL;
    if (config->threads < 1 || config->threads > LS_THREADS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "threads are 1 to %d, not %u", LS_THREADS_MAX,
                            config->threads);
    if (config->check && (config->threads > 1 || config->shuffle_seed))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a check runs on one thread, and in the serial order");
    ls_executor *made = ls_alloc(sizeof *made);
    made->config = *config;
    if (made->config.share_from == 0)
        made->config.share_from = ENTITIES_TO_SHARE;
    atomic_flag_clear(&made->ready_lock);
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    for (uint32_t i = 1; i < config->threads && !config->shuffle_seed; i++) {
        made->workers[i] = (struct worker){.executor = made, .number = i};
        if (pthread_create(&made->workers[i].thread, NULL, worker_main, &made->workers[i]) != 0) {
            ls_executor_destroy(made);
            return ls_error_set(error, LS_ERROR_IO,
                                "could not start thread %u of %u; ask for fewer threads", i + 1,
                                config->threads);
        }
        made->started = i;
    }
    *executor = made;
    return LS_OK;
}

bool ls_executor_checks(const ls_executor *executor)
{
    return executor && executor->config.check;
}

void ls_executor_destroy(ls_executor *executor)
{
    if (!executor)
        return;
    pthread_mutex_lock(&executor->mutex);
    executor->is_stopping = true;
    pthread_cond_broadcast(&executor->wake);
    pthread_mutex_unlock(&executor->mutex);
    for (uint32_t i = 1; i <= executor->started; i++)
        pthread_join(executor->workers[i].thread, NULL);
    pthread_cond_destroy(&executor->wake);
    pthread_mutex_destroy(&executor->mutex);
    ls_free(executor);
}
