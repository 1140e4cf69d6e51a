/* Measures many small matches in one process: its CPU time including the simulation, without the
 * clients. Only a quarter of the rooms runs, and the result is multiplied by four. The 1,600
 * clients of all rooms would need more CPU than the server leaves. */
#include "benches/net/groups.h"
#include "benches/net/host.h"

#include "sims/skirmish/skirmish.h"

#include <stdio.h>

#define NS_PER_S UINT64_C(1000000000)

enum { ROOMS = 50, SHARE = 4, PLAYERS = 8, UNITS = 200, RATE = 20, WARM_S = 3, SECONDS = 10 };

static uint64_t skipped(const net_host *host)
{
    uint64_t count = 0;
    ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(host->server, i)) != NULL; i++)
        count += ls_room_get_stats(room).ticks_skipped;
    return count;
}

static void serve(const bench_options *options, const void *variant, bench_result *results)
{
    (void)options;
    (void)variant;
    net_host *host = net_host_begin(&(net_host_config){.sim = &ls_skirmish_sim,
                                                       .rooms = ROOMS,
                                                       .players = PLAYERS,
                                                       .tick_rate = RATE,
                                                       .option = "units",
                                                       .value = UNITS,
                                                       .threads = 1,
                                                       .is_patient = true});
    if (!net_crowd_is_whole(&host->crowd)) {
        snprintf(results[0].note, sizeof results[0].note, "only %u of %u clients in after %d s",
                 host->crowd.inside, host->peers, NET_GATHER_S);
        net_host_end(host);
        return;
    }
    atomic_store(&host->crowd.board->is_running, true);
    net_host_resume(host);
    net_host_run_until(host, bench_now_ns() + WARM_S * NS_PER_S);
    uint64_t skipped_before = skipped(host), cpu_ns = bench_process_ns();
    uint64_t begun_ns = net_host_now_ns(host);
    ls_server_stats before = ls_server_get_stats(host->server);
    while (net_host_now_ns(host) < begun_ns + SECONDS * NS_PER_S)
        net_host_run_until(host, bench_now_ns() + NS_PER_S / 10);
    cpu_ns = bench_process_ns() - cpu_ns;
    uint64_t wall_ns = net_host_now_ns(host) - begun_ns;
    ls_server_stats after = ls_server_get_stats(host->server);
    results[0].ours = SHARE * 100.0 * (double)cpu_ns / (double)wall_ns;
    snprintf(results[0].note, sizeof results[0].note,
             "measured with a quarter of them: %.0f packets/s, %llu of %u ticks skipped",
             (double)(after.packets_sent - before.packets_sent) / SECONDS,
             (unsigned long long)(skipped(host) - skipped_before), ROOMS * RATE * SECONDS);
    net_host_end(host);
}

const bench_group net_rooms = {
    .rows = {{"200 rooms of 8 players, 20 Hz, 200 units", "% of a core", BENCH_AT_MOST, 80, NULL}},
    .whole = serve,
};
