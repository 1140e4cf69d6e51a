/* A server and a client with a relay between them, in virtual time. */
#ifndef LS_LINE_H
#define LS_LINE_H

#include "relay.h"

typedef struct line {
    world w;
    relay r;
    ls_remote up; /* the client as the server sees it */
    uint64_t now_ns;
} line;

static inline void line_open_with(line *l, ls_link_enet_config config)
{
    uint16_t up_port;
    listen_world_with(&l->w, config);
    uint16_t port = relay_open(&l->r, l->w.port, &up_port);
    l->up = loopback(up_port);
    l->w.client = open_client(port);
    l->now_ns = clock_ns();
}

static inline void line_open(line *l)
{
    line_open_with(l, ls_link_enet_config_default());
}

static inline void line_step(line *l, uint32_t time_ms)
{
    l->now_ns += time_ms * MS;
    relay_pump(&l->r, l->now_ns);
    step_at(&l->w, l->now_ns);
    relay_pump(&l->r, l->now_ns);
}

static inline void line_admit(line *l, const ls_carrier *carrier, uint32_t time_ms)
{
    step_at(&l->w, l->now_ns);
    assert_ok(ls_link_admit(l->w.server, &l->up, carrier, l->now_ns + time_ms * MS));
}

static inline void line_await(line *l)
{
    for (uint32_t i = 0;
         i < 200 && (l->w.server_peer == LS_PEER_NONE || l->w.client_peer == LS_PEER_NONE); i++)
        line_step(l, 20);
}

static inline void line_connect(line *l, uint32_t connect_id)
{
    l->w.carrier = test_carrier(connect_id);
    l->w.server_peer = l->w.client_peer = LS_PEER_NONE;
    line_admit(l, &l->w.carrier, 5000);
    assert_ok(ls_link_connect(l->w.client, l->now_ns, &l->w.carrier));
    line_await(l);
    assert_int_equal(l->w.server_id, connect_id);
    assert_int_equal(l->w.client_id, connect_id);
}

/* Each refused datagram has one reason. */
static inline uint64_t refused(const ls_link *link)
{
    ls_link_stats stats = ls_link_get_stats(link);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LS_LINK_REFUSALS; i++)
        sum += stats.refused[i];
    assert_int_equal(sum, stats.datagrams_refused);
    return stats.datagrams_refused + stats.connects_refused;
}

static inline void line_close(line *l)
{
    finish(&l->w);
    relay_close(&l->r);
}

/* Sends a message each way, to show that the connection is alive. */
static inline void expect_alive(line *l)
{
    uint32_t at_server = l->w.at_server, at_client = l->w.at_client;
    assert_false(l->w.server_lost || l->w.client_lost);
    assert_ok(send_bytes(l->w.client, l->w.client_peer, LS_CHANNEL_CONTROL, 39));
    assert_ok(send_bytes(l->w.server, l->w.server_peer, LS_CHANNEL_TICKS, 39));
    for (uint32_t i = 0; i < 100 && (l->w.at_server == at_server || l->w.at_client == at_client);
         i++)
        line_step(l, 20);
    assert_int_equal(l->w.at_server, at_server + 1);
    assert_int_equal(l->w.at_client, at_client + 1);
}

#endif
