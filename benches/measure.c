#include "benches/bench.h"

#include "core/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

void bench_consume(uint64_t value)
{
    sink = value;
}

uint64_t bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

double bench_median(double *figures, uint32_t count)
{
    if (isnan(figures[0]))
        return NAN;
    qsort(figures, count, sizeof *figures, compare_doubles);
    return figures[count / 2];
}

static uint32_t row_count(const bench_group *group)
{
    uint32_t count = 0;
    while (count < BENCH_GROUP_ROWS_MAX && group->rows[count].name)
        count++;
    return count;
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
    for (uint32_t i = 0; i < row_count(group); i++)
        results[i] = (bench_result){.row = &group->rows[i], .bare = NAN, .ours = NAN};
    group->whole(options, group->variant, results);
}

static void run_group(const bench_group *group, const bench_options *options, bench_result *results)
{
    uint32_t rows = row_count(group), runs = options->runs;
    double bare[BENCH_GROUP_ROWS_MAX], ours[BENCH_GROUP_ROWS_MAX];
    double *all = ls_alloc(sizeof *all * 2 * rows * runs);
    void *state = group->begin(options, group->variant);
    measure(group, state, bare, ours); /* warms caches and pools */
    for (uint32_t run = 0; run < runs; run++) {
        measure(group, state, bare, ours);
        for (uint32_t i = 0; i < rows; i++) {
            all[2 * i * runs + run] = bare[i];
            all[(2 * i + 1) * runs + run] = ours[i];
        }
    }
    group->end(state);
    for (uint32_t i = 0; i < rows; i++)
        results[i] = (bench_result){.row = &group->rows[i],
                                    .bare = bench_median(all + 2 * i * runs, runs),
                                    .ours = bench_median(all + (2 * i + 1) * runs, runs)};
    ls_free(all);
}

static bool is_wanted(const bench_group *group, const char *only)
{
    for (uint32_t i = 0; only && i < row_count(group); i++) {
        if (strstr(group->rows[i].name, only))
            return true;
    }
    return !only;
}

uint32_t bench_run(const bench_suite *suite, const bench_options *options, bench_result **results)
{
    uint32_t count = 0;
    for (const bench_group *const *group = suite->groups; *group; group++)
        count += row_count(*group);
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
        count += row_count(*group);
    }
    if (isatty(2))
        fprintf(stderr, "%-70s\r", "");
    return count;
}
