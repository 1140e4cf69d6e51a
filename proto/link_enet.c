/* ENet as a carrier. The rules that keep its traps shut are named where they are applied:
 *   - it is never asked to wait, and its clock is set from the caller's before every call, so steps
 *     of the wall clock neither disconnect nor block;
 *   - its service call may return 0 with datagrams waiting (after an empty one, or after 256) and
 * -1 for a single bad datagram: a round goes on until the socket is empty or the budget is used;
 *   - no packet of ours is ever fragmented, none is sent unreliable in ENet's sense;
 *   - its timeouts and its throttle are switched off: who owns the session has better ones. */
#include "proto/link_enet.h"

#include <enet/enet.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <linux/filter.h>
#endif

/* A round's work: one for each event and each datagram, more for a service call that brings no
 * event (system calls, a walk over all peers); some 4 ms when all of it is hostile. */
#define ROUND_BUDGET   8192
#define FRUITLESS_WORK 8
/* Reliable packets waiting for one peer; more means that it does not answer. */
#define CONTROL_QUEUE_MAX 256
#define BUFFER_BYTES      (4 << 20)
#define NS_IN_MS          1000000

enum { DISCONNECT_MINIMUM_MS = 1000, DISCONNECT_MAXIMUM_MS = 3000 };

/* What the owner knows of the ENet peer in the same slot. */
enum { SLOT_CLOSED = 0, SLOT_CONNECTING, SLOT_OPEN };
typedef struct enet_slot {
    uint16_t generation;
    uint8_t state;
} enet_slot;

typedef struct enet_link {
    ls_link link;
    ENetHost *host;
    ENetPacket *delivered; /* what the last event views */
    ls_link_stats stats;
    bool has_more;           /* the last round ended by its budget */
    uint32_t work;           /* done in this round */
    uint32_t datagrams_seen; /* of host->totalReceivedPackets */
    uint32_t slot_count;
    enet_slot slots[];
} enet_link;

static enet_link *cast(ls_link *link)
{
    return (enet_link *)link;
}

static const enet_link *cast_const(const ls_link *link)
{
    return (const enet_link *)link;
}

/* Process-global in ENet, which is why all links of a process must be given one clock. */
static void set_time(uint64_t now_ns)
{
    enet_time_set((enet_uint32)(now_ns / NS_IN_MS));
}

static ls_peer id_of(const enet_link *self, uint32_t slot)
{
    return (uint32_t)self->slots[slot].generation << 16 | slot;
}

/* The ENet peer of an id, NULL when the id names nothing (any more). */
static ENetPeer *find_peer(const enet_link *self, ls_peer peer)
{
    uint32_t slot = ls_peer_slot(peer);
    if (slot >= self->slot_count || self->slots[slot].state != SLOT_OPEN ||
        id_of(self, slot) != peer)
        return NULL;
    return &self->host->peers[slot];
}

static uint32_t packet_bytes_max(uint8_t channel)
{
    return channel == LS_CHANNEL_CONTROL ? LS_CONTROL_BYTES_MAX : LS_PACKET_BYTES_MAX;
}

static bool control_queue_is_full(ENetPeer *peer)
{
    return enet_list_size(&peer->outgoingCommands) + enet_list_size(&peer->sentReliableCommands) >=
           CONTROL_QUEUE_MAX;
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    enet_link *self = cast(link);
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    if (packet->bytes == 0 || packet->bytes > packet_bytes_max(packet->channel))
        return LS_ERROR_LIMIT;
    ENetPeer *target = find_peer(self, peer);
    if (!target)
        return LS_ERROR_NOT_FOUND;
    bool is_control = packet->channel == LS_CHANNEL_CONTROL;
    if (is_control && control_queue_is_full(target)) {
        self->stats.sends_failed++;
        return LS_ERROR_LIMIT;
    }
    ENetPacket *copy =
        enet_packet_create(packet->data, packet->bytes,
                           is_control ? ENET_PACKET_FLAG_RELIABLE : ENET_PACKET_FLAG_UNSEQUENCED);
    if (copy && enet_peer_send(target, packet->channel, copy) == 0)
        return LS_OK;
    /* A failed send leaves the packet to us. */
    if (copy && copy->referenceCount == 0)
        enet_packet_destroy(copy);
    self->stats.sends_failed++;
    return LS_ERROR_LIMIT;
}

static void configure_peer(ENetPeer *peer)
{
    /* Pings are reliable packets, so loss alone would disconnect a peer whose data flows. */
    enet_peer_timeout(peer, 1u << 20, 600000, 600000);
    /* The throttle would drop unreliable packets at the sender after a step of the round trip. */
    enet_peer_throttle_configure(peer, 5000, ENET_PEER_PACKET_THROTTLE_SCALE, 0);
    /* A peer that asked for less would have our packets cut into reliable fragments. */
    peer->mtu = LS_MTU_BYTES;
}

static bool translate_message(enet_link *self, const ENetEvent *from, ls_link_event *event)
{
    uint32_t slot = (uint32_t)(from->peer - self->host->peers);
    bool is_fit = from->channelID < LS_CHANNEL_COUNT && from->packet->dataLength > 0 &&
                  from->packet->dataLength <= packet_bytes_max(from->channelID);
    if (!is_fit || self->slots[slot].state != SLOT_OPEN) {
        self->stats.packets_refused += !is_fit;
        enet_packet_destroy(from->packet);
        return false;
    }
    self->delivered = from->packet;
    *event = (ls_link_event){.kind = LS_LINK_MESSAGE,
                             .peer = id_of(self, slot),
                             .packet = {.channel = from->channelID,
                                        .bytes = (uint32_t)from->packet->dataLength,
                                        .data = from->packet->data}};
    return true;
}

/* The id names nothing from now on. */
static void close_slot(enet_link *self, uint32_t slot)
{
    self->slots[slot].state = SLOT_CLOSED;
    self->slots[slot].generation++;
}

static bool translate_disconnect(enet_link *self, uint32_t slot, ls_link_event *event)
{
    bool is_news = self->slots[slot].state != SLOT_CLOSED;
    *event = (ls_link_event){.kind = LS_LINK_DISCONNECTED, .peer = id_of(self, slot)};
    close_slot(self, slot);
    return is_news;
}

/* False for what the owner need not know. */
static bool translate(enet_link *self, const ENetEvent *from, ls_link_event *event)
{
    uint32_t slot = (uint32_t)(from->peer - self->host->peers);
    switch (from->type) {
    case ENET_EVENT_TYPE_CONNECT:
        configure_peer(from->peer);
        self->slots[slot].state = SLOT_OPEN;
        *event = (ls_link_event){.kind = LS_LINK_CONNECTED, .peer = id_of(self, slot)};
        return true;
    case ENET_EVENT_TYPE_DISCONNECT:
        return translate_disconnect(self, slot, event);
    case ENET_EVENT_TYPE_RECEIVE:
        return translate_message(self, from, event);
    case ENET_EVENT_TYPE_NONE:
    default:
        return false;
    }
}

static bool socket_is_readable(const enet_link *self, uint32_t timeout_ms)
{
    struct pollfd wanted = {.fd = self->host->socket, .events = POLLIN};
    int timeout = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
    return poll(&wanted, 1, timeout) > 0;
}

static void count_work(enet_link *self, bool has_event)
{
    uint32_t datagrams = self->host->totalReceivedPackets;
    self->work += (has_event ? 1 : FRUITLESS_WORK) + (datagrams - self->datagrams_seen);
    self->datagrams_seen = datagrams;
}

/* One service call; false when there is nothing more to do. */
static bool service(enet_link *self, ENetEvent *event)
{
    event->type = ENET_EVENT_TYPE_NONE;
    int result = enet_host_service(self->host, event, 0);
    count_work(self, result > 0);
    if (result < 0)
        self->stats.receive_errors++;
    if (result > 0 || socket_is_readable(self, 0))
        return true;
    /* An error abandons the pass with events already queued. */
    return result < 0 && enet_host_check_events(self->host, event) > 0;
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    enet_link *self = cast(link);
    if (self->delivered)
        enet_packet_destroy(self->delivered);
    self->delivered = NULL;
    self->has_more = false;
    set_time(now_ns);
    while (self->work < ROUND_BUDGET) {
        ENetEvent from;
        if (!service(self, &from)) {
            self->work = 0;
            return false;
        }
        if (translate(self, &from, event))
            return true;
    }
    self->stats.rounds_exhausted++;
    self->has_more = true;
    self->work = 0;
    return false;
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    set_time(now_ns);
    enet_host_flush(cast(link)->host);
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    enet_link *self = cast(link);
    ENetPeer *target = find_peer(self, peer);
    if (!target)
        return;
    /* Without a patience of seconds a vanished peer would keep its slot for ten minutes. */
    enet_peer_timeout(target, 8, DISCONNECT_MINIMUM_MS, DISCONNECT_MAXIMUM_MS);
    enet_peer_disconnect_later(target, 0);
    close_slot(self, ls_peer_slot(peer));
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    const enet_link *self = cast(link);
    return self->has_more || socket_is_readable(self, timeout_ms);
}

static void link_address(const ls_link *link, ls_peer peer, char text[LS_ADDRESS_TEXT_BYTES])
{
    const ENetPeer *target = find_peer(cast_const(link), peer);
    if (!target) {
        snprintf(text, LS_ADDRESS_TEXT_BYTES, "gone");
        return;
    }
    char host[INET_ADDRSTRLEN] = "?";
    inet_ntop(AF_INET, &target->address.host, host, sizeof host);
    snprintf(text, LS_ADDRESS_TEXT_BYTES, "%s:%u", host, target->address.port);
}

static ls_link_stats link_stats(const ls_link *link)
{
    return cast_const(link)->stats;
}

static void link_destroy(ls_link *link)
{
    enet_link *self = cast(link);
    if (self->delivered)
        enet_packet_destroy(self->delivered);
    /* What was sent before leaves first; the disconnect is one datagram that may be lost. */
    enet_host_flush(self->host);
    for (uint32_t slot = 0; slot < self->slot_count; slot++)
        if (self->slots[slot].state != SLOT_CLOSED)
            enet_peer_disconnect_now(&self->host->peers[slot], 0);
    enet_host_destroy(self->host);
    ls_free(self);
}

static const ls_link_vtable enet_vtable = {
    .send = link_send,
    .poll = link_poll,
    .flush = link_flush,
    .disconnect = link_disconnect,
    .wait = link_wait,
    .address = link_address,
    .stats = link_stats,
    .destroy = link_destroy,
};

/* Drops in the kernel what no ENet of ours sends: a payload under 2 bytes (an empty one ends ENet's
 * receive loop) or over 1300, and source port 0. Offsets are from the UDP header. Systems without
 * it do the same work in link_poll. */
static void attach_filter(ENetSocket socket)
{
#ifdef SO_ATTACH_FILTER
    enum { UDP_BYTES = 8, PAYLOAD_MIN = 2, PAYLOAD_MAX = 1300 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0), /* source port */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, UDP_BYTES + PAYLOAD_MIN, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, UDP_BYTES + PAYLOAD_MAX, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {.len = LS_COUNT_OF(code), .filter = code};
    setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
#else
    (void)socket;
#endif
}

static uint32_t buffer_bytes(ENetSocket socket, int option)
{
    int value = 0;
    socklen_t bytes = sizeof value;
    getsockopt(socket, SOL_SOCKET, option, &value, &bytes);
    return value > 0 ? (uint32_t)value : 0;
}

static ls_link *wrap(ENetHost *host, const ls_link_enet_config *config)
{
    enet_link *self = ls_alloc(sizeof *self + config->peers_max * sizeof self->slots[0]);
    self->link.vtable = &enet_vtable;
    self->host = host;
    self->slot_count = config->peers_max;
    host->mtu = LS_MTU_BYTES;
    host->maximumPacketSize = 8192;
    host->maximumWaitingData = 262144;
    host->duplicatePeers = config->peers_per_address;
    enet_socket_set_option(host->socket, ENET_SOCKOPT_RCVBUF, BUFFER_BYTES);
    enet_socket_set_option(host->socket, ENET_SOCKOPT_SNDBUF, BUFFER_BYTES);
    if (config->filter)
        attach_filter(host->socket);
    return &self->link;
}

ls_link_enet_config ls_link_enet_config_default(void)
{
    return (ls_link_enet_config){
        .port = LS_PORT_DEFAULT, .peers_max = 64, .peers_per_address = 8, .filter = true};
}

ls_status ls_link_enet_listen(const ls_link_enet_config *config, ls_link **link, ls_error *error)
{
    ENetAddress address = {.host = ENET_HOST_ANY, .port = config->port};
    struct in_addr parsed;
    if (config->peers_max < 1 || config->peers_max > LS_LINK_PEERS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u peers: possible are 1 to %d",
                            config->peers_max, LS_LINK_PEERS_MAX);
    if (config->peers_per_address < 1)
        return ls_error_set(error, LS_ERROR_USAGE, "at least one peer per address is needed");
    if (config->address) {
        if (inet_pton(AF_INET, config->address, &parsed) != 1)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "'%s' is not an IPv4 address to listen on, as 0.0.0.0 is",
                                config->address);
        address.host = parsed.s_addr;
    }
    errno = 0;
    ENetHost *host = enet_host_create(&address, config->peers_max, LS_CHANNEL_COUNT, 0, 0);
    if (!host && errno == EADDRINUSE)
        return ls_error_set(error, LS_ERROR_IO,
                            "port %u is taken: another program listens on it; stop that one or "
                            "choose another port",
                            config->port);
    if (!host)
        return ls_error_set(error, LS_ERROR_IO, "cannot listen on port %u: %s", config->port,
                            errno ? strerror(errno) : "no memory or no socket");
    *link = wrap(host, config);
    return LS_OK;
}

ls_status ls_link_enet_connect(const char *host_name, uint16_t port, ls_link **link,
                               ls_error *error)
{
    ENetAddress address = {.port = port};
    if (enet_address_set_host(&address, host_name) != 0)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "no IPv4 address found for '%s'", host_name);
    ls_link_enet_config config = {.peers_max = 1, .peers_per_address = 1, .filter = true};
    errno = 0;
    ENetHost *host = enet_host_create(NULL, 1, LS_CHANNEL_COUNT, 0, 0);
    if (!host)
        return ls_error_set(error, LS_ERROR_IO, "cannot open a socket: %s",
                            errno ? strerror(errno) : "no memory");
    *link = wrap(host, &config);
    if (!enet_host_connect(host, &address, LS_CHANNEL_COUNT, 0)) {
        ls_link_destroy(*link);
        *link = NULL;
        return ls_error_set(error, LS_ERROR_IO, "cannot connect to %s:%u", host_name, port);
    }
    cast(*link)->slots[0].state = SLOT_CONNECTING;
    return LS_OK;
}

uint16_t ls_link_enet_port(const ls_link *link)
{
    LS_ASSERT(link->vtable == &enet_vtable);
    ENetAddress address = {0};
    LS_ASSERT(enet_socket_get_address(cast_const(link)->host->socket, &address) == 0);
    return address.port;
}

ls_link_enet_buffers ls_link_enet_get_buffers(const ls_link *link)
{
    LS_ASSERT(link->vtable == &enet_vtable);
    ENetSocket socket = cast_const(link)->host->socket;
    return (ls_link_enet_buffers){.receive_bytes = buffer_bytes(socket, SO_RCVBUF),
                                  .send_bytes = buffer_bytes(socket, SO_SNDBUF)};
}
