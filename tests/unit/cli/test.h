/* A temporary folder for a test's files, and a file of all cases. */
#ifndef LS_CLI_TEST_H
#define LS_CLI_TEST_H

#include "tests/support/directory.h"

typedef struct test_folder {
    char path[64];
    char file[128]; /* the last result of test_path() */
} test_folder;

static inline void test_folder_make(test_folder *folder)
{
    test_directory_make(folder->path);
}

static inline const char *test_path(test_folder *folder, const char *name)
{
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

/* Removes `names` in this order, then the folder. */
static inline void test_folder_remove(test_folder *folder, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(remove(test_path(folder, names[i])), 0);
    assert_int_equal(rmdir(folder->path), 0);
}

/* The file of tests that have TESTS_AROUND_ALL(test_file_make, test_file_unlink). */
static char test_file[] = "/tmp/lockstep-test-XXXXXX";

static inline int test_file_make(void **state)
{
    return close(mkstemp(test_file));
}

static inline int test_file_unlink(void **state)
{
    unlink(test_file); /* a case may have done it */
    return 0;
}

#endif
