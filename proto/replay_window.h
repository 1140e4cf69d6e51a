/* Remembers which counters of one direction were used. Each counter is fresh once. The newest
 * LS_SEAL_WINDOW counters may arrive in any sequence; older ones are refused. The caller
 * authenticates a datagram before it marks the counter, so that a forger cannot move the window.
 * Private to proto/. */
#ifndef LS_REPLAY_WINDOW_H
#define LS_REPLAY_WINDOW_H

#include <lockstep/limits.h>

#include <stdbool.h>
#include <string.h>

enum { LS_REPLAY_WORDS = LS_SEAL_WINDOW / 64 };

/* True when the counter was not used and is not too old; `next` is one above the highest used
 * counter. Subtracts the smaller from the larger, after the comparison, so nothing wraps. */
static inline bool ls_replay_is_fresh(const uint64_t window[LS_REPLAY_WORDS], uint64_t next,
                                      uint64_t counter)
{
    if (counter >= next)
        return true;
    if (next - counter > LS_SEAL_WINDOW)
        return false;
    return !(window[counter % LS_SEAL_WINDOW / 64] >> (counter % 64) & 1);
}

/* Marks an authenticated, fresh counter as used. */
static inline void ls_replay_take(uint64_t window[LS_REPLAY_WORDS], uint64_t *next,
                                  uint64_t counter)
{
    if (counter >= *next && counter - *next >= LS_SEAL_WINDOW)
        memset(window, 0, LS_REPLAY_WORDS * sizeof window[0]);
    else
        for (uint64_t skipped = *next; skipped < counter; skipped++)
            window[skipped % LS_SEAL_WINDOW / 64] &= ~(UINT64_C(1) << (skipped % 64));
    window[counter % LS_SEAL_WINDOW / 64] |= UINT64_C(1) << (counter % 64);
    if (counter >= *next)
        *next = counter + 1;
}

#endif
