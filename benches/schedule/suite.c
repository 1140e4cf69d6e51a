/* The groups of `./bench schedule`; docs/scheduler-performance.md explains their rows. */
#include "benches/schedule/groups.h"
#include "benches/suites.h"

#include <stddef.h>

static const bench_group *const groups[] = {
    &bench_idle_none,
    &bench_idle_one,
    &bench_idle_ten,
    &bench_idle_none_2,
    &bench_idle_one_2,
    &bench_idle_ten_2,
    &bench_idle_stages,
    &bench_idle_stages_2,
    &bench_second_thread,
    &bench_bare_threads,
    &bench_busy_single,
    &bench_busy_pages,
    &bench_busy_single_ordered,
    &bench_busy_pages_ordered,
    &bench_fork_join,
    &bench_real_graphs,
    &bench_small_graphs,
    &bench_large_graphs,
    &bench_choice,
    &bench_build,
    &bench_ambiguous,
    &bench_steady,
    NULL,
};

const bench_suite bench_schedule = {
    .name = "schedule",
    .summary = "what the scheduler costs, and how near its schedules are to the best",
    .groups = groups,
};
