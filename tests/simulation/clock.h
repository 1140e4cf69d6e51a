/* The clocks of one node, which differ from the simulator's time. The monotonic clock sometimes
 * stops and jumps forward; the wall clock is set to arbitrary times. */
#ifndef LS_SIMULATION_CLOCK_H
#define LS_SIMULATION_CLOCK_H

#include "draws.h"

#include <stddef.h>

typedef struct node_clock {
    uint64_t ahead_ns; /* how far its jumps have put it ahead of the simulator's time */
    uint64_t stood_ns, stands_till_ns; /* shows stood_ns until stands_till_ns */
    int64_t wall_s;                    /* error of its wall clock */
} node_clock;

/* Returns the node's time at `now_ns` of the simulator; it never decreases. */
static inline uint64_t node_clock_show(const node_clock *self, uint64_t now_ns)
{
    return (now_ns < self->stands_till_ns ? self->stood_ns : now_ns) + self->ahead_ns;
}

/* Returns the simulator's time at which the node's clock shows `node_ns`. */
static inline uint64_t node_clock_reach(const node_clock *self, uint64_t node_ns)
{
    if (node_ns == UINT64_MAX)
        return UINT64_MAX;
    uint64_t at_ns = node_ns > self->ahead_ns ? node_ns - self->ahead_ns : 0;
    bool is_passed = at_ns <= self->stood_ns;
    return at_ns < self->stands_till_ns && !is_passed ? self->stands_till_ns : at_ns;
}

/* Stops a running clock until `till_ns`; it then jumps to the right time. */
static inline void node_clock_stand(node_clock *self, uint64_t now_ns, uint64_t till_ns)
{
    if (now_ns < self->stands_till_ns)
        return;
    self->stood_ns = now_ns;
    self->stands_till_ns = till_ns;
}

/* Draws an error of the wall clock: from minutes to years, as on a machine with an empty
 * battery. */
static inline int64_t node_clock_draw_wall(struct draws *draws)
{
    static const int64_t spans_s[] = {90, 7200, 3 * 86400, 50ll * 365 * 86400};
    int64_t span = spans_s[draws_range(draws, 0, 3)];
    return (int64_t)draws_range(draws, 0, 2 * (uint64_t)span) - span;
}

static inline uint64_t node_clock_unix_s(const node_clock *self, uint64_t now_ns)
{
    return (uint64_t)((int64_t)UINT64_C(1700000000) + self->wall_s) + now_ns / 1000000000u;
}

#endif
