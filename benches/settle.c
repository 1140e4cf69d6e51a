/* Computes a row's result from the figures of all runs. */
#include "benches/bench.h"

#include <lockstep/base.h>

#include <stdlib.h>
#include <string.h>

/* Two threads are at most twice as fast; 5 % allow for clock and cache effects. */
static const double speed_up_max = 2 * 1.05;
/* Maximum of upper / lower quartile. Above it, the runs had two states of the machine, and the
 * median may be of either. */
static const double spread_max = 1.5;
/* Maximum fraction of waiting: above it, the threads did not have two processors. If all runs
 * suffer alike, neither spread nor factor shows that. A single delayed run does not affect a
 * median. */
static const double waited_max = 0.05;

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

uint32_t bench_row_count(const bench_group *group)
{
    uint32_t count = 0;
    while (count < BENCH_GROUP_ROWS_MAX && group->rows[count].name)
        count++;
    return count;
}

typedef struct sides {
    const double *bare, *ours; /* by run */
} sides;

typedef struct quotient {
    double median, spread;
} quotient;

/* The median of the runs' own ratios; a missing divisor counts as 1. */
static quotient divide(const double *over, const double *under, uint32_t runs)
{
    double *each = ls_alloc(sizeof *each * runs);
    for (uint32_t i = 0; i < runs; i++)
        each[i] = over[i] / (isnan(under[i]) ? 1 : under[i]);
    double median = bench_median(each, runs); /* also sorts `each` */
    quotient found = {median, each[runs - 1 - runs / 4] / each[runs / 4]};
    ls_free(each);
    return found;
}

static double median_of(const double *figures, uint32_t runs)
{
    double *sorted = ls_alloc(sizeof *sorted * runs);
    memcpy(sorted, figures, sizeof *sorted * runs);
    double median = bench_median(sorted, runs);
    ls_free(sorted);
    return median;
}

static bool is_impossible(const double *on_one, const double *on_two, uint32_t runs)
{
    return divide(on_one, on_two, runs).median > speed_up_max;
}

/* Marks rows with an impossible speed-up: both rows of two, because either may be the disturbed
 * one. */
static void judge_factors(const bench_group *group, const sides *all, uint32_t runs,
                          bench_result *results)
{
    uint32_t rows = bench_row_count(group), half = rows / 2;
    for (uint32_t i = 0; group->threads == BENCH_THREADS_SIDES && i < rows; i++)
        results[i].is_disturbed |= is_impossible(all[i].bare, all[i].ours, runs);
    for (uint32_t i = half; group->threads == BENCH_THREADS_ROWS && i < rows; i++) {
        if (!is_impossible(all[i - half].ours, all[i].ours, runs) &&
            !is_impossible(all[i - half].bare, all[i].bare, runs))
            continue;
        results[i].is_disturbed = results[i - half].is_disturbed = true;
    }
}

static void judge_waiting(const bench_group *group, double waited, bench_result *results)
{
    uint32_t rows = bench_row_count(group);
    uint32_t first = group->threads == BENCH_THREADS_ROWS ? rows / 2 : 0;
    for (uint32_t i = first; group->threads != BENCH_THREADS_ALIKE && i < rows; i++)
        results[i].is_disturbed |= waited > waited_max;
}

static double find_factor(const bench_group *group, const sides *all, uint32_t runs, uint32_t row)
{
    for (uint32_t i = 0; group->rows[row].other && i < bench_row_count(group); i++) {
        if (strcmp(group->rows[i].name, group->rows[row].other) == 0)
            return divide(all[i].ours, all[row].ours, runs).median;
    }
    return NAN;
}

void bench_settle(const bench_group *group, const bench_figures *taken, bench_result *results)
{
    sides all[BENCH_GROUP_ROWS_MAX];
    uint32_t rows = bench_row_count(group), runs = taken->runs;
    const double *figures = taken->figures;
    for (uint32_t i = 0; i < rows; i++)
        all[i] = (sides){figures + 2 * i * runs, figures + (2 * i + 1) * runs};
    for (uint32_t i = 0; i < rows; i++) {
        quotient ratio = divide(all[i].ours, all[i].bare, runs);
        results[i] = (bench_result){.row = &group->rows[i],
                                    .bare = median_of(all[i].bare, runs),
                                    .ours = median_of(all[i].ours, runs),
                                    .ratio = isnan(all[i].bare[0]) ? NAN : ratio.median,
                                    .factor = find_factor(group, all, runs, i),
                                    .spread = ratio.spread,
                                    .is_disturbed = ratio.spread > spread_max};
    }
    judge_factors(group, all, runs, results);
    judge_waiting(group, taken->waited, results);
}
