#include "core/fix.h"

/* The double is only an estimate: correctly rounded or not, and in whatever rounding mode, it is
 * off by one at most, and the integers settle it. Written so that 2^32 - 1 does not overflow. The
 * builtin is one instruction under -fno-math-errno, never a call to libm. */
uint32_t ls_sqrt_u64(uint64_t x)
{
    uint64_t root = (uint64_t)(int64_t)__builtin_sqrt((double)x);
    root = root > UINT32_MAX ? UINT32_MAX : root;
    root -= root * root > x;
    root += x - root * root > 2 * root;
    return (uint32_t)root;
}

/* As above; 47 bits need no clamp and convert faster signed. */
ls_fix ls_fix_sqrt(ls_fix x)
{
    int64_t wide = (int64_t)ls_fix_max(x, 0) << 16;
    int64_t root = (int64_t)__builtin_sqrt((double)wide);
    root -= root * root > wide;
    root += wide - root * root > 2 * root;
    return (ls_fix)root;
}
