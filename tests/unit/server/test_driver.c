#include "server/driver.h"

#include "slow_jobs.h"
#include "tally_sim.h"
#include "tests/support/test.h"

typedef struct fixture {
    slow_jobs slow;
    ls_program *program;
    ls_match match;
    ls_world *world, *twin;
    ls_tick_ring ring;
    ls_driver driver;
} fixture;

static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    f->slow = slow_jobs_make();
    assert_ok(ls_program_create(&tally_sim, &f->program, NULL));
    f->match = ls_program_match(f->program, 1);
    assert_ok(ls_world_create(f->program, &f->match, &f->world, NULL));
    assert_ok(ls_world_create(f->program, &f->match, &f->twin, NULL));
    ls_tick_ring_init(&f->ring, 0, LS_SERVER_RING_TICKS);
    ls_driver_init(&f->driver, f->world, NULL);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_driver_reset(&f->driver, &f->slow.jobs);
    ls_tick_ring_reset(&f->ring);
    ls_world_destroy(f->world);
    ls_world_destroy(f->twin);
    ls_program_destroy(f->program);
    ls_free(f);
    return 0;
}

static void push(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ls_tick_ring_push(&f->ring, &(ls_frame){.tick = f->ring.next});
}

static void assert_done(fixture *f, uint32_t count)
{
    assert_true(ls_driver_take(&f->driver));
    assert_false(ls_driver_take(&f->driver));
    assert_ok(f->driver.status);
    assert_int_equal(f->driver.done, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(
            ls_world_advance(f->twin, &(ls_frame){.tick = ls_world_tick(f->twin)}, NULL, NULL));
        assert_int_equal(f->driver.roots[i], ls_world_root(f->twin));
    }
}

TESTS_AROUND(begin, end);

/* Ticks that closed while a job ran go into the next jobs, at most eight per job. */
TEST(test_driver_takes_ticks_in_batches)
{
    fixture *f = *state;
    push(f, 1);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, false);
    push(f, 19);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, false);
    assert_int_equal(f->slow.waiting, 1);
    assert_false(ls_driver_take(&f->driver));
    static const uint32_t batches[] = {1, LS_DRIVER_TICKS, LS_DRIVER_TICKS, 3};
    for (uint32_t i = 0; i < LS_COUNT_OF(batches); i++) {
        assert_true(slow_jobs_run_one(&f->slow));
        assert_done(f, batches[i]);
        ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, false);
    }
    assert_int_equal(f->slow.waiting, 0); /* without ticks no job is submitted */
    assert_int_equal(ls_world_tick(f->world), 20);
}

/* A job has its own copy of the frames, because the ring may overwrite its slots meanwhile. */
TEST(test_driver_copies_its_frames)
{
    fixture *f = *state;
    push(f, 2);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, false);
    push(f, LS_SERVER_RING_TICKS + 10);
    slow_jobs_run_one(&f->slow);
    assert_done(f, 2);
}

TEST(test_driver_takes_a_snapshot_after_its_ticks)
{
    fixture *f = *state;
    push(f, 3);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, true);
    slow_jobs_run_one(&f->slow);
    assert_done(f, 3);
    assert_int_equal(ls_snapshot_tick(f->driver.snapshot), 3);
    ls_snapshot *first = f->driver.snapshot;
    f->driver.snapshot = NULL;
    /* A snapshot can also be taken without any tick. */
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, true);
    slow_jobs_run_one(&f->slow);
    assert_done(f, 0);
    assert_int_equal(ls_snapshot_tick(f->driver.snapshot), 3);
    ls_driver_discard(&f->driver, first);
}

/* A job stops at its limit. A keyframe of that tick can be taken later, without a further tick. */
TEST(test_driver_goes_no_further_than_it_may)
{
    fixture *f = *state;
    push(f, 5);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, 2, LS_DRIVER_KEYFRAME);
    slow_jobs_run_one(&f->slow);
    assert_done(f, 2);
    assert_int_equal(ls_snapshot_tick(f->driver.keyframe), 2);
    ls_snapshot_destroy(f->driver.keyframe);
    f->driver.keyframe = NULL;
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, 2, LS_DRIVER_KEYFRAME);
    slow_jobs_run_one(&f->slow);
    assert_done(f, 0);
    assert_int_equal(ls_snapshot_tick(f->driver.keyframe), 2);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, 2, 0);
    assert_false(ls_job_is_busy(&f->driver.job));
}

/* While a job owns the world, a discarded snapshot is only put on a list. */
TEST(test_driver_discards_when_the_world_is_free)
{
    fixture *f = *state;
    ls_snapshot *one = ls_world_snapshot(f->world), *two = ls_world_snapshot(f->world);
    push(f, 1);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, false);
    ls_driver_discard(&f->driver, one);
    ls_driver_discard(&f->driver, two);
    assert_ptr_equal(f->driver.discarded[0], one);
    assert_ptr_equal(f->driver.discarded[1], two);
    slow_jobs_run_one(&f->slow);
    assert_null(f->driver.discarded[0]);
    assert_null(f->driver.discarded[1]);
    assert_done(f, 1);
}

/* A frame that the world refuses stops the driver for good; the ticks before it are simulated. */
TEST(test_driver_stops_at_a_failure)
{
    fixture *f = *state;
    const uint8_t bad[4] = {255, 255, 255, 255};
    const ls_input input = {.player = 0, .kind = LS_INPUT, .bytes = 4, .data = bad};
    push(f, 2);
    ls_tick_ring_push(&f->ring, &(ls_frame){.tick = 2, .count = 1, .inputs = &input});
    push(f, 2);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, false);
    slow_jobs_run_one(&f->slow);
    assert_false(
        ls_driver_has_failed(&f->driver)); /* not known while the job still owns the world */
    assert_true(ls_driver_take(&f->driver));
    assert_true(ls_driver_has_failed(&f->driver));
    assert_int_equal(f->driver.done, 2);
    assert_int_not_equal(f->driver.status, LS_OK);
    assert_true(f->driver.error.text[0] != 0);
    assert_int_equal(ls_world_tick(f->world), 2);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, true);
    assert_int_equal(f->slow.waiting, 0);
}

TEST(test_driver_reset_waits_for_the_job)
{
    fixture *f = *state;
    push(f, 2);
    ls_driver_submit(&f->driver, &f->slow.jobs, &f->ring, UINT64_MAX, true);
    ls_driver_reset(&f->driver, &f->slow.jobs);
    assert_int_equal(f->slow.ran, 1);
    assert_null(f->driver.snapshot);
}
