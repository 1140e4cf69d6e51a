/* The length of a schedule on a number of workers: under the executor's policy, and at best.
 * Systems are not interrupted. */
#ifndef LS_BENCH_MAKESPAN_H
#define LS_BENCH_MAKESPAN_H

#include "benches/schedule/graph.h"

#include "core/schedule/list_schedule.h"

#define MAKESPAN_WORKERS_MAX 8
#define MAKESPAN_EXACT_MAX   12

/* A free worker starts the ready system of the highest rank, among equals the lowest number. The
 * simplest form of the rule, as an oracle for ls_list_schedule_makespan(). */
uint64_t makespan_by_rank(const graph *given, const uint64_t *ranks, uint32_t workers);
/* The same with one more edge, or LS_LIST_SCHEDULE_NOBODY twice. */
uint64_t makespan_by_rank_with(const graph *given, const uint64_t *ranks, uint32_t workers,
                               ls_list_schedule_hold hold);

/* The optimum, also over schedules in which workers wait though something is ready. `known` is the
 * length of some schedule: the search skips what is not shorter.
 * shape  at most MAKESPAN_EXACT_MAX systems and MAKESPAN_WORKERS_MAX workers */
uint64_t makespan_optimum(const graph *given, uint32_t workers, uint64_t known);
/* The shortest schedule in which no worker waits while something is ready: the best that any
 * ranks can give. `known` is the length of such a schedule. */
uint64_t makespan_greedy_optimum(const graph *given, uint32_t workers, uint64_t known);

#endif
