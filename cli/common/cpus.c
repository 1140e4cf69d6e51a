#include "cli/common/cpus.h"

#include "core/base/platform.h"
#include <lockstep/executor.h>

#define JOBS_MAX    8
#define THREADS_MIN 4

uint32_t ls_cpus_within(uint32_t min, uint32_t max)
{
    uint32_t cpus = ls_cpu_count();
    if (cpus < min)
        return min;
    return cpus < max ? cpus : max;
}

uint32_t ls_cpus_jobs(void)
{
    return ls_cpus_within(1, JOBS_MAX);
}

uint32_t ls_cpus_threads(void)
{
    return ls_cpus_within(THREADS_MIN, LS_THREADS_MAX / 4);
}
