#include <lockstep/job_pool.h>

#include "core/base/platform.h"
#include "core/base/platform_cpu.h"

/* A thread and its job. */
typedef struct worker worker;
struct worker {
    worker *next;
    ls_job_pool *pool;
    ls_thread thread;
    ls_job *job; /* the running job; NULL: idle */
    uint64_t since_ns;
    bool is_replaced; /* a spare worker replaces this one: its thread ends after its job */
    bool is_lost;     /* its job was abandoned: its thread then ends and touches only the pool */
    bool has_ended;
};

/* The mutex guards all that changes. It also publishes a job's data from its submitter to its
 * thread; on the way back, the job's state publishes the results (server/jobs.c). */
struct ls_job_pool {
    ls_jobs jobs;
    ls_mutex mutex;
    ls_wake work, finished;
    ls_job *first, **last; /* the queue of jobs */
    uint32_t waiters;      /* threads in pool_wait */
    bool is_stopping, runs_cheap_inline;
    worker *workers;             /* all but the lost ones */
    uint32_t spares, spares_max; /* replaced workers that still run, and their limit */
    uint32_t lost;               /* threads still in an abandoned job */
    bool has_lost;               /* a job was abandoned at some time */
    void (*done)(void *context); /* called after each job of a thread; or NULL */
    void *context;
};

static ls_job_pool *cast(ls_jobs *jobs)
{
    return (ls_job_pool *)(void *)jobs; /* `jobs` is the first member of a pool */
}

/* Runs a job and measures its cost. An expensive run raises the cost at once, a cheap one lowers it
 * slowly: a job that is only sometimes cheap must not run inline. The cost is never 0 afterwards.
 */
static void run(ls_job *job)
{
    uint64_t start = ls_cycles();
    job->run(job);
    uint64_t cost = ls_cycles() - start + 1;
    job->cost = cost >= job->cost ? cost : job->cost - (job->cost - cost) / 8;
}

static bool is_cheap(const ls_job *job)
{
    return LS_HAS_CLOCK && job->cost && job->cost < LS_JOB_POOL_INLINE_US * ls_cycles_us();
}

/* Waits for the next job; NULL when the pool stops and the queue is empty. Needs the mutex. */
static ls_job *take_job(ls_job_pool *pool)
{
    while (!pool->first && !pool->is_stopping)
        ls_wake_wait(&pool->work, &pool->mutex);
    ls_job *job = pool->first;
    if (job) {
        pool->first = job->next;
        if (!pool->first)
            pool->last = &pool->first;
    }
    return job;
}

/* Finishes a job. Needs the mutex, so that a thread that locks it afterwards sees the job's flag
 * raised. */
static void finish(ls_job_pool *pool, ls_job *job)
{
    ls_job_finish(job); /* the owner may free the job from here on */
    if (pool->waiters)
        ls_wake_all(&pool->finished);
    if (pool->done)
        pool->done(pool->context);
}

static void work(void *argument)
{
    worker *self = argument;
    ls_job_pool *pool = self->pool;
    ls_mutex_lock(&pool->mutex);
    while (!self->is_replaced && (self->job = take_job(pool)) != NULL) {
        self->since_ns = ls_monotonic_ns();
        ls_mutex_unlock(&pool->mutex);
        run(self->job);
        ls_mutex_lock(&pool->mutex);
        if (self->is_lost) {
            pool->lost--;
            ls_mutex_unlock(&pool->mutex);
            ls_free(self);
            return;
        }
        ls_job *job = self->job;
        self->job = NULL;
        finish(pool, job);
    }
    self->has_ended = true;
    ls_mutex_unlock(&pool->mutex);
}

/* Starts a worker; false: the system has no thread for it. Needs the mutex once the pool is shared.
 */
static bool start_worker(ls_job_pool *pool)
{
    worker *made = ls_alloc(sizeof *made);
    made->pool = pool;
    if (!ls_thread_start(&made->thread, work, made)) {
        ls_free(made);
        return false;
    }
    made->next = pool->workers;
    pool->workers = made;
    return true;
}

/* Frees the workers with a thread that has ended or is about to. Needs the mutex. */
static void free_ended(ls_job_pool *pool)
{
    for (worker **link = &pool->workers; *link;) {
        worker *ended = *link;
        if (!ended->has_ended) {
            link = &ended->next;
            continue;
        }
        *link = ended->next;
        pool->spares -= ended->is_replaced;
        ls_thread_join(&ended->thread);
        ls_free(ended);
    }
}

/* Starts a spare worker for each one that is stuck in a slow job while jobs wait. Needs the mutex.
 */
static void replace_slow(ls_job_pool *pool)
{
    free_ended(pool);
    uint64_t now = pool->first ? ls_monotonic_ns() : 0;
    for (worker *slow = pool->workers; now && slow; slow = slow->next) {
        bool is_slow = slow->job && now - slow->since_ns >= LS_JOB_POOL_SLOW_NS;
        if (!is_slow || slow->is_replaced || pool->spares == pool->spares_max)
            continue;
        if (!start_worker(pool))
            return;
        slow->is_replaced = true;
        pool->spares++;
    }
}

void ls_job_pool_replace_slow(ls_job_pool *pool)
{
    ls_mutex_lock(&pool->mutex);
    replace_slow(pool);
    ls_mutex_unlock(&pool->mutex);
}

static void pool_submit(ls_jobs *jobs, ls_job *job)
{
    ls_job_pool *pool = cast(jobs);
    if (pool->runs_cheap_inline && is_cheap(job)) {
        run(job);
        ls_job_finish(job);
        return;
    }
    ls_mutex_lock(&pool->mutex);
    job->next = NULL;
    *pool->last = job;
    pool->last = &job->next;
    ls_wake_one(&pool->work);
    ls_mutex_unlock(&pool->mutex);
}

/* Waits for a job. Replaces stuck workers meanwhile, because the thread that calls
 * ls_job_pool_replace_slow() is this one. */
static void pool_wait(ls_jobs *jobs, ls_job *job)
{
    ls_job_pool *pool = cast(jobs);
    ls_mutex_lock(&pool->mutex);
    pool->waiters++;
    while (!ls_job_is_finished(job)) {
        if (!ls_wake_wait_for(&pool->finished, &pool->mutex, LS_JOB_POOL_SLOW_NS / 4))
            replace_slow(pool);
    }
    pool->waiters--;
    ls_mutex_unlock(&pool->mutex);
}

/* Removes a job from the queue; false when it is not queued. Needs the mutex. */
static bool dequeue(ls_job_pool *pool, ls_job *job)
{
    for (ls_job **link = &pool->first; *link; link = &(*link)->next) {
        if (*link != job)
            continue;
        *link = job->next;
        if (!*link)
            pool->last = link;
        return true;
    }
    return false;
}

/* Gives up a running job. Its thread may loop for days, so it is detached and gets idle priority.
 * Needs the mutex. */
static void lose(ls_job_pool *pool, const ls_job *job)
{
    worker **link = &pool->workers;
    while ((*link)->job != job)
        link = &(*link)->next;
    worker *lost = *link;
    *link = lost->next;
    lost->is_lost = pool->has_lost = true;
    pool->lost++;
    ls_thread_make_idle(&lost->thread);
    ls_thread_detach(&lost->thread);
    if (lost->is_replaced)
        pool->spares--;
    else
        (void)start_worker(pool); /* on failure, the other workers remain */
}

static ls_job_fate pool_abandon(ls_jobs *jobs, ls_job *job)
{
    ls_job_pool *pool = cast(jobs);
    ls_job_fate fate = LS_JOB_LOST;
    ls_mutex_lock(&pool->mutex);
    if (ls_job_is_finished(job))
        fate = LS_JOB_HAS_RUN;
    else if (dequeue(pool, job))
        fate = LS_JOB_NOT_BEGUN;
    else
        lose(pool, job);
    ls_mutex_unlock(&pool->mutex);
    return fate;
}

static void init(ls_job_pool *pool, const ls_job_pool_config *config)
{
    pool->jobs = (ls_jobs){.submit = pool_submit, .wait = pool_wait, .abandon = pool_abandon};
    pool->last = &pool->first;
    pool->runs_cheap_inline = config->runs_cheap_inline;
    pool->spares_max = config->spares;
    pool->done = config->done;
    pool->context = config->context;
    ls_mutex_init(&pool->mutex);
    ls_wake_init(&pool->work);
    ls_wake_init(&pool->finished);
}

ls_status ls_job_pool_create(const ls_job_pool_config *config, ls_job_pool **result,
                             ls_error *error)
{
    *result = NULL;
    if (config->threads < 1 || config->threads > LS_JOB_POOL_THREADS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u job threads: must be 1 to %u",
                            config->threads, LS_JOB_POOL_THREADS_MAX);
    ls_job_pool *pool = ls_alloc(sizeof *pool);
    init(pool, config);
    bool is_started = true;
    ls_mutex_lock(&pool->mutex);
    for (uint32_t i = 0; is_started && i < config->threads; i++)
        is_started = start_worker(pool);
    ls_mutex_unlock(&pool->mutex);
    if (!is_started) {
        ls_job_pool_destroy(pool);
        return ls_error_set(error, LS_ERROR_IO,
                            "cannot start a thread: this user or machine has too many");
    }
    *result = pool;
    return LS_OK;
}

void ls_job_pool_destroy(ls_job_pool *pool)
{
    if (!pool)
        return;
    ls_mutex_lock(&pool->mutex);
    pool->is_stopping = true;
    ls_wake_all(&pool->work);
    worker *workers = pool->workers;
    ls_mutex_unlock(&pool->mutex);
    while (workers) {
        worker *next = workers->next;
        ls_thread_join(&workers->thread);
        ls_free(workers);
        workers = next;
    }
    /* A lost thread locks the pool when its job returns, so the pool is never freed. */
    if (ls_job_pool_lost(pool))
        return;
    ls_wake_destroy(&pool->finished);
    ls_wake_destroy(&pool->work);
    ls_mutex_destroy(&pool->mutex);
    ls_free(pool);
}

uint32_t ls_job_pool_lost(ls_job_pool *pool)
{
    ls_mutex_lock(&pool->mutex);
    uint32_t lost = pool->lost;
    ls_mutex_unlock(&pool->mutex);
    return lost;
}

bool ls_job_pool_has_lost(ls_job_pool *pool)
{
    ls_mutex_lock(&pool->mutex);
    bool has_lost = pool->has_lost;
    ls_mutex_unlock(&pool->mutex);
    return has_lost;
}

ls_job_pool_load ls_job_pool_get_load(ls_job_pool *pool)
{
    ls_job_pool_load load = {0};
    ls_mutex_lock(&pool->mutex);
    for (const ls_job *job = pool->first; job; job = job->next)
        load.waiting++;
    for (const worker *one = pool->workers; one; one = one->next)
        load.running += one->job != NULL;
    ls_mutex_unlock(&pool->mutex);
    return load;
}

ls_jobs *ls_job_pool_jobs(ls_job_pool *pool)
{
    return &pool->jobs;
}
