/* Random schedules to measure: systems that wait for earlier ones, each with a run time. */
#ifndef LS_BENCH_GRAPH_H
#define LS_BENCH_GRAPH_H

#include "core/schedule/plan.h"

typedef enum graph_shape {
    GRAPH_LAYERED,   /* each waits for a few of the layer before */
    GRAPH_FORK_JOIN, /* one, then several chains side by side, then one again */
    GRAPH_SPARSE,    /* each waits for at most two of all before */
    GRAPH_DENSE,     /* each waits for up to eight */
    GRAPH_SHAPES,
} graph_shape;

/* Also the most that a system can name in `after`. */
#define GRAPH_EDGES_IN_MAX 8

typedef struct graph_node {
    uint32_t before_count;
    uint32_t before[GRAPH_EDGES_IN_MAX]; /* ascending, all lower than the node itself */
} graph_node;

/* Nodes are numbered so that edges go up. */
typedef struct graph {
    uint32_t count;
    graph_node *nodes;
    uint64_t *times;
    ls_plan_system
        *systems; /* the same edges, in both directions, for core/schedule/list_schedule.h */
    uint32_t *successors;
} graph;

/* Allocates; the same seed gives the same graph. Times are 1 to `time_max`. */
void graph_init(graph *self, graph_shape shape, uint32_t count, uint32_t time_max, uint64_t seed);
void graph_reset(graph *self);
const char *graph_shape_name(graph_shape shape);

uint64_t graph_work(const graph *self);
uint64_t graph_longest_path(const graph *self);
/* A lower bound: the longest path, or an even share of the work. */
uint64_t graph_bound(const graph *self, uint32_t workers);

#endif
