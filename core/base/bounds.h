/* The lesser and the greater of two numbers, and a number between two others. */
#ifndef LS_BOUNDS_H
#define LS_BOUNDS_H

#include <stdint.h>

static inline uint64_t ls_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t ls_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t ls_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline int64_t ls_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t ls_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t ls_clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

#endif
