/* Threads that run jobs in the order of their submission. */
#ifndef LS_JOB_POOL_H
#define LS_JOB_POOL_H

#include <lockstep/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_JOB_POOL_THREADS_MAX 64
/* A job that lately took less is run by whoever submits it. */
#define LS_JOB_POOL_INLINE_US 100
/* A thread whose job takes so long is relieved by another while jobs wait. */
#define LS_JOB_POOL_SLOW_NS UINT64_C(500000000)

typedef struct ls_job_pool_config {
    uint32_t threads; /* 1..LS_JOB_POOL_THREADS_MAX */
    /* So many may be relieved at a time. 0: none, and a pool of one thread runs its jobs one behind
     * the other, whatever they take. */
    uint32_t spares;
    /* A job that took next to no time lately is run by whoever submits it: to wake a thread, and to
     * be woken by it, costs more. Not for jobs that wait for something, nor where others have to go
     * on when one of them suddenly takes for ever. */
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
/* Waits for the jobs under way, but not for those that were abandoned and are LOST: for them the
 * pool stays where it is. NULL is allowed. */
LS_API void ls_job_pool_destroy(ls_job_pool *pool);
/* While jobs wait, another thread stands in for each that has been at one job for
 * LS_JOB_POOL_SLOW_NS. Call it every now and then: a job that hangs must not hold up the others.
 *   thread  any */
LS_API void ls_job_pool_relieve(ls_job_pool *pool);
/* Threads whose job was abandoned and that are still at it; and whether there ever was one, so that
 * what its job worked on is still there.
 *   thread  any */
LS_API uint32_t ls_job_pool_lost(ls_job_pool *pool);
LS_API bool ls_job_pool_has_lost(ls_job_pool *pool);
/*   thread  submit, wait and abandon: any */
LS_API ls_jobs *ls_job_pool_jobs(ls_job_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
