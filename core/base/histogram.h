/* Counts durations, and tells their percentiles within an eighth of their value.
 *   unit    nanoseconds; up to 16 us they are one
 *   thread  the one that owns the value; all zeros is an empty one */
#ifndef LS_HISTOGRAM_H
#define LS_HISTOGRAM_H

#include <stdint.h>

#define LS_HISTOGRAM_BINS 200

typedef struct ls_histogram {
    uint64_t count, max_ns, sum_ns;
    uint64_t bins[LS_HISTOGRAM_BINS];
} ls_histogram;

void ls_histogram_add(ls_histogram *histogram, uint64_t ns);
/* The duration that this part of all, in thousandths, does not exceed; 0 without any. */
uint64_t ls_histogram_permille(const ls_histogram *histogram, uint32_t permille);
/* How many durations are shorter than this boundary: LS_HISTOGRAM_UNIT_NS, doubled some times. */
#define LS_HISTOGRAM_UNIT_NS 16000
uint64_t ls_histogram_below(const ls_histogram *histogram, uint32_t doublings);

#endif
