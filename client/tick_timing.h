/* How far this client is behind the server's clock, and how late its world runs ticks.
 *
 * A tick is *due* here when it would arrive if the line were at its best. The earliest arrivals of
 * the last seconds show when, because the server closes ticks at even intervals. The server closed
 * the tick half of the least round trip earlier. The excess of the present round trip is taken for
 * a queue on the way here, which delays even the earliest arrivals. So a delay is wrong by at most
 * half of the least round trip, plus the queue on the way to the server. Pure. */
#ifndef LS_TICK_TIMING_H
#define LS_TICK_TIMING_H

#include "client/queue_delay.h"
#include "core/base/histogram.h"

#include <stdbool.h>

/* The earliest arrival is taken over this period and the one before, because the server's schedule
 * moves when the server could not keep it or held a tick. */
#define LS_TICK_TIMING_PERIOD_NS LS_SECOND_NS

typedef struct ls_tick_timing {
    uint64_t tick_ns;
    bool is_known;       /* a tick has arrived */
    uint64_t first_tick; /* that tick, which arrived at first_ns; lateness is counted from there */
    uint64_t first_ns;
    int64_t min_ns[2]; /* least lateness, of this period and the one before; INT64_MAX: none */
    uint64_t since_ns; /* when the present period began */
    /* The times from when ticks were due to when they were here with all ticks before them, and to
     * when they were run. A session runs ticks later, to show them evenly. */
    ls_histogram arrived, late;
} ls_tick_timing;

void ls_tick_timing_init(ls_tick_timing *timing, uint32_t tick_rate);
/* Called when the server's schedule changes, because a pause began or ended. The histograms stay.
 */
void ls_tick_timing_restart(ls_tick_timing *timing);
/* `tick` has arrived as the newest one. */
void ls_tick_timing_note_arrival(ls_tick_timing *timing, uint64_t tick, uint64_t now_ns);
/* The ticks from `first` to before `end` have come with all before them. */
void ls_tick_timing_note_whole(ls_tick_timing *timing, uint64_t first, uint64_t end,
                               uint64_t now_ns);
/* `tick` was run. */
void ls_tick_timing_note_run(ls_tick_timing *timing, uint64_t tick, uint64_t now_ns);

/* How long ago the server closed the tick before `next`; 0: not known. */
uint64_t ls_tick_timing_behind_ns(const ls_tick_timing *timing, uint64_t next,
                                  const ls_queue_delay *line, uint64_t now_ns);

#endif
