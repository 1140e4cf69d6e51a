/* Jobs that run when the test says so. */
#ifndef LS_SLOW_JOBS_H
#define LS_SLOW_JOBS_H

#include "server/jobs.h"

typedef struct slow_jobs {
    ls_jobs jobs;
    ls_job *first; /* submitted and not run, the oldest first */
    uint32_t waiting, ran;
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

/* Runs the oldest; false: there is none. */
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

static inline slow_jobs slow_jobs_make(void)
{
    return (slow_jobs){.jobs = {.submit = slow_jobs_submit, .wait = slow_jobs_wait}};
}

#endif
