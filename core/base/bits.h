/* Sets of small numbers as bitmaps of 64-bit words. */
#ifndef LS_BITS_H
#define LS_BITS_H

#include <lockstep/base.h>

#define LS_BIT_WORDS(count) (((count) + 63) / 64)

static inline bool ls_bit_has(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static inline void ls_bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void ls_bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static inline void ls_bits_or(uint64_t *bits, const uint64_t *others, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        bits[i] |= others[i];
}

/* The lowest member that is at least `from`; 64 * words when there is none. */
static inline uint32_t ls_bits_next(const uint64_t *bits, uint32_t words, uint32_t from)
{
    uint32_t word = from / 64;
    if (word >= words)
        return words * 64;
    uint64_t left = bits[word] & UINT64_MAX << (from % 64);
    while (!left && ++word < words)
        left = bits[word];
    return left ? word * 64 + (uint32_t)__builtin_ctzll(left) : words * 64;
}

#endif
