/* Jobs that run only when the test calls slow_jobs_run_one(). */
#ifndef LS_SLOW_JOBS_H
#define LS_SLOW_JOBS_H

#include <lockstep/jobs.h>

typedef struct slow_jobs {
    ls_jobs jobs;
    ls_job *first; /* submitted jobs that have not run, oldest first */
    uint32_t waiting, ran;
    bool hang;       /* slow_jobs_abandon() says that the job runs on a hung thread */
    ls_job *lost[4]; /* the last abandoned jobs; a hung one still uses its memory */
    uint32_t abandoned;
} slow_jobs;

static inline void slow_jobs_submit(ls_jobs *jobs, ls_job *job)
{
    slow_jobs *self = (slow_jobs *)jobs;
    ls_job **last = &self->first;
    while (*last)
        last = &(*last)->next;
    job->next = NULL;
    *last = job;
    self->waiting++;
}

/* Runs the oldest job; false if there is none. */
static inline bool slow_jobs_run_one(slow_jobs *self)
{
    ls_job *job = self->first;
    if (!job)
        return false;
    self->first = job->next;
    self->waiting--;
    self->ran++;
    job->run(job);
    ls_job_finish(job);
    return true;
}

static inline void slow_jobs_wait(ls_jobs *jobs, ls_job *job)
{
    while (!ls_job_is_finished(job))
        LS_ASSERT(slow_jobs_run_one((slow_jobs *)jobs));
}

static inline ls_job_fate slow_jobs_abandon(ls_jobs *jobs, ls_job *job)
{
    static ls_job *forever[16]; /* keeps the jobs reachable for the leak checker */
    static uint32_t forever_count;
    slow_jobs *self = (slow_jobs *)jobs;
    ls_job **link = &self->first;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    self->waiting--;
    self->lost[self->abandoned++ % LS_COUNT_OF(self->lost)] = job;
    if (!self->hang)
        return LS_JOB_NOT_BEGUN;
    forever[forever_count++ % LS_COUNT_OF(forever)] = job;
    return LS_JOB_LOST;
}

static inline slow_jobs slow_jobs_make(void)
{
    return (slow_jobs){.jobs = {slow_jobs_submit, slow_jobs_wait, slow_jobs_abandon}};
}

#endif
