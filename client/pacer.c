#include "client/pacer.h"

#include <string.h>

enum { PPM = 1000000 };
/* A head further than this from the origin restarts the pacer. This many ticks, in nanoseconds, fit
 * in 63 bits. */
#define TICKS_MAX (UINT64_C(1) << 32)

void ls_pacer_init(ls_pacer *pacer, uint32_t tick_rate)
{
    *pacer = (ls_pacer){.tick_ns = LS_SECOND_NS / tick_rate};
}

void ls_pacer_rebase(ls_pacer *pacer)
{
    pacer->sample_first = pacer->sample_count;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t time_of(const ls_pacer *pacer, uint64_t tick)
{
    return (int64_t)(tick - pacer->origin) * (int64_t)pacer->tick_ns;
}

static ls_pacer_sample *sample_at(ls_pacer *pacer, uint64_t number)
{
    return &pacer->samples[number % LS_CLIENT_PACE_SAMPLES];
}

static void add_sample(ls_pacer *pacer, uint64_t now_ns, uint64_t tick)
{
    int64_t offset = (int64_t)now_ns - time_of(pacer, tick);
    *sample_at(pacer, pacer->sample_count++) = (ls_pacer_sample){now_ns, offset};
    if (pacer->sample_count - pacer->sample_first > LS_CLIENT_PACE_SAMPLES)
        pacer->sample_first = pacer->sample_count - LS_CLIENT_PACE_SAMPLES;
}

static int64_t least_offset(ls_pacer *pacer, uint64_t first)
{
    int64_t min = sample_at(pacer, first)->offset_ns;
    for (uint64_t i = first; i < pacer->sample_count; i++) {
        if (sample_at(pacer, i)->offset_ns < min)
            min = sample_at(pacer, i)->offset_ns;
    }
    return min;
}

/* Drops samples older than LS_CLIENT_PACE_WINDOW_NS, and all old ones when the path or the server's
 * timing has changed. Two signs show such a change: the earliest of the newest arrivals is later
 * than any depth covers, or the last arrival is earlier than all others by that much. */
static void forget_old(ls_pacer *pacer, uint64_t now_ns)
{
    while (now_ns - sample_at(pacer, pacer->sample_first)->now_ns > LS_CLIENT_PACE_WINDOW_NS)
        pacer->sample_first++;
    int64_t last = sample_at(pacer, pacer->sample_count - 1)->offset_ns;
    if (least_offset(pacer, pacer->sample_first) == last &&
        pacer->base_ns - last > LS_CLIENT_DEPTH_MAX_NS) {
        pacer->sample_first = pacer->sample_count - 1;
        pacer->depth_ns = 0;
    }
    if (pacer->sample_count - pacer->sample_first <= LS_CLIENT_PACE_NEWEST)
        return;
    uint64_t newest = pacer->sample_count - LS_CLIENT_PACE_NEWEST;
    if (least_offset(pacer, newest) - least_offset(pacer, pacer->sample_first) >
        LS_CLIENT_DEPTH_MAX_NS) {
        pacer->sample_first = newest;
        pacer->depth_ns = 0; /* the depth rose because of the old samples */
    }
}

/* Updates the depth: one tick more than the worst jitter, so that one more lost packet in a row
 * causes no stall. The depth rises at once and falls slowly. */
static void measure(ls_pacer *pacer, uint64_t now_ns)
{
    forget_old(pacer, now_ns);
    int64_t max = INT64_MIN;
    pacer->base_ns = least_offset(pacer, pacer->sample_first);
    for (uint64_t i = pacer->sample_first; i < pacer->sample_count; i++) {
        if (sample_at(pacer, i)->offset_ns > max)
            max = sample_at(pacer, i)->offset_ns;
    }
    pacer->jitter_ns = max - pacer->base_ns;
    int64_t depth = clamp(pacer->jitter_ns + (int64_t)pacer->tick_ns, 0,
                          LS_CLIENT_DEPTH_MAX_NS + (int64_t)pacer->tick_ns);
    uint64_t quiet_ns = now_ns - pacer->arrived_ns;
    if (quiet_ns > LS_SECOND_NS)
        quiet_ns = LS_SECOND_NS;
    int64_t min = pacer->depth_ns - (int64_t)quiet_ns / LS_CLIENT_DEPTH_FALL;
    pacer->depth_ns = depth > min ? depth : min;
    pacer->arrived_ns = now_ns;
}

static void start(ls_pacer *pacer, uint64_t now_ns, uint64_t head)
{
    uint32_t tick_rate = (uint32_t)(LS_SECOND_NS / pacer->tick_ns);
    ls_pacer_init(pacer, tick_rate);
    pacer->is_running = true;
    pacer->origin = pacer->head = head;
    pacer->base_ns = (int64_t)now_ns;
    pacer->updated_ns = pacer->arrived_ns = now_ns;
    add_sample(pacer, now_ns, head);
    measure(pacer, now_ns);
    pacer->position_ns = -pacer->depth_ns;
}

/* Returns how many of `news` ticks that arrived together become samples. Ticks that came only with
 * a later tick's packet were late, and count as late. After a gap longer than any depth only the
 * newest counts: the gap was an outage. */
static uint64_t samples_of(const ls_pacer *pacer, uint64_t news)
{
    if (news > (uint64_t)LS_CLIENT_DEPTH_MAX_NS / pacer->tick_ns)
        return 1;
    return news < LS_CLIENT_PACE_ARRIVAL_TICKS_MAX ? news : LS_CLIENT_PACE_ARRIVAL_TICKS_MAX;
}

void ls_pacer_arrival(ls_pacer *pacer, uint64_t now_ns, uint64_t head)
{
    if (!pacer->is_running) {
        start(pacer, now_ns, head);
        return;
    }
    if (head <= pacer->head)
        return;
    if (head - pacer->origin > TICKS_MAX) {
        start(pacer, now_ns, head);
        return;
    }
    for (uint64_t i = samples_of(pacer, head - pacer->head); i-- > 0;)
        add_sample(pacer, now_ns, head - i);
    pacer->head = head;
    measure(pacer, now_ns);
}

/* Moves the position towards `target_ns`. A jump ends at `end_ns` at the latest, where the known
 * ticks end. */
static void move(ls_pacer *pacer, int64_t elapsed_ns, int64_t target_ns, int64_t end_ns)
{
    int64_t error = target_ns - (pacer->position_ns + elapsed_ns);
    int64_t goal_ns = target_ns < end_ns ? target_ns : end_ns;
    if (goal_ns - (pacer->position_ns + elapsed_ns) > LS_CLIENT_SNAP_NS) {
        pacer->position_ns = goal_ns;
        pacer->speed_ppm = 0;
        pacer->snaps++;
        return;
    }
    if (error < -LS_CLIENT_SNAP_NS) { /* the position never moves back: stop and wait */
        pacer->speed_ppm = -LS_CLIENT_SPEED_PPM;
        return;
    }
    /* Corrects the error within a second, if the maximum speed allows. */
    pacer->speed_ppm =
        clamp(error / (LS_CLIENT_PACE_HORIZON_NS / PPM), -LS_CLIENT_SPEED_PPM, LS_CLIENT_SPEED_PPM);
    pacer->position_ns += elapsed_ns + elapsed_ns * pacer->speed_ppm / PPM;
}

/* Splits the position into tick and fraction. A position before tick 0 shows tick 0, the match's
 * first state. */
static void put_position(const ls_pacer *pacer, ls_playout *playout)
{
    int64_t tick_ns = (int64_t)pacer->tick_ns;
    int64_t ticks = pacer->position_ns / tick_ns, rest = pacer->position_ns % tick_ns;
    if (rest < 0) {
        rest += tick_ns;
        ticks--;
    }
    if (ticks < 0 && (uint64_t)-ticks > pacer->origin)
        return;
    playout->tick = pacer->origin + (uint64_t)ticks;
    playout->fraction = (uint32_t)(((uint64_t)rest << 32) / pacer->tick_ns);
}

bool ls_pacer_update(ls_pacer *pacer, uint64_t now_ns, ls_playout *playout)
{
    *playout = (ls_playout){0};
    if (!pacer->is_running)
        return false;
    uint64_t elapsed = now_ns > pacer->updated_ns ? now_ns - pacer->updated_ns : 0;
    if (elapsed > LS_CLIENT_SILENCE_NS)
        elapsed = LS_CLIENT_SILENCE_NS;
    pacer->updated_ns = now_ns;
    int64_t end = time_of(pacer, pacer->head + 1) - 1;
    move(pacer, (int64_t)elapsed, (int64_t)now_ns - pacer->base_ns - pacer->depth_ns, end);
    bool is_stalled = pacer->position_ns > end;
    pacer->stalls += is_stalled && !pacer->is_stalled;
    pacer->is_stalled = is_stalled;
    if (is_stalled)
        pacer->position_ns = end;
    playout->speed_ppm = (int32_t)pacer->speed_ppm;
    playout->is_stalled = is_stalled;
    put_position(pacer, playout);
    return true;
}

ls_pacer_stats ls_pacer_get_stats(const ls_pacer *pacer)
{
    return (ls_pacer_stats){.depth_ns = (uint64_t)pacer->depth_ns,
                            .jitter_ns = (uint64_t)pacer->jitter_ns,
                            .stalls = pacer->stalls,
                            .snaps = pacer->snaps};
}
