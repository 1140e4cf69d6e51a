/* The groups of the suite `schedule`, in the order of its table; each comment names their source
 * file. */
#ifndef LS_BENCH_SCHEDULE_GROUPS_H
#define LS_BENCH_SCHEDULE_GROUPS_H

#include "benches/bench.h"

/* idle.c */
extern const bench_group bench_idle_none, bench_idle_one, bench_idle_ten, bench_idle_none_2,
    bench_idle_one_2, bench_idle_ten_2, bench_idle_stages, bench_idle_stages_2;
/* second_thread.c */
extern const bench_group bench_second_thread;
/* busy.c */
extern const bench_group bench_bare_threads, bench_busy_single, bench_busy_pages,
    bench_busy_single_ordered, bench_busy_pages_ordered, bench_fork_join;
/* real.c */
extern const bench_group bench_real_graphs;
/* ranks.c */
extern const bench_group bench_small_graphs, bench_large_graphs, bench_choice;
/* build.c */
extern const bench_group bench_build, bench_ambiguous;
/* steady.c */
extern const bench_group bench_steady;

#endif
