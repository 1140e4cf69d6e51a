#include "slow_jobs.h"
#include "tests/support/test.h"

typedef struct work {
    ls_job job;
    uint32_t runs;
} work;

static void run(ls_job *job)
{
    ((work *)job)->runs++;
}

TEST(test_jobs_run_at_once_without_threads)
{
    work one = {.job.run = run};
    assert_false(ls_job_is_busy(&one.job));
    assert_false(ls_job_take(&one.job));
    ls_job_submit(NULL, &one.job);
    assert_int_equal(one.runs, 1);
    assert_true(ls_job_is_busy(&one.job)); /* until the owner takes the result */
    assert_true(ls_job_take(&one.job));
    assert_false(ls_job_take(&one.job));
    assert_false(ls_job_is_busy(&one.job));
    ls_job_submit(NULL, &one.job);
    assert_int_equal(one.runs, 2);
    ls_job_wait(NULL, &one.job);
    assert_false(ls_job_is_busy(&one.job));
}

TEST(test_jobs_are_busy_until_they_ran)
{
    slow_jobs slow = slow_jobs_make();
    work one = {.job.run = run};
    ls_job_submit(&slow.jobs, &one.job);
    assert_int_equal(one.runs, 0);
    assert_true(ls_job_is_busy(&one.job));
    assert_false(ls_job_is_finished(&one.job));
    assert_false(ls_job_take(&one.job));
    assert_true(slow_jobs_run_one(&slow));
    assert_true(ls_job_is_finished(&one.job));
    assert_true(ls_job_take(&one.job));
    assert_int_equal(one.runs, 1);
}

TEST(test_jobs_wait_is_for_one_that_was_submitted)
{
    slow_jobs slow = slow_jobs_make();
    work first = {.job.run = run}, second = {.job.run = run};
    ls_job_wait(&slow.jobs, &first.job);
    assert_int_equal(slow.ran, 0);
    ls_job_submit(&slow.jobs, &first.job);
    ls_job_submit(&slow.jobs, &second.job);
    ls_job_wait(&slow.jobs, &second.job);
    assert_int_equal(first.runs + second.runs, 2);
    assert_false(ls_job_is_busy(&second.job));
    assert_true(ls_job_take(&first.job));
}
