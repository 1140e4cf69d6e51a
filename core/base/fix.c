#include <lockstep/fix.h>

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
