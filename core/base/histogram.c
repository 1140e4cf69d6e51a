#include "core/base/histogram.h"

#define PARTS 8 /* bins for each doubling of the duration */

/* The first PARTS bins are one unit wide, then each doubling has PARTS bins. */
static uint32_t bin_of(uint64_t ns)
{
    uint64_t units = ns / LS_HISTOGRAM_UNIT_NS;
    uint32_t doublings = 0;
    for (; units >= 2 * PARTS; units /= 2)
        doublings++;
    uint32_t bin = doublings * PARTS + (uint32_t)units;
    return bin < LS_HISTOGRAM_BINS ? bin : LS_HISTOGRAM_BINS - 1;
}

/* The end of a bin. */
static uint64_t end_ns(uint32_t bin)
{
    uint32_t doublings = bin < 2 * PARTS ? 0 : bin / PARTS - 1;
    uint64_t units = bin - doublings * PARTS + 1;
    return (units << doublings) * LS_HISTOGRAM_UNIT_NS;
}

void ls_histogram_add(ls_histogram *histogram, uint64_t ns)
{
    histogram->count++;
    histogram->bins[bin_of(ns)]++;
    if (ns > histogram->max_ns)
        histogram->max_ns = ns;
    histogram->sum_ns += ns;
}

uint64_t ls_histogram_below(const ls_histogram *histogram, uint32_t doublings)
{
    uint32_t end = bin_of((uint64_t)LS_HISTOGRAM_UNIT_NS << doublings);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < end; i++)
        seen += histogram->bins[i];
    return seen;
}

uint64_t ls_histogram_permille(const ls_histogram *histogram, uint32_t permille)
{
    uint64_t wanted = (histogram->count * permille + 999) / 1000, seen = 0;
    for (uint32_t i = 0; i < LS_HISTOGRAM_BINS && wanted; i++) {
        seen += histogram->bins[i];
        if (seen >= wanted)
            return end_ns(i) < histogram->max_ns ? end_ns(i) : histogram->max_ns;
    }
    return 0;
}
