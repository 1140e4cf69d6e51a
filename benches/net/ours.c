/* The way of our server: rooms of up to 64 players, all of them connected. In each room eight
 * players give orders each tick. */
#include "benches/bench.h"
#include "benches/net/host.h"
#include "benches/net/plain_sim.h"

enum { ORDERING = 8 };

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
