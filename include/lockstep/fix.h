/* Fixed-point numbers for simulation state: the same results with every machine, compiler and flag.
 *   unit      1/65536 (Q16.16), so about -32768..32768
 *   rounding  products, quotients and lerp: to the nearest, ties towards +infinity; roots and
 *             conversions to int: down
 *   overflow  add, sub, neg, mul, dot and cross wrap modulo 2^32, like the integers in which they
 *             are stored, so a sum does not depend on its order; everything else saturates at
 *             LS_FIX_MIN and LS_FIX_MAX
 *   thread    any; nothing here has state or fails */
#ifndef LS_FIX_H
#define LS_FIX_H

#include <lockstep/base.h>

#ifdef __cplusplus
template <bool is_constant> struct ls_fix_constant_ {
    static_assert(is_constant, "LS_FIX() takes a constant; of a variable take ls_fix_from_int()");
};
extern "C" {
#endif

typedef int32_t ls_fix;
#define LS_FIX_ONE ((ls_fix)65536)
#define LS_FIX_MAX INT32_MAX
#define LS_FIX_MIN INT32_MIN

/* LS_FIX(0.25): the nearest ls_fix of a constant, saturated. The compiler folds it, also in static
 * initialisers. A variable does not compile, because it would need floats at run time. */
#define LS_FIX_FOLD_(v)                                                                            \
    ((ls_fix)((v) >= 2147483647.0 ? 2147483647.0 : (v) <= -2147483648.0 ? -2147483648.0 : (v)))
#define LS_FIX_VALUE_(x) LS_FIX_FOLD_((x)*65536.0 + ((x) < 0 ? -0.5 : 0.5))
#ifdef __cplusplus
#define LS_FIX(x) ((void)sizeof(ls_fix_constant_<(__builtin_constant_p(x) != 0)>), LS_FIX_VALUE_(x))
#else
/* The condition is a sizeof, because C allows an assertion in an expression only in a struct. */
#define LS_FIX(x)                                                                                  \
    __builtin_choose_expr(                                                                         \
        sizeof(struct {                                                                            \
            _Static_assert(__builtin_constant_p(x),                                                \
                           "LS_FIX() takes a constant; of a variable take ls_fix_from_int()");     \
            char some;                                                                             \
        }),                                                                                        \
        LS_FIX_VALUE_(x), 0)
#endif

static inline ls_fix ls_fix_saturate(int64_t raw)
{
    return raw > LS_FIX_MAX ? LS_FIX_MAX : raw < LS_FIX_MIN ? LS_FIX_MIN : (ls_fix)raw;
}

static inline ls_fix ls_fix_add(ls_fix a, ls_fix b)
{
    return (ls_fix)((uint32_t)a + (uint32_t)b);
}

static inline ls_fix ls_fix_sub(ls_fix a, ls_fix b)
{
    return (ls_fix)((uint32_t)a - (uint32_t)b);
}

static inline ls_fix ls_fix_neg(ls_fix a)
{
    return (ls_fix)(0 - (uint32_t)a);
}

static inline ls_fix ls_fix_mul(ls_fix a, ls_fix b)
{
    return (ls_fix)(((int64_t)a * b + 32768) >> 16);
}

/* n / d for 0 < d and |n|, d below 2^61: to the nearest, ties up. */
static inline int64_t ls_fix_nearest_(int64_t n, int64_t d)
{
    int64_t twice = 2 * n + d;
    int64_t quotient = twice / (2 * d);
    return quotient - (twice % (2 * d) < 0);
}

/* Division by zero gives LS_FIX_MAX, LS_FIX_MIN, or 0 for 0 / 0. */
static inline ls_fix ls_fix_div(ls_fix a, ls_fix b)
{
    if (LS_UNLIKELY(b == 0))
        return a > 0 ? LS_FIX_MAX : a < 0 ? LS_FIX_MIN : 0;
    int64_t n = (int64_t)a * 65536;
    return ls_fix_saturate(ls_fix_nearest_(b < 0 ? -n : n, b < 0 ? -(int64_t)b : b));
}

static inline ls_fix ls_fix_from_int(int32_t value)
{
    return ls_fix_saturate((int64_t)value * 65536);
}

/* Rounds down: -0.5 becomes -1. */
static inline int32_t ls_fix_to_int(ls_fix a)
{
    return a >> 16;
}

static inline int32_t ls_fix_round(ls_fix a)
{
    return (int32_t)(((int64_t)a + 32768) >> 16);
}

/* Exact. For display and tests; never put the result back into state. */
static inline double ls_fix_to_double(ls_fix a)
{
    return a / 65536.0;
}

static inline ls_fix ls_fix_min(ls_fix a, ls_fix b)
{
    return a < b ? a : b;
}

static inline ls_fix ls_fix_max(ls_fix a, ls_fix b)
{
    return a > b ? a : b;
}

/* Returns `low` when low > high. */
static inline ls_fix ls_fix_clamp(ls_fix a, ls_fix low, ls_fix high)
{
    return ls_fix_max(low, ls_fix_min(a, high));
}

static inline ls_fix ls_fix_abs(ls_fix a)
{
    return a == LS_FIX_MIN ? LS_FIX_MAX : a < 0 ? -a : a;
}

/* `a` at t = 0, `b` at t = 1, extrapolated outside. The product needs just under 64 bits. */
static inline ls_fix ls_fix_lerp(ls_fix a, ls_fix b, ls_fix t)
{
    return ls_fix_saturate(a + ((((int64_t)b - a) * t + 32768) >> 16));
}

/* The largest r with r * r <= x. */
LS_API uint32_t ls_sqrt_u64(uint64_t x);

/* Rounded down; 0 for a negative number. */
static inline ls_fix ls_fix_sqrt(ls_fix x)
{
    return (ls_fix)ls_sqrt_u64((uint64_t)ls_fix_max(x, 0) << 16);
}

#ifdef __cplusplus
}
#endif

#endif
