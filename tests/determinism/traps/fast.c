/* Compiled with -Ofast: sums are split into as many parts as the machine's vectors have lanes. */
#include "tests/determinism/traps/values.h"

#include <string.h>

uint64_t trap_fast_math(uint64_t tick)
{
    enum { TERMS = 1000 };
    float terms[TERMS];
    for (uint32_t i = 0; i < TERMS; i++)
        terms[i] = 1.0f / (float)(i + 1 + (uint32_t)tick);
    float sum = 0;
    for (uint32_t i = 0; i < TERMS; i++)
        sum += terms[i];
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}
