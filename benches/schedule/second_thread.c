/* Two threads compared with one, from almost no work to more than one thread can do. A second
 * thread must save time wherever the executor uses it, and must stay unused where it would not. */
#include "benches/schedule/bench_systems.h"
#include "benches/schedule/groups.h"

#include <lockstep/base.h>

#include <stdio.h>

static const uint32_t entity_counts[] = {1, 10, 100, 1000, 10000, 100000};
static const uint32_t system_counts[] = {1, 10, 100};
static const double ratio_max = 1.05;

enum {
    REPEATED_RUNS = 4
}; /* repetitions rise by this factor if the first measurement exceeds the limit */

static void look(ls_context *context, const ls_span *span)
{
    const scene_place *place = ls_span_read(context, span, 0);
    ls_fix sum = 0;
    for (uint32_t i = 0; i < span->count; i++)
        sum += place[i].x ^ place[i].y;
    __asm__ volatile("" ::"r"(sum));
}

static void move(ls_context *context, const ls_span *span)
{
    scene_place *place = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        place[i].x += place[i].y;
}

static const ls_system looks = {.span = look, .terms = LS_TERM_LIST(LS_READS(scene_places))};
static const ls_system moves = {.span = move, .terms = LS_TERM_LIST(LS_WRITES(scene_places))};

static bench_systems_pair measure(const bench_options *options, uint32_t entities, uint32_t count,
                                  bool is_chained)
{
    scene at;
    ls_system *systems = bench_systems_make(is_chained ? &moves : &looks, count);
    if (is_chained)
        bench_systems_chain(systems, count);
    bench_systems_begin(&at, systems, count, entities);
    uint32_t ticks = bench_systems_ticks(&at);
    bench_systems_pair pair = bench_systems_compare(&at, options->runs, ticks);
    if (pair.shared > ratio_max * pair.serial)
        pair = bench_systems_compare(&at, REPEATED_RUNS * options->runs, ticks);
    bench_systems_end(&at, systems);
    return pair;
}

static void keep_worst(const bench_systems_pair *pair, uint32_t entities, bench_result *result)
{
    double us = 1000;
    if (pair->shared / pair->serial <= result->ours / result->bare)
        return;
    result->bare = pair->serial / us;
    result->ours = pair->shared / us;
    snprintf(result->note, sizeof result->note, "with %u entities", entities);
}

static void measure_all(const bench_options *options, const void *variant, bench_result *results)
{
    (void)variant;
    for (uint32_t i = 0; i < LS_COUNT_OF(entity_counts); i++) {
        for (uint32_t j = 0; j < LS_COUNT_OF(system_counts); j++) {
            for (uint32_t is_chained = 0; is_chained < 2; is_chained++) {
                bench_systems_pair pair =
                    measure(options, entity_counts[i], system_counts[j], is_chained);
                bench_result *result = &results[is_chained * LS_COUNT_OF(system_counts) + j];
                keep_worst(&pair, entity_counts[i], result);
            }
        }
    }
}

const bench_group bench_second_thread = {
    .rows =
        {{"2 threads / 1, worst of 1 system", "us", BENCH_RATIO_AT_MOST, 1.05, NULL},
         {"2 threads / 1, worst of 10 independent systems", "us", BENCH_RATIO_AT_MOST, 1.05, NULL},
         {"2 threads / 1, worst of 100 independent systems", "us", BENCH_RATIO_AT_MOST, 1.05, NULL},
         {"2 threads / 1, worst of 1 writing system", "us", BENCH_RATIO_AT_MOST, 1.05, NULL},
         {"2 threads / 1, worst of 10 chained systems", "us", BENCH_RATIO_AT_MOST, 1.05, NULL},
         {"2 threads / 1, worst of 100 chained systems", "us", BENCH_RATIO_AT_MOST, 1.05, NULL}},
    .whole = measure_all,
};
