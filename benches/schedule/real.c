/* Runs random graphs in the engine on two threads, compared with a lower bound: the longest path,
 * or half of the work, by run times measured on one thread. */
#include "benches/schedule/bench_systems.h"
#include "benches/schedule/groups.h"

#include <lockstep/base.h>

#include <stdio.h>
#include <stdlib.h>

enum { SYSTEMS = 40, SEEDS = 6, SHORTEST_US = 5, LONGEST_US = 100 };

typedef struct outcome {
    double bound, took;
    graph_shape shape;
    uint32_t seed;
} outcome;

static struct {
    graph graph;
    scene scene;
    bool is_timed;          /* measure the run times, on one thread */
    double *times[SYSTEMS]; /* by system and run */
    uint32_t run;
} at;

static void work(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    uint32_t number = *(const uint32_t *)ls_system_data(context);
    uint64_t started = at.is_timed ? bench_now_ns() : 0;
    bench_systems_work((double)at.graph.times[number]);
    if (at.is_timed)
        at.times[number][at.run] = (double)(bench_now_ns() - started);
}

static const ls_system works = {.mode = LS_SEQUENTIAL, .match = work};

static double tick(uint32_t threads, uint32_t run)
{
    at.is_timed = threads == 1;
    at.run = run;
    return scene_tick(&at.scene, threads);
}

static outcome measure(uint32_t runs, graph_shape shape, uint32_t seed)
{
    double *shared = ls_alloc(sizeof *shared * runs);
    graph_init(&at.graph, shape, SYSTEMS, LONGEST_US - SHORTEST_US + 1, seed);
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        at.graph.times[i] += SHORTEST_US - 1;
        at.times[i] = ls_alloc(sizeof(double) * runs);
    }
    ls_system *systems = bench_systems_make(&works, SYSTEMS);
    bench_systems_order(systems, &at.graph);
    bench_systems_begin(&at.scene, systems, SYSTEMS, BENCH_SYSTEMS_ENTITIES);
    tick(2, 0);
    for (uint32_t run = 0; run < runs; run++) {
        tick(1, run);
        shared[run] = tick(2, run);
    }
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        at.graph.times[i] = (uint64_t)bench_median(at.times[i], runs);
        ls_free(at.times[i]);
    }
    outcome made = {(double)graph_bound(&at.graph, 2), bench_median(shared, runs), shape, seed};
    bench_systems_end(&at.scene, systems);
    graph_reset(&at.graph);
    ls_free(shared);
    return made;
}

static int compare(const void *a, const void *b)
{
    const outcome *left = a, *right = b;
    double one = left->took / left->bound, other = right->took / right->bound;
    return (one > other) - (one < other);
}

static void report(const outcome *chosen, bench_result *result)
{
    result->bare = chosen->bound / 1000;
    result->ours = chosen->took / 1000;
    snprintf(result->note, sizeof result->note, "%s, seed %u", graph_shape_name(chosen->shape),
             chosen->seed);
}

static void measure_all(const bench_options *options, const void *variant, bench_result *results)
{
    outcome outcomes[SEEDS * GRAPH_SHAPES];
    (void)variant;
    bench_systems_work(0);
    for (uint32_t i = 0; i < LS_COUNT_OF(outcomes); i++)
        outcomes[i] = measure(options->runs, i % GRAPH_SHAPES, 1 + i / GRAPH_SHAPES);
    qsort(outcomes, LS_COUNT_OF(outcomes), sizeof *outcomes, compare);
    report(&outcomes[LS_COUNT_OF(outcomes) / 2], &results[0]);
    report(&outcomes[LS_COUNT_OF(outcomes) - 1], &results[1]);
}

const bench_group bench_real_graphs = {
    .rows = {{"40 systems of 5 to 100 us / bound, 2 threads, median", "us", BENCH_RATIO_AT_MOST,
              1.1, NULL},
             {"40 systems of 5 to 100 us / bound, 2 threads, worst", "us", BENCH_RATIO_AT_MOST,
              1.35, NULL}},
    .whole = measure_all,
};
