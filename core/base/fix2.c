#include <lockstep/fix2.h>

ls_fix ls_fix2_length(ls_fix2 a)
{
    uint64_t sum = (uint64_t)((int64_t)a.x * a.x) + (uint64_t)((int64_t)a.y * a.y);
    return ls_fix_saturate(ls_sqrt_u64(sum));
}

/* The squared distance saturates far above the square of LS_FIX_MAX, so its root saturates, too. */
ls_fix ls_fix2_distance(ls_fix2 a, ls_fix2 b)
{
    return ls_fix_saturate(ls_sqrt_u64((uint64_t)ls_fix2_distance_squared(a, b)));
}

static uint32_t magnitude(ls_fix a)
{
    return a < 0 ? 0 - (uint32_t)a : (uint32_t)a;
}

/* First scales the longer side up to 30 or 31 bits. Then rounding the length down is a relative
 * error of at most 2^-30, even for vectors of a few units. */
ls_fix2 ls_fix2_normalize(ls_fix2 a)
{
    uint32_t longest = magnitude(a.x) | magnitude(a.y);
    if (longest == 0)
        return a;
    int zeros = __builtin_clz(longest);
    int64_t factor = (int64_t)1 << (zeros ? zeros - 1 : 0);
    int64_t x = a.x * factor, y = a.y * factor;
    int64_t length = ls_sqrt_u64((uint64_t)(x * x) + (uint64_t)(y * y));
    return ls_fix2_make((ls_fix)ls_fix_nearest_(x * 65536, length),
                        (ls_fix)ls_fix_nearest_(y * 65536, length));
}

ls_fix2 ls_fix2_from_angle(ls_angle angle)
{
    return ls_fix2_make(ls_angle_cos(angle), ls_angle_sin(angle));
}

ls_fix2 ls_fix2_rotate(ls_fix2 a, ls_angle angle)
{
    ls_fix2 turn = ls_fix2_from_angle(angle);
    ls_fix2 mirrored = ls_fix2_make(turn.x, ls_fix_neg(turn.y));
    return ls_fix2_make(ls_fix2_dot(a, mirrored), ls_fix2_cross(mirrored, a));
}
