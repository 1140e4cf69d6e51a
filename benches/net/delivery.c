/* Measures when ticks reach the worlds of clients over lossy lines, and when the server detects
 * that a client's world differs. Our server and clients run in virtual time over the in-process
 * network. */
#include "benches/net/groups.h"
#include "benches/net/plain_sim.h"
#include "benches/net/virtual_match.h"

#include <stdio.h>
#include <string.h>

#define DELAY   (25 * VIRTUAL_MS)
#define TICK_NS (VIRTUAL_S / 60)

enum {
    SECONDS = 600,
    TICKS_KEPT = 1 << 16,
    BIN_NS = 100000,
    BINS = 300000,
    WARM_TICKS = 120,
    PLAYERS = 8,
};

/* How late ticks were. */
typedef struct lateness {
    struct scene *scene;
    uint64_t samples, *bins, worst_ns;
} lateness;

typedef struct scene {
    virtual_match match;
    ls_impairment_conditions line;
    uint64_t closed, *closed_ns; /* when each tick closed, by tick modulo TICKS_KEPT */
    uint64_t found_ns;           /* when a desync was logged; 0: not yet */
    lateness players, spectators;
} scene;

static void note_log(void *context, const char *line)
{
    scene *self = context;
    if (strncmp(line, "desync ", 7) == 0 && !self->found_ns)
        self->found_ns = self->match.now_ns;
}

static void note_tick(void *context, const ls_frame *frame)
{
    lateness *self = context;
    const scene *owner = self->scene;
    if (frame->tick < WARM_TICKS)
        return;
    uint64_t beyond_ns = owner->match.now_ns - owner->closed_ns[frame->tick % TICKS_KEPT] - DELAY;
    uint64_t bin = beyond_ns / BIN_NS;
    self->bins[bin < BINS ? bin : BINS - 1]++;
    self->samples++;
    if (beyond_ns > self->worst_ns)
        self->worst_ns = beyond_ns;
}

static void note_closed(void *context)
{
    scene *self = context;
    for (uint64_t tick = ls_room_get_stats(self->match.room).tick; self->closed < tick;)
        self->closed_ns[self->closed++ % TICKS_KEPT] = self->match.now_ns;
}

static void join(scene *self, uint64_t corrupt_at)
{
    ls_client_config config = virtual_match_client(&self->match);
    config.is_bot = self->match.count < PLAYERS;
    config.is_spectator = !config.is_bot;
    config.corrupt_at = corrupt_at;
    config.ran = note_tick;
    config.hook_context = config.is_bot ? &self->players : &self->spectators;
    virtual_match_join(&self->match, &config, &self->line, false);
}

/* Creates a match with this loss. `burst_ns` 0: each packet is lost independently of the others. */
static scene *scene_create(uint32_t loss, uint64_t burst_ns)
{
    scene *self = ls_alloc(sizeof *self);
    self->line = (ls_impairment_conditions){.delay_ns = DELAY, .loss = loss, .burst_ns = burst_ns};
    self->closed_ns = ls_alloc(TICKS_KEPT * sizeof(uint64_t));
    self->players = (lateness){.scene = self, .bins = ls_alloc(BINS * sizeof(uint64_t))};
    self->spectators = (lateness){.scene = self, .bins = ls_alloc(BINS * sizeof(uint64_t))};
    virtual_match_begin(&self->match, &(virtual_match_config){
                                          .sim = &plain_sim, .log = note_log, .log_context = self});
    self->match.stepped = note_closed;
    self->match.context = self;
    return self;
}

static void scene_destroy(scene *self)
{
    virtual_match_end(&self->match);
    ls_free(self->closed_ns);
    ls_free(self->players.bins);
    ls_free(self->spectators.bins);
    ls_free(self);
}

static double part_ms(const lateness *self, double part)
{
    uint64_t wanted = (uint64_t)((double)self->samples * part), seen = 0;
    uint32_t bin = 0;
    while (bin < BINS - 1 && (seen += self->bins[bin]) <= wanted)
        bin++;
    return (double)bin * BIN_NS / 1e6;
}

/* Counts disconnects of any kind, and clients that have not joined. */
static uint32_t lost(const virtual_match *match)
{
    uint32_t count = (uint32_t)ls_room_get_stats(match->room).timeouts;
    for (uint32_t i = 0; i < match->count; i++) {
        ls_client_stats stats = ls_client_get_stats(match->clients[i]);
        count +=
            (uint32_t)stats.resumes + (ls_client_get_state(match->clients[i]) != LS_CLIENT_PLAYING);
    }
    return count;
}

static void describe(const lateness *self, bench_result *result)
{
    result->ours = part_ms(self, 0.99) / ((double)TICK_NS / 1e6);
    snprintf(result->note, sizeof result->note, "median %.1f, p99 %.1f, worst %.0f ms late",
             part_ms(self, 0.5), part_ms(self, 0.99), (double)self->worst_ns / 1e6);
}

/* Returns how many clients were lost. */
static uint32_t measure(uint32_t loss, uint64_t burst_ns, bench_result *players,
                        bench_result *spectators)
{
    scene *self = scene_create(loss, burst_ns);
    while (self->match.count < VIRTUAL_CLIENTS_MAX)
        join(self, LS_TICK_NEVER);
    virtual_match_run(&self->match, 2 * VIRTUAL_S);
    virtual_match_run(&self->match, SECONDS * VIRTUAL_S);
    describe(&self->players, players);
    describe(&self->spectators, spectators);
    uint32_t count = lost(&self->match);
    scene_destroy(self);
    return count;
}

static const uint32_t percents[] = {0, 1, 5, 10, 20};

static void deliver(const bench_options *options, const void *variant, bench_result *results)
{
    enum { LOSSES = LS_COUNT_OF(percents) };
    (void)options;
    (void)variant;
    for (uint32_t i = 0; i < LOSSES; i++)
        results[2 * LOSSES].ours =
            measure(percents[i] * 10000, 0, &results[i], &results[LOSSES + i]);
}

#define LATE(who, loss, target, limit)                                                             \
    {                                                                                              \
        who ": ticks late beyond the path, p99, " loss, "ticks", target, limit, NULL               \
    }
#define PLAYER(loss, target, limit)    LATE("player", loss, target, limit)
#define SPECTATOR(loss, target, limit) LATE("spectator", loss, target, limit)

/* A spectator's packet has the ticks of 100 ms, which are 6 here; the first of them has waited 5
 * ticks. The next packet repeats these ticks, so one lost packet delays them by 6 ticks more. */
const bench_group net_delivery = {
    .rows = {PLAYER("no loss", BENCH_NO_TARGET, 0),
             PLAYER("1 % loss", BENCH_NO_TARGET, 0),
             PLAYER("5 % loss", BENCH_AT_MOST, 1),
             PLAYER("10 % loss", BENCH_AT_MOST, 2),
             PLAYER("20 % loss", BENCH_NO_TARGET, 0),
             SPECTATOR("no loss", BENCH_AT_MOST, 5),
             SPECTATOR("1 % loss", BENCH_NO_TARGET, 0),
             SPECTATOR("5 % loss", BENCH_AT_MOST, 11),
             SPECTATOR("10 % loss", BENCH_NO_TARGET, 0),
             SPECTATOR("20 % loss", BENCH_NO_TARGET, 0),
             {"clients lost or resumed, 20 % loss", "of 25", BENCH_AT_MOST, 0, NULL}},
    .whole = deliver,
};

static void deliver_bursts(const bench_options *options, const void *variant, bench_result *results)
{
    (void)options;
    (void)variant;
    results[2].ours = measure(50000, 60 * VIRTUAL_MS, &results[0], &results[1]);
}

#define BURSTS "bursts of 60 ms, 5 % of the time"

const bench_group net_bursts = {
    .rows = {PLAYER(BURSTS, BENCH_NO_TARGET, 0),
             SPECTATOR(BURSTS, BENCH_NO_TARGET, 0),
             {"clients lost or resumed, bursts", "of 25", BENCH_NO_TARGET, 0, NULL}},
    .whole = deliver_bursts,
};

static void detect(const bench_options *options, const void *variant, bench_result *results)
{
    enum { CORRUPT_AT = 300 };
    (void)options;
    (void)variant;
    scene *self = scene_create(0, 0);
    join(self, CORRUPT_AT);
    virtual_match_run(&self->match, 10 * VIRTUAL_S);
    LS_ASSERT(self->found_ns);
    /* The wrong root is that of the world after the previous tick, so count from when that tick
     * closed. */
    uint64_t late_ns = self->found_ns - self->closed_ns[(CORRUPT_AT - 1) % TICKS_KEPT];
    results[0].ours = (double)late_ns / 1e6;
    scene_destroy(self);
}

const bench_group net_detection = {
    .rows = {{"wrong hash known after its tick's close, 50 ms round trip", "ms", BENCH_AT_MOST,
              50 + 1000.0 / 60, NULL}},
    .whole = detect,
};
