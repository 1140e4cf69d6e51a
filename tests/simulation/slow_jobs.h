/* Runs jobs with delays drawn from a seed: a job starts some time after its submission, and ends
 * some time after it ran. */
#ifndef LS_SIMULATION_SLOW_JOBS_H
#define LS_SIMULATION_SLOW_JOBS_H

#include "draws.h"

#include <lockstep/jobs.h>

enum { SLOW_JOBS_MAX = 64 };

typedef struct slow_jobs {
    ls_jobs jobs;
    struct draws draws;
    uint64_t latest_ns; /* longest delay after its submission */
    uint64_t now_ns;
    uint32_t count;
    ls_job *items[SLOW_JOBS_MAX];
    uint64_t due_ns[SLOW_JOBS_MAX]; /* when the job runs; after that, when it ends */
    bool has_run[SLOW_JOBS_MAX];
} slow_jobs;

void slow_jobs_init(slow_jobs *self, struct draws draws, uint64_t latest_ns);
/* Runs the jobs that are due. */
void slow_jobs_run(slow_jobs *self, uint64_t now_ns);
/* Returns when the next job is due, UINT64_MAX when none waits. */
uint64_t slow_jobs_next_ns(const slow_jobs *self);

#endif
