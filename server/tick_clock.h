/* Computes when a room's ticks are due: at a fixed rate from a start. The start moves when ticks
 * are held or the server cannot keep up. */
#ifndef LS_TICK_CLOCK_H
#define LS_TICK_CLOCK_H

#include <lockstep/limits.h>

typedef struct ls_tick_clock {
    uint32_t tick_rate;
    uint64_t start_ns,
        start_tick;         /* tick T is due at start_ns + (T - start_tick + 1) / tick_rate */
    uint64_t held_since_ns; /* since when a player holds the next tick; in a pause, the last step;
                               0: not held */
} ls_tick_clock;

uint64_t ls_tick_clock_period_ns(const ls_tick_clock *clock);
uint64_t ls_tick_clock_due_ns(const ls_tick_clock *clock, uint64_t tick);
/* Sets the start: `tick` is due one period after `start_ns`. */
void ls_tick_clock_start(ls_tick_clock *clock, uint64_t tick, uint64_t start_ns);
/* Returns a start time for a room, at or before `now_ns`. Rooms of one rate start at different
 * phases of the period, so that the work of a server with many rooms is spread evenly. */
uint64_t ls_tick_clock_phase_ns(const ls_tick_clock *clock, uint64_t room_number, uint64_t now_ns);
/* Returns the time until `tick` closes, negative after its close; `next` is the next tick to close.
 * While `next` is held, the times of later ticks do not move. */
int64_t ls_tick_clock_slack_ns(const ls_tick_clock *clock, uint64_t tick, uint64_t next,
                               uint64_t now_ns);

#endif
