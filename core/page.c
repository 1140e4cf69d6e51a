#include "core/page.h"

/* Of the words with every bit turned over by `flip`. */
static inline uint32_t next_set(const uint64_t *mask, uint32_t from, uint64_t flip)
{
    uint32_t word = from / 64;
    if (word >= LS_PAGE_WORDS)
        return LS_PAGE_SLOTS;
    uint64_t bits = (mask[word] ^ flip) & UINT64_MAX << (from % 64);
    while (!bits && ++word < LS_PAGE_WORDS)
        bits = mask[word] ^ flip;
    return bits ? word * 64 + (uint32_t)__builtin_ctzll(bits) : LS_PAGE_SLOTS;
}

uint32_t ls_mask_next_set(const uint64_t *mask, uint32_t from)
{
    return next_set(mask, from, 0);
}

uint32_t ls_mask_next_clear(const uint64_t *mask, uint32_t from)
{
    return next_set(mask, from, UINT64_MAX);
}
