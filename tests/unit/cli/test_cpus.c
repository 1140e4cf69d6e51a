#include "cli/common/cpus.h"

#include "test.h"

#include <sched.h>

/* Leaves this process one of its CPUs. */
static void keep_one_cpu(void)
{
    cpu_set_t usable;
    assert_int_equal(sched_getaffinity(0, sizeof usable, &usable), 0);
    for (int cpu = 0, kept = 0; cpu < CPU_SETSIZE; cpu++) {
        kept += CPU_ISSET(cpu, &usable) != 0;
        if (kept > 1)
            CPU_CLR(cpu, &usable);
    }
    assert_int_equal(sched_setaffinity(0, sizeof usable, &usable), 0);
}

TEST(test_cpus_are_those_that_the_process_may_use)
{
    keep_one_cpu();
    assert_int_equal(ls_cpus_within(1, 64), 1);
    assert_int_equal(ls_cpus_jobs(), 1);
}

TEST(test_cpus_stay_within_the_limits)
{
    assert_int_equal(ls_cpus_within(100000, 200000), 100000);
    assert_int_equal(ls_cpus_within(0, 0), 0);
    assert_in_range(ls_cpus_jobs(), 1, 8);
    assert_in_range(ls_cpus_threads(), 4, LS_THREADS_MAX / 4);
}
