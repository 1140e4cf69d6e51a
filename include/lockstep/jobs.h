/* Asynchronous work: simulating a tick, packing a snapshot, waiting for the disk. One step submits
 * a job and a later step takes the result, so no step waits. A test can choose when a job ends.
 * include/lockstep/job_pool.h runs jobs on threads. */
#ifndef LS_JOBS_H
#define LS_JOBS_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first member of the struct that `run` works on, because `run` casts its argument to that
 * struct. Initialize it with zeros. */
typedef struct ls_job ls_job;
struct ls_job {
    void (*run)(ls_job *job);
    ls_job *next;  /* used by the implementation */
    uint64_t cost; /* cost of the last runs, in the implementation's own unit */
    uint8_t *flag; /* raised (ls_flag_raise) after the run; may be NULL; outlives the job */
    int state;     /* private: two threads access it through ls_job_* */
};

/* The fate of an abandoned job. */
typedef enum ls_job_fate {
    LS_JOB_NOT_BEGUN = 0, /* it never ran and is idle now */
    LS_JOB_HAS_RUN,       /* it has run, or was idle already */
    LS_JOB_LOST,          /* a thread still runs it, perhaps forever */
} ls_job_fate;

/* The first member of the struct of an implementation, whose functions cast `jobs` to it. */
typedef struct ls_jobs ls_jobs;
struct ls_jobs {
    /* Runs the job, now or later, on any thread; calls ls_job_finish() at the end. */
    void (*submit)(ls_jobs *jobs, ls_job *job);
    /* Returns when the job is finished. */
    void (*wait)(ls_jobs *jobs, ls_job *job);
    /* Abandons a submitted job. NULL: every abandoned job is LOST. */
    ls_job_fate (*abandon)(ls_jobs *jobs, ls_job *job);
};

/* A flag that any thread raises and one thread lowers. Lowering returns whether it was raised. */
LS_API void ls_flag_raise(uint8_t *flag);
LS_API bool ls_flag_lower(uint8_t *flag);

/* Submits a job, which owns its data until it has run. `jobs` NULL runs it at once. Asserts that
 * the job is idle. */
LS_API void ls_job_submit(ls_jobs *jobs, ls_job *job);
/* True from submission until ls_job_take() returns true. */
LS_API bool ls_job_is_busy(const ls_job *job);
/* True once after the job has run: it is idle again and its results are visible. */
LS_API bool ls_job_take(ls_job *job) LS_MUST_USE;
/* Waits for a submitted job; the job is idle afterwards. */
LS_API void ls_job_wait(ls_jobs *jobs, ls_job *job);
/* Abandons a job. A LOST job stays busy and owns its data forever: the caller never touches, frees
 * or closes that data again. The job's flag is no longer raised. */
LS_API ls_job_fate ls_job_abandon(ls_jobs *jobs, ls_job *job) LS_MUST_USE;
/* For implementations: marks the job as run. Do not touch the job afterwards: its owner may free
 * it. */
LS_API void ls_job_finish(ls_job *job);
LS_API bool ls_job_is_finished(const ls_job *job);

#ifdef __cplusplus
}
#endif

#endif
