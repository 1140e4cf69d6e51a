/* Measures our server: rooms of up to 64 players, all of them connected. In each room eight
 * players give orders each tick. */
#include "benches/bench.h"
#include "benches/net/host.h"
#include "benches/net/plain_sim.h"

enum { ORDERING = 8, PILOTS = 3 };

static void *begin(uint32_t peers)
{
    uint32_t rooms = (peers + LS_PLAYERS_MAX - 1) / LS_PLAYERS_MAX;
    while (peers % rooms != 0)
        rooms++;
    return net_host_begin(&(net_host_config){.sim = &plain_sim,
                                             .rooms = rooms,
                                             .tick_rate = net_tick_rate,
                                             .players = peers / rooms,
                                             .ordering = ORDERING});
}

static uint32_t receive_until(void *state, uint64_t until_ns)
{
    net_host *host = state;
    uint64_t before = ls_server_get_stats(host->server).packets_received;
    /* The server has rested while another way (UDP or ENet) was measured: its clock must not count
     * that time. */
    if (bench_now_ns() > host->left_ns + UINT64_C(1000000000) / net_tick_rate)
        net_host_resume(host);
    net_host_run_until(host, until_ns);
    return (uint32_t)(ls_server_get_stats(host->server).packets_received - before);
}

/* Does nothing: the server broadcasts by its own schedule. */
static void broadcast(void *state, const uint8_t *data)
{
    (void)state;
    (void)data;
}

static void end(void *state)
{
    net_host_end(state);
}

const net_way net_ours = {"ours", begin, receive_until, broadcast, end};

void net_size_payload(net_host *host, uint32_t ticks)
{
    net_sizes = (net_payload){.down_bytes = NET_PAYLOAD_MAX, .up_bytes = NET_PAYLOAD_MAX};
    for (uint32_t i = 0; i < PILOTS; i++) {
        ls_server_stats before = ls_server_get_stats(host->server);
        (void)net_measure(&net_ours, host, &host->crowd, ticks);
        ls_server_stats after = ls_server_get_stats(host->server);
        uint64_t down =
            (after.bytes_sent - before.bytes_sent) / (after.packets_sent - before.packets_sent + 1);
        uint64_t up = (after.bytes_received - before.bytes_received) /
                      (after.packets_received - before.packets_received + 1);
        if (down < net_sizes.down_bytes)
            net_sizes = (net_payload){.down_bytes = (uint32_t)down, .up_bytes = (uint32_t)up};
    }
}
