/* A server and a client on the simulated network, in virtual time. */
#ifndef LS_NETWORK_FIXTURE_H
#define LS_NETWORK_FIXTURE_H

#include "test.h"

#include "tests/support/link_memory.h"

typedef struct world {
    ls_network *network;
    ls_link *server, *client;
    ls_peer server_peer, client_peer; /* the client as the server knows it, and the reverse */
    uint64_t now_ns;
} world;

static inline ls_link_event expect_event(ls_link *link, uint64_t now_ns, ls_link_event_kind kind)
{
    ls_link_event event;
    assert_true(ls_link_poll(link, now_ns, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static inline void expect_silence(ls_link *link, uint64_t now_ns)
{
    ls_link_event event;
    assert_false(ls_link_poll(link, now_ns, &event));
}

static inline ls_carrier carrier_of(uint32_t connect_id)
{
    ls_carrier carrier = {.connect_id = connect_id, .capabilities = LS_CAPABILITIES};
    memset(carrier.keys, (int)connect_id, sizeof carrier.keys);
    return carrier;
}

/* Admits and connects, as a completed handshake would. */
static inline void begin_connect(ls_link *server, ls_link *client, uint32_t connect_id,
                                 uint64_t now_ns)
{
    ls_carrier carrier = carrier_of(connect_id);
    ls_remote remote = ls_network_remote(client);
    assert_ok(ls_link_admit(server, &remote, &carrier, now_ns + 5000 * MS));
    assert_ok(ls_link_connect(client, now_ns, &carrier));
}

/* Retries the connection in steps, because an admission expires and packets may be lost. */
static inline world connect_world(uint64_t seed, const ls_impairment_conditions *conditions)
{
    world w = {.network = ls_network_create(seed, conditions),
               .server_peer = LS_PEER_NONE,
               .client_peer = LS_PEER_NONE};
    w.server = ls_network_listen(w.network, 4);
    w.client = ls_network_open(w.network);
    begin_connect(w.server, w.client, 1, 0);
    for (uint32_t i = 0; i < 4000 && w.client_peer == LS_PEER_NONE; i++) {
        ls_link_event event;
        w.now_ns += MS;
        if (ls_link_poll(w.server, w.now_ns, &event))
            w.server_peer = event.peer;
        ls_link_flush(w.server, w.now_ns);
        if (ls_link_poll(w.client, w.now_ns, &event))
            w.client_peer = event.peer;
    }
    assert_true(w.server_peer != LS_PEER_NONE && w.client_peer != LS_PEER_NONE);
    return w;
}

static inline void end_world(world *w)
{
    ls_link_destroy(w->client);
    ls_link_destroy(w->server);
    ls_network_destroy(w->network);
}

static inline void send_number(ls_link *link, ls_peer peer, uint8_t channel, uint32_t number)
{
    ls_packet packet = {.channel = channel, .bytes = 4, .data = (const uint8_t *)&number};
    assert_ok(ls_link_send(link, peer, &packet));
}

static inline uint32_t number_of(const ls_link_event *event)
{
    uint32_t number;
    assert_int_equal(event->packet.bytes, 4);
    memcpy(&number, event->packet.data, 4);
    return number;
}

#endif
