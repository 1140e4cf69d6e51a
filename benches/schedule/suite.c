/* The groups of `./bench schedule`; docs/scheduler-performance.md explains their rows. */
#include "benches/schedule/groups.h"
#include "benches/suites.h"

#include <stddef.h>

static const bench_group *const groups[] = {BENCH_SCHEDULE_GROUPS(BENCH_ADDRESS), NULL};

const bench_suite bench_schedule = {
    .name = "schedule",
    .summary = "what the scheduler costs, and how near its schedules are to the best",
    .groups = groups,
};
