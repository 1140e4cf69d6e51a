#include "core/page.h"

uint32_t ls_mask_next_set(const uint64_t *mask, uint32_t from)
{
    for (uint32_t word = from / 64; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = mask[word];
        if (word == from / 64)
            bits &= UINT64_MAX << (from % 64);
        if (bits)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return LS_PAGE_SLOTS;
}

uint32_t ls_mask_next_clear(const uint64_t *mask, uint32_t from)
{
    uint64_t inverted[LS_PAGE_WORDS];
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        inverted[word] = ~mask[word];
    return ls_mask_next_set(inverted, from);
}
