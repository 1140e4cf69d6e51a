/* Servers and clients on ENet links over loopback: listening and connecting. */
#ifndef LS_LINK_FIXTURE_H
#define LS_LINK_FIXTURE_H

#include "link_world.h"

#include "tests/support/remotes.h"

static inline ls_carrier test_carrier(uint32_t connect_id)
{
    ls_carrier carrier = {.connect_id = connect_id, .capabilities = LS_LINK_CAPABILITIES};
    uint64_t seed = connect_id;
    test_fill(&seed, carrier.keys, sizeof carrier.keys);
    return carrier;
}

static inline void listen_world_with(world *w, ls_link_enet_config config)
{
    *w = (world){.server_peer = LS_PEER_NONE, .client_peer = LS_PEER_NONE};
    config.address = own_host();
    config.port = 0;
    ls_error error;
    assert_ok(ls_link_enet_listen(&config, &w->server, &error));
    w->port = ls_link_enet_port(w->server);
    assert_int_not_equal(w->port, 0);
}

static inline void listen_world(world *w, bool has_filter)
{
    ls_link_enet_config config = ls_link_enet_config_default();
    config.filter = has_filter;
    listen_world_with(w, config);
}

static inline ls_link *open_client(uint16_t port)
{
    const ls_link_enet_client_config config = {
        .host = own_host(), .port = port, .bind = own_host()};
    ls_link *client = NULL;
    ls_error error;
    assert_ok(ls_link_enet_open_from(&config, &client, &error));
    return client;
}

static inline ls_remote loopback(uint16_t port)
{
    uint32_t host = own_loopback();
    return (ls_remote)LS_REMOTE_IPV4((uint8_t)(host >> 24), (uint8_t)(host >> 16),
                                     (uint8_t)(host >> 8), (uint8_t)host, port);
}

static inline ls_remote remote_of(const ls_link *client)
{
    return loopback(ls_link_enet_port(client));
}

/* Admits the client at the server and starts to connect it. */
static inline void begin_connect(ls_link *server, ls_link *client, const ls_carrier *carrier)
{
    ls_remote remote = remote_of(client);
    assert_ok(ls_link_admit(server, &remote, carrier, clock_ns() + 5000 * MS));
    assert_ok(ls_link_connect(client, clock_ns(), carrier));
}

static inline void connect_world(world *w, uint32_t connect_id)
{
    w->carrier = test_carrier(connect_id);
    w->server_peer = w->client_peer = LS_PEER_NONE;
    step(w);
    begin_connect(w->server, w->client, &w->carrier);
    STEP_UNTIL(w, w->server_peer != LS_PEER_NONE && w->client_peer != LS_PEER_NONE);
}

static inline void start(world *w, bool has_filter)
{
    listen_world(w, has_filter);
    w->client = open_client(w->port);
    connect_world(w, 0x12345678);
}

static inline void finish(world *w)
{
    ls_link_destroy(w->client);
    ls_link_destroy(w->server);
}

static inline ls_status send_bytes(ls_link *link, ls_peer peer, uint8_t channel, uint32_t bytes)
{
    static uint8_t data[LS_PACKET_BYTES_MAX + 1];
    ls_packet packet = {.channel = channel, .bytes = bytes, .data = data};
    return ls_link_send(link, peer, &packet);
}

/* Opens a third party's socket that sends to the link's port. */
static inline int open_stranger(uint16_t port)
{
    int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(own_loopback())};
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

#endif
