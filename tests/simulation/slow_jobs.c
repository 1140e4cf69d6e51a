#include "slow_jobs.h"

static void run(slow_jobs *self, uint32_t index)
{
    if (!self->has_run[index])
        self->items[index]->run(self->items[index]);
    self->has_run[index] = true;
}

static void drop(slow_jobs *self, uint32_t index)
{
    self->count--;
    for (uint32_t i = index; i < self->count; i++) {
        self->items[i] = self->items[i + 1];
        self->due_ns[i] = self->due_ns[i + 1];
        self->has_run[i] = self->has_run[i + 1];
    }
}

static void finish(slow_jobs *self, uint32_t index)
{
    ls_job *job = self->items[index];
    run(self, index);
    drop(self, index);
    ls_job_finish(job);
}

static void submit(ls_jobs *jobs, ls_job *job)
{
    slow_jobs *self = (slow_jobs *)jobs;
    LS_ASSERT(self->count < SLOW_JOBS_MAX);
    self->items[self->count] = job;
    self->has_run[self->count] = false;
    self->due_ns[self->count++] = self->now_ns + draws_range(&self->draws, 0, self->latest_ns / 2);
}

static void wait_for(ls_jobs *jobs, ls_job *job)
{
    slow_jobs *self = (slow_jobs *)jobs;
    for (uint32_t i = 0; i < self->count; i++)
        if (self->items[i] == job) {
            finish(self, i);
            return;
        }
}

/* Jobs never hang here, so none is abandoned. */
static ls_job_fate abandon(ls_jobs *jobs, ls_job *job)
{
    slow_jobs *self = (slow_jobs *)jobs;
    for (uint32_t i = 0; i < self->count; i++) {
        if (self->items[i] != job)
            continue;
        if (self->has_run[i]) {
            finish(self, i);
            return LS_JOB_HAS_RUN;
        }
        drop(self, i);
        return LS_JOB_NOT_BEGUN;
    }
    return LS_JOB_HAS_RUN;
}

void slow_jobs_init(slow_jobs *self, struct draws draws, uint64_t latest_ns)
{
    *self =
        (slow_jobs){.jobs = {submit, wait_for, abandon}, .draws = draws, .latest_ns = latest_ns};
}

void slow_jobs_run(slow_jobs *self, uint64_t now_ns)
{
    self->now_ns = now_ns;
    for (uint32_t i = 0; i < self->count;) {
        bool is_due = self->due_ns[i] <= now_ns, has_run = self->has_run[i];
        if (is_due && has_run) {
            finish(self, i);
            continue;
        }
        if (is_due) {
            run(self, i);
            self->due_ns[i] = now_ns + draws_range(&self->draws, 0, self->latest_ns / 2);
        }
        i++;
    }
}

uint64_t slow_jobs_next_ns(const slow_jobs *self)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < self->count; i++)
        next = self->due_ns[i] < next ? self->due_ns[i] : next;
    return next;
}
