/* Measures bare ENet: unsequenced packets in both directions with as few calls as possible.
 * Timeouts are off, because the pauses between measurements would trigger them. The sender's
 * throttle is off, because it would drop packets. */
#include "benches/net/net.h"

#include "benches/bench.h"
#include <lockstep/base.h>

#include <enet/enet.h>

#include <string.h>

enum {
    TIMEOUT_MS = 600000,
};

typedef struct server {
    net_crowd crowd;
    ENetHost *host;
    uint32_t peers, connected;
} server;

static void settle(ENetPeer *peer)
{
    enet_peer_timeout(peer, 1u << 20, TIMEOUT_MS, TIMEOUT_MS);
    enet_peer_throttle_configure(peer, 5000, ENET_PEER_PACKET_THROTTLE_SCALE, 0);
}

static void serve_client(net_board *board, ENetHost *host)
{
    ENetEvent event;
    uint64_t arrived = 0;
    while (enet_host_service(host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT)
            settle(event.peer);
        if (event.type != ENET_EVENT_TYPE_RECEIVE)
            continue;
        arrived++;
        enet_packet_destroy(event.packet);
    }
    atomic_fetch_add(&board->arrived, arrived);
}

static void send_input(ENetPeer *peer)
{
    static const uint8_t data[NET_PAYLOAD_MAX];
    if (peer->state != ENET_PEER_STATE_CONNECTED)
        return;
    ENetPacket *packet = enet_packet_create(data, net_sizes.up_bytes, ENET_PACKET_FLAG_UNSEQUENCED);
    LS_ASSERT(packet && enet_peer_send(peer, 0, packet) == 0);
}

static void live(net_board *board)
{
    ENetHost *hosts[NET_PEERS_MAX];
    ENetPeer *peers[NET_PEERS_MAX];
    ENetAddress to = {.port = board->port};
    enet_address_set_host_ip(&to, "127.0.0.1");
    for (uint32_t i = 0; i < board->peers; i++) {
        hosts[i] = enet_host_create(NULL, 1, 1, 0, 0);
        LS_ASSERT(hosts[i]);
        net_enlarge(hosts[i]->socket);
        peers[i] = enet_host_connect(hosts[i], &to, 1, 0);
        LS_ASSERT(peers[i]);
    }
    for (;;) {
        uint32_t first, end;
        uint32_t turn = net_crowd_turn(board, net_tick_rate);
        net_crowd_range(board, turn, &first, &end);
        for (uint32_t peer = first; peer < end; peer++) {
            serve_client(board, hosts[peer]);
            send_input(peers[peer]);
            enet_host_flush(hosts[peer]);
        }
    }
}

static uint32_t receive_until(void *state, uint64_t until_ns)
{
    server *self = state;
    uint32_t inputs = 0;
    do {
        ENetEvent event;
        while (enet_host_service(self->host, &event, 0) > 0) {
            if (event.type == ENET_EVENT_TYPE_CONNECT) {
                settle(event.peer);
                self->connected++;
            }
            if (event.type != ENET_EVENT_TYPE_RECEIVE)
                continue;
            LS_ASSERT(event.packet->dataLength == net_sizes.up_bytes);
            enet_packet_destroy(event.packet);
            if (++inputs % NET_BATCH == 0 && bench_now_ns() >= until_ns)
                break;
        }
        net_wait(self->host->socket, until_ns);
    } while (bench_now_ns() < until_ns);
    return inputs;
}

static void broadcast(void *state, const uint8_t *data)
{
    server *self = state;
    ENetPacket *packet =
        enet_packet_create(data, net_sizes.down_bytes, ENET_PACKET_FLAG_UNSEQUENCED);
    LS_ASSERT(packet);
    enet_host_broadcast(self->host, 0, packet);
    enet_host_flush(self->host);
}

static void *begin(uint32_t peers)
{
    server *self = ls_alloc(sizeof *self);
    ENetAddress own = {.port = ENET_PORT_ANY};
    LS_ASSERT(enet_initialize() == 0 && enet_address_set_host_ip(&own, "127.0.0.1") == 0);
    self->peers = peers;
    self->host = enet_host_create(&own, peers, 1, 0, 0);
    LS_ASSERT(self->host && enet_socket_get_address(self->host->socket, &own) == 0);
    net_enlarge(self->host->socket);
    self->crowd = net_crowd_begin(peers, own.port, live);
    net_gather(&net_enet, self, &self->connected);
    return self;
}

static void end(void *state)
{
    server *self = state;
    net_crowd_end(&self->crowd);
    enet_host_destroy(self->host);
    enet_deinitialize();
    ls_free(self);
}

const net_way net_enet = {"ENet", begin, receive_until, broadcast, end};
