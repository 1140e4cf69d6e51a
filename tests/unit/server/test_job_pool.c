#include "tests/support/test.h"
#include <lockstep/job_pool.h>

#include <unistd.h>

enum { JOBS = 200 };

typedef struct work {
    ls_job job;
    uint32_t *next;
    uint32_t place;
    uint64_t sum;
} work;

static void add_up(ls_job *job)
{
    work *self = (work *)job;
    for (uint64_t i = 0; i < 20000; i++)
        self->sum += i ^ self->sum << 1;
}

static void note_order(ls_job *job)
{
    work *self = (work *)job;
    self->place = (*self->next)++;
}

static void count_done(void *context)
{
    __atomic_fetch_add((uint32_t *)context, 1, __ATOMIC_RELAXED);
}

static ls_job_pool *make(uint32_t threads, uint32_t *done)
{
    ls_job_pool *pool;
    ls_job_pool_config config = {
        .threads = threads, .spares = 3, .done = done ? count_done : NULL, .context = done};
    assert_ok(ls_job_pool_create(&config, &pool, NULL));
    return pool;
}

TEST(test_job_pool_refuses_a_wrong_number)
{
    static const uint32_t wrong[] = {0, LS_JOB_POOL_THREADS_MAX + 1, UINT32_MAX};
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        ls_job_pool *pool;
        ls_error error = {""};
        assert_int_equal(
            ls_job_pool_create(&(ls_job_pool_config){.threads = wrong[i]}, &pool, &error),
            LS_ERROR_USAGE);
        assert_null(pool);
        assert_true(error.text[0] != 0);
    }
    ls_job_pool_destroy(NULL);
}

TEST(test_job_pool_runs_all_and_tells)
{
    uint32_t done = 0;
    ls_job_pool *pool = make(4, &done);
    static work works[JOBS];
    for (uint32_t i = 0; i < JOBS; i++) {
        works[i] = (work){.job.run = add_up, .sum = i};
        ls_job_submit(ls_job_pool_jobs(pool), &works[i].job);
    }
    work expected = {.sum = JOBS - 1};
    add_up(&expected.job);
    for (uint32_t i = 0; i < JOBS; i++)
        ls_job_wait(ls_job_pool_jobs(pool), &works[i].job);
    assert_int_equal(works[JOBS - 1].sum, expected.sum);
    ls_job_pool_destroy(pool);
    assert_int_equal(done, JOBS);
}

TEST(test_job_pool_of_one_keeps_the_order)
{
    ls_job_pool *pool = make(1, NULL);
    uint32_t next = 0;
    static work works[JOBS];
    for (uint32_t i = 0; i < JOBS; i++) {
        works[i] = (work){.job.run = note_order, .next = &next};
        ls_job_submit(ls_job_pool_jobs(pool), &works[i].job);
    }
    /* Destroying the pool waits for submitted jobs. */
    ls_job_pool_destroy(pool);
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_int_equal(works[i].place, i);
        assert_true(ls_job_take(&works[i].job));
    }
}

/* A job that hangs until `is_let_go` is set. */
typedef struct stuck {
    ls_job job;
    uint32_t begun, is_let_go, has_ended;
    uint8_t flag;
} stuck;

static void stand_still(ls_job *job)
{
    stuck *self = (stuck *)job;
    __atomic_store_n(&self->begun, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&self->is_let_go, __ATOMIC_ACQUIRE))
        usleep(1000);
    __atomic_store_n(&self->has_ended, 1, __ATOMIC_RELEASE);
}

static void await(const uint32_t *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(1000);
}

static void begin_stuck(ls_job_pool *pool, stuck *self)
{
    *self = (stuck){.job.run = stand_still};
    self->job.flag = &self->flag;
    ls_job_submit(ls_job_pool_jobs(pool), &self->job);
    await(&self->begun);
}

/* One job runs and two wait; afterwards there is none. */
TEST(test_job_pool_tells_its_load)
{
    ls_job_pool *pool = make(1, NULL);
    static stuck hung;
    begin_stuck(pool, &hung);
    work more[2] = {{.job.run = add_up}, {.job.run = add_up}};
    ls_job_submit(ls_job_pool_jobs(pool), &more[0].job);
    ls_job_submit(ls_job_pool_jobs(pool), &more[1].job);
    ls_job_pool_load load = ls_job_pool_get_load(pool);
    assert_int_equal(load.waiting, 2);
    assert_int_equal(load.running, 1);
    __atomic_store_n(&hung.is_let_go, 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < LS_COUNT_OF(more); i++)
        ls_job_wait(ls_job_pool_jobs(pool), &more[i].job);
    assert_int_equal(ls_job_pool_get_load(pool).waiting, 0);
    assert_true(ls_job_take(&hung.job));
    ls_job_pool_destroy(pool);
}

static void run_one(ls_job_pool *pool)
{
    work one = {.job.run = add_up};
    ls_job_submit(ls_job_pool_jobs(pool), &one.job);
    ls_job_wait(ls_job_pool_jobs(pool), &one.job);
}

/* When every thread hangs, spare threads run the next jobs. The released threads find no job
 * left. */
TEST(test_job_pool_replaces_threads_that_hang)
{
    ls_job_pool *pool = make(2, NULL);
    static stuck hung[4]; /* with all spares, one thread is free */
    for (uint32_t i = 0; i < LS_COUNT_OF(hung); i++) {
        hung[i] = (stuck){.job.run = stand_still};
        ls_job_submit(ls_job_pool_jobs(pool), &hung[i].job);
    }
    run_one(pool);
    for (uint32_t i = 0; i < LS_COUNT_OF(hung); i++) {
        await(&hung[i].begun);
        __atomic_store_n(&hung[i].is_let_go, 1, __ATOMIC_RELEASE);
        ls_job_wait(ls_job_pool_jobs(pool), &hung[i].job);
    }
    ls_job_pool_replace_slow(pool);
    run_one(pool);
    ls_job_pool_destroy(pool);
}

/* Without spares jobs wait for a thread and run in order, however long one takes. */
TEST(test_job_pool_without_spares_waits)
{
    ls_job_pool *pool;
    ls_job_pool_config config = {.threads = 1};
    assert_ok(ls_job_pool_create(&config, &pool, NULL));
    static stuck hung;
    static work behind;
    uint32_t next = 7;
    begin_stuck(pool, &hung);
    behind = (work){.job.run = note_order, .next = &next};
    ls_job_submit(ls_job_pool_jobs(pool), &behind.job);
    usleep(2 * LS_JOB_POOL_SLOW_NS / 1000);
    ls_job_pool_replace_slow(pool);
    usleep(20000);
    assert_false(ls_job_is_finished(&behind.job));
    __atomic_store_n(&hung.is_let_go, 1, __ATOMIC_RELEASE);
    ls_job_wait(ls_job_pool_jobs(pool), &behind.job);
    assert_int_equal(behind.place, 7);
    ls_job_pool_destroy(pool);
}

/* A job that hangs is abandoned: its thread counts as lost and its result is never reported.
 * Another thread runs the next jobs. */
TEST(test_job_pool_loses_a_job_that_hangs)
{
    uint32_t done = 0;
    ls_job_pool *pool = make(1, &done);
    static stuck hung;
    static work waiting;
    begin_stuck(pool, &hung);
    waiting = (work){.job.run = add_up};
    ls_job_submit(ls_job_pool_jobs(pool), &waiting.job);
    assert_int_equal(ls_job_abandon(ls_job_pool_jobs(pool), &waiting.job), LS_JOB_NOT_BEGUN);
    assert_false(ls_job_is_busy(&waiting.job));
    assert_int_equal(ls_job_abandon(ls_job_pool_jobs(pool), &hung.job), LS_JOB_LOST);
    assert_int_equal(ls_job_pool_lost(pool), 1);
    run_one(pool);
    assert_int_equal(waiting.sum, 0);
    assert_int_equal(ls_job_abandon(ls_job_pool_jobs(pool), &waiting.job), LS_JOB_HAS_RUN);
    __atomic_store_n(&hung.is_let_go, 1, __ATOMIC_RELEASE);
    while (ls_job_pool_lost(pool))
        usleep(1000);
    assert_true(ls_job_pool_has_lost(pool));
    assert_int_equal(hung.has_ended, 1);
    assert_int_equal(hung.flag, 0);
    assert_false(ls_job_is_finished(&hung.job));
    run_one(pool);
    ls_job_pool_destroy(pool);
    assert_int_equal(done, 2);
}

/* The pool can be destroyed while a lost thread still runs. */
TEST(test_job_pool_ends_without_the_lost)
{
    static ls_job_pool *pool; /* keeps the pool reachable for the lost thread */
    pool = make(2, NULL);
    static stuck hung;
    begin_stuck(pool, &hung);
    assert_int_equal(ls_job_abandon(ls_job_pool_jobs(pool), &hung.job), LS_JOB_LOST);
    run_one(pool);
    ls_job_pool_destroy(pool);
    assert_int_equal(hung.has_ended, 0);
    __atomic_store_n(&hung.is_let_go, 1, __ATOMIC_RELEASE);
    await(&hung.has_ended);
}
