/* The groups of the suite `schedule`, in the order of its table. */
#ifndef LS_BENCH_SCHEDULE_GROUPS_H
#define LS_BENCH_SCHEDULE_GROUPS_H

#include "benches/bench.h"

#define BENCH_SCHEDULE_GROUPS(X)                                                                   \
    X(bench_idle_none), X(bench_idle_one), X(bench_idle_ten), X(bench_idle_none_2),                \
        X(bench_idle_one_2), X(bench_idle_ten_2), X(bench_idle_stages), X(bench_idle_stages_2),    \
        X(bench_second_thread), X(bench_bare_threads), X(bench_busy_single), X(bench_busy_pages),  \
        X(bench_busy_single_ordered), X(bench_busy_pages_ordered), X(bench_fork_join),             \
        X(bench_real_graphs), X(bench_small_graphs), X(bench_large_graphs), X(bench_choice),       \
        X(bench_build), X(bench_ambiguous), X(bench_steady)

extern const bench_group BENCH_SCHEDULE_GROUPS(BENCH_NAME);

#endif
