/* How long a schedule takes on so many workers: by the executor's policy, and at best. Every system
 * is one piece of work that nobody interrupts. */
#ifndef LS_BENCH_MAKESPAN_H
#define LS_BENCH_MAKESPAN_H

#include "benches/schedule/graph.h"

#include "core/schedule/list_schedule.h"

#define MAKESPAN_WORKERS_MAX 8
#define MAKESPAN_EXACT_MAX   12

/* Whoever is free starts the ready system of the highest rank, and of equals the lowest number. The
 * plainest way to say so, which ls_list_schedule_makespan() is held against. */
uint64_t makespan_by_rank(const graph *given, const uint64_t *ranks, uint32_t workers);
/* The same with one wait more, or LS_LIST_SCHEDULE_NOBODY twice. */
uint64_t makespan_by_rank_with(const graph *given, const uint64_t *ranks, uint32_t workers,
                               ls_list_schedule_hold hold);

/* The shortest there is, also with workers that wait though something is ready. `known` is how long
 * some schedule takes, and spares the search what is not shorter.
 *   shape  at most MAKESPAN_EXACT_MAX systems and MAKESPAN_WORKERS_MAX workers */
uint64_t makespan_optimum(const graph *given, uint32_t workers, uint64_t known);
/* The shortest in which nobody waits while something is ready, which is the best that any ranks can
 * give; `known` is of such a one. */
uint64_t makespan_greedy_optimum(const graph *given, uint32_t workers, uint64_t known);

#endif
