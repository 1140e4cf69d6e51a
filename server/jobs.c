/* Memory order (checked by tests/models/weak_jobs.pml): FINISHED publishes the results of a job,
 * and taking the job acquires them. A raised flag tells the owner to look for a finished job. */
#include <lockstep/jobs.h>

enum { IDLE = 0, SUBMITTED, FINISHED };

void ls_job_submit(ls_jobs *jobs, ls_job *job)
{
    LS_ASSERT(job->state == IDLE && job->run);
    /* Relaxed: the pool's mutex publishes the job to its thread. */
    __atomic_store_n(&job->state, SUBMITTED, __ATOMIC_RELAXED);
    if (jobs) {
        jobs->submit(jobs, job);
    } else {
        job->run(job);
        ls_job_finish(job);
    }
}

/* Release: lowering the flag makes the cause visible. A read-modify-write, so that a second raise
 * continues the release sequence of the first: a plain store would hide the first cause. */
void ls_flag_raise(uint8_t *flag)
{
    (void)__atomic_exchange_n(flag, 1, __ATOMIC_RELEASE);
}

/* Relaxed load: most flags are down. One that looks down although it was raised is up in the next
 * step: the wake that follows the raise makes it visible. */
bool ls_flag_lower(uint8_t *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED) &&
           __atomic_exchange_n(flag, 0, __ATOMIC_ACQUIRE);
}

/* Raises the flag after FINISHED, so that a thread that lowers the flag finds the job finished. */
void ls_job_finish(ls_job *job)
{
    uint8_t *flag = job->flag;
    __atomic_store_n(&job->state, FINISHED, __ATOMIC_RELEASE);
    if (flag)
        ls_flag_raise(flag);
}

bool ls_job_is_finished(const ls_job *job)
{
    return __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) == FINISHED;
}

/* Relaxed, here and where the state becomes IDLE: only the owner changes the state from and to
 * IDLE, so the owner may also read it plainly. */
bool ls_job_is_busy(const ls_job *job)
{
    return __atomic_load_n(&job->state, __ATOMIC_RELAXED) != IDLE;
}

bool ls_job_take(ls_job *job)
{
    if (!ls_job_is_finished(job))
        return false;
    __atomic_store_n(&job->state, IDLE, __ATOMIC_RELAXED);
    return true;
}

void ls_job_wait(ls_jobs *jobs, ls_job *job)
{
    if (!ls_job_is_busy(job))
        return;
    if (jobs && !ls_job_is_finished(job))
        jobs->wait(jobs, job);
    LS_ASSERT(ls_job_take(job));
}

ls_job_fate ls_job_abandon(ls_jobs *jobs, ls_job *job)
{
    if (!ls_job_is_busy(job) || ls_job_is_finished(job))
        return LS_JOB_HAS_RUN;
    ls_job_fate fate = jobs && jobs->abandon ? jobs->abandon(jobs, job) : LS_JOB_LOST;
    if (fate == LS_JOB_NOT_BEGUN)
        __atomic_store_n(&job->state, IDLE, __ATOMIC_RELAXED);
    return fate;
}
