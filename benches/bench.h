/* A suite of measurements. A row has two sides that do the same work on the same data in this
 * program: `bare`, the reference, such as a plain C loop over bare arrays, and `ours`, the
 * engine's public interface. Ratios between the two are comparable across machines; the figures
 * alone are not. */
#ifndef LS_BENCH_H
#define LS_BENCH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct bench_options {
    uint32_t runs; /* of each side, alternating; medians count */
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
    const char *unit; /* of both figures, per item of work that the name states */
    bench_target target;
    double limit;
    const char *other;
} bench_row;

/* One row's outcome; NAN where there is no figure. A machine that slows down between two runs
 * slows both sides of each: ratios are medians of the runs' own ratios, never ratios of medians. */
typedef struct bench_result {
    const bench_row *row;
    double bare, ours;
    double ratio;      /* ours / bare */
    double factor;     /* `other` / ours; NAN when that row is of another group */
    double spread;     /* upper quartile of what `ratio` is the median of, over the lower */
    bool is_disturbed; /* the figures are physically impossible or too scattered */
    char note[96];     /* printed after the name: the case that the figures belong to */
} bench_result;

/* Which parts of a group do the same work on one thread and on two. Two threads cannot be more
 * than twice as fast. */
typedef enum bench_threads {
    BENCH_THREADS_ALIKE = 0, /* none */
    BENCH_THREADS_ROWS,      /* the second half of the rows is the first half's on two threads */
    BENCH_THREADS_SIDES,     /* bare is on one thread, ours on two */
} bench_threads;

/* Rows that are measured together, because one undoes the other's work or is its reference. */
#define BENCH_GROUP_ROWS_MAX 12
typedef struct bench_group {
    bench_row rows[BENCH_GROUP_ROWS_MAX];
    bench_threads threads;
    const void *variant; /* for functions that several groups share */
    /* Fills the results itself; they are NAN before, and the members below are unused. */
    void (*whole)(const bench_options *options, const void *variant, bench_result *results);
    void *(*begin)(const bench_options *options, const void *variant);
    /* Each fills one figure per row. `bare` may be NULL, and may leave NAN. */
    void (*bare)(void *state, double *figures);
    void (*ours)(void *state, double *figures);
    void (*end)(void *state);
} bench_group;

typedef struct bench_suite {
    const char *name;
    const char *summary;
    const bench_group *const *groups;
    bool takes_entities; /* --entities has an effect */
} bench_suite;

/* Keeps the compiler from dropping the work that led to `value`. */
void bench_consume(uint64_t value);
uint64_t bench_now_ns(void);
/* Calls of allocation functions so far, on all threads, from this program's own code; those
 * inside shared libraries are not counted. */
uint32_t bench_memory_calls(void);
/* How long this process's threads have been ready without a processor; 0 where the kernel does
 * not report it. */
uint64_t bench_waited_ns(void);
/* Sorts. The upper median for an even count; NAN when the first figure is. */
double bench_median(double *figures, uint32_t count);

/* The figures of all runs: row i has bare from [2 * i * runs] and ours from [(2 * i + 1) *
 * runs], in the order of the runs. `waited` is bench_waited_ns() as a fraction of that time. */
typedef struct bench_figures {
    const double *figures;
    uint32_t runs;
    double waited;
} bench_figures;

/* Fills a result for each row. */
void bench_settle(const bench_group *group, const bench_figures *taken, bench_result *results);
uint32_t bench_row_count(const bench_group *group);

/* Runs the groups that have a wanted row; the caller frees *results with ls_free(). Measures a
 * group with a disturbed row again, a few times. Reports progress on stderr. */
uint32_t bench_run(const bench_suite *suite, const bench_options *options, bench_result **results);

#endif
