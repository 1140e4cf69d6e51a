/* Secrets that repeat with a seed. */
#ifndef LS_SEEDED_ENTROPY_H
#define LS_SEEDED_ENTROPY_H

#include "tests/support/test.h"
#include <lockstep/entropy.h>

static inline void test_fill(void *context, void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)test_random(context);
}

/* `state` is the seed, and must outlive the entropy. */
static inline ls_entropy test_entropy(uint64_t *state)
{
    return (ls_entropy){.fill = test_fill, .context = state};
}

#endif
