/* A suite of measurements. A row compares two sides that do the same work on the same data in this
 * program. `bare` is the reference, such as a plain C loop over plain arrays; `ours` is the
 * engine's public interface. Ratios of the two are comparable across machines; the figures alone
 * are not. */
#ifndef LS_BENCH_H
#define LS_BENCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_options {
    uint32_t runs;     /* measurements of each side, alternating; the median counts */
    uint32_t attempts; /* of a group, at most: it is repeated while a row is disturbed */
    uint32_t entities;
    uint32_t threads; /* of the engine, at most: 1 measures rows of two threads on one, too */
    const char *only; /* measure only rows with this text in their name; NULL: all */
} bench_options;

typedef enum bench_target {
    BENCH_NO_TARGET = 0,
    BENCH_AT_MOST,       /* limit for ours, in the row's unit */
    BENCH_RATIO_AT_MOST, /* limit for ours / bare */
    BENCH_FASTER_THAN,   /* minimum for ours of row `other` / ours */
    BENCH_SPEED_UP,      /* minimum for bare / ours */
} bench_target;

typedef struct bench_row {
    const char *name; /* unique in the suite */
    const char *unit; /* unit of both figures, per item of work in the name */
    bench_target target;
    double limit;
    const char *other;
} bench_row;

/* The result of one row; NAN where there is no figure. A machine that slows down between two runs
 * slows both sides of each run. So ratios are medians of the runs' own ratios, never ratios of
 * medians. */
typedef struct bench_result {
    const bench_row *row;
    double bare, ours;
    double ratio;      /* ours / bare */
    double factor;     /* ours of row `other` / ours; NAN when `other` is in another group */
    double spread;     /* upper quartile / lower quartile of the runs' ratios */
    bool is_disturbed; /* the figures are impossible, or too scattered */
    char note[96];     /* printed after the name, e.g. the measured case */
} bench_result;

/* Which figures of a group are the same work on one thread and on two. More than twice as fast is
 * impossible. */
typedef enum bench_threads {
    BENCH_THREADS_ALIKE = 0, /* no row and no side has two threads */
    BENCH_THREADS_ROWS,      /* the second half of the rows repeats the first half on two threads */
    BENCH_THREADS_SIDES,     /* bare uses one thread, ours two */
} bench_threads;

/* A group: rows that are measured together, because one undoes another's work or is its
 * reference. */
#define BENCH_GROUP_ROWS_MAX 12
typedef struct bench_group {
    bench_row rows[BENCH_GROUP_ROWS_MAX];
    bench_threads threads;
    const void *variant; /* argument for functions that several groups share */
    /* Fills in the results itself; they are NAN before. The members below are then unused. */
    void (*whole)(const bench_options *options, const void *variant, bench_result *results);
    void *(*begin)(const bench_options *options, const void *variant);
    /* Each fills in one figure per row. `bare` may be NULL, and may leave figures NAN. */
    void (*bare)(void *state, double *figures);
    void (*ours)(void *state, double *figures);
    void (*end)(void *state);
} bench_group;

/* Arguments of a suite's list of groups, as in core/groups.h. */
#define BENCH_NAME(group)    group
#define BENCH_ADDRESS(group) &group

typedef struct bench_suite {
    const char *name;
    const char *summary;
    const bench_group *const *groups;
    bool takes_entities; /* --entities has an effect */
} bench_suite;

/* Keeps the compiler from removing the computation of `value`. */
void bench_consume(uint64_t value);
uint64_t bench_now_ns(void);
/* Processor time of this thread or process: other programs do not affect it. */
uint64_t bench_thread_ns(void);
uint64_t bench_process_ns(void);
/* Zeroed memory for a group's `begin`; bench_run() frees it after `end`. */
void *bench_alloc(size_t bytes);
/* How many threads a world of the suite `core` may use: `wanted`, but not more than
 * bench_options.threads. */
uint32_t bench_threads_of(uint32_t wanted);
/* The number of allocation calls so far, on all threads, by this program's own code; not those
 * inside shared libraries. */
uint32_t bench_memory_calls(void);
/* The time for which threads of this process were ready but had no processor; 0 if the kernel does
 * not report it. */
uint64_t bench_waited_ns(void);
/* Sorts `figures` and returns the median, for an even count the upper one; NAN when the first
 * figure is NAN. */
double bench_median(double *figures, uint32_t count);

/* The figures of all runs, in order: for row i, bare from [2 * i * runs] and ours from [(2 * i + 1)
 * * runs]. `waited` is bench_waited_ns() as a fraction of the measured time. */
typedef struct bench_figures {
    const double *figures;
    uint32_t runs;
    double waited;
} bench_figures;

/* Computes the result of each row. */
void bench_settle(const bench_group *group, const bench_figures *taken, bench_result *results);
uint32_t bench_row_count(const bench_group *group);

/* Runs the groups with a wanted row, and shows progress on stderr. It repeats a group with a
 * disturbed row, except one with `whole`.
 *   owns  ls_free(*results) by the caller */
uint32_t bench_run(const bench_suite *suite, const bench_options *options, bench_result **results);

#endif
