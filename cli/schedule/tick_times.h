/* Measures where a tick spends its time: by system, stage and thread, and how near the parallel
 * parts come to the shortest possible time.
 *   source  docs/scheduler.md, "Looking at a schedule" */
#ifndef LS_TICK_TIMES_H
#define LS_TICK_TIMES_H

#include "core/base/builder.h"
#include <lockstep/schedule_graph.h>
#include <lockstep/trace.h>

typedef struct ls_system_times {
    uint64_t total_ns, max_ns; /* max_ns: the longest tick */
    uint64_t around_ns;        /* part of total_ns: finding matches, building indexes, merging */
    uint64_t entities, runs;
    uint64_t tick_ns;         /* of the tick that is being added */
    uint64_t longest_part_ns; /* this and the following: of the slot that is being added */
    uint64_t other_ns, path_ns;
} ls_system_times;

/* Sums of all ticks over the parallel systems of a stage. */
typedef struct ls_stage_times {
    uint64_t took_ns;     /* from the first start to the last end */
    uint64_t critical_ns; /* along the critical path, with the longest part of each system */
    uint64_t share_ns;    /* total work divided by the number of threads */
    /* sum of the greater of critical_ns and share_ns of each run of the stage */
    uint64_t bound_ns;
    uint64_t sync_ns, criteria_ns;
} ls_stage_times;

typedef struct ls_tick_times {
    const ls_schedule_graph *graph;
    uint32_t threads;
    uint64_t ticks, tick_ns, root_ns;
    ls_system_times *systems;
    ls_stage_times *stages;
    uint64_t busy_ns[LS_THREADS_MAX]; /* time in parallel parts, by thread */
} ls_tick_times;

void ls_tick_times_init(ls_tick_times *times, const ls_schedule_graph *graph, uint32_t threads);
void ls_tick_times_reset(ls_tick_times *times);
/* Adds one tick. The trace must have kept all of its slices. */
void ls_tick_times_add(ls_tick_times *times, const ls_trace *trace);
void ls_tick_times_table(const ls_tick_times *times, ls_builder *text);
void ls_tick_times_json(const ls_tick_times *times, ls_builder *text);

#endif
