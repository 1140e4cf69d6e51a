/* The playout position: which tick to show now. It advances evenly although ticks arrive unevenly.
 * Holds no clock and no world. client/input_delay.h paces inputs, the other direction.
 *   unit    now_ns: monotonic nanoseconds, never falling
 *   thread  one at a time */
#ifndef LS_CLIENT_PACER_H
#define LS_CLIENT_PACER_H

#include <lockstep/base.h>
#include <lockstep/limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At most SAMPLES arrivals are kept, each for WINDOW_NS. One arrival counts for at most
 * ARRIVAL_TICKS_MAX ticks. The newest NEWEST samples decide whether the path has changed. The
 * depth, which is the delay of the position after the earliest arrivals, covers at most
 * DEPTH_MAX_NS of jitter and falls by 1 ns in DEPTH_FALL ns. The speed differs from the even pace
 * by at most SPEED_PPM and corrects an error within HORIZON_NS; an error over SNAP_NS is corrected
 * at once. Constants that are compared with negative values are signed. */
#define LS_CLIENT_PACE_SAMPLES           256
#define LS_CLIENT_PACE_WINDOW_NS         (4 * LS_SECOND_NS)
#define LS_CLIENT_PACE_ARRIVAL_TICKS_MAX 8
#define LS_CLIENT_PACE_NEWEST            32
#define LS_CLIENT_PACE_HORIZON_NS        INT64_C(1000000000)
#define LS_CLIENT_DEPTH_MAX_NS           INT64_C(400000000)
#define LS_CLIENT_DEPTH_FALL             200
#define LS_CLIENT_SPEED_PPM              INT64_C(50000)
#define LS_CLIENT_SNAP_NS                INT64_C(500000000)

typedef struct ls_pacer_sample {
    uint64_t now_ns;
    int64_t offset_ns; /* arrival minus the tick's time at an even pace */
} ls_pacer_sample;

/* The caller's storage; the members are private. Times of ticks are counted from `origin`. */
typedef struct ls_pacer {
    uint64_t tick_ns, origin, head;
    bool is_running, is_stalled;
    ls_pacer_sample samples[LS_CLIENT_PACE_SAMPLES]; /* a ring: the newest is at (count - 1) */
    uint64_t sample_count;                           /* samples since the start */
    uint64_t sample_first;                           /* the oldest sample that still counts */
    int64_t base_ns;                                 /* the least offset of these samples */
    int64_t depth_ns, jitter_ns;
    int64_t position_ns;
    int64_t speed_ppm; /* difference from the even pace */
    uint64_t updated_ns, arrived_ns;
    uint64_t stalls, snaps;
} ls_pacer;

void ls_pacer_init(ls_pacer *pacer, uint32_t tick_rate);
/* Called when the server's ticks stopped or jumped (a pause, a snapshot): earlier arrivals no
 * longer predict later ones. The position stays. */
void ls_pacer_rebase(ls_pacer *pacer);

/* Notes that all ticks below `head` exist at `now_ns`. Ignored unless the head rises. */
void ls_pacer_arrival(ls_pacer *pacer, uint64_t now_ns, uint64_t head);

/* The position is W + fraction. The world has run the ticks below W; show it between its state one
 * tick earlier and its present state. */
typedef struct ls_playout {
    uint64_t tick;     /* W, at most the head */
    uint32_t fraction; /* in units of 1 / 2^32 tick */
    int32_t speed_ppm; /* -50000..50000: difference from the even pace at the last update */
    bool is_stalled;   /* the position waits for the next tick, which is missing */
} ls_playout;

/* Moves the position to the time `now_ns`, within 5 % of the even pace. It aims at the least delay
 * that covers the jitter of the last seconds. It never moves back. It jumps when it lags by more
 * than LS_CLIENT_SNAP_NS, and stops while it is ahead by more than that.
 *   errors  false before the first arrival */
bool ls_pacer_update(ls_pacer *pacer, uint64_t now_ns, ls_playout *playout);

typedef struct ls_pacer_stats {
    uint64_t depth_ns;  /* the delay that the position aims at, from the earliest arrivals */
    uint64_t jitter_ns; /* the worst delay after the earliest arrival in the last seconds */
    uint64_t stalls, snaps;
} ls_pacer_stats;
ls_pacer_stats ls_pacer_get_stats(const ls_pacer *pacer);

#ifdef __cplusplus
}
#endif

#endif
