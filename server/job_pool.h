/* Threads that run jobs in the order of their submission. */
#ifndef LS_JOB_POOL_H
#define LS_JOB_POOL_H

#include "server/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LS_JOB_POOL_THREADS_MAX 64
/* A job that lately took less is run by whoever submits it. */
#define LS_JOB_POOL_INLINE_US 100

typedef struct ls_job_pool_config {
    uint32_t threads; /* 1..LS_JOB_POOL_THREADS_MAX */
    /* A job that took next to no time lately is run by whoever submits it: to wake a thread, and to
     * be woken by it, costs more. Not for jobs that wait for something. */
    bool runs_cheap_inline;
    /* Called on the job's thread after each job, to wake whoever submitted it; may be NULL. */
    void (*done)(void *context);
    void *context;
} ls_job_pool_config;

typedef struct ls_job_pool ls_job_pool;

/*   errors  LS_ERROR_USAGE: a number of threads out of range; LS_ERROR_IO: no thread
 *   owns    the caller destroys it after the last job of it */
LS_API ls_status ls_job_pool_create(const ls_job_pool_config *config, ls_job_pool **pool,
                                    ls_error *error) LS_MUST_USE;
/* Waits for the jobs under way. NULL is allowed. */
LS_API void ls_job_pool_destroy(ls_job_pool *pool);
/*   thread  submit and wait: any */
LS_API ls_jobs *ls_job_pool_jobs(ls_job_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
