/* A trace records what ran, and tracing does not change the world. */
#include <lockstep/trace.h>

#include "diary_sim.h"

enum { TICKS = 3 };

static const ls_system systems[] = {WRITER("a"), COMMANDER(.after = "a"),
                                    FOR_EACH("b", diary_write, .after = "command"),
                                    WRITER("z", .slot = LS_AT_END)};

static uint64_t run(uint32_t threads, ls_trace *trace)
{
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    harness self;
    const ls_executor_config config = {.threads = threads, .share_from = 1, .trace = trace};
    ls_executor *executor;
    assert_int_equal(ls_executor_create(&config, &executor, NULL), LS_OK);
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < TICKS; tick++)
        harness_tick(self.world, executor);
    uint64_t root = ls_world_root(self.world);
    harness_end(&self);
    ls_executor_destroy(executor);
    return root;
}

static uint32_t count(const ls_trace *trace, ls_trace_kind kind)
{
    uint32_t found = 0;
    for (uint32_t thread = 0; thread < ls_trace_thread_count(trace); thread++) {
        uint32_t slice_count;
        const ls_trace_slice *slices = ls_trace_slices(trace, thread, &slice_count);
        for (uint32_t i = 0; i < slice_count; i++)
            found += slices[i].kind == (uint32_t)kind;
    }
    return found;
}

TEST(test_trace_changes_no_result)
{
    uint64_t expected = run(1, NULL);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        ls_trace *trace;
        assert_int_equal(ls_trace_create(threads, 1000, &trace, NULL), LS_OK);
        assert_int_equal(run(threads, trace), expected);
        assert_true(ls_trace_thread_count(trace) <= threads);
        assert_int_equal(ls_trace_dropped(trace), 0);
        ls_trace_destroy(trace);
    }
}

TEST(test_trace_keeps_what_ran)
{
    ls_trace *trace;
    assert_int_equal(ls_trace_create(1, 1000, &trace, NULL), LS_OK);
    run(1, trace);
    assert_int_equal(count(trace, LS_TRACE_TICK), TICKS);
    assert_int_equal(count(trace, LS_TRACE_STAGE), TICKS);
    assert_int_equal(count(trace, LS_TRACE_PARALLEL), TICKS);
    assert_int_equal(count(trace, LS_TRACE_SYNC),
                     2 * TICKS); /* a system at the end causes a second sync */
    assert_int_equal(count(trace, LS_TRACE_BEGIN), 4 * TICKS);
    assert_int_equal(count(trace, LS_TRACE_END), 4 * TICKS);
    assert_int_equal(count(trace, LS_TRACE_PART), 4 * TICKS - 1); /* b has no match at first */
    uint32_t slice_count, entities = 0;
    const ls_trace_slice *slices = ls_trace_slices(trace, 0, &slice_count);
    for (uint32_t i = 0; i < slice_count; i++) {
        assert_true(slices[i].start_ns <= slices[i].end_ns);
        assert_true(i == 0 || slices[i - 1].end_ns <= slices[i].end_ns);
        entities += slices[i].entities;
    }
    assert_int_equal(entities, 0 + 1 + 2);
    ls_trace_clear(trace);
    assert_int_equal(count(trace, LS_TRACE_TICK), 0);
    ls_trace_destroy(trace);
}

TEST(test_trace_counts_what_it_has_no_room_for)
{
    ls_trace *trace;
    assert_int_equal(ls_trace_create(1, 1000, &trace, NULL), LS_OK);
    uint64_t root = run(1, trace);
    uint32_t all;
    (void)ls_trace_slices(trace, 0, &all);
    ls_trace_destroy(trace);
    assert_int_equal(ls_trace_create(1, 5, &trace, NULL), LS_OK);
    assert_int_equal(run(1, trace), root);
    uint32_t kept;
    (void)ls_trace_slices(trace, 0, &kept);
    assert_int_equal(kept, 5);
    assert_int_equal(ls_trace_dropped(trace), all - 5);
    ls_trace_clear(trace);
    assert_int_equal(ls_trace_dropped(trace), 0);
    ls_trace_destroy(trace);
}

/* A trace for fewer threads than the executor has: it counts the slices that it drops. */
TEST(test_trace_of_too_few_threads_drops)
{
    ls_trace *trace;
    assert_int_equal(ls_trace_create(1, 1000, &trace, NULL), LS_OK);
    assert_int_equal(run(3, trace), run(1, NULL));
    assert_int_equal(ls_trace_thread_count(trace), 1);
    assert_int_equal(count(trace, LS_TRACE_BEGIN) + count(trace, LS_TRACE_END) +
                         count(trace, LS_TRACE_PART) + ls_trace_dropped(trace),
                     12 * TICKS - 1);
    ls_trace_destroy(trace);
}

TEST(test_trace_keeps_its_limits)
{
    ls_trace *trace;
    ls_error error;
    assert_int_equal(ls_trace_create(0, 1, &trace, &error), LS_ERROR_USAGE);
    assert_int_equal(ls_trace_create(LS_THREADS_MAX + 1, 1, &trace, &error), LS_ERROR_USAGE);
    assert_int_equal(ls_trace_create(1, 0, &trace, &error), LS_ERROR_USAGE);
    assert_int_equal(ls_trace_create(1, LS_TRACE_SLICES_MAX + 1, &trace, &error), LS_ERROR_USAGE);
    assert_null(trace);
    ls_trace_add(NULL, (ls_trace_slice){0});
    assert_int_equal(ls_trace_now(NULL), 0);
    ls_trace_destroy(NULL);
}
