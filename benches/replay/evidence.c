#include "benches/replay/evidence.h"

#include "benches/replay/bench_recording.h"
#include "core/state_history.h"
#include "sims/skirmish/skirmish.h"
#include "tests/support/link_memory.h"
#include <lockstep/client.h>
#include <lockstep/evidence_limits.h>
#include <lockstep/server.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { UNITS = 2000, TICK_RATE = 20, WARM_TICKS = 200, TICKS = 200, FLIP = 30, HUNTS = 3 };

#define MS UINT64_C(1000000)

/* Two worlds of one match that alternate tick by tick; one of them keeps its state history. */
typedef struct pair {
    ls_recording *recording;
    ls_world *worlds[2];
    ls_state_history *past;
    uint64_t ns[2]; /* time of each world in the current run */
} pair;

static void begin_pair(const bench_recording *recorded, pair *self)
{
    *self = (pair){.recording = bench_recording_open(recorded)};
    const ls_match *match = &ls_recording_get_header(self->recording)->match;
    for (uint32_t i = 0; i < 2; i++)
        LS_ASSERT(ls_world_create(recorded->program, match, &self->worlds[i], NULL) == LS_OK);
    self->past = ls_state_history_create(self->worlds[1],
                                         ls_state_history_ticks(LS_SERVER_EVIDENCE_MS, TICK_RATE),
                                         LS_SERVER_EVIDENCE_BYTES);
    (void)ls_state_history_keep(self->past, NULL, LS_STATE_HISTORY_NONE);
}

static void end_pair(pair *self)
{
    ls_state_history_destroy(self->past);
    for (uint32_t i = 0; i < 2; i++)
        ls_world_destroy(self->worlds[i]);
    ls_recording_close(self->recording);
}

static void run(pair *self, uint32_t which, const ls_frame *frame)
{
    uint64_t start_ns = bench_thread_ns();
    LS_ASSERT(ls_world_advance(self->worlds[which], frame, NULL, NULL) == LS_OK);
    if (which == 1)
        (void)ls_state_history_keep(self->past, NULL, LS_STATE_HISTORY_NONE);
    else
        (void)ls_world_root(self->worlds[which]);
    self->ns[which] += bench_thread_ns() - start_ns;
}

static void run_ticks(pair *self, uint32_t count)
{
    const ls_recording_tick *tick;
    self->ns[0] = self->ns[1] = 0;
    for (uint32_t i = 0; i < count; i++) {
        LS_ASSERT(ls_recording_next(self->recording, &tick, NULL) == LS_OK && tick);
        run(self, i % 2, &tick->frame);
        run(self, 1 - i % 2, &tick->frame);
    }
}

static void measure_keeping(const bench_options *options, bench_result *results)
{
    bench_recording recorded;
    pair both;
    bench_recording_begin(
        &recorded,
        &(bench_recording_plan){.units = UNITS, .ticks = WARM_TICKS + options->runs * TICKS});
    begin_pair(&recorded, &both);
    run_ticks(&both, WARM_TICKS);
    double *without = ls_alloc(sizeof(double) * options->runs);
    double *parts = ls_alloc(sizeof(double) * options->runs);
    for (uint32_t i = 0; i < options->runs; i++) {
        run_ticks(&both, TICKS);
        without[i] = (double)both.ns[0] / 1000 / TICKS;
        parts[i] = 100 * ((double)both.ns[1] / (double)both.ns[0] - 1);
    }
    results[0].ours = bench_median(parts, options->runs);
    snprintf(results[0].note, sizeof results[0].note, "a tick without it: %.0f us",
             bench_median(without, options->runs));
    results[1].ours = (double)ls_state_history_bytes(both.past) / (1 << 20);
    snprintf(results[1].note, sizeof results[1].note, "%u ticks a second", TICK_RATE);
    ls_free(parts);
    ls_free(without);
    end_pair(&both);
    bench_recording_end(&recorded);
}

/* A server and a client in real time, with a round trip of 100 ms. The client's world is corrupted
 * on purpose. */
typedef struct hunt {
    ls_program *program;
    ls_identity identity;
    uint64_t now_ns;
    ls_network *network;
    ls_link *listener, *link;
    ls_server *server;
    ls_client *client;
    double cell_ms; /* the server's time to find the cell; NAN: not found yet */
} hunt;

static void receive_log(void *context, const char *line)
{
    hunt *self = context;
    const char *ms = strstr(line, " ms=");
    unsigned long taken;
    if (strncmp(line, "desync_cell ", 12) == 0 && ms && sscanf(ms, " ms=%lu", &taken) == 1)
        self->cell_ms = (double)taken;
}

static void open_server(hunt *self)
{
    ls_server_config config = ls_server_config_default();
    config.program = self->program;
    config.link = self->listener;
    config.identity = &self->identity;
    config.log = receive_log;
    config.log_context = self;
    config.unix_s = 1700000000;
    LS_ASSERT(ls_server_create(&config, &self->server, NULL) == LS_OK);
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(self->program, 5);
    room.match.player_count = 8;
    room.match.tick_rate = TICK_RATE;
    room.match.options[0] = UNITS;
    LS_ASSERT(ls_server_open_room(self->server, &room, NULL, NULL) == LS_OK);
}

static void begin_hunt(hunt *self, uint64_t pick)
{
    static const ls_impairment_conditions line = {.delay_ns = 50 * MS};
    *self = (hunt){.now_ns = bench_now_ns(), .cell_ms = NAN};
    LS_ASSERT(ls_program_create(&ls_skirmish_sim, &self->program, NULL) == LS_OK);
    ls_identity_init(&self->identity, NULL);
    self->network = ls_network_create(pick, &line);
    ls_network_use_clock(self->network, &self->now_ns);
    self->listener = ls_network_listen(self->network, 8);
    open_server(self);
    self->link = ls_network_open(self->network);
    ls_client_config config = ls_client_config_default();
    config.program = self->program;
    config.link = self->link;
    config.unix_s = 1700000000;
    config.is_bot = true;
    config.corrupt_at = FLIP;
    config.corrupt_pick = pick;
    LS_ASSERT(ls_client_create(&config, &self->client, NULL) == LS_OK);
}

static void end_hunt(hunt *self)
{
    ls_client_destroy(self->client);
    ls_link_destroy(self->link);
    ls_server_destroy(self->server);
    ls_link_destroy(self->listener);
    ls_network_destroy(self->network);
    ls_identity_reset(&self->identity);
    ls_program_destroy(self->program);
}

static double find_cell(uint64_t pick)
{
    hunt self;
    begin_hunt(&self, pick);
    uint64_t until_ns = self.now_ns + 10000 * MS;
    while (isnan(self.cell_ms) && self.now_ns < until_ns) {
        (void)ls_server_step(self.server, self.now_ns);
        (void)ls_client_step(self.client, self.now_ns);
        nanosleep(&(struct timespec){.tv_nsec = (long)(MS / 4)}, NULL);
        self.now_ns = bench_now_ns();
    }
    end_hunt(&self);
    return self.cell_ms;
}

static void measure(const bench_options *options, const void *variant, bench_result *results)
{
    (void)variant;
    double ms[HUNTS];
    measure_keeping(options, results);
    for (uint32_t i = 0; i < HUNTS; i++)
        ms[i] = find_cell(1 + i);
    results[2].ours = bench_median(ms, HUNTS);
    strcpy(results[2].note, "round trip: 100 ms");
}

const bench_group evidence_group = {
    .rows = {{"evidence of 2,000 units, of tick time", "%", BENCH_AT_MOST, 5, NULL},
             {"memory of a second of it", "MiB", BENCH_NO_TARGET, 0, NULL},
             {"from a desync to its cell", "ms", BENCH_AT_MOST, 1000, NULL}},
    .whole = measure,
};
