/* Seeded entropy, and a folder to write in. */
#ifndef LS_PROTO_TEST_H
#define LS_PROTO_TEST_H

#include "tests/support/test.h"
#include <lockstep/entropy.h>

#include <sys/stat.h>
#include <unistd.h>

static inline void test_fill(void *context, void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)test_random(context);
}

static inline ls_entropy test_entropy(uint64_t *state)
{
    return (ls_entropy){.fill = test_fill, .context = state};
}

/* A new folder in the build's; test_folder_remove removes it with its files. */
static inline void test_folder_create(char folder[64])
{
    snprintf(folder, 64, "lockstep-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static inline void test_folder_remove(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- '%s'", folder);
    assert_int_equal(system(command), 0);
}

static inline void test_file_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

#endif
