/* The makespan of a graph on a number of workers: with the executor's policy, and the optimum.
 * Systems are not interrupted. */
#ifndef LS_BENCH_MAKESPAN_H
#define LS_BENCH_MAKESPAN_H

#include "benches/schedule/graph.h"

#include "core/schedule/list_schedule.h"

#define MAKESPAN_WORKERS_MAX 8
#define MAKESPAN_EXACT_MAX   12

/* The makespan if a free worker starts the ready system with the highest rank; among equals, the
 * lowest number. The simplest form of that rule: an oracle for core/schedule/list_schedule.h. */
uint64_t makespan_by_rank(const graph *given, const uint64_t *ranks, uint32_t workers);
/* Like makespan_by_rank(), with one more edge, `hold`; both members may be LS_LIST_SCHEDULE_NONE
 * for none. */
uint64_t makespan_by_rank_with(const graph *given, const uint64_t *ranks, uint32_t workers,
                               ls_list_schedule_hold hold);

/* The optimal makespan, including schedules in which workers idle although a system is ready.
 * `known` is the makespan of some schedule: the search skips what is not shorter.
 *   shape  at most MAKESPAN_EXACT_MAX systems and MAKESPAN_WORKERS_MAX workers */
uint64_t makespan_optimum(const graph *given, uint32_t workers, uint64_t known);
/* The shortest makespan of schedules in which no worker idles while a system is ready: the best
 * that any ranks can give. `known` is the makespan of such a schedule. */
uint64_t makespan_greedy_optimum(const graph *given, uint32_t workers, uint64_t known);

#endif
