/* Counts durations in bins, and tells their percentiles, which are rounded up to the end of a bin:
 * by at most an eighth of the duration, or LS_HISTOGRAM_UNIT_NS if that is more. The last bin also
 * counts all durations above 35 minutes. A zeroed histogram is empty.
 *   unit    nanoseconds
 *   thread  the one that owns the histogram */
#ifndef LS_HISTOGRAM_H
#define LS_HISTOGRAM_H

#include <stdint.h>

#define LS_HISTOGRAM_BINS 200

typedef struct ls_histogram {
    uint64_t count, max_ns, sum_ns;
    uint64_t bins[LS_HISTOGRAM_BINS];
} ls_histogram;

void ls_histogram_add(ls_histogram *histogram, uint64_t ns);
/* The duration that `permille` thousandths of all do not exceed; 0 when none was counted. */
uint64_t ls_histogram_permille(const ls_histogram *histogram, uint32_t permille);
/* ls_histogram_below() tells how many durations are shorter than LS_HISTOGRAM_UNIT_NS, doubled
 * `doublings` times. */
#define LS_HISTOGRAM_UNIT_NS 16000
uint64_t ls_histogram_below(const ls_histogram *histogram, uint32_t doublings);

#endif
