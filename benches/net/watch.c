/* Measures spectators: the CPU time of the serving thread for a match without players and with many
 * spectators, and the CPU time of bare ENet with the same traffic. A spectator gets a packet every
 * two ticks and sends about as many, so ENet runs at half the tick rate. */
#include "benches/net/groups.h"
#include "benches/net/host.h"
#include "benches/net/plain_sim.h"

#include <stdio.h>

enum { WATCHERS = 500, RATE = 20, TICKS = 40 };
enum { ENET_RATE = RATE / 2, ENET_TICKS = TICKS / 2 };

typedef struct crowds {
    net_host *host;
    void *enet;
    double *ours, *bare; /* % of a core */
} crowds;

/* Returns how much of a core the way needs at `rate` ticks a second, in %. */
static double percent_of_core(const net_way *way, void *state, uint32_t rate, uint32_t ticks)
{
    net_tick_rate = rate;
    return net_measure(way, state, net_crowd_of(state), ticks).ns * WATCHERS * rate / 1e7;
}

static void measure_all(crowds *self, uint32_t runs, bench_result *result)
{
    ls_server_stats before = ls_server_get_stats(self->host->server);
    for (uint32_t run = 0; run < runs; run++) {
        self->ours[run] = percent_of_core(&net_ours, self->host, RATE, TICKS);
        self->bare[run] = percent_of_core(&net_enet, self->enet, ENET_RATE, ENET_TICKS);
    }
    ls_server_stats after = ls_server_get_stats(self->host->server);
    double measured = (double)runs * (TICKS + 4);
    result->ours = bench_median(self->ours, runs);
    if (net_crowd_is_whole(net_crowd_of(self->enet)))
        result->bare = bench_median(self->bare, runs);
    snprintf(result->note, sizeof result->note,
             "%u of %u in; a tick: %.0f packets sent, %.0f received", self->host->crowd.inside,
             WATCHERS, (double)(after.packets_sent - before.packets_sent) / measured,
             (double)(after.packets_received - before.packets_received) / measured);
}

static void watch(const bench_options *options, const void *variant, bench_result *results)
{
    (void)variant;
    uint32_t usual = net_tick_rate;
    net_tick_rate = RATE;
    crowds self = {.ours = ls_alloc(sizeof(double) * options->runs),
                   .bare = ls_alloc(sizeof(double) * options->runs)};
    self.host = net_host_begin(
        &(net_host_config){.sim = &plain_sim, .rooms = 1, .tick_rate = RATE, .watchers = WATCHERS});
    net_size_payload(self.host, TICKS);
    net_tick_rate = ENET_RATE;
    self.enet = net_enet.begin(WATCHERS);
    measure_all(&self, options->runs, &results[0]);
    net_enet.end(self.enet);
    net_host_end(self.host);
    ls_free(self.bare);
    ls_free(self.ours);
    net_tick_rate = usual;
}

const bench_group net_watch = {
    .rows = {{"500 spectators of one match, 20 Hz", "% of a core", BENCH_RATIO_AT_MOST, 1.2, NULL}},
    .whole = watch,
};
