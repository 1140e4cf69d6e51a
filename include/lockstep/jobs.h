/* The seam for work that takes its time: simulating a tick, packing a snapshot, waiting for the
 * disk. A step function submits a job and looks in a later step whether it is done; so it never
 * waits, and a test can choose when a job ends. include/lockstep/job_pool.h has the threads. */
#ifndef LS_JOBS_H
#define LS_JOBS_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lies in whatever it works on, which `run` finds behind it. Zeroed to begin with. */
typedef struct ls_job ls_job;
struct ls_job {
    void (*run)(ls_job *job);
    ls_job *next;  /* of whoever runs it */
    uint64_t cost; /* of its last runs, as whoever runs it measures */
    uint8_t *flag; /* raised (ls_flag_raise) when it is done, unless NULL; outlives the job */
    int state;     /* private, read by two threads: ls_job_* */
};

/* What became of a job that its owner gave up. */
typedef enum ls_job_fate {
    LS_JOB_NOT_BEGUN = 0, /* it is idle and never ran */
    LS_JOB_HAS_RUN,       /* it is done, or was idle: as if nobody had given it up */
    LS_JOB_LOST,          /* a thread is at it, perhaps for ever */
} ls_job_fate;

/* An implementation puts this first in its own struct. */
typedef struct ls_jobs ls_jobs;
struct ls_jobs {
    /* Runs the job, now or later, on any thread, and calls ls_job_finish(). */
    void (*submit)(ls_jobs *jobs, ls_job *job);
    /* Returns when the job is finished. */
    void (*wait)(ls_jobs *jobs, ls_job *job);
    /* Of one that was submitted. NULL: all are lost. */
    ls_job_fate (*abandon)(ls_jobs *jobs, ls_job *job);
};

/* A flag that any thread raises and one lowers. True when it was up. */
LS_API void ls_flag_raise(uint8_t *flag);
LS_API bool ls_flag_lower(uint8_t *flag);

/* Hands the job over: what it works on belongs to it until it is done. `jobs` NULL: it is done when
 * this returns. Asserts that it is idle. */
LS_API void ls_job_submit(ls_jobs *jobs, ls_job *job);
/* Submitted, and its end was not taken note of. */
LS_API bool ls_job_is_busy(const ls_job *job);
/* True once after the job has run; then it is idle again, and what it did can be seen. */
LS_API bool ls_job_take(ls_job *job) LS_MUST_USE;
/* Waits for a job that was submitted; it is idle afterwards. */
LS_API void ls_job_wait(ls_jobs *jobs, ls_job *job);
/* Nobody waits for it any more. One that is LOST stays busy, and what it works on is its own for
 * good: the owner never touches, frees or closes that again. Its flag is not raised any more. */
LS_API ls_job_fate ls_job_abandon(ls_jobs *jobs, ls_job *job) LS_MUST_USE;
/* For implementations: the job has run. The owner may use or free it at once. */
LS_API void ls_job_finish(ls_job *job);
LS_API bool ls_job_is_finished(const ls_job *job);

#ifdef __cplusplus
}
#endif

#endif
