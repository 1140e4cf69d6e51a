#include <lockstep/fix2.h>

#include "core/base/fix_scale.h"

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

ls_fix2 ls_fix2_normalize(ls_fix2 a)
{
    uint32_t sides = ls_fix_magnitude(a.x) | ls_fix_magnitude(a.y);
    if (sides == 0)
        return a;
    int64_t factor = ls_fix_scale_factor(sides);
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
