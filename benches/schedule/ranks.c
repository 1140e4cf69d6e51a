/* Schedules by rank compared with the optimum, on random graphs with fixed seeds. Only the cost of
 * choosing ranks depends on the machine. */
#include "benches/schedule/groups.h"
#include "benches/schedule/makespan.h"

#include "core/schedule/list_schedule.h"
#include <lockstep/base.h>

#include <stdio.h>
#include <stdlib.h>

enum { TIME_MAX = 100, SMALLEST = 4, SMALL_SEEDS = 40, LARGE_SEEDS = 20, WORKER_KINDS = 3 };
static const uint32_t workers_of[WORKER_KINDS] = {2, 4, 8};
static const uint32_t large_sizes[] = {50, 200, 1000};

typedef struct sample {
    double ratio;
    uint64_t best, makespan;
    graph_shape shape;
    uint32_t systems, workers, seed;
} sample;

typedef struct samples {
    uint32_t count;
    sample *all;
} samples;

typedef struct drawn {
    graph graph;
    sample made; /* its makespans are not set */
    ls_list_schedule_job job;
    uint64_t *ranks;
    void *scratch;
} drawn;

static void draw(drawn *self, graph_shape shape, uint32_t systems, uint32_t workers, uint32_t seed)
{
    graph_init(&self->graph, shape, systems, TIME_MAX, seed);
    self->made = (sample){.shape = shape, .systems = systems, .workers = workers, .seed = seed};
    self->job = (ls_list_schedule_job){.systems = self->graph.systems,
                                       .end = systems,
                                       .times = self->graph.times,
                                       .workers = workers,
                                       .trials = ls_list_schedule_default_trials(systems)};
    self->ranks = ls_alloc(sizeof *self->ranks * systems);
    self->scratch = ls_alloc(ls_list_schedule_scratch_bytes(systems));
}

static void drop(drawn *self)
{
    graph_reset(&self->graph);
    ls_free(self->ranks);
    ls_free(self->scratch);
}

static void add(samples *to, const drawn *at, uint64_t makespan, uint64_t best)
{
    sample *added = &to->all[to->count++];
    *added = at->made;
    added->makespan = makespan;
    added->best = best;
    added->ratio = (double)makespan / (double)best;
}

static int compare(const void *a, const void *b)
{
    const sample *left = a, *right = b;
    return (left->ratio > right->ratio) - (left->ratio < right->ratio);
}

static void report(const sample *chosen, bench_result *result)
{
    result->bare = (double)chosen->best;
    result->ours = (double)chosen->makespan;
    snprintf(result->note, sizeof result->note, "%s, %u systems, %u workers, seed %u",
             graph_shape_name(chosen->shape), chosen->systems, chosen->workers, chosen->seed);
}

/* The median sample, and the one with the highest ratio. */
static void report_two(samples *from, bench_result *results)
{
    qsort(from->all, from->count, sizeof *from->all, compare);
    report(&from->all[from->count / 2], &results[0]);
    report(&from->all[from->count - 1], &results[1]);
    ls_free(from->all);
}

typedef struct small_samples {
    samples upward, chosen, greedy, held, varied, varied_held;
} small_samples;

/* Varies the run times around the averages from which the ranks were chosen. */
static void vary_times(graph *given, uint32_t seed)
{
    for (uint32_t i = 0; i < given->count; i++)
        given->times[i] = given->times[i] * 10 * (90 + (seed * 7 + i * 13) % 21) / 100;
}

static void measure_small(drawn *at, small_samples *to)
{
    graph *given = &at->graph;
    uint32_t workers = at->made.workers;
    ls_list_schedule_upward(given->systems, 0, given->count, given->times, at->ranks);
    uint64_t upward = makespan_by_rank(given, at->ranks, workers);
    ls_list_schedule_choose(&at->job, at->ranks, at->scratch);
    uint64_t chosen = makespan_by_rank(given, at->ranks, workers);
    uint64_t best = makespan_optimum(given, workers, chosen);
    add(&to->upward, at, upward, best);
    add(&to->chosen, at, chosen, best);
    add(&to->greedy, at, chosen, makespan_greedy_optimum(given, workers, chosen));
    ls_list_schedule_hold hold;
    ls_list_schedule_find_hold(&at->job, at->ranks, &hold, at->scratch);
    add(&to->held, at, makespan_by_rank_with(given, at->ranks, workers, hold), best);
    vary_times(given, at->made.seed);
    chosen = makespan_by_rank(given, at->ranks, workers);
    uint64_t held = makespan_by_rank_with(given, at->ranks, workers, hold);
    best = makespan_optimum(given, workers, chosen < held ? chosen : held);
    add(&to->varied, at, chosen, best);
    add(&to->varied_held, at, held, best);
}

static void measure_all_small(const bench_options *options, const void *variant,
                              bench_result *results)
{
    (void)options;
    (void)variant;
    size_t room = (MAKESPAN_EXACT_MAX - SMALLEST + 1) * GRAPH_SHAPES * WORKER_KINDS * SMALL_SEEDS;
    small_samples to;
    samples *const kinds[] = {&to.upward, &to.chosen, &to.greedy,
                              &to.held,   &to.varied, &to.varied_held};
    for (size_t i = 0; i < LS_COUNT_OF(kinds); i++)
        *kinds[i] = (samples){.all = ls_alloc(sizeof(sample) * room)};
    for (uint32_t i = 0; i < room; i++) {
        uint32_t left = i / SMALL_SEEDS;
        drawn at;
        draw(&at, left % GRAPH_SHAPES, SMALLEST + left / GRAPH_SHAPES / WORKER_KINDS,
             workers_of[left / GRAPH_SHAPES % WORKER_KINDS], 1 + i % SMALL_SEEDS);
        measure_small(&at, &to);
        drop(&at);
    }
    for (size_t i = 0; i < LS_COUNT_OF(kinds); i++)
        report_two(kinds[i], &results[2 * i]);
}

static void measure_all_large(const bench_options *options, const void *variant,
                              bench_result *results)
{
    (void)options;
    (void)variant;
    size_t room = LS_COUNT_OF(large_sizes) * GRAPH_SHAPES * WORKER_KINDS * LARGE_SEEDS;
    samples upward = {.all = ls_alloc(sizeof(sample) * room)};
    samples chosen = {.all = ls_alloc(sizeof(sample) * room)};
    for (uint32_t i = 0; i < room; i++) {
        uint32_t left = i / LARGE_SEEDS;
        drawn at;
        draw(&at, left % GRAPH_SHAPES, large_sizes[left / GRAPH_SHAPES / WORKER_KINDS],
             workers_of[left / GRAPH_SHAPES % WORKER_KINDS], 1 + i % LARGE_SEEDS);
        uint64_t bound = graph_bound(&at.graph, at.made.workers);
        ls_list_schedule_upward(at.graph.systems, 0, at.graph.count, at.graph.times, at.ranks);
        add(&upward, &at, makespan_by_rank(&at.graph, at.ranks, at.made.workers), bound);
        add(&chosen, &at, ls_list_schedule_choose(&at.job, at.ranks, at.scratch), bound);
        drop(&at);
    }
    report_two(&upward, &results[0]);
    report_two(&chosen, &results[2]);
}

const bench_group bench_small_graphs = {
    .rows = {{"4 to 12 systems, upward rank / optimum, median", "time", BENCH_NO_TARGET, 0, NULL},
             {"4 to 12 systems, upward rank / optimum, worst", "time", BENCH_NO_TARGET, 0, NULL},
             {"4 to 12 systems, chosen rank / optimum, median", "time", BENCH_NO_TARGET, 0, NULL},
             {"4 to 12 systems, chosen rank / optimum, worst", "time", BENCH_NO_TARGET, 0, NULL},
             {"the same / optimum without waiting, median", "time", BENCH_RATIO_AT_MOST, 1.1, NULL},
             {"the same / optimum without waiting, worst", "time", BENCH_RATIO_AT_MOST, 1.1, NULL},
             {"4 to 12 systems, rank and wait / optimum, median", "time", BENCH_RATIO_AT_MOST, 1.1,
              NULL},
             {"4 to 12 systems, rank and wait / optimum, worst", "time", BENCH_RATIO_AT_MOST, 1.1,
              NULL},
             {"times vary by a tenth, rank / optimum, median", "time", BENCH_NO_TARGET, 0, NULL},
             {"times vary by a tenth, rank / optimum, worst", "time", BENCH_NO_TARGET, 0, NULL},
             {"times vary by a tenth, rank and wait / optimum, median", "time", BENCH_NO_TARGET, 0,
              NULL},
             {"times vary by a tenth, rank and wait / optimum, worst", "time", BENCH_NO_TARGET, 0,
              NULL}},
    .whole = measure_all_small,
};

const bench_group bench_large_graphs = {
    .rows = {{"50 to 1,000 systems, upward rank / bound, median", "time", BENCH_NO_TARGET, 0, NULL},
             {"50 to 1,000 systems, upward rank / bound, worst", "time", BENCH_NO_TARGET, 0, NULL},
             {"50 to 1,000 systems, chosen rank / bound, median", "time", BENCH_RATIO_AT_MOST, 1.1,
              NULL},
             {"50 to 1,000 systems, chosen rank / bound, worst", "time", BENCH_RATIO_AT_MOST, 1.35,
              NULL}},
    .whole = measure_all_large,
};

enum { CHOICES = 4 };
static const uint32_t choice_sizes[CHOICES] = {12, 50, 200, 1000};
static drawn choices[CHOICES];

/* Fork and join on two workers: the lower bound is not reached, so all trials are made. */
static void *begin_choice(const bench_options *options, const void *variant)
{
    (void)options;
    (void)variant;
    for (uint32_t i = 0; i < CHOICES; i++)
        draw(&choices[i], GRAPH_FORK_JOIN, choice_sizes[i], 2, 1);
    return choices;
}

static void rank_upward(void *state, double *figures)
{
    (void)state;
    for (uint32_t i = 0; i < CHOICES; i++) {
        const drawn *at = &choices[i];
        uint64_t started = bench_now_ns();
        ls_list_schedule_upward(at->graph.systems, 0, at->graph.count, at->graph.times, at->ranks);
        figures[i] = (double)(bench_now_ns() - started) / 1000;
    }
}

static void choose_ranks(void *state, double *figures)
{
    (void)state;
    for (uint32_t i = 0; i < CHOICES; i++) {
        uint64_t started = bench_now_ns();
        drawn *at = &choices[i];
        ls_list_schedule_hold hold;
        bench_consume(ls_list_schedule_choose(&at->job, at->ranks, at->scratch));
        bench_consume(ls_list_schedule_find_hold(&at->job, at->ranks, &hold, at->scratch));
        figures[i] = (double)(bench_now_ns() - started) / 1000;
    }
}

static void end_choice(void *state)
{
    (void)state;
    for (uint32_t i = 0; i < CHOICES; i++)
        drop(&choices[i]);
}

const bench_group bench_choice = {
    .rows = {{"ranks and wait of 12 systems / upward rank alone", "us", BENCH_NO_TARGET, 0, NULL},
             {"ranks and wait of 50 systems", "us", BENCH_NO_TARGET, 0, NULL},
             {"ranks and wait of 200 systems", "us", BENCH_NO_TARGET, 0, NULL},
             {"ranks and wait of 1,000 systems", "us", BENCH_NO_TARGET, 0, NULL}},
    .begin = begin_choice,
    .bare = rank_upward,
    .ours = choose_ranks,
    .end = end_choice,
};
