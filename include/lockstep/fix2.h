/* Vectors of two fixed-point numbers. Rounding, overflow and threads as in include/lockstep/fix.h.
 */
#ifndef LS_FIX2_H
#define LS_FIX2_H

#include <lockstep/angle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_fix2 {
    ls_fix x, y;
} ls_fix2;

static inline ls_fix2 ls_fix2_make(ls_fix x, ls_fix y)
{
    ls_fix2 v;
    v.x = x;
    v.y = y;
    return v;
}

static inline ls_fix2 ls_fix2_add(ls_fix2 a, ls_fix2 b)
{
    return ls_fix2_make(ls_fix_add(a.x, b.x), ls_fix_add(a.y, b.y));
}

static inline ls_fix2 ls_fix2_sub(ls_fix2 a, ls_fix2 b)
{
    return ls_fix2_make(ls_fix_sub(a.x, b.x), ls_fix_sub(a.y, b.y));
}

static inline ls_fix2 ls_fix2_neg(ls_fix2 a)
{
    return ls_fix2_make(ls_fix_neg(a.x), ls_fix_neg(a.y));
}

static inline ls_fix2 ls_fix2_scale(ls_fix2 a, ls_fix factor)
{
    return ls_fix2_make(ls_fix_mul(a.x, factor), ls_fix_mul(a.y, factor));
}

static inline ls_fix2 ls_fix2_lerp(ls_fix2 a, ls_fix2 b, ls_fix t)
{
    return ls_fix2_make(ls_fix_lerp(a.x, b.x, t), ls_fix_lerp(a.y, b.y, t));
}

/* Rounds once, after the sum. The sum can reach 2^63, hence the unsigned type. */
static inline ls_fix ls_fix2_dot(ls_fix2 a, ls_fix2 b)
{
    uint64_t sum = (uint64_t)((int64_t)a.x * b.x) + (uint64_t)((int64_t)a.y * b.y);
    return (ls_fix)(uint32_t)((sum + 32768) >> 16);
}

/* Positive when `b` is turned from `a` in the direction of growing angles, by less than half a
 * turn. */
static inline ls_fix ls_fix2_cross(ls_fix2 a, ls_fix2 b)
{
    uint64_t sum = (uint64_t)((int64_t)a.x * b.y) - (uint64_t)((int64_t)a.y * b.x);
    return (ls_fix)(uint32_t)((sum + 32768) >> 16);
}

/* The exact squared distance; compare it with ls_fix_square_wide(radius), which has the same unit.
 *   unit    1 / 2^32
 *   errors  saturates at INT64_MAX, which only points more than 32768 apart along an axis, or the
 *           two vectors of LS_FIX_MIN, reach */
static inline int64_t ls_fix2_distance_squared(ls_fix2 a, ls_fix2 b)
{
    int64_t dx = (int64_t)a.x - b.x, dy = (int64_t)a.y - b.y;
    uint64_t xx = (uint64_t)dx * (uint64_t)dx, yy = (uint64_t)dy * (uint64_t)dy;
    uint64_t sum = xx + yy;
    return sum < xx || sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

static inline int64_t ls_fix_square_wide(ls_fix a)
{
    return (int64_t)a * a;
}

/* Exact, then rounded down to an ls_fix. Saturates, and never overflows in between. */
LS_API ls_fix ls_fix2_length(ls_fix2 a);
LS_API ls_fix ls_fix2_distance(ls_fix2 a, ls_fix2 b);

/* The unit vector in the direction of `a`, which may have any length; (0, 0) for (0, 0).
 *   errors  each coordinate is less than 0.51 of 1/65536 from the true value */
LS_API ls_fix2 ls_fix2_normalize(ls_fix2 a);

/* (cos, sin) of the angle. */
LS_API ls_fix2 ls_fix2_from_angle(ls_angle angle);
/* Turns `a` by the angle, from the x axis towards the y axis; wraps like ls_fix2_dot(). */
LS_API ls_fix2 ls_fix2_rotate(ls_fix2 a, ls_angle angle);

#ifdef __cplusplus
}
#endif

#endif
