/* Compiled with -ffp-contract=fast: a machine with fused multiply-add rounds once. */
#include "tests/determinism/traps/values.h"

#include <string.h>

uint64_t trap_contraction(uint64_t tick)
{
    volatile double small = 1.0 / (double)(UINT64_C(1) << (30 + tick % 8));
    double more = 1 + small, less = 1 - small;
    double rest = more * less - 1; /* -small^2, or 0 if the product is rounded first */
    uint64_t bits;
    memcpy(&bits, &rest, sizeof bits);
    return bits;
}
