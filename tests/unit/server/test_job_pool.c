#include "server/job_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

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
        .threads = threads, .done = done ? count_done : NULL, .context = done};
    assert_int_equal(ls_job_pool_create(&config, &pool, NULL), LS_OK);
    return pool;
}

static void test_job_pool_refuses_a_wrong_number(void **state)
{
    (void)state;
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

static void test_job_pool_runs_all_and_tells(void **state)
{
    (void)state;
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

static void test_job_pool_of_one_keeps_the_order(void **state)
{
    (void)state;
    ls_job_pool *pool = make(1, NULL);
    uint32_t next = 0;
    static work works[JOBS];
    for (uint32_t i = 0; i < JOBS; i++) {
        works[i] = (work){.job.run = note_order, .next = &next};
        ls_job_submit(ls_job_pool_jobs(pool), &works[i].job);
    }
    /* Destroying waits for what was submitted. */
    ls_job_pool_destroy(pool);
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_int_equal(works[i].place, i);
        assert_true(ls_job_take(&works[i].job));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_pool_refuses_a_wrong_number),
        cmocka_unit_test(test_job_pool_runs_all_and_tells),
        cmocka_unit_test(test_job_pool_of_one_keeps_the_order),
    };
    return cmocka_run_group_tests_name("job_pool", tests, NULL, NULL);
}
