/* Measures spectators: the CPU time of the serving thread for a match without players and with many
 * spectators. */
#include "benches/net/groups.h"
#include "benches/net/host.h"
#include "benches/net/plain_sim.h"

#include <stdio.h>

enum { WATCHERS = 500, RATE = 20, TICKS = 40 };

static void watch(const bench_options *options, const void *variant, bench_result *results)
{
    (void)variant;
    uint32_t usual = net_tick_rate;
    net_tick_rate = RATE;
    net_host *host = net_host_begin(
        &(net_host_config){.sim = &plain_sim, .rooms = 1, .tick_rate = RATE, .watchers = WATCHERS});
    double *figures = ls_alloc(sizeof(double) * options->runs);
    ls_server_stats before = ls_server_get_stats(host->server);
    for (uint32_t run = 0; run < options->runs; run++)
        figures[run] = net_measure(&net_ours, host, &host->crowd, TICKS).ns;
    ls_server_stats after = ls_server_get_stats(host->server);
    double measured = (double)options->runs * (TICKS + 4);
    results[0].ours = bench_median(figures, options->runs) * WATCHERS * RATE / 1e7;
    snprintf(results[0].note, sizeof results[0].note,
             "%u of %u in; a tick: %.0f packets sent, %.0f received", host->crowd.inside, WATCHERS,
             (double)(after.packets_sent - before.packets_sent) / measured,
             (double)(after.packets_received - before.packets_received) / measured);
    ls_free(figures);
    net_host_end(host);
    net_tick_rate = usual;
}

const bench_group net_watch = {
    .rows = {{"500 spectators of one match, 20 Hz", "% of a core", BENCH_NO_TARGET, 0, NULL}},
    .whole = watch,
};
