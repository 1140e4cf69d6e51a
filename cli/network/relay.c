/* The flows of the relay are in a table of fixed size; a flow is one client and its socket to the
 * server. A waiting packet names its flow by slot and number, because a reused slot has another
 * number. */
#include "cli/network/relay.h"

#include "cli/common/clock.h"
#include "cli/network/delay_queue.h"
#include "cli/network/socket_set.h"
#include "proto/endpoint.h"
#include "proto/host_name.h"
#include "proto/platform_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_BYTES (1 << 20)

enum { LISTENER = LS_RELAY_FLOWS_MAX, SOCKETS, NO_SOCKET = -1 };

struct flow {
    int socket;      /* connected to the server; NO_SOCKET: the slot is free */
    uint32_t number; /* counts flows over the relay's life */
    uint64_t opened_ns, last_ns;
    bool was_rebound;
    ls_address client;
    ls_impairment up, down;
};

/* A packet that waits to be delivered. */
struct waiting {
    ls_delayed delayed;
    uint64_t to; /* destination, from word_of() */
    uint32_t bytes;
    uint8_t data[];
};

struct ls_relay {
    ls_relay_config config;
    ls_address server;
    int listener_family;
    int listener;
    ls_socket_set *sockets; /* those of the flows by slot, and the listener */
    uint8_t ready[SOCKETS];
    uint16_t port;
    uint32_t slots_used; /* all flows are in slots below this */
    uint64_t look_ns;    /* when idle flows are next closed */
    ls_delay_queue queue;
    uint32_t waiting_bytes;
    uint64_t up_free_ns, down_free_ns; /* of the lines that all flows share */
    ls_relay_stats stats;
    struct flow flows[LS_RELAY_FLOWS_MAX];
    uint8_t packet[LS_RELAY_PACKET_BYTES];
};

ls_relay_config ls_relay_config_default(void)
{
    return (ls_relay_config){
        .listen_host = "127.0.0.1", .flows_max = LS_RELAY_FLOWS_MAX, .idle_ns = LS_RELAY_IDLE_NS};
}

/* Packs the destination of a waiting packet into one word. */
static uint64_t word_of(const ls_relay *relay, const struct flow *flow, bool is_down)
{
    return (uint64_t)flow->number << 32 | (uint64_t)(flow - relay->flows) << 1 | is_down;
}

static int family_of(const ls_address *address)
{
    return ls_address_is_ipv4(address) ? AF_INET : AF_INET6;
}

static int open_socket(const ls_address *own)
{
    const ls_socket_config config = {
        .family = family_of(own), .is_dual = true, .own = *own, .buffer_bytes = BUFFER_BYTES};
    return ls_socket_open(&config);
}

/* Opens a watched socket to the server; NO_SOCKET when the system has no more. */
static int open_upstream(const ls_relay *relay, uint32_t slot)
{
    static const ls_address ipv4 = LS_ADDRESS_IPV4(0, 0, 0, 0, 0), ipv6 = {0};
    int family = family_of(&relay->server), opened = open_socket(family == AF_INET ? &ipv4 : &ipv6);
    ls_endpoint server;
    if (opened < 0)
        return NO_SOCKET;
    ls_endpoint_from_address(&relay->server, family, &server);
    if (connect(opened, &server.any, ls_endpoint_bytes(family)) == 0 &&
        ls_socket_set_add(relay->sockets, opened, slot, NULL) == LS_OK)
        return opened;
    ls_socket_close(opened);
    return NO_SOCKET;
}

static void close_upstream(const ls_relay *relay, const struct flow *flow)
{
    ls_socket_set_remove(relay->sockets, flow->socket, (uint32_t)(flow - relay->flows));
    ls_socket_close(flow->socket);
}

static struct flow *find_flow(ls_relay *relay, const ls_address *client)
{
    for (uint32_t i = 0; i < relay->slots_used; i++) {
        struct flow *flow = &relay->flows[i];
        if (flow->socket != NO_SOCKET && memcmp(&flow->client, client, sizeof *client) == 0)
            return flow;
    }
    return NULL;
}

static struct flow *open_flow(ls_relay *relay, const ls_address *client, uint64_t now_ns)
{
    uint32_t slot = 0;
    while (slot < relay->config.flows_max && relay->flows[slot].socket != NO_SOCKET)
        slot++;
    int opened = slot < relay->config.flows_max ? open_upstream(relay, slot) : NO_SOCKET;
    if (opened == NO_SOCKET)
        return NULL;
    if (slot >= relay->slots_used)
        relay->slots_used = slot + 1;
    struct flow *flow = &relay->flows[slot];
    const ls_relay_config *config = &relay->config;
    uint32_t number = (uint32_t)relay->stats.flows_opened++;
    *flow =
        (struct flow){.socket = opened, .number = number, .opened_ns = now_ns, .client = *client};
    ls_impairment_init(&flow->up, &config->up, config->seed, number, false);
    ls_impairment_init(&flow->down, &config->down, config->seed, number, true);
    if (config->is_shared) {
        ls_impairment_share(&flow->up, &relay->up_free_ns);
        ls_impairment_share(&flow->down, &relay->down_free_ns);
    }
    relay->stats.flows++;
    return flow;
}

static void close_flow(ls_relay *relay, struct flow *flow)
{
    close_upstream(relay, flow);
    flow->socket = NO_SOCKET;
    relay->stats.flows--;
}

/* Gives the flow a new port. Opens the new socket before it closes the old one, which might
 * otherwise give it the same port. Packets in transit to the old port are lost, as with a NAT. */
static void rebind(ls_relay *relay, struct flow *flow)
{
    int opened = open_upstream(relay, (uint32_t)(flow - relay->flows));
    if (opened == NO_SOCKET)
        return;
    close_upstream(relay, flow);
    flow->socket = opened;
    flow->was_rebound = true;
    relay->stats.rebinds++;
}

static void count_fate(ls_relay_direction *direction, const ls_impairment_fate *fate)
{
    direction->lost += fate->is_lost;
    direction->overrun += fate->is_overrun;
    direction->duplicated += fate->copies > 1;
    direction->reordered += fate->reordered;
    direction->corrupted += fate->is_corrupted;
    direction->truncated += fate->is_truncated;
}

/* Queues the packet in relay->packet. False when the queue is full. */
static bool add_packet(ls_relay *relay, uint64_t to, uint32_t bytes, uint64_t due_ns)
{
    if (relay->queue.count == LS_RELAY_QUEUE_PACKETS_MAX ||
        bytes > LS_RELAY_QUEUE_BYTES_MAX - relay->waiting_bytes)
        return false;
    struct waiting *packet = ls_alloc(sizeof *packet + bytes);
    packet->to = to;
    packet->bytes = bytes;
    memcpy(packet->data, relay->packet, bytes);
    relay->waiting_bytes += bytes;
    ls_delay_queue_push(&relay->queue, &packet->delayed, due_ns);
    return true;
}

static void take_packet(ls_relay *relay, struct flow *flow, bool is_down, uint32_t bytes,
                        uint64_t now_ns)
{
    ls_relay_direction *direction = is_down ? &relay->stats.down : &relay->stats.up;
    ls_impairment_fate fate = ls_impairment_next(is_down ? &flow->down : &flow->up, bytes, now_ns);
    flow->last_ns = now_ns;
    direction->packets++;
    direction->bytes += bytes;
    count_fate(direction, &fate);
    ls_impairment_damage(&fate, relay->packet);
    for (uint32_t i = 0; i < fate.copies; i++) {
        bool is_added =
            add_packet(relay, word_of(relay, flow, is_down), fate.bytes, fate.due_ns[i]);
        direction->queue_full += !is_added;
        direction->waiting += is_added;
    }
}

static void receive_client(ls_relay *relay, const ls_address *client, uint32_t bytes,
                           uint64_t now_ns)
{
    struct flow *flow = find_flow(relay, client);
    if (!flow)
        flow = open_flow(relay, client, now_ns);
    if (!flow) {
        relay->stats.flows_refused++;
        return;
    }
    uint64_t rebind_after_ns = relay->config.rebind_after_ns;
    if (rebind_after_ns && !flow->was_rebound && now_ns - flow->opened_ns >= rebind_after_ns)
        rebind(relay, flow);
    take_packet(relay, flow, false, bytes, now_ns);
}

static void receive_from(ls_relay *relay, const ls_endpoint *from, uint32_t bytes, uint64_t now_ns)
{
    const ls_address client = ls_endpoint_address(from);
    receive_client(relay, &client, bytes, now_ns);
}

/* Returns the arrival time of a packet that is read in the step of now_ns. */
static uint64_t arrival_ns(const ls_relay *relay, uint64_t now_ns)
{
    return relay->config.clock ? relay->config.clock() : now_ns;
}

/* Reads one socket until it is empty or the step's budget is used. */
static void drain(ls_relay *relay, uint32_t slot, uint32_t *budget, uint64_t now_ns)
{
    struct flow *flow = slot == LISTENER ? NULL : &relay->flows[slot];
    int descriptor = flow ? flow->socket : relay->listener;
    for (; *budget > 0 && descriptor != NO_SOCKET; --*budget) {
        ls_endpoint from;
        socklen_t from_bytes = sizeof from;
        int64_t bytes = recvfrom(descriptor, (void *)relay->packet, sizeof relay->packet, 0,
                                 &from.any, &from_bytes);
        if (bytes < 0 && ls_net_error() == -EAGAIN)
            return;
        if (bytes < 0)
            continue; /* usually an ICMP error: no socket is open at the other end */
        if (flow)
            take_packet(relay, flow, true, (uint32_t)bytes, arrival_ns(relay, now_ns));
        else
            receive_from(relay, &from, (uint32_t)bytes, arrival_ns(relay, now_ns));
    }
}

static bool receive(ls_relay *relay, uint64_t now_ns)
{
    uint32_t budget = LS_RELAY_STEP_PACKETS;
    memset(relay->ready, 0, sizeof relay->ready);
    if (!ls_socket_set_look(relay->sockets, 0, relay->ready))
        return false;
    for (uint32_t i = 0; i < SOCKETS; i++) {
        if (relay->ready[i])
            drain(relay, i, &budget, now_ns);
    }
    return budget == 0;
}

static int64_t send_down(const ls_relay *relay, const struct flow *flow,
                         const struct waiting *packet)
{
    ls_endpoint client;
    ls_endpoint_from_address(&flow->client, relay->listener_family, &client);
    return sendto(relay->listener, (const void *)packet->data, (int)packet->bytes, 0, &client.any,
                  ls_endpoint_bytes(relay->listener_family));
}

static void deliver(ls_relay *relay, const struct waiting *packet)
{
    const struct flow *flow = &relay->flows[(uint32_t)packet->to >> 1];
    bool is_down = packet->to & 1;
    ls_relay_direction *direction = is_down ? &relay->stats.down : &relay->stats.up;
    direction->waiting--;
    relay->waiting_bytes -= packet->bytes;
    if (flow->socket == NO_SOCKET || flow->number != packet->to >> 32) {
        direction->stale++;
        return;
    }
    int64_t sent;
    /* Tries twice: the first call may only return the error of an earlier packet. */
    for (int i = 0; i < 2; i++) {
        if (is_down)
            sent = send_down(relay, flow, packet);
        else
            sent = send(flow->socket, (const void *)packet->data, (int)packet->bytes, 0);
        if (sent >= 0 || ls_net_error() != -ECONNREFUSED)
            break;
    }
    direction->send_failed += sent < 0;
    direction->delivered += sent >= 0;
    direction->delivered_bytes += sent >= 0 ? packet->bytes : 0;
}

static void forget_idle(ls_relay *relay, uint64_t now_ns)
{
    if (now_ns < relay->look_ns)
        return;
    relay->look_ns = now_ns + LS_SECOND_NS;
    for (uint32_t i = 0; i < relay->slots_used; i++) {
        struct flow *flow = &relay->flows[i];
        if (flow->socket != NO_SOCKET && now_ns - flow->last_ns >= relay->config.idle_ns)
            close_flow(relay, flow);
    }
    while (relay->slots_used > 0 && relay->flows[relay->slots_used - 1].socket == NO_SOCKET)
        relay->slots_used--;
}

uint64_t ls_relay_step(ls_relay *relay, uint64_t now_ns)
{
    bool has_more = receive(relay, now_ns);
    now_ns = arrival_ns(relay, now_ns); /* packets without delay are sent at once */
    ls_delayed *due;
    while ((due = ls_delay_queue_take(&relay->queue, now_ns)) != NULL) {
        deliver(relay, (const struct waiting *)due);
        ls_free(due);
    }
    forget_idle(relay, now_ns);
    if (has_more)
        return now_ns;
    uint64_t next_ns = ls_delay_queue_next_ns(&relay->queue);
    return next_ns < relay->look_ns ? next_ns : relay->look_ns;
}

void ls_relay_wait(const ls_relay *relay, uint64_t wait_ns)
{
    ls_socket_set_wait(relay->sockets, wait_ns);
}

ls_relay_stats ls_relay_get_stats(const ls_relay *relay)
{
    return relay->stats;
}

uint16_t ls_relay_port(const ls_relay *relay)
{
    return relay->port;
}

static ls_status find_server(ls_relay *relay, ls_error *error)
{
    return ls_resolve_one(relay->config.to_host, relay->config.to_port, &relay->server, error);
}

static bool is_wildcard(const ls_address *address)
{
    static const ls_address ipv4 = LS_ADDRESS_IPV4(0, 0, 0, 0, 0), ipv6 = {0};
    return memcmp(address->host, ipv4.host, sizeof ipv4.host) == 0 ||
           memcmp(address->host, ipv6.host, sizeof ipv6.host) == 0;
}

static ls_status listen_on(ls_relay *relay, ls_error *error)
{
    const ls_relay_config *config = &relay->config;
    ls_address own;
    if (!ls_resolve_numeric(config->listen_host, config->listen_port, &own))
        return ls_error_set(error, LS_ERROR_USAGE, "%s is no IP address", config->listen_host);
    ls_status status = ls_socket_set_create(SOCKETS, &relay->sockets, error);
    if (status)
        return status;
    relay->listener_family = family_of(&own);
    relay->listener = open_socket(&own);
    if (relay->listener < 0)
        return ls_error_set(error, LS_ERROR_IO, "cannot listen on %s:%u: %s", config->listen_host,
                            config->listen_port, ls_net_error_text(relay->listener));
    status = ls_socket_set_add(relay->sockets, relay->listener, LISTENER, error);
    if (status)
        return status;
    own = ls_socket_own(relay->listener);
    relay->port = ls_address_port(&own);
    bool is_same_host =
        memcmp(relay->server.host, own.host, sizeof own.host) == 0 || is_wildcard(&own);
    if (is_same_host && ls_address_port(&relay->server) == relay->port)
        return ls_error_set(error, LS_ERROR_USAGE, "%s:%u would relay to itself",
                            config->listen_host, relay->port);
    return LS_OK;
}

ls_status ls_relay_create(const ls_relay_config *config, ls_relay **relay, ls_error *error)
{
    LS_ASSERT(config->flows_max >= 1 && config->flows_max <= LS_RELAY_FLOWS_MAX);
    ls_relay *made = ls_alloc(sizeof *made);
    made->config = *config;
    made->listener = NO_SOCKET;
    for (uint32_t i = 0; i < LS_RELAY_FLOWS_MAX; i++)
        made->flows[i].socket = NO_SOCKET;
    *relay = NULL;
    ls_status status = find_server(made, error);
    if (!status)
        status = listen_on(made, error);
    if (status)
        ls_relay_destroy(made);
    else
        *relay = made;
    return status;
}

void ls_relay_destroy(ls_relay *relay)
{
    if (!relay)
        return;
    for (uint32_t i = 0; i < relay->slots_used; i++) {
        if (relay->flows[i].socket != NO_SOCKET)
            close_flow(relay, &relay->flows[i]);
    }
    if (relay->listener >= 0)
        ls_socket_close(relay->listener);
    ls_socket_set_destroy(relay->sockets);
    ls_delay_queue_reset(&relay->queue);
    ls_free(relay);
}
