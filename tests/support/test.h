/* cmocka with the headers that it needs, a short main(), units of time, and seeded random numbers.
 */
#ifndef LS_SUPPORT_TEST_H
#define LS_SUPPORT_TEST_H

#include <lockstep/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Use in main(): return RUN_TESTS(test_one, test_other). */
#define RUN_TESTS(...) RUN_TESTS_WITH(NULL, NULL, __VA_ARGS__)
/* RUN_TESTS with a setup and a teardown function around each test. */
#define RUN_TESTS_WITH(setup, teardown, ...)                                                       \
    test_run((const CMUnitTestFunction[]){__VA_ARGS__, NULL}, (char[]){#__VA_ARGS__}, setup,       \
             teardown)

/* Runs the functions; `names` holds their names, separated by ", ". */
static inline int test_run(const CMUnitTestFunction *functions, char *names,
                           CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct CMUnitTest tests[64];
    size_t count = 0;
    for (char *name = strtok(names, ", "); name && count < 64; name = strtok(NULL, ", "), count++)
        tests[count] = (struct CMUnitTest){name, functions[count], setup, teardown, NULL};
    if (functions[count])
        abort();
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}

#define assert_ok(...) assert_int_equal((__VA_ARGS__), LS_OK)

/* Units of time, in nanoseconds. */
#define MS UINT64_C(1000000)
#define S  (1000 * MS)

/* Returns the next number of a seeded random number generator (splitmix64). */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint32_t test_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)(test_random(state) % count);
}

#endif
