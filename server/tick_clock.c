#include "server/tick_clock.h"

/* Rooms start at phases this far apart. Rooms of one phase share a step of the server. */
#define PHASE_NS (LS_SECOND_NS / 250)

uint64_t ls_tick_clock_period_ns(const ls_tick_clock *clock)
{
    return LS_SECOND_NS / clock->tick_rate;
}

uint64_t ls_tick_clock_due_ns(const ls_tick_clock *clock, uint64_t tick)
{
    uint64_t ticks = tick - clock->start_tick + 1;
    return clock->start_ns + ticks * LS_SECOND_NS / clock->tick_rate;
}

void ls_tick_clock_start(ls_tick_clock *clock, uint64_t tick, uint64_t start_ns)
{
    clock->start_ns = start_ns;
    clock->start_tick = tick;
}

uint64_t ls_tick_clock_phase_ns(const ls_tick_clock *clock, uint64_t room_number, uint64_t now_ns)
{
    uint64_t period = ls_tick_clock_period_ns(clock);
    uint64_t phases = period / PHASE_NS ? period / PHASE_NS : 1;
    /* Multiples of the golden ratio are spread evenly for any number of rooms. */
    uint64_t phase = ((room_number * UINT64_C(2654435769)) & UINT32_MAX) * phases >> 32;
    uint64_t start = now_ns - now_ns % period + phase * (period / phases);
    return start > now_ns ? start - period : start;
}

int64_t ls_tick_clock_slack_ns(const ls_tick_clock *clock, uint64_t tick, uint64_t next,
                               uint64_t now_ns)
{
    if (clock->held_since_ns && tick > next)
        return (int64_t)((tick - next) * LS_SECOND_NS / clock->tick_rate);
    int64_t ticks = (int64_t)tick - (int64_t)clock->start_tick + 1;
    return (int64_t)clock->start_ns + ticks * (int64_t)LS_SECOND_NS / (int64_t)clock->tick_rate -
           (int64_t)now_ns;
}
