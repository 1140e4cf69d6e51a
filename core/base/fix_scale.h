/* The scale in which fix2.c and fix3.c find the direction of a vector. */
#ifndef LS_FIX_SCALE_H
#define LS_FIX_SCALE_H

#include <lockstep/fix.h>

static inline uint32_t ls_fix_magnitude(ls_fix a)
{
    return a < 0 ? 0 - (uint32_t)a : (uint32_t)a;
}

/* The factor that scales a vector up before its length is rounded down, so that the longest side
 * has at least 31 bits. The error is then at most 2^-30 of the length, even for vectors of a few
 * units. `magnitudes` is the bitwise or of the magnitudes of all sides, and not 0. */
static inline int64_t ls_fix_scale_factor(uint32_t magnitudes)
{
    int zeros = __builtin_clz(magnitudes);
    return (int64_t)1 << (zeros ? zeros - 1 : 0);
}

#endif
