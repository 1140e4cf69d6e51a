#include "benches/core/words.h"

#include <lockstep/base.h>

static uint32_t word_end(uint32_t first, uint32_t end)
{
    LS_ASSERT(first % 64 == 0);
    return (end + 63) / 64;
}

void words_set(uint64_t *present, const uint64_t *which, uint32_t first, uint32_t end)
{
    uint32_t last = word_end(first, end);
    for (uint32_t word = first / 64; word < last; word++)
        present[word] |= which[word];
}

void words_clear(uint64_t *present, const uint64_t *which, uint32_t first, uint32_t end)
{
    uint32_t last = word_end(first, end);
    for (uint32_t word = first / 64; word < last; word++)
        present[word] &= ~which[word];
}

static inline void fill_word(scene_load *loads, uint64_t bits, uint32_t base)
{
    for (; bits; bits &= bits - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(bits);
        loads[i] = (scene_load){i, 1};
    }
}

static inline void zero_word(scene_load *loads, uint64_t bits, uint32_t base)
{
    for (; bits; bits &= bits - 1)
        loads[base + (uint32_t)__builtin_ctzll(bits)] = (scene_load){0};
}

void words_fill_runs(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end)
{
    uint32_t last = word_end(first, end);
    for (uint32_t word = first / 64; word < last; word++) {
        if (which[word] != UINT64_MAX) {
            fill_word(loads, which[word], word * 64);
            continue;
        }
        for (uint32_t i = word * 64; i < word * 64 + 64; i++)
            loads[i] = (scene_load){i, 1};
    }
}

void words_zero_runs(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end)
{
    uint32_t last = word_end(first, end);
    for (uint32_t word = first / 64; word < last; word++) {
        if (which[word] != UINT64_MAX) {
            zero_word(loads, which[word], word * 64);
            continue;
        }
        for (uint32_t i = word * 64; i < word * 64 + 64; i++)
            loads[i] = (scene_load){0};
    }
}

void words_fill_bits(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end)
{
    uint32_t last = word_end(first, end);
    for (uint32_t word = first / 64; word < last; word++)
        fill_word(loads, which[word], word * 64);
}

void words_zero_bits(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end)
{
    uint32_t last = word_end(first, end);
    for (uint32_t word = first / 64; word < last; word++)
        zero_word(loads, which[word], word * 64);
}
