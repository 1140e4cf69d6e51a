/* Random schedules to measure: systems with run times that wait for earlier systems. */
#ifndef LS_BENCH_GRAPH_H
#define LS_BENCH_GRAPH_H

#include "core/schedule/plan.h"

typedef enum graph_shape {
    GRAPH_LAYERED,   /* each system waits for a few systems of the previous layer */
    GRAPH_FORK_JOIN, /* one system, then several parallel chains, then one system again */
    GRAPH_SPARSE,    /* each system waits for at most two earlier ones */
    GRAPH_DENSE,     /* each system waits for up to eight earlier ones */
    GRAPH_SHAPES,
} graph_shape;

/* Also the maximum of names in a system's `after`. */
#define GRAPH_EDGES_IN_MAX 8

typedef struct graph_node {
    uint32_t before_count;
    uint32_t before[GRAPH_EDGES_IN_MAX]; /* ascending; all are lower than the node itself */
} graph_node;

/* A graph whose edges lead from lower to higher nodes. */
typedef struct graph {
    uint32_t count;
    graph_node *nodes;
    uint64_t *times;
    /* The same edges in both directions, for core/schedule/list_schedule.h. */
    ls_plan_system *systems;
    uint32_t *successors;
} graph;

/* Allocates and fills in a graph; equal seeds give equal graphs. Run times are 1 to `time_max`. */
void graph_init(graph *self, graph_shape shape, uint32_t count, uint32_t time_max, uint64_t seed);
void graph_reset(graph *self);
const char *graph_shape_name(graph_shape shape);

uint64_t graph_work(const graph *self);
uint64_t graph_longest_path(const graph *self);
/* A lower bound of the makespan: the longest path, or the work divided by the number of workers,
 * whichever is greater. */
uint64_t graph_bound(const graph *self, uint32_t workers);

#endif
