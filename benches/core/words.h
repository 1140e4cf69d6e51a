/* The bare side of word-wise operations: presence of 64 entities at a time, as a programmer
 * writes it who has the wanted entities as a bitmap. Covers entities from `first`, a multiple of
 * 64, to `end`; `which` has no bits beyond the last of all entities. */
#ifndef LS_BENCH_WORDS_H
#define LS_BENCH_WORDS_H

#include "benches/core/scene.h"

void words_set(uint64_t *present, const uint64_t *which, uint32_t first, uint32_t end);
void words_clear(uint64_t *present, const uint64_t *which, uint32_t first, uint32_t end);

/* The cells of entities in `which`: {number, 1}, and zero. A whole word is one loop without a
 * condition. */
void words_fill_runs(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);
void words_zero_runs(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);
/* The same, bit by bit. */
void words_fill_bits(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);
void words_zero_bits(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);

#endif
