/* cmocka with the headers that it needs, cases that register themselves, units of time, and seeded
 * random numbers.
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

/* TEST(test_page_counts) { ... } defines a case with the parameter `void **state`. The cases of a
 * file run in their order in the file; test.c has the main(). */
#define TEST(name)                                                                                 \
    static void name(void **state);                                                                \
    TEST_ENTRY(name##_entry, {#name, name, NULL, NULL, NULL}, false)                               \
    static void name(void **state)

/* The cases after this line get these functions, or NULL, around each of them. */
#define TESTS_AROUND(setup, teardown)                                                              \
    TEST_ENTRY_OF_LINE(__LINE__, {NULL, NULL, setup, teardown, NULL}, false) struct test_entry
/* These functions run once, around all cases of the file. */
#define TESTS_AROUND_ALL(setup, teardown)                                                          \
    TEST_ENTRY_OF_LINE(__LINE__, {NULL, NULL, setup, teardown, NULL}, true) struct test_entry

#define TEST_ENTRY(id, ...)                                                                        \
    __attribute__((constructor)) static void id(void)                                              \
    {                                                                                              \
        static struct test_entry entry = {NULL, __FILE__, __LINE__, __VA_ARGS__};                  \
        test_add(&entry);                                                                          \
    }
#define TEST_ENTRY_OF_LINE(line, ...)     TEST_ENTRY_OF_THE_LINE(line, __VA_ARGS__)
#define TEST_ENTRY_OF_THE_LINE(line, ...) TEST_ENTRY(tests_around_##line, __VA_ARGS__)

/* A case, or without a name the functions around cases. */
struct test_entry {
    struct test_entry *next;
    const char *file;
    int line;
    struct CMUnitTest test;
    bool is_around_all;
};

void test_add(struct test_entry *entry);
/* The main() of every test: PROGRAM [FILE [CASE]] runs all cases, those of FILE (as in test_page),
 * or one. */
int test_main(int argc, char **argv);

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
