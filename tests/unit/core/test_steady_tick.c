/* A tick of a warm world allocates no memory: the linker's --wrap counts every call. */
#include "harness.h"
#include "sample_sim.h"
#include "steady_sim.h"

#include "tests/support/counted_memory.h"

static uint32_t calls_of_ticks(ls_world *world, ls_executor *executor, uint32_t ticks)
{
    ls_snapshot *keyframes[2] = {NULL};
    calls = 0;
    for (uint32_t i = 0; i < ticks; i++) {
        sample_frame sample;
        sample_frame_init(&sample, world);
        assert_int_equal(ls_world_advance(world, &sample.frame, executor, NULL), LS_OK);
        ls_world_root(world);
        if (i % 10 == 9) { /* takes a keyframe and destroys the one before the last */
            ls_snapshot_destroy(keyframes[i / 10 % 2]);
            keyframes[i / 10 % 2] = ls_world_snapshot(world);
        }
        if (i % 25 == 24)
            ls_world_restore(world, keyframes[0]);
    }
    uint32_t found = calls;
    ls_snapshot_destroy(keyframes[0]);
    ls_snapshot_destroy(keyframes[1]);
    return found;
}

/* Spawns, despawns, attaches and joins go on in the warm world; new maxima become ever rarer. */
static void expect_steady(uint32_t threads, uint64_t shuffle_seed)
{
    ls_program *program;
    ls_world *world;
    assert_int_equal(ls_program_create(&sample_sim, &program, NULL), LS_OK);
    ls_match match = ls_program_match(program, 77);
    match.options[SAMPLE_BEASTS] = 1500;
    match.options[SAMPLE_SPARKS] = 50;
    assert_int_equal(ls_world_create(program, &match, &world, NULL), LS_OK);
    ls_executor *executor = harness_executor(threads, shuffle_seed);
    uint32_t warming = calls_of_ticks(world, executor, 200);
    assert_true(warming > 0); /* proves that calls are counted */
    uint32_t births = ((const sample_score *)ls_world_singleton(world, &sample_scores))->births;
    /* A worker that had no despawn marks so far may still need its list. */
    uint32_t rounds = threads > 1 ? 10 : 1, called = 1;
    while (called && rounds-- > 0)
        called = calls_of_ticks(world, executor, 100);
    assert_int_equal(called, 0);
    assert_true(((const sample_score *)ls_world_singleton(world, &sample_scores))->births > births);
    ls_executor_destroy(executor);
    ls_world_destroy(world);
    ls_program_destroy(program);
}

TEST(test_steady_tick_of_one_thread_calls_no_malloc)
{
    expect_steady(1, 0);
    expect_steady(1, 5);
}

TEST(test_steady_tick_of_threads_calls_no_malloc)
{
    expect_steady(3, 0);
}

/* Commands, LS_START copies, and entities that live for one tick reuse the memory that earlier
 * ticks gave back. */
static void expect_steady_of(const ls_sim *sim, uint32_t threads, uint64_t shuffle_seed)
{
    harness self;
    harness_begin(&self, sim, 3);
    ls_executor *executor = harness_executor(threads, shuffle_seed);
    calls = 0;
    for (uint32_t i = 0; i < 30; i++) {
        harness_tick(self.world, executor);
        ls_world_root(self.world);
    }
    assert_true(calls > 0);
    uint64_t living = ls_world_entity_count(self.world);
    /* A worker that gets more pages than ever before allocates once more. */
    uint32_t rounds = threads > 1 ? 20 : 1;
    do {
        calls = 0;
        for (uint32_t i = 0; i < 50; i++) {
            harness_tick(self.world, executor);
            ls_world_root(self.world);
        }
    } while (calls && rounds-- > 1);
    assert_int_equal(calls, 0);
    assert_int_equal(ls_world_entity_count(self.world), living);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_steady_tick_of_journals_calls_no_malloc)
{
    expect_steady_of(&steady_sim, 1, 0);
    expect_steady_of(&steady_sim, 1, 5);
    expect_steady_of(&steady_sim, 3, 0);
}

TEST(test_steady_tick_of_pars_and_loops_calls_no_malloc)
{
    expect_steady_of(&steady_par_sim, 1, 0);
    expect_steady_of(&steady_par_sim, 1, 5);
    expect_steady_of(&steady_par_sim, 3, 0);
}
