#include <lockstep/fix.h>

/* The double is only an estimate, at most 1 off in any rounding mode; integer arithmetic corrects
 * it. The comparisons avoid overflow at 2^32 - 1. With -fno-math-errno the builtin is one
 * instruction, never a call to libm. */
uint32_t ls_sqrt_u64(uint64_t x)
{
    uint64_t root = (uint64_t)(int64_t)__builtin_sqrt((double)x);
    root = root > UINT32_MAX ? UINT32_MAX : root;
    root -= root * root > x;
    root += x - root * root > 2 * root;
    return (uint32_t)root;
}
