/* A new directory for the files of one test, and functions for its content. */
#ifndef LS_SUPPORT_DIRECTORY_H
#define LS_SUPPORT_DIRECTORY_H

#include "tests/support/test.h"

#include <dirent.h>
#include <unistd.h>

static inline void test_directory_make(char directory[64])
{
    strcpy(directory, "/tmp/lockstep-test-XXXXXX");
    assert_non_null(mkdtemp(directory));
}

/* Counts the files, except hidden ones. With `removes` also removes them. */
static inline uint32_t test_directory_visit(const char *directory, bool removes)
{
    char path[512];
    uint32_t count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (removes)
            assert_int_equal(remove(path), 0);
        count++;
    }
    closedir(stream);
    return count;
}

static inline uint32_t test_directory_count(const char *directory)
{
    return test_directory_visit(directory, false);
}

static inline void test_directory_remove(const char *directory)
{
    test_directory_visit(directory, true);
    assert_int_equal(rmdir(directory), 0);
}

static inline void test_file_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

#endif
