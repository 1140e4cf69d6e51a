/* Seeded entropy, and a directory to write in. */
#ifndef LS_PROTO_TEST_H
#define LS_PROTO_TEST_H

#include "tests/support/directory.h"
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

#endif
