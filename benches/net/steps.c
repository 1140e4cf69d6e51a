/* Our server and bare ENet with their peers in one process and one thread, by a clock that the
 * bench sets: no side waits or wakes. These rows are for counting instructions, because their
 * number depends on nothing else that the machine does: valgrind sees net_steps_ours() and
 * net_steps_enet() alone (docs/network-performance.md). */
#include "benches/bench.h"
#include "benches/net/groups.h"
#include "benches/net/host.h"
#include "benches/net/plain_sim.h"

#include <enet/enet.h>
#include <lockstep/base.h>
#include <lockstep/link_enet.h>
#include <lockstep/packet.h>

#include <stdio.h>

enum { TICKS = 10, WARM_TICKS = 60, ORDERING = 8, TIMEOUT_MS = 600000 };
enum { STEPS_MAX = 16 };
enum { HALVES = 2 }; /* A server wakes twice a tick, and half of its peers send before each wake. */

typedef struct side_ours {
    uint64_t now_ns;
    net_board board;
    net_host *host;
} side_ours;

typedef struct side_enet {
    uint64_t now_ns;
    uint32_t peers;
    net_payload sizes;
    ENetHost *host, **hosts;
    ENetPeer **ends;
} side_enet;

/* Not static: valgrind finds them by name. */
void net_steps_ours(ls_server *server, uint64_t now_ns);
void net_steps_enet(ENetHost *host, uint32_t bytes);

static void step_ours(ls_server *server, uint64_t now_ns)
{
    /* As `lockstep serve` does while the socket holds more than one step can take. */
    for (uint32_t i = 0; i < STEPS_MAX; i++) {
        (void)ls_server_step(server, now_ns);
        if (ls_server_step_interval_ns(server) != 0)
            return;
    }
}

__attribute__((noinline)) void net_steps_ours(ls_server *server, uint64_t now_ns)
{
    step_ours(server, now_ns);
}

static void receive_enet(ENetHost *host)
{
    ENetEvent event;
    while (enet_host_service(host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            enet_peer_timeout(event.peer, 1u << 20, TIMEOUT_MS, TIMEOUT_MS);
            enet_peer_throttle_configure(event.peer, 5000, ENET_PEER_PACKET_THROTTLE_SCALE, 0);
        } else if (event.type == ENET_EVENT_TYPE_RECEIVE)
            enet_packet_destroy(event.packet);
    }
}

/* Receives, and broadcasts unless `bytes` is 0. */
__attribute__((noinline)) void net_steps_enet(ENetHost *host, uint32_t bytes)
{
    static const uint8_t data[NET_PAYLOAD_MAX];
    receive_enet(host);
    if (!bytes)
        return;
    ENetPacket *packet = enet_packet_create(data, bytes, ENET_PACKET_FLAG_UNSEQUENCED);
    LS_ASSERT(packet);
    enet_host_broadcast(host, 0, packet);
    enet_host_flush(host);
}

static uint64_t half_ns(void)
{
    return LS_SECOND_NS / net_tick_rate / HALVES;
}

/* Runs `ticks` ticks without a measurement. */
static void warm_ours(side_ours *self, uint32_t ticks)
{
    for (uint32_t i = 0; i < HALVES * ticks; i++) {
        net_cheap_clients_visit(&self->board, i % HALVES, HALVES);
        self->now_ns += half_ns();
        step_ours(self->host->server, self->now_ns);
    }
}

/* Returns the CPU time of the server in TICKS. */
static uint64_t run_ours(side_ours *self)
{
    uint64_t spent_ns = 0;
    for (uint32_t i = 0; i < HALVES * TICKS; i++) {
        net_cheap_clients_visit(&self->board, i % HALVES, HALVES);
        self->now_ns += half_ns();
        uint64_t begun_ns = bench_thread_ns();
        net_steps_ours(self->host->server, self->now_ns);
        spent_ns += bench_thread_ns() - begun_ns;
    }
    return spent_ns;
}

static bool begin_ours(side_ours *self, uint32_t peers, net_payload *sizes)
{
    uint32_t rooms = (peers + LS_PLAYERS_MAX - 1) / LS_PLAYERS_MAX;
    while (peers % rooms != 0)
        rooms++;
    const net_host_config config = {.sim = &plain_sim,
                                    .rooms = rooms,
                                    .tick_rate = net_tick_rate,
                                    .players = peers / rooms,
                                    .ordering = ORDERING};
    net_cheap_clients clients;
    self->now_ns = LS_SECOND_NS;
    self->host = net_host_open(&config, &clients);
    net_cheap_clients_open(&clients, ls_link_enet_port(self->host->link), &self->now_ns,
                           &self->board);
    uint64_t until_ns = self->now_ns + NET_GATHER_S * LS_SECOND_NS;
    while (!net_host_is_ready(self->host) && self->now_ns < until_ns) {
        net_cheap_clients_visit(&self->board, 0, 1);
        self->now_ns += half_ns();
        step_ours(self->host->server, self->now_ns);
    }
    warm_ours(self, WARM_TICKS);
    ls_server_stats before = ls_server_get_stats(self->host->server);
    warm_ours(self, TICKS);
    ls_server_stats after = ls_server_get_stats(self->host->server);
    uint64_t sent = after.packets_sent - before.packets_sent;
    uint64_t received = after.packets_received - before.packets_received;
    LS_ASSERT(sent && received);
    *sizes = (net_payload){(uint32_t)((after.bytes_sent - before.bytes_sent) / sent),
                           (uint32_t)((after.bytes_received - before.bytes_received) / received)};
    /* The rooms close their ticks at different moments, so a room may close one tick more or less
     * in the same time. */
    uint64_t all = (uint64_t)TICKS * peers, off = peers;
    return sent + off >= all && sent <= all + off && received + off >= all && received <= all + off;
}

static void end_ours(side_ours *self)
{
    net_cheap_clients_close(&self->board);
    net_host_close(self->host);
}

static void send_input(ENetHost *host, ENetPeer *peer, uint32_t bytes)
{
    static const uint8_t data[NET_PAYLOAD_MAX];
    receive_enet(host);
    if (peer->state != ENET_PEER_STATE_CONNECTED)
        return;
    ENetPacket *packet = enet_packet_create(data, bytes, ENET_PACKET_FLAG_UNSEQUENCED);
    LS_ASSERT(packet && enet_peer_send(peer, 0, packet) == 0);
    enet_host_flush(host);
}

static void send_inputs(const side_enet *self, uint32_t half)
{
    uint32_t end = self->peers * (half + 1) / HALVES;
    for (uint32_t peer = self->peers * half / HALVES; peer < end; peer++)
        send_input(self->hosts[peer], self->ends[peer], self->sizes.up_bytes);
}

static void advance_enet(side_enet *self)
{
    self->now_ns += half_ns();
    enet_time_set((enet_uint32)(self->now_ns / 1000000));
}

static void warm_enet(side_enet *self, uint32_t ticks)
{
    for (uint32_t i = 0; i < HALVES * ticks; i++) {
        send_inputs(self, i % HALVES);
        advance_enet(self);
        receive_enet(self->host);
    }
}

static uint64_t run_enet(side_enet *self)
{
    uint64_t spent_ns = 0;
    for (uint32_t i = 0; i < HALVES * TICKS; i++) {
        send_inputs(self, i % HALVES);
        advance_enet(self);
        uint64_t begun_ns = bench_thread_ns();
        net_steps_enet(self->host, i % HALVES ? self->sizes.down_bytes : 0);
        spent_ns += bench_thread_ns() - begun_ns;
    }
    return spent_ns;
}

static void begin_enet(side_enet *self, uint32_t peers, net_payload sizes)
{
    ENetAddress own = {.port = ENET_PORT_ANY};
    LS_ASSERT(enet_initialize() == 0 && enet_address_set_host_ip(&own, "127.0.0.1") == 0);
    *self = (side_enet){.peers = peers, .sizes = sizes};
    self->host = enet_host_create(&own, peers, 1, 0, 0);
    LS_ASSERT(self->host && enet_socket_get_address(self->host->socket, &own) == 0);
    net_enlarge(self->host->socket);
    enet_address_set_host_ip(&own, "127.0.0.1");
    self->hosts = ls_alloc(peers * sizeof *self->hosts);
    self->ends = ls_alloc(peers * sizeof *self->ends);
    for (uint32_t i = 0; i < peers; i++) {
        self->hosts[i] = enet_host_create(NULL, 1, 1, 0, 0);
        LS_ASSERT(self->hosts[i]);
        self->ends[i] = enet_host_connect(self->hosts[i], &own, 1, 0);
        LS_ASSERT(self->ends[i]);
    }
    warm_enet(self, WARM_TICKS);
    LS_ASSERT(self->host->connectedPeers == peers);
}

static void end_enet(side_enet *self)
{
    for (uint32_t i = 0; i < self->peers; i++)
        enet_host_destroy(self->hosts[i]);
    enet_host_destroy(self->host);
    enet_deinitialize();
    ls_free(self->hosts);
    ls_free(self->ends);
}

static void measure(const bench_options *options, const void *variant, bench_result *result)
{
    uint32_t peers = *(const uint32_t *)variant;
    double *figures = ls_alloc(2 * options->runs * sizeof *figures);
    side_ours ours;
    side_enet bare;
    net_payload sizes;
    bool is_steady = begin_ours(&ours, peers, &sizes);
    begin_enet(&bare, peers, sizes);
    for (uint32_t run = 0; run < options->runs; run++) {
        figures[run] = (double)run_ours(&ours) / TICKS / peers;
        figures[options->runs + run] = (double)run_enet(&bare) / TICKS / peers;
    }
    result->ours = bench_median(figures, options->runs);
    result->bare = bench_median(figures + options->runs, options->runs);
    snprintf(result->note, sizeof result->note, "%u bytes down, %u up, %u ticks of each%s",
             sizes.down_bytes, sizes.up_bytes, TICKS * options->runs,
             is_steady ? "" : "; not one packet a tick and peer");
    end_enet(&bare);
    end_ours(&ours);
    ls_free(figures);
}

#define GROUP(name_, peers_)                                                                       \
    {                                                                                              \
        .rows = {{"ours / ENet, steps alone, " name_, "ns", BENCH_NO_TARGET, 0, NULL}},            \
        .variant = &(const uint32_t){peers_}, .whole = measure,                                    \
    }
const bench_group net_steps_64 = GROUP("64 peers", 64), net_steps_512 = GROUP("512 peers", 512),
                  net_steps_2000 = GROUP("2000 peers", 2000);
