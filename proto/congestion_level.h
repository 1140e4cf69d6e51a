/* The meaning of a level of congestion. A client that notices packets queueing on its line sends a
 * level in each UPDATE; both sides then repeat less, and at the higher levels put several ticks
 * into one packet.
 *   source  docs/protocol.md, "Congestion" */
#ifndef LS_CONGESTION_LEVEL_H
#define LS_CONGESTION_LEVEL_H

#include <lockstep/limits.h>

/* How many ticks, or states, a packet carries: `most`, halved for each level, and at least 1. A
 * packet has more only if more are new, or were new in the packet before. */
static inline uint32_t ls_congestion_level_window(uint32_t level, uint32_t most)
{
    uint32_t window = most >> level;
    return window ? window : 1;
}

/* The least time between two packets that carry new ticks or states; 0: no limit. */
static inline uint64_t ls_congestion_level_spacing_ns(uint32_t level)
{
    static const uint8_t per_s[LS_CONGESTION_MAX + 1] = {[4] = 30, [5] = 20, [6] = 12, [7] = 8};
    return per_s[level] ? LS_SECOND_NS / per_s[level] : 0;
}

/* The least time before a server sends ticks again that are not acknowledged. */
static inline uint64_t ls_congestion_level_resend_ns(uint32_t level)
{
    return level * (LS_SECOND_NS / 10);
}

#endif
