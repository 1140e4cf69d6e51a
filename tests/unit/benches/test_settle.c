/* How the bench harness judges figures. The figures are planted, so no clock matters. */
#include "benches/report.h"

#include "tests/unit/core/harness.h"

enum { RUNS = 9, CALLS = RUNS + 1 /* the first warms up */ };

static uint32_t bare_calls, ours_calls;

/* The waiting time is planted too, so a busy machine does not affect these tests. Each attempt
 * reads it twice. */
static uint64_t waited_by_call_ns, waited_ns;

uint64_t bench_waited_ns(void)
{
    return waited_ns += waited_by_call_ns;
}

static void *begin(const bench_options *options, const void *variant)
{
    bare_calls = ours_calls = 0;
    return &bare_calls;
}

static void end(void *state)
{
}

static bench_result *run(const bench_group *group, uint32_t *count)
{
    const bench_group *const groups[] = {group, NULL};
    const bench_suite suite = {.name = "planted", .groups = groups};
    const bench_options options = {.runs = RUNS, .attempts = 4};
    bench_result *results;
    *count = bench_run(&suite, &options, &results);
    return results;
}

/* From the sixth call on the machine is three times as slow. */
static double slow_down(uint32_t call)
{
    return call % CALLS > 5 ? 3 : 1;
}

static void bare_slows_down(void *state, double *figures)
{
    figures[0] = 2 * slow_down(bare_calls++);
}

static void ours_slows_down(void *state, double *figures)
{
    figures[0] = 3 * slow_down(ours_calls++);
}

TEST(test_settle_ratio_is_of_each_run_by_itself)
{
    static const bench_group group = {
        .rows = {{"row", "ns", BENCH_RATIO_AT_MOST, 1.5, NULL}},
        .begin = begin,
        .bare = bare_slows_down,
        .ours = ours_slows_down,
        .end = end,
    };
    uint32_t count;
    bench_result *results = run(&group, &count);
    assert_int_equal(count, 1);
    assert_true(results[0].ratio == 1.5 && results[0].spread == 1);
    assert_false(results[0].is_disturbed);
    assert_int_equal(ours_calls, CALLS);
    ls_free(results);
}

/* The median of the ratios differs from the ratio of the medians. */
TEST(test_settle_ratio_is_no_quotient_of_medians)
{
    static const bench_group group = {.rows = {{"row", "ns", BENCH_NO_TARGET, 0, NULL}}};
    static const double figures[2 * RUNS] = {1, 1, 1, 1, 4, 4, 4, 4, 4,  /* bare */
                                             2, 2, 2, 2, 8, 2, 2, 2, 2}; /* ours */
    bench_result result;
    const bench_figures taken = {figures, RUNS, 0};
    bench_settle(&group, &taken, &result);
    assert_true(result.bare == 4 && result.ours == 2);
    assert_true(result.ratio == 2);
}

/* The run with one thread is slowed down in the first `disturbed` attempts; the run with two
 * threads never is. */
static uint32_t disturbed;

static void bare_threads(void *state, double *figures)
{
    bare_calls++;
    figures[0] = 4;
    figures[1] = 2.2;
}

static void ours_threads(void *state, double *figures)
{
    figures[0] = ours_calls++ / CALLS < disturbed ? 13.7 : 9;
    figures[1] = 5;
}

static const bench_group by_threads = {
    .rows = {{"alone", "ns", BENCH_NO_TARGET, 0, NULL},
             {"alone, 2 threads", "ns", BENCH_FASTER_THAN, 1.7, "alone"}},
    .threads = BENCH_THREADS_ROWS,
    .begin = begin,
    .bare = bare_threads,
    .ours = ours_threads,
    .end = end,
};

TEST(test_settle_above_the_possible_is_measured_again)
{
    uint32_t count;
    disturbed = 2;
    bench_result *results = run(&by_threads, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ours_calls, 3 * CALLS);
    assert_int_equal(bare_calls, ours_calls);
    assert_true(results[1].factor == 1.8 && results[0].ours == 9);
    assert_false(results[0].is_disturbed || results[1].is_disturbed);
    ls_free(results);
}

static char *print(const bench_result *results, uint32_t count,
                   void (*form)(const bench_report *report, FILE *file))
{
    static const bench_suite suite = {.name = "planted"};
    static const bench_options options = {.runs = RUNS, .attempts = 4};
    const bench_report report = {&suite, &options, results, count};
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    form(&report, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* A scaling above the possible also exceeds the target, but must not count as reaching it. */
TEST(test_settle_above_the_possible_is_told_and_reaches_nothing)
{
    uint32_t count;
    disturbed = UINT32_MAX;
    bench_result *results = run(&by_threads, &count);
    assert_true(results[0].is_disturbed && results[1].is_disturbed);
    assert_true(results[1].factor > 2.7);
    assert_true(ours_calls > CALLS && ours_calls % CALLS == 0);
    static void (*const forms[])(const bench_report *, FILE *) = {bench_report_table,
                                                                  bench_report_markdown};
    for (uint32_t i = 0; i < LS_COUNT_OF(forms); i++) {
        char *text = print(results, count, forms[i]);
        assert_non_null(strstr(text, "disturbed"));
        assert_non_null(strstr(text, "0 of 1 targets reached"));
        assert_null(strstr(text, "yes"));
        assert_null(strstr(text, "2.74"));
        free(text);
    }
    char *json = print(results, count, bench_report_json);
    assert_non_null(strstr(json, "\"disturbed\": true"));
    assert_null(strstr(json, "\"reached\": true"));
    free(json);
    ls_free(results);
}

/* Rows of the bare side alone, and a comparison of its rows with each other. */
static void bare_at_once(void *state, double *figures)
{
    bare_calls++;
    figures[0] = 10;
    figures[1] = 4;
}

static void ours_steady(void *state, double *figures)
{
    ours_calls++;
    figures[0] = 4.5;
    figures[1] = 4;
}

TEST(test_settle_looks_at_either_side_and_at_sides)
{
    bench_group group = by_threads;
    uint32_t count;
    group.bare = bare_at_once;
    group.ours = ours_steady;
    bench_result *results = run(&group, &count);
    assert_true(results[0].is_disturbed && results[1].is_disturbed);
    ls_free(results);
    group.threads = BENCH_THREADS_SIDES;
    results = run(&group, &count);
    assert_true(results[0].is_disturbed && !results[1].is_disturbed);
    ls_free(results);
    group.threads = BENCH_THREADS_ALIKE;
    results = run(&group, &count);
    assert_false(results[0].is_disturbed || results[1].is_disturbed);
    ls_free(results);
}

/* A third of the runs take twice the time, on one side only. */
static void ours_varies(void *state, double *figures)
{
    figures[0] = ours_calls++ % 3 ? 4 : 8;
    figures[1] = 4;
}

TEST(test_settle_a_median_between_two_states_is_disturbed)
{
    bench_group group = by_threads;
    uint32_t count;
    group.threads = BENCH_THREADS_ALIKE;
    group.ours = ours_varies;
    bench_result *results = run(&group, &count);
    assert_true(results[0].is_disturbed && results[0].spread == 2);
    assert_false(results[1].is_disturbed);
    /* A row that is compared with a disturbed row cannot be judged either. */
    char *text = print(results, count, bench_report_table);
    assert_non_null(strstr(text, "0 of 1 targets reached"));
    free(text);
    /* A row without a target is compared with no other row, even if it names one. */
    const bench_row plain = {"plain", "ns", BENCH_NO_TARGET, 0, "alone"};
    results[1].row = &plain;
    char *json = print(results, count, bench_report_json);
    assert_non_null(strstr(strstr(json, "\"plain\""), "\"disturbed\": false"));
    free(json);
    ls_free(results);
}

/* Two runs of nine take far longer. */
static void ours_is_hit_now_and_then(void *state, double *figures)
{
    uint32_t call = ours_calls++;
    figures[0] = call % 5 == 4 ? 100 : 4;
    figures[1] = 4;
}

TEST(test_settle_a_few_hits_change_nothing)
{
    bench_group group = by_threads;
    uint32_t count;
    group.ours = ours_is_hit_now_and_then;
    bench_result *results = run(&group, &count);
    assert_true(results[0].ratio == 1 && results[0].ours == 4);
    assert_false(results[0].is_disturbed);
    ls_free(results);
}

/* All runs are slowed down equally: nothing varies, and two threads are slower than one. */
TEST(test_settle_two_threads_without_two_processors)
{
    static const double figures[4 * RUNS] = {1, 1, 1, 1, 1, 1, 1, 1, 1,  /* bare, alone */
                                             1, 1, 1, 1, 1, 1, 1, 1, 1,  /* ours, alone */
                                             2, 2, 2, 2, 2, 2, 2, 2, 2,  /* bare, 2 threads */
                                             3, 3, 3, 3, 3, 3, 3, 3, 3}; /* ours, 2 threads */
    static const struct {
        bench_threads threads;
        double waited;
        bool is_first, is_second;
    } cases[] = {{BENCH_THREADS_ROWS, 0.04, false, false},
                 {BENCH_THREADS_ROWS, 0.5, false, true},
                 {BENCH_THREADS_SIDES, 0.04, false, false},
                 {BENCH_THREADS_SIDES, 0.5, true, true},
                 {BENCH_THREADS_ALIKE, 0.5, false, false}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const bench_group group = {.rows = {{"alone", "ns", BENCH_NO_TARGET, 0, NULL},
                                            {"2 threads", "ns", BENCH_NO_TARGET, 0, NULL}},
                                   .threads = cases[i].threads};
        const bench_figures taken = {figures, RUNS, cases[i].waited};
        bench_result results[2];
        bench_settle(&group, &taken, results);
        assert_int_equal(results[0].is_disturbed, cases[i].is_first);
        assert_int_equal(results[1].is_disturbed, cases[i].is_second);
    }
}

TEST(test_settle_asks_how_long_threads_waited)
{
    uint32_t count;
    disturbed = 0;
    waited_by_call_ns = UINT64_C(1) << 50; /* longer than any attempt */
    bench_result *results = run(&by_threads, &count);
    waited_by_call_ns = 0;
    assert_true(!results[0].is_disturbed && results[1].is_disturbed);
    assert_true(ours_calls > CALLS);
    ls_free(results);
}

static void ours_alone(void *state, double *figures)
{
    ours_calls++;
    figures[0] = 7;
}

TEST(test_settle_without_a_bare_side)
{
    static const bench_group group = {
        .rows = {{"row", "ns", BENCH_AT_MOST, 8, NULL}},
        .begin = begin,
        .ours = ours_alone,
        .end = end,
    };
    uint32_t count;
    bench_result *results = run(&group, &count);
    assert_true(isnan(results[0].bare) && isnan(results[0].ratio) && results[0].ours == 7);
    assert_false(results[0].is_disturbed);
    char *text = print(results, count, bench_report_table);
    assert_non_null(strstr(text, "1 of 1 targets reached"));
    free(text);
    ls_free(results);
}
