/* The bare side, 64 entities at a time: changes presence and cells of the entities in the bit mask
 * `which`. Covers `first`, a multiple of 64, to `end`; `which` has no bits beyond the last entity.
 */
#ifndef LS_BENCH_WORDS_H
#define LS_BENCH_WORDS_H

#include "benches/core/scene.h"

void words_set(uint64_t *present, const uint64_t *which, uint32_t first, uint32_t end);
void words_clear(uint64_t *present, const uint64_t *which, uint32_t first, uint32_t end);

/* Set the cells of the entities in `which` to {number, 1}, or to zero. A word with all bits set is
 * one loop without a condition. */
void words_fill_runs(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);
void words_zero_runs(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);
/* Like words_fill_runs() and words_zero_runs(), but bit by bit. */
void words_fill_bits(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);
void words_zero_bits(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);

#endif
