/* Measures whether keyframes delay a server's ticks. Three servers run the same battle over real
 * sockets, and all of them record; one makes keyframes. They run in turn, a quarter of a second
 * each, while the clocks of the others stop, so other load affects all of them. The two servers
 * without keyframes are identical: their difference is the noise. */
#include "benches/net/host.h"
#include "benches/replay/replay.h"

#include "sims/skirmish/skirmish.h"
#include "tests/support/memory_sink.h"
#include <lockstep/recording.h>

#include <stdio.h>

#define NS_PER_S UINT64_C(1000000000)

enum {
    UNITS = 2000,
    PLAYERS = 4,
    RATE = 60,
    KEYFRAME_TICKS = 20,
    SERVERS = 3,
    WARM_TURNS = 12,
    TURNS_A_SECOND = 4,
    NEAR_TICKS = 2
};

typedef struct candidate {
    net_host *host;
    ls_memory_sink recording;
    double *late_ms;  /* lateness of each tick */
    uint64_t *closed; /* number of each tick */
    double *worst_ms; /* highest lateness in each turn */
    uint32_t ticks, turns, capacity;
} candidate;

static candidate *begin(uint32_t keyframe_ticks, uint32_t turns)
{
    candidate *self = ls_alloc(sizeof *self);
    ls_memory_sink_init(&self->recording);
    const ls_sink sink = ls_memory_sink_open(&self->recording);
    self->capacity = turns * RATE;
    self->late_ms = ls_alloc(self->capacity * sizeof(double));
    self->closed = ls_alloc(self->capacity * sizeof(uint64_t));
    self->worst_ms = ls_alloc(turns * sizeof(double));
    self->host = net_host_begin(&(net_host_config){.sim = &ls_skirmish_sim,
                                                   .rooms = 1,
                                                   .players = PLAYERS,
                                                   .tick_rate = RATE,
                                                   .option = "units",
                                                   .value = UNITS,
                                                   .threads = 1,
                                                   .recording = &sink,
                                                   .keyframe_ticks = keyframe_ticks});
    return self;
}

static void end(candidate *self)
{
    net_host_end(self->host);
    ls_memory_sink_reset(&self->recording);
    ls_free(self->late_ms);
    ls_free(self->closed);
    ls_free(self->worst_ms);
    ls_free(self);
}

/* Runs one server for a turn, a quarter of a second. A tick's lateness is the time from its due
 * time to the step that closes it. */
static void run_turn(candidate *self)
{
    net_host *host = self->host;
    const ls_room *room = ls_server_room(host->server, 0);
    uint64_t until_ns = bench_now_ns() + NS_PER_S / TURNS_A_SECOND;
    double *worst_ms = &self->worst_ms[self->turns++];
    *worst_ms = 0;
    atomic_store(&host->crowd.board->is_running, true);
    net_host_resume(host);
    while (bench_now_ns() < until_ns && self->ticks < self->capacity) {
        uint64_t before = ls_room_get_stats(room).tick;
        uint64_t next_ns = ls_server_step(host->server, net_host_now_ns(host));
        ls_room_stats stats = ls_room_get_stats(room);
        double late_ms = (double)stats.lateness_ns / 1e6;
        if (stats.tick > before) {
            self->closed[self->ticks] = stats.tick - 1;
            self->late_ms[self->ticks++] = late_ms;
            *worst_ms = late_ms > *worst_ms ? late_ms : *worst_ms;
        }
        net_host_wait(host, next_ns);
    }
    host->left_ns = bench_now_ns();
    atomic_store(&host->crowd.board->is_running, false);
}

/* Sorts `figures` and returns a percentile. */
static double percentile(double *figures, uint32_t count, uint32_t percent)
{
    (void)bench_median(figures, count);
    return count ? figures[count - 1 - count * (100 - percent) / 100] : NAN;
}

/* p90 of the lateness of ticks that closed while a keyframe was taken and packed. */
static double near_keyframes(candidate *self, uint32_t *keyframes)
{
    const ls_recording_keyframe *list;
    ls_recording *recording;
    LS_ASSERT(ls_recording_open_memory("bench", self->recording.data, self->recording.bytes,
                                       &recording, NULL) == LS_OK);
    *keyframes = ls_recording_keyframes(recording, &list);
    double *near_ms = ls_alloc((self->ticks + 1) * sizeof(double));
    uint32_t count = 0;
    for (uint32_t i = 0, at = 0; i < self->ticks; i++) {
        while (at < *keyframes && list[at].tick + NEAR_TICKS <= self->closed[i])
            at++;
        if (at < *keyframes && list[at].tick <= self->closed[i])
            near_ms[count++] = self->late_ms[i];
    }
    double result = percentile(near_ms, count, 90);
    ls_free(near_ms);
    ls_recording_close(recording);
    return result;
}

static void fill(bench_result *result, const double figures[SERVERS])
{
    bool is_first_worse = figures[1] > figures[2];
    result->ours = figures[0];
    result->bare = figures[is_first_worse ? 1 : 2];
    snprintf(result->note, sizeof result->note, "the other one without: %.3f ms",
             figures[is_first_worse ? 2 : 1]);
}

static void measure(const bench_options *options, const void *variant, bench_result *results)
{
    candidate *all[SERVERS];
    double p99s[SERVERS], worst[SERVERS], p90s[SERVERS];
    uint32_t keyframes, turns = WARM_TURNS + 2 * TURNS_A_SECOND * options->runs;
    (void)variant;
    for (uint32_t i = 0; i < SERVERS; i++)
        all[i] = begin(i ? 0 : KEYFRAME_TICKS, turns);
    for (uint32_t turn = 0; turn < turns; turn++) {
        for (uint32_t i = 0; i < SERVERS; i++)
            run_turn(all[(turn + i) % SERVERS]);
        for (uint32_t i = 0; turn == WARM_TURNS - 1 && i < SERVERS; i++) {
            all[i]->ticks = 0;
            all[i]->turns = 0;
        }
    }
    p90s[0] = near_keyframes(all[0], &keyframes);
    for (uint32_t i = 0; i < SERVERS; i++) {
        p99s[i] = percentile(all[i]->late_ms, all[i]->ticks, 99);
        if (i > 0)
            p90s[i] = percentile(all[i]->late_ms, all[i]->ticks, 90);
        worst[i] = bench_median(all[i]->worst_ms, all[i]->turns);
    }
    fill(&results[0], p99s);
    fill(&results[1], worst);
    fill(&results[2], p90s);
    results[3].ours = keyframes;
    snprintf(results[3].note, sizeof results[3].note, "in %u ticks", all[0]->ticks);
    for (uint32_t i = 0; i < SERVERS; i++)
        end(all[i]);
}

const bench_group replay_late = {
    .rows = {{"a tick is late by, p99: with keyframes / without", "ms", BENCH_NO_TARGET, 0, NULL},
             {"the worst of a quarter second, median: likewise", "ms", BENCH_RATIO_AT_MOST, 1.1,
              NULL},
             {"the ticks at a keyframe, p90: against all without", "ms", BENCH_RATIO_AT_MOST, 1.1,
              NULL},
             {"keyframes that were made meanwhile", "1", BENCH_NO_TARGET, 0, NULL}},
    .whole = measure,
};
