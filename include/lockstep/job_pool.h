/* A pool of threads that runs jobs in the order of submission. */
#ifndef LS_JOB_POOL_H
#define LS_JOB_POOL_H

#include <lockstep/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_JOB_POOL_THREADS_MAX 64
/* A job that recently took less time than this runs on the submitting thread. */
#define LS_JOB_POOL_INLINE_US 100
/* A spare thread replaces one that runs a single job for longer than this while other jobs wait. */
#define LS_JOB_POOL_SLOW_NS UINT64_C(500000000)

typedef struct ls_job_pool_config {
    uint32_t threads; /* 1..LS_JOB_POOL_THREADS_MAX */
    /* The maximum of threads that may be replaced at the same time. 0: none. A pool of one thread
     * then runs its jobs one after another, even if one hangs. */
    uint32_t spares;
    /* Runs cheap jobs on the submitting thread, because waking a thread costs more. Not for jobs
     * that wait for something, nor where a hanging job must not block the submitter. */
    bool runs_cheap_inline;
    /* Called on the job's thread after each job, for example to wake the submitter; may be NULL. */
    void (*done)(void *context);
    void *context;
} ls_job_pool_config;

typedef struct ls_job_pool ls_job_pool;

/* Creates the threads.
 *   errors  LS_ERROR_USAGE: a number of threads out of range; LS_ERROR_IO: a thread cannot be
 *           created
 *   owns    the caller calls ls_job_pool_destroy() after its last job */
LS_API ls_status ls_job_pool_create(const ls_job_pool_config *config, ls_job_pool **pool,
                                    ls_error *error) LS_MUST_USE;
/* Waits for the jobs under way. If LOST jobs are left, the pool is leaked. NULL is allowed. */
LS_API void ls_job_pool_destroy(ls_job_pool *pool);
/* Replaces each thread that has run one job for LS_JOB_POOL_SLOW_NS, if other jobs wait. Call it
 * regularly, so that a hanging job does not delay the others.
 *   thread  any */
LS_API void ls_job_pool_replace_slow(ls_job_pool *pool);
/* lost: the number of threads that still run an abandoned job. has_lost: true if there ever was
 * one; then the data of such jobs must stay allocated.
 *   thread  any */
LS_API uint32_t ls_job_pool_lost(ls_job_pool *pool);
LS_API bool ls_job_pool_has_lost(ls_job_pool *pool);
/* How many jobs wait for a thread now, and how many run; lost ones are not counted.
 *   thread  any */
typedef struct ls_job_pool_load {
    uint32_t waiting, running;
} ls_job_pool_load;
LS_API ls_job_pool_load ls_job_pool_get_load(ls_job_pool *pool);
/* The interface for submitters; valid as long as the pool.
 *   thread  submit, wait and abandon: any */
LS_API ls_jobs *ls_job_pool_jobs(ls_job_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
