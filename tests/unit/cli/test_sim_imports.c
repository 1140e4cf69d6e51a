#include "test.h"

#include "cli/module/sim_imports.h"

TEST(test_sim_imports_reads_the_machine)
{
    static const char *const names[] = {"sched_getaffinity",
                                        "isatty",
                                        "getrlimit",
                                        "getrlimit64",
                                        "access",
                                        "faccessat",
                                        "readdir",
                                        "opendir",
                                        "getpid",
                                        "getenv",
                                        "uname",
                                        "sysconf",
                                        "gethostname",
                                        "stat",
                                        "__xstat",
                                        "open",
                                        "openat64",
                                        "getcpu",
                                        "sched_getcpu",
                                        "time",
                                        "clock_gettime",
                                        "times",
                                        "getrusage",
                                        "pthread_self",
                                        "syscall",
                                        "ioctl",
                                        "getauxval",
                                        "statvfs",
                                        "poll",
                                        "pthread_getaffinity_np",
                                        "__read_chk",
                                        "__isoc99_fscanf",
                                        "environ",
                                        "__environ",
                                        "tzname",
                                        "rand"};
    for (size_t i = 0; i < LS_COUNT_OF(names); i++) {
        if (!ls_sim_imports_is_machine(names[i]))
            print_error("%s\n", names[i]);
        assert_true(ls_sim_imports_is_machine(names[i]));
    }
}

/* Functions that every simulation may call, and names that only begin like a banned one. */
TEST(test_sim_imports_leaves_the_rest)
{
    static const char *const names[] = {
        "memcpy",    "memset", "__memcpy_chk", "malloc",    "free",    "strlen",   "snprintf",
        "abort",     "sqrtf",  "fmod",         "sin",       "qsort",   "accessed", "rea",
        "nanosleep", "stdout", "stderr",       "ls_random", "times_2", ""};
    for (size_t i = 0; i < LS_COUNT_OF(names); i++)
        assert_false(ls_sim_imports_is_machine(names[i]));
}
