#include <lockstep/fix3.h>

#include "core/base/fix_scale.h"

ls_fix ls_fix3_length(ls_fix3 a)
{
    uint64_t sum = (uint64_t)((int64_t)a.x * a.x) + (uint64_t)((int64_t)a.y * a.y) +
                   (uint64_t)((int64_t)a.z * a.z);
    return ls_fix_saturate(ls_sqrt_u64(sum));
}

/* The squared distance saturates far above the square of LS_FIX_MAX, so its root saturates, too. */
ls_fix ls_fix3_distance(ls_fix3 a, ls_fix3 b)
{
    return ls_fix_saturate(ls_sqrt_u64((uint64_t)ls_fix3_distance_squared(a, b)));
}

/* The sum of three squares is at most 3 * 2^62, so it fits a uint64_t. */
ls_fix3 ls_fix3_normalize(ls_fix3 a)
{
    uint32_t sides = ls_fix_magnitude(a.x) | ls_fix_magnitude(a.y) | ls_fix_magnitude(a.z);
    if (sides == 0)
        return a;
    int64_t factor = ls_fix_scale_factor(sides);
    int64_t x = a.x * factor, y = a.y * factor, z = a.z * factor;
    int64_t length = ls_sqrt_u64((uint64_t)(x * x) + (uint64_t)(y * y) + (uint64_t)(z * z));
    return ls_fix3_make((ls_fix)ls_fix_nearest_(x * 65536, length),
                        (ls_fix)ls_fix_nearest_(y * 65536, length),
                        (ls_fix)ls_fix_nearest_(z * 65536, length));
}

/* Rodrigues' formula. */
ls_fix3 ls_fix3_rotate(ls_fix3 a, ls_fix3 axis, ls_angle angle)
{
    ls_fix cosine = ls_angle_cos(angle), sine = ls_angle_sin(angle);
    ls_fix along = ls_fix_mul(ls_fix3_dot(axis, a), ls_fix_sub(LS_FIX_ONE, cosine));
    ls_fix3 turned =
        ls_fix3_add(ls_fix3_scale(a, cosine), ls_fix3_scale(ls_fix3_cross(axis, a), sine));
    return ls_fix3_add(turned, ls_fix3_scale(axis, along));
}
