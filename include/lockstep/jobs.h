/* Asynchronous work: simulating a tick, packing a snapshot, waiting for the disk. A step submits a
 * job and a later step takes its result, so a step never waits, and a test chooses when a job
 * ends. include/lockstep/job_pool.h has the threads. */
#ifndef LS_JOBS_H
#define LS_JOBS_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* First member of the struct that `run` works on. Zero-initialized. */
typedef struct ls_job ls_job;
struct ls_job {
    void (*run)(ls_job *job);
    ls_job *next;  /* for the implementation */
    uint64_t cost; /* of its last runs, as the implementation measures it */
    uint8_t *flag; /* raised (ls_flag_raise) when it is done, unless NULL; outlives the job */
    int state;     /* private, shared by two threads: ls_job_* */
};

/* The fate of an abandoned job. */
typedef enum ls_job_fate {
    LS_JOB_NOT_BEGUN = 0, /* it is idle and never ran */
    LS_JOB_HAS_RUN,       /* it has ended, or was idle */
    LS_JOB_LOST,          /* a thread runs it, perhaps forever */
} ls_job_fate;

/* An implementation puts this first in its own struct. */
typedef struct ls_jobs ls_jobs;
struct ls_jobs {
    /* Runs the job, now or later, on any thread, and calls ls_job_finish(). */
    void (*submit)(ls_jobs *jobs, ls_job *job);
    /* Returns when the job is finished. */
    void (*wait)(ls_jobs *jobs, ls_job *job);
    /* Gives up a submitted job. NULL: all are lost. */
    ls_job_fate (*abandon)(ls_jobs *jobs, ls_job *job);
};

/* A flag that any thread raises and one lowers; lowering returns whether it was up. */
LS_API void ls_flag_raise(uint8_t *flag);
LS_API bool ls_flag_lower(uint8_t *flag);

/* Submits a job, which owns its data until it has ended. With `jobs` NULL it runs at once. Asserts
 * that it is idle. */
LS_API void ls_job_submit(ls_jobs *jobs, ls_job *job);
/* Submitted, and its end was not taken. */
LS_API bool ls_job_is_busy(const ls_job *job);
/* True once after the job has run: it is idle again and its results are visible. */
LS_API bool ls_job_take(ls_job *job) LS_MUST_USE;
/* Waits for a submitted job, which is idle afterwards. */
LS_API void ls_job_wait(ls_jobs *jobs, ls_job *job);
/* Abandons a job. A LOST job stays busy and owns its data forever: the caller never touches, frees
 * or closes that data again. The job's flag is no longer raised. */
LS_API ls_job_fate ls_job_abandon(ls_jobs *jobs, ls_job *job) LS_MUST_USE;
/* For implementations: the job has run. The owner may use or free it at once. */
LS_API void ls_job_finish(ls_job *job);
LS_API bool ls_job_is_finished(const ls_job *job);

#ifdef __cplusplus
}
#endif

#endif
