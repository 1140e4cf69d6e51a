/* Two threads for the bare side: the caller and one helper. Like the engine's workers, the helper
 * polls for the next call for a while, then sleeps. */
#ifndef LS_BENCH_PAIR_H
#define LS_BENCH_PAIR_H

#include <stdint.h>

/* Works on half of the elements: first <= i < end. */
typedef void bench_half(void *data, uint32_t first, uint32_t end);

/* Runs `work` on all `count` elements with 1 or 2 threads. */
void bench_split(uint32_t threads, bench_half *work, void *data, uint32_t count);

#endif
