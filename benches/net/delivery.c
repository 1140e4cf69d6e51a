/* Measures when ticks reach the worlds of clients over lossy lines, and when the server detects
 * that a client's world differs. Our server and clients run in virtual time over the in-process
 * network. */
#include "benches/net/groups.h"
#include "benches/net/plain_sim.h"

#include "tests/support/link_memory.h"
#include <lockstep/client.h>
#include <lockstep/server.h>

#include <stdio.h>
#include <string.h>

#define MS      UINT64_C(1000000)
#define S       (1000 * MS)
#define DELAY   (25 * MS)
#define TICK_NS (S / 60)

enum {
    CLIENTS_MAX = 25,
    SECONDS = 600,
    TICKS_KEPT = 1 << 16,
    BIN_NS = 100000,
    BINS = 300000,
    WARM_TICKS = 120,
};

typedef struct scene scene;
typedef struct watcher {
    scene *scene;
    ls_link *link;
    ls_client *client;
} watcher;

struct scene {
    uint64_t now_ns;
    ls_network *network;
    ls_program *program;
    ls_identity identity;
    ls_link *link;
    ls_server *server;
    ls_room *room;
    uint64_t closed, *closed_ns; /* when each tick closed, by tick modulo TICKS_KEPT */
    uint64_t found_ns;           /* when a desync was logged; 0: not yet */
    uint32_t count;
    watcher watchers[CLIENTS_MAX];
    uint64_t samples, *bins, worst_ns;
};

static void note_log(void *context, const char *line)
{
    scene *self = context;
    if (strncmp(line, "desync ", 7) == 0 && !self->found_ns)
        self->found_ns = self->now_ns;
}

static void note_tick(void *context, const ls_frame *frame)
{
    scene *self = ((watcher *)context)->scene;
    if (frame->tick < WARM_TICKS)
        return;
    uint64_t beyond_ns = self->now_ns - self->closed_ns[frame->tick % TICKS_KEPT] - DELAY;
    uint64_t bin = beyond_ns / BIN_NS;
    self->bins[bin < BINS ? bin : BINS - 1]++;
    self->samples++;
    if (beyond_ns > self->worst_ns)
        self->worst_ns = beyond_ns;
}

static void start_server(scene *self)
{
    ls_error error = {""};
    ls_server_config server = ls_server_config_default();
    server.program = self->program;
    server.link = self->link;
    server.identity = &self->identity;
    server.log = note_log;
    server.log_context = self;
    server.unix_s = 1700000000;
    LS_ASSERT(ls_server_create(&server, &self->server, &error) == LS_OK);
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(self->program, 1);
    room.wait_players = 0;
    LS_ASSERT(ls_server_open_room(self->server, &room, &self->room, &error) == LS_OK);
}

static void join(scene *self, uint64_t corrupt_at)
{
    ls_error error = {""};
    watcher *who = &self->watchers[self->count++];
    ls_client_config config = ls_client_config_default();
    *who = (watcher){.scene = self, .link = ls_network_open(self->network)};
    config.program = self->program;
    config.link = who->link;
    config.pin = &self->identity.public_key;
    config.unix_s = 1700000000;
    config.is_bot = self->count <= 8;
    config.is_spectator = !config.is_bot;
    config.corrupt_at = corrupt_at;
    config.ran = note_tick;
    config.hook_context = who;
    LS_ASSERT(ls_client_create(&config, &who->client, &error) == LS_OK);
}

/* Creates a match with this loss. `burst_ns` 0: each packet is lost independently of the others. */
static scene *scene_create(uint32_t loss, uint64_t burst_ns)
{
    ls_error error = {""};
    scene *self = ls_alloc(sizeof *self);
    self->now_ns = S;
    const ls_impairment_conditions line = {.delay_ns = DELAY, .loss = loss, .burst_ns = burst_ns};
    self->network = ls_network_create(7, &line);
    LS_ASSERT(ls_program_create(&plain_sim, &self->program, &error) == LS_OK);
    ls_identity_init(&self->identity, NULL);
    self->link = ls_network_listen(self->network, 64);
    self->closed_ns = ls_alloc(TICKS_KEPT * sizeof(uint64_t));
    self->bins = ls_alloc(BINS * sizeof(uint64_t));
    start_server(self);
    return self;
}

static void scene_destroy(scene *self)
{
    for (uint32_t i = 0; i < self->count; i++) {
        ls_client_destroy(self->watchers[i].client);
        ls_link_destroy(self->watchers[i].link);
    }
    ls_server_destroy(self->server);
    ls_link_destroy(self->link);
    ls_network_destroy(self->network);
    ls_identity_reset(&self->identity);
    ls_program_destroy(self->program);
    ls_free(self->closed_ns);
    ls_free(self->bins);
    ls_free(self);
}

static void run(scene *self, uint64_t duration_ns)
{
    uint64_t until_ns = self->now_ns + duration_ns;
    while (self->now_ns < until_ns) {
        uint64_t next = ls_server_step(self->server, self->now_ns);
        for (uint64_t tick = ls_room_get_stats(self->room).tick; self->closed < tick;)
            self->closed_ns[self->closed++ % TICKS_KEPT] = self->now_ns;
        for (uint32_t i = 0; i < self->count; i++) {
            uint64_t wish = ls_client_step(self->watchers[i].client, self->now_ns);
            next = wish < next ? wish : next;
        }
        uint64_t arrival = ls_network_next_ns(self->network);
        next = arrival < next ? arrival : next;
        self->now_ns = next > self->now_ns ? next : self->now_ns + 1000;
    }
}

static double part_ms(const scene *self, double part)
{
    uint64_t wanted = (uint64_t)((double)self->samples * part), seen = 0;
    uint32_t bin = 0;
    while (bin < BINS - 1 && (seen += self->bins[bin]) <= wanted)
        bin++;
    return (double)bin * BIN_NS / 1e6;
}

/* Counts disconnects of any kind, and clients that have not joined. */
static uint32_t lost(const scene *self)
{
    uint32_t count = (uint32_t)ls_room_get_stats(self->room).timeouts;
    for (uint32_t i = 0; i < self->count; i++) {
        ls_client_stats stats = ls_client_get_stats(self->watchers[i].client);
        count += (uint32_t)stats.resumes +
                 (ls_client_get_state(self->watchers[i].client) != LS_CLIENT_PLAYING);
    }
    return count;
}

static uint32_t measure(scene *self, bench_result *result)
{
    while (self->count < CLIENTS_MAX)
        join(self, LS_TICK_NEVER);
    run(self, 2 * S);
    run(self, SECONDS * S);
    result->ours = part_ms(self, 0.99) / ((double)TICK_NS / 1e6);
    snprintf(result->note, sizeof result->note, "median %.1f, p99 %.1f, worst %.0f ms late",
             part_ms(self, 0.5), part_ms(self, 0.99), (double)self->worst_ns / 1e6);
    return lost(self);
}

static void deliver(const bench_options *options, const void *variant, bench_result *results)
{
    static const uint32_t percents[] = {0, 1, 5, 10, 20};
    (void)options;
    (void)variant;
    for (uint32_t i = 0; i < LS_COUNT_OF(percents); i++) {
        scene *self = scene_create(percents[i] * 10000, 0);
        uint32_t count = measure(self, &results[i]);
        if (percents[i] == 20)
            results[LS_COUNT_OF(percents)].ours = count;
        scene_destroy(self);
    }
}

#define LATE(loss, target, limit)                                                                  \
    {                                                                                              \
        "ticks late beyond the path, p99, " loss, "ticks", target, limit, NULL                     \
    }
const bench_group net_delivery = {
    .rows = {LATE("no loss", BENCH_NO_TARGET, 0),
             LATE("1 % loss", BENCH_NO_TARGET, 0),
             LATE("5 % loss", BENCH_AT_MOST, 1),
             LATE("10 % loss", BENCH_AT_MOST, 2),
             LATE("20 % loss", BENCH_NO_TARGET, 0),
             {"clients lost or resumed, 20 % loss", "of 25", BENCH_AT_MOST, 0, NULL}},
    .whole = deliver,
};

static void deliver_bursts(const bench_options *options, const void *variant, bench_result *results)
{
    (void)options;
    (void)variant;
    scene *self = scene_create(50000, 60 * MS);
    results[1].ours = measure(self, &results[0]);
    scene_destroy(self);
}

const bench_group net_bursts = {
    .rows = {LATE("bursts of 60 ms, 5 % of the time", BENCH_NO_TARGET, 0),
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
    run(self, 10 * S);
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
