/* Runs a row's two sides in turn and takes their medians: benches/bench.h. */
#include "benches/bench.h"

#include <lockstep/base.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

void bench_consume(uint64_t value)
{
    sink = value;
}

static uint32_t threads_max = 2;

uint32_t bench_threads_of(uint32_t wanted)
{
    return wanted < threads_max ? wanted : threads_max;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bench_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t bench_thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t bench_process_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void *kept[32];
static uint32_t kept_count;

void *bench_alloc(size_t bytes)
{
    LS_ASSERT(kept_count < LS_COUNT_OF(kept));
    return kept[kept_count++] = ls_alloc(bytes);
}

static void measure(const bench_group *group, void *state, double *bare, double *ours)
{
    for (uint32_t i = 0; i < BENCH_GROUP_ROWS_MAX; i++)
        bare[i] = ours[i] = NAN;
    if (group->bare)
        group->bare(state, bare);
    group->ours(state, ours);
}

static void run_whole(const bench_group *group, const bench_options *options, bench_result *results)
{
    uint32_t rows = bench_row_count(group);
    for (uint32_t i = 0; i < rows; i++)
        results[i] = (bench_result){
            .row = &group->rows[i], .bare = NAN, .ours = NAN, .factor = NAN, .spread = NAN};
    group->whole(options, group->variant, results);
    for (uint32_t i = 0; i < rows; i++)
        results[i].ratio = results[i].ours / results[i].bare;
}

/* Runs of bare and ours alternate, so a longer disturbance affects both. */
static void attempt(const bench_group *group, void *state, uint32_t runs, double *all,
                    bench_result *results)
{
    double bare[BENCH_GROUP_ROWS_MAX], ours[BENCH_GROUP_ROWS_MAX];
    measure(group, state, bare, ours); /* warm-up of caches and pools */
    uint64_t began_ns = bench_now_ns(), waited_ns = bench_waited_ns();
    for (uint32_t run = 0; run < runs; run++) {
        measure(group, state, bare, ours);
        for (uint32_t i = 0; i < bench_row_count(group); i++) {
            all[2 * i * runs + run] = bare[i];
            all[(2 * i + 1) * runs + run] = ours[i];
        }
    }
    waited_ns = bench_waited_ns() - waited_ns;
    const bench_figures taken = {all, runs,
                                 (double)waited_ns / (double)(bench_now_ns() - began_ns)};
    bench_settle(group, &taken, results);
}

static uint32_t disturbed_count(const bench_result *results, uint32_t rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++)
        count += results[i].is_disturbed;
    return count;
}

/* Measures a group until no row is disturbed, at most options->attempts times. The attempt with the
 * fewest disturbed rows counts. */
static void run_group(const bench_group *group, const bench_options *options, bench_result *results)
{
    uint32_t rows = bench_row_count(group), min = UINT32_MAX;
    double *all = ls_alloc(sizeof *all * 2 * rows * options->runs);
    void *state = group->begin(options, group->variant);
    for (uint32_t i = 0; i < options->attempts && min; i++) {
        bench_result found[BENCH_GROUP_ROWS_MAX];
        attempt(group, state, options->runs, all, found);
        uint32_t disturbed = disturbed_count(found, rows);
        if (disturbed < min)
            memcpy(results, found, sizeof *found * rows);
        min = disturbed < min ? disturbed : min;
    }
    group->end(state);
    while (kept_count)
        ls_free(kept[--kept_count]);
    ls_free(all);
}

static bool is_wanted(const bench_group *group, const char *only)
{
    for (uint32_t i = 0; only && i < bench_row_count(group); i++) {
        if (strstr(group->rows[i].name, only))
            return true;
    }
    return !only;
}

uint32_t bench_run(const bench_suite *suite, const bench_options *options, bench_result **results)
{
    uint32_t count = 0;
    threads_max = options->threads;
    for (const bench_group *const *group = suite->groups; *group; group++)
        count += bench_row_count(*group);
    *results = ls_alloc(sizeof **results * count);
    count = 0;
    for (const bench_group *const *group = suite->groups; *group; group++) {
        if (!is_wanted(*group, options->only))
            continue;
        if (isatty(2))
            fprintf(stderr, "%-70s\r", (*group)->rows[0].name);
        if ((*group)->whole)
            run_whole(*group, options, *results + count);
        else
            run_group(*group, options, *results + count);
        count += bench_row_count(*group);
    }
    if (isatty(2))
        fprintf(stderr, "%-70s\r", "");
    return count;
}
