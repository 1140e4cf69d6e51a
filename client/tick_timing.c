#include "client/tick_timing.h"

void ls_tick_timing_init(ls_tick_timing *timing, uint32_t tick_rate)
{
    *timing = (ls_tick_timing){.tick_ns = LS_SECOND_NS / tick_rate};
}

void ls_tick_timing_restart(ls_tick_timing *timing)
{
    timing->is_known = false;
}

/* How much later the tick is than the arrival of the first tick predicts; negative: earlier. */
static int64_t late_ns(const ls_tick_timing *timing, uint64_t tick, uint64_t now_ns)
{
    return (int64_t)(now_ns - timing->first_ns) -
           (int64_t)((tick - timing->first_tick) * timing->tick_ns);
}

static int64_t min_ns(const ls_tick_timing *timing)
{
    return timing->min_ns[0] < timing->min_ns[1] ? timing->min_ns[0] : timing->min_ns[1];
}

void ls_tick_timing_note_arrival(ls_tick_timing *timing, uint64_t tick, uint64_t now_ns)
{
    if (!timing->is_known) {
        timing->is_known = true;
        timing->first_tick = tick;
        timing->first_ns = timing->since_ns = now_ns;
        timing->min_ns[0] = timing->min_ns[1] = INT64_MAX;
    }
    if (now_ns - timing->since_ns >= LS_TICK_TIMING_PERIOD_NS) {
        timing->since_ns = now_ns;
        timing->min_ns[1] = timing->min_ns[0];
        timing->min_ns[0] = INT64_MAX;
    }
    int64_t late = late_ns(timing, tick, now_ns);
    if (late < timing->min_ns[0])
        timing->min_ns[0] = late;
}

/* The time since the tick was due; 0 before that, and while no tick has arrived. */
static uint64_t overdue_ns(const ls_tick_timing *timing, uint64_t tick, uint64_t now_ns)
{
    if (!timing->is_known)
        return 0;
    int64_t late = late_ns(timing, tick, now_ns) - min_ns(timing);
    return late > 0 ? (uint64_t)late : 0;
}

void ls_tick_timing_note_whole(ls_tick_timing *timing, uint64_t first, uint64_t end,
                               uint64_t now_ns)
{
    for (uint64_t tick = first; timing->is_known && tick < end; tick++)
        ls_histogram_add(&timing->arrived, overdue_ns(timing, tick, now_ns));
}

void ls_tick_timing_note_run(ls_tick_timing *timing, uint64_t tick, uint64_t now_ns)
{
    if (timing->is_known)
        ls_histogram_add(&timing->late, overdue_ns(timing, tick, now_ns));
}

uint64_t ls_tick_timing_behind_ns(const ls_tick_timing *timing, uint64_t next,
                                  const ls_queue_delay *line, uint64_t now_ns)
{
    if (!timing->is_known || next == 0)
        return 0;
    uint64_t way_ns = ls_queue_delay_base_ns(line) / 2 + ls_queue_delay_ns(line);
    return overdue_ns(timing, next - 1, now_ns) + way_ns;
}
