#include "server/job_pool.h"

#include "core/clock.h"

#include <pthread.h>
#include <string.h>

struct ls_job_pool {
    ls_jobs jobs;
    pthread_mutex_t mutex;
    pthread_cond_t work, finished;
    ls_job *first, **last; /* waiting */
    uint32_t waiters;      /* threads in pool_wait */
    bool is_stopping, runs_cheap_inline;
    uint32_t thread_count;
    pthread_t threads[LS_JOB_POOL_THREADS_MAX];
    void (*done)(void *context);
    void *context;
};

static ls_job_pool *cast(ls_jobs *jobs)
{
    return (ls_job_pool *)jobs;
}

/* Runs a job and measures it: a dear one counts at once, a cheap one slowly, so that nobody waits
 * for a job that is only cheap at times. Never 0 afterwards. */
static void run(ls_job *job)
{
    uint64_t start = ls_clock();
    job->run(job);
    uint64_t cost = ls_clock() - start + 1;
    job->cost = cost >= job->cost ? cost : job->cost - (job->cost - cost) / 8;
}

static bool is_cheap(const ls_job *job)
{
    return LS_HAS_CLOCK && job->cost && job->cost < LS_JOB_POOL_INLINE_US * ls_clock_us();
}

/* The next job, or NULL when the pool stops and nothing waits. Holds the mutex. */
static ls_job *take_job(ls_job_pool *pool)
{
    while (!pool->first && !pool->is_stopping)
        pthread_cond_wait(&pool->work, &pool->mutex);
    ls_job *job = pool->first;
    if (job) {
        pool->first = job->next;
        if (!pool->first)
            pool->last = &pool->first;
    }
    return job;
}

static void *work(void *argument)
{
    ls_job_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    for (ls_job *job; (job = take_job(pool)) != NULL;) {
        pthread_mutex_unlock(&pool->mutex);
        run(job);
        /* Under the mutex: whoever has held it since has seen the flag raised, too. */
        pthread_mutex_lock(&pool->mutex);
        ls_job_finish(job); /* from here on the job may be gone */
        if (pool->waiters)
            pthread_cond_broadcast(&pool->finished);
        if (pool->done)
            pool->done(pool->context);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void pool_submit(ls_jobs *jobs, ls_job *job)
{
    ls_job_pool *pool = cast(jobs);
    if (pool->runs_cheap_inline && is_cheap(job)) {
        run(job);
        ls_job_finish(job);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    job->next = NULL;
    *pool->last = job;
    pool->last = &job->next;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

static void pool_wait(ls_jobs *jobs, ls_job *job)
{
    ls_job_pool *pool = cast(jobs);
    pthread_mutex_lock(&pool->mutex);
    pool->waiters++;
    while (!ls_job_is_finished(job))
        pthread_cond_wait(&pool->finished, &pool->mutex);
    pool->waiters--;
    pthread_mutex_unlock(&pool->mutex);
}

ls_status ls_job_pool_create(const ls_job_pool_config *config, ls_job_pool **result,
                             ls_error *error)
{
    *result = NULL;
    if (config->threads < 1 || config->threads > LS_JOB_POOL_THREADS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u threads for jobs: possible are 1 to %u",
                            config->threads, LS_JOB_POOL_THREADS_MAX);
    ls_job_pool *pool = ls_alloc(sizeof *pool);
    pool->jobs = (ls_jobs){.submit = pool_submit, .wait = pool_wait};
    pool->last = &pool->first;
    pool->runs_cheap_inline = config->runs_cheap_inline;
    pool->done = config->done;
    pool->context = config->context;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (; pool->thread_count < config->threads; pool->thread_count++) {
        int code = pthread_create(&pool->threads[pool->thread_count], NULL, work, pool);
        if (code) {
            ls_job_pool_destroy(pool);
            return ls_error_set(error, LS_ERROR_IO, "cannot start a thread: %s", strerror(code));
        }
    }
    *result = pool;
    return LS_OK;
}

void ls_job_pool_destroy(ls_job_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->is_stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    ls_free(pool);
}

ls_jobs *ls_job_pool_jobs(ls_job_pool *pool)
{
    return &pool->jobs;
}
