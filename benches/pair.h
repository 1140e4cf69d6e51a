/* Two threads for the bare side: the caller and one helper that waits for the next call as the
 * engine's workers do: by looking for a while, then asleep. */
#ifndef LS_BENCH_PAIR_H
#define LS_BENCH_PAIR_H

#include <stdint.h>

/* Half 0 or 1 of `count` elements: first <= i < end. */
typedef void bench_half(void *data, uint32_t first, uint32_t end);

/* Runs `work` over all of `count` on `threads` threads, 1 or 2. */
void bench_split(uint32_t threads, bench_half *work, void *data, uint32_t count);

#endif
