/* Vectors of three fixed-point numbers. Rounding, overflow and threads as in
 * include/lockstep/fix.h. */
#ifndef LS_FIX3_H
#define LS_FIX3_H

#include <lockstep/fix2.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_fix3 {
    ls_fix x, y, z;
} ls_fix3;

static inline ls_fix3 ls_fix3_make(ls_fix x, ls_fix y, ls_fix z)
{
    ls_fix3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline ls_fix3 ls_fix3_add(ls_fix3 a, ls_fix3 b)
{
    return ls_fix3_make(ls_fix_add(a.x, b.x), ls_fix_add(a.y, b.y), ls_fix_add(a.z, b.z));
}

static inline ls_fix3 ls_fix3_sub(ls_fix3 a, ls_fix3 b)
{
    return ls_fix3_make(ls_fix_sub(a.x, b.x), ls_fix_sub(a.y, b.y), ls_fix_sub(a.z, b.z));
}

static inline ls_fix3 ls_fix3_neg(ls_fix3 a)
{
    return ls_fix3_make(ls_fix_neg(a.x), ls_fix_neg(a.y), ls_fix_neg(a.z));
}

static inline ls_fix3 ls_fix3_scale(ls_fix3 a, ls_fix factor)
{
    return ls_fix3_make(ls_fix_mul(a.x, factor), ls_fix_mul(a.y, factor), ls_fix_mul(a.z, factor));
}

static inline ls_fix3 ls_fix3_lerp(ls_fix3 a, ls_fix3 b, ls_fix t)
{
    return ls_fix3_make(ls_fix_lerp(a.x, b.x, t), ls_fix_lerp(a.y, b.y, t),
                        ls_fix_lerp(a.z, b.z, t));
}

/* Rounds once, after the sum, as ls_fix2_dot() does. */
static inline ls_fix ls_fix3_dot(ls_fix3 a, ls_fix3 b)
{
    uint64_t sum = (uint64_t)((int64_t)a.x * b.x) + (uint64_t)((int64_t)a.y * b.y) +
                   (uint64_t)((int64_t)a.z * b.z);
    return (ls_fix)(uint32_t)((sum + 32768) >> 16);
}

/* At right angles to both: x cross y is z. */
static inline ls_fix3 ls_fix3_cross(ls_fix3 a, ls_fix3 b)
{
    return ls_fix3_make(ls_fix2_cross(ls_fix2_make(a.y, a.z), ls_fix2_make(b.y, b.z)),
                        ls_fix2_cross(ls_fix2_make(a.z, a.x), ls_fix2_make(b.z, b.x)),
                        ls_fix2_cross(ls_fix2_make(a.x, a.y), ls_fix2_make(b.x, b.y)));
}

/* The exact squared distance; compare it with ls_fix_square_wide(radius), which has the same unit.
 *   unit    1 / 2^32
 *   errors  saturates at INT64_MAX, which only points more than 26754 apart along an axis reach */
static inline int64_t ls_fix3_distance_squared(ls_fix3 a, ls_fix3 b)
{
    int64_t dz = (int64_t)a.z - b.z;
    uint64_t xy =
        (uint64_t)ls_fix2_distance_squared(ls_fix2_make(a.x, a.y), ls_fix2_make(b.x, b.y));
    uint64_t zz = (uint64_t)dz * (uint64_t)dz;
    uint64_t sum = xy + zz;
    return sum < zz || sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

/* Exact, then rounded down to an ls_fix. Saturates, and never overflows in between. */
LS_API ls_fix ls_fix3_length(ls_fix3 a);
LS_API ls_fix ls_fix3_distance(ls_fix3 a, ls_fix3 b);

/* The unit vector in the direction of `a`, which may have any length; zero for zero.
 *   errors  each coordinate is less than 0.51 of 1/65536 from the true value */
LS_API ls_fix3 ls_fix3_normalize(ls_fix3 a);

/* Turns `a` by the angle around `axis`, a unit vector: around z from the x axis towards the y axis.
 *   errors  each coordinate is less than 6 of 1/65536 from the true value, for |a| up to 1, and
 *           in proportion for longer ones; wraps as ls_fix3_dot() does */
LS_API ls_fix3 ls_fix3_rotate(ls_fix3 a, ls_fix3 axis, ls_angle angle);

#ifdef __cplusplus
}
#endif

#endif
