/* What a suite of measurements is made of. A row has two sides that do the same work on the same
 * data in this program: `bare`, what is held against us, such as a plain C loop over bare arrays,
 * and `ours`, the engine's public interface. Ratios between the two mean something on any machine;
 * the figures alone do not. */
#ifndef LS_BENCH_H
#define LS_BENCH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct bench_options {
    uint32_t runs; /* of each side, in turn; medians count */
    uint32_t entities;
    const char *only; /* NULL, or part of the names of the rows to measure */
} bench_options;

typedef enum bench_target {
    BENCH_NO_TARGET = 0,
    BENCH_AT_MOST,       /* ours, in the row's unit */
    BENCH_RATIO_AT_MOST, /* ours / bare */
    BENCH_FASTER_THAN,   /* row `other`'s ours / ours, at least */
    BENCH_SPEED_UP,      /* bare / ours, at least */
} bench_target;

typedef struct bench_row {
    const char *name; /* unique in the suite */
    const char *unit; /* of both figures, for one of what the name says */
    bench_target target;
    double limit;
    const char *other;
} bench_row;

/* One row's outcome; NAN where there is no figure. The machine that slows down between two runs
 * slows both sides of each: quotients are medians of the runs' own, never quotients of medians. */
typedef struct bench_result {
    const bench_row *row;
    double bare, ours;
    double ratio;      /* ours / bare */
    double factor;     /* `other` / ours; NAN when that row is of another group */
    double spread;     /* upper quartile of what `ratio` is the median of, over the lower */
    bool is_disturbed; /* the figures are above the possible, or mean nothing */
    char note[96];     /* printed behind the name: of which case the figures are */
} bench_result;

/* What of a group does the same work on one thread and on two. Two cannot be more than twice as
 * fast. */
typedef enum bench_threads {
    BENCH_THREADS_ALIKE = 0, /* nothing */
    BENCH_THREADS_ROWS,      /* the second half of the rows is the first half's on two threads */
    BENCH_THREADS_SIDES,     /* bare is on one thread, ours on two */
} bench_threads;

/* Rows that are measured together, because one's work is undone by the next, or because one is
 * held against another. */
#define BENCH_GROUP_ROWS_MAX 12
typedef struct bench_group {
    bench_row rows[BENCH_GROUP_ROWS_MAX];
    bench_threads threads;
    const void *variant; /* for functions that several groups share */
    /* Fills the results by itself, which are NAN before; then there is nothing of what follows. */
    void (*whole)(const bench_options *options, const void *variant, bench_result *results);
    void *(*begin)(const bench_options *options, const void *variant);
    /* Each fills one figure a row. `bare` may be NULL, and may leave NAN. */
    void (*bare)(void *state, double *figures);
    void (*ours)(void *state, double *figures);
    void (*end)(void *state);
} bench_group;

typedef struct bench_suite {
    const char *name;
    const char *summary;
    const bench_group *const *groups;
    const char *bare_title; /* of the column */
    bool takes_entities;    /* --entities means something */
} bench_suite;

/* Keeps the compiler from dropping the work that led to `value`. */
void bench_consume(uint64_t value);
uint64_t bench_now_ns(void);
/* So far, of this program's own code on all threads: what shared libraries call is not in it. */
uint32_t bench_memory_calls(void);
/* How long this process's threads have waited for a processor that something else had; 0 where the
 * kernel does not tell. */
uint64_t bench_waited_ns(void);
/* Sorts. Of an even count the upper of the two in the middle; NAN when the first is. */
double bench_median(double *figures, uint32_t count);

/* Of all runs: of row i bare from [2 * i * runs] on, ours from [(2 * i + 1) * runs] on, in the
 * order of the runs; and bench_waited_ns() of that time, as a part of it. */
typedef struct bench_figures {
    const double *figures;
    uint32_t runs;
    double waited;
} bench_figures;

/* Fills a result for each row. */
void bench_settle(const bench_group *group, const bench_figures *taken, bench_result *results);
uint32_t bench_row_count(const bench_group *group);

/* Runs the groups that have a wanted row; ls_free(*results) by the caller. Measures a group with a
 * disturbed row again, a few times. Says on stderr what it is at. */
uint32_t bench_run(const bench_suite *suite, const bench_options *options, bench_result **results);

#endif
