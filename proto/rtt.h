/* Smooths round-trip times as TCP does.
 *   source  RFC 6298, section 2 */
#ifndef LS_RTT_H
#define LS_RTT_H

#include <lockstep/base.h>

/* Adds a sample to the smoothed round trip. `deviation_ns` is the samples' mean deviation from
 * `rtt_ns`. Both are 0 before the first sample. */
static inline void ls_rtt_smooth(uint64_t *rtt_ns, uint64_t *deviation_ns, uint64_t sample_ns)
{
    if (!*rtt_ns) {
        *rtt_ns = sample_ns;
        *deviation_ns = sample_ns / 2;
        return;
    }
    uint64_t off_ns = sample_ns > *rtt_ns ? sample_ns - *rtt_ns : *rtt_ns - sample_ns;
    *deviation_ns = (3 * *deviation_ns + off_ns) / 4;
    *rtt_ns = (7 * *rtt_ns + sample_ns) / 8;
}

#endif
