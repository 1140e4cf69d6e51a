/* A server and a client over loopback with the real clock, and counters of what each received. */
#ifndef LS_LINK_WORLD_H
#define LS_LINK_WORLD_H

#include "test.h"

#include <lockstep/link_enet.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A loopback address of this process alone, in the order of bytes of the host. At 127.0.0.1 a
 * datagram for the port of a program that has ended reaches whichever test got that port next. */
static inline uint32_t own_loopback(void)
{
    uint32_t process = (uint32_t)getpid();
    return (UINT32_C(127) << 24) | ((64 | (process >> 16 & 63)) << 16) | (process & 0xffff);
}

/* That address as text, in a buffer of the function. */
static inline const char *own_host(void)
{
    static char text[INET_ADDRSTRLEN];
    struct in_addr address = {.s_addr = htonl(own_loopback())};
    assert_non_null(inet_ntop(AF_INET, &address, text, sizeof text));
    return text;
}

static inline uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

typedef struct world {
    ls_link *server, *client;
    ls_peer server_peer, client_peer;
    ls_carrier carrier;
    ls_remote client_remote; /* of the last datagram or move at the server */
    uint16_t port;
    uint32_t at_server, at_client; /* messages received */
    uint32_t server_order;         /* control messages received in order */
    uint32_t server_id, client_id; /* of the last CONNECTED event */
    uint32_t moves;                /* of the client, at the server */
    uint32_t datagrams_at_server, datagrams_at_client;
    uint8_t datagram[LS_MTU_BYTES]; /* last datagram that either end received */
    uint32_t datagram_bytes;
    bool server_lost, client_lost;
} world;

static inline void take_datagram(world *w, bool is_server, const ls_link_event *event)
{
    ++*(is_server ? &w->datagrams_at_server : &w->datagrams_at_client);
    w->datagram_bytes = event->packet.bytes;
    memcpy(w->datagram, event->packet.data, event->packet.bytes);
    if (is_server)
        w->client_remote = event->remote;
}

static inline void take(world *w, bool is_server, const ls_link_event *event)
{
    switch (event->kind) {
    case LS_LINK_CONNECTED:
        *(is_server ? &w->server_peer : &w->client_peer) = event->peer;
        *(is_server ? &w->server_id : &w->client_id) = event->connect_id;
        break;
    case LS_LINK_DISCONNECTED:
        *(is_server ? &w->server_lost : &w->client_lost) = true;
        break;
    case LS_LINK_DATAGRAM:
        take_datagram(w, is_server, event);
        break;
    case LS_LINK_MOVED:
        w->moves++;
        w->client_remote = event->remote;
        break;
    case LS_LINK_MESSAGE:
    default:
        if (is_server && event->packet.channel == LS_CHANNEL_CONTROL)
            w->server_order += event->packet.data[0] == (uint8_t)w->server_order;
        ++*(is_server ? &w->at_server : &w->at_client);
        break;
    }
}

/* Polls and flushes both ends once. */
static inline void step_at(world *w, uint64_t now_ns)
{
    ls_link_event event;
    while (w->server && ls_link_poll(w->server, now_ns, &event))
        take(w, true, &event);
    while (w->client && ls_link_poll(w->client, now_ns, &event))
        take(w, false, &event);
    if (w->server)
        ls_link_flush(w->server, now_ns);
    if (w->client)
        ls_link_flush(w->client, now_ns);
}

static inline void step(world *w)
{
    step_at(w, clock_ns());
}

#define STEP_UNTIL(w, condition)                                                                   \
    do {                                                                                           \
        uint64_t deadline_ns = clock_ns() + 120000 * MS;                                           \
        while (!(condition)) {                                                                     \
            step(w);                                                                               \
            assert_true(clock_ns() < deadline_ns);                                                 \
            usleep(500);                                                                           \
        }                                                                                          \
    } while (0)

static inline void step_for(world *w, uint32_t time_ms)
{
    for (uint64_t end_ns = clock_ns() + time_ms * MS; clock_ns() < end_ns; usleep(500))
        step(w);
}

#endif
