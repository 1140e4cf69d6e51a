/* Threads that run jobs in the order of submission. */
#ifndef LS_JOB_POOL_H
#define LS_JOB_POOL_H

#include <lockstep/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_JOB_POOL_THREADS_MAX 64
/* A job that recently took less runs on the submitting thread. */
#define LS_JOB_POOL_INLINE_US 100
/* A spare thread replaces one whose job takes longer, while jobs wait. */
#define LS_JOB_POOL_SLOW_NS UINT64_C(500000000)

typedef struct ls_job_pool_config {
    uint32_t threads; /* 1..LS_JOB_POOL_THREADS_MAX */
    /* How many threads may be replaced at the same time. 0: none; a pool of one thread then runs
     * its jobs one after another, however long they take. */
    uint32_t spares;
    /* Runs a cheap job on the submitting thread: waking a thread costs more. Not for jobs that
     * wait, nor where a job that suddenly hangs must not block the submitter. */
    bool runs_cheap_inline;
    /* Called on the job's thread after each job, to wake the submitter; may be NULL. */
    void (*done)(void *context);
    void *context;
} ls_job_pool_config;

typedef struct ls_job_pool ls_job_pool;

/*   errors  LS_ERROR_USAGE: a number of threads out of range; LS_ERROR_IO: no thread
 *   owns  the caller destroys it after its last job */
LS_API ls_status ls_job_pool_create(const ls_job_pool_config *config, ls_job_pool **pool,
                                    ls_error *error) LS_MUST_USE;
/* Waits for the jobs under way. With LOST jobs left, the pool is leaked. NULL is allowed. */
LS_API void ls_job_pool_destroy(ls_job_pool *pool);
/* While jobs wait, replaces each thread that has run one job for LS_JOB_POOL_SLOW_NS. Call it
 * regularly: a job that hangs must not hold up the others.
 *   thread  any */
LS_API void ls_job_pool_relieve(ls_job_pool *pool);
/* Threads that still run an abandoned job; whether there ever was one, so its data still exists.
 *   thread  any */
LS_API uint32_t ls_job_pool_lost(ls_job_pool *pool);
LS_API bool ls_job_pool_has_lost(ls_job_pool *pool);
/*   thread  submit, wait and abandon: any */
LS_API ls_jobs *ls_job_pool_jobs(ls_job_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
