/* A relay between one client and a server that the test drives. It sees every datagram, and can
 * hold, drop and delay it. It can also send its own from the client's address as the server knows
 * it. */
#ifndef LS_TESTS_RELAY_H
#define LS_TESTS_RELAY_H

#include "link_fixture.h"
#include "proto/carrier_mac.h"
#include "proto/enet_gate.h"

#include <fcntl.h>

enum { RELAY_FRAMES = 4096, RELAY_BYTES = 1400, RELAY_KEPT = 512 };

typedef struct relay_frame {
    uint64_t due_ns;
    ls_role sender;
    uint32_t bytes;
    uint8_t data[RELAY_BYTES];
} relay_frame;

typedef struct relay {
    int down, up; /* sockets that face the client and the server */
    struct sockaddr_in client;
    bool drop[2]; /* indexed by sender */
    uint64_t delay_ns;
    relay_frame *frames; /* in flight, in order */
    uint32_t begin, end;
    relay_frame *kept; /* the client's first RELAY_KEPT datagrams */
    uint32_t kept_count;
    relay_frame last[2];          /* newest datagram, indexed by sender */
    uint64_t bytes[2];            /* indexed by sender */
    const ls_carrier *shared;     /* if set, the test also signs datagrams with the client's keys */
    ls_carrier_counters counters; /* of datagrams from the client, if `shared` is set */
} relay;

static inline uint16_t bind_loopback(int descriptor)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(own_loopback())};
    socklen_t bytes = sizeof address;
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&address, &bytes), 0);
    assert_int_equal(fcntl(descriptor, F_SETFL, O_NONBLOCK), 0);
    return ntohs(address.sin_port);
}

/* Returns the port that the client connects to; `up_port` becomes the port that the server sees. */
static inline uint16_t relay_open(relay *r, uint16_t server_port, uint16_t *up_port)
{
    *r = (relay){.down = socket(AF_INET, SOCK_DGRAM, 0), .up = socket(AF_INET, SOCK_DGRAM, 0)};
    struct sockaddr_in server = {.sin_family = AF_INET,
                                 .sin_port = htons(server_port),
                                 .sin_addr.s_addr = htonl(own_loopback())};
    *up_port = bind_loopback(r->up);
    assert_int_equal(connect(r->up, (struct sockaddr *)&server, sizeof server), 0);
    r->frames = calloc(RELAY_FRAMES, sizeof r->frames[0]);
    r->kept = calloc(RELAY_KEPT, sizeof r->kept[0]);
    return bind_loopback(r->down);
}

static inline void relay_close(relay *r)
{
    close(r->down);
    close(r->up);
    free(r->frames);
    free(r->kept);
}

/* From now on the client has another address at the server. Returns its port. */
static inline uint16_t relay_rebind_to(relay *r, const char *host)
{
    struct sockaddr_in server, own = {.sin_family = AF_INET};
    socklen_t bytes = sizeof server;
    assert_int_equal(getpeername(r->up, (struct sockaddr *)&server, &bytes), 0);
    assert_int_equal(inet_pton(AF_INET, host, &own.sin_addr), 1);
    close(r->up);
    r->up = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(r->up, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(r->up, (struct sockaddr *)&server, sizeof server), 0);
    bytes = sizeof own;
    assert_int_equal(getsockname(r->up, (struct sockaddr *)&own, &bytes), 0);
    return ntohs(own.sin_port);
}

static inline uint16_t relay_rebind(relay *r)
{
    return relay_rebind_to(r, own_host());
}

static inline void relay_send(relay *r, ls_role sender, const uint8_t *data, uint32_t bytes)
{
    if (sender == LS_ROLE_CLIENT)
        (void)!send(r->up, data, bytes, 0);
    else
        (void)!sendto(r->down, data, bytes, 0, (struct sockaddr *)&r->client, sizeof r->client);
}

/* Signs a datagram with the client's keys and sends it. The counter is the next one of the client
 * and the test together. `bytes` excludes the code; `data` must have room for it. */
static inline void relay_send_signed(relay *r, uint8_t *data, uint32_t bytes)
{
    assert_ok(ls_carrier_mac_sign(&r->counters, r->shared->keys[LS_ROLE_CLIENT], data, bytes,
                                  ls_enet_checksum_at(data[0])));
    relay_send(r, LS_ROLE_CLIENT, data, bytes + LS_CARRIER_MAC_BYTES);
}

static inline void relay_take(relay *r, ls_role sender, uint64_t now_ns)
{
    relay_frame frame = {.due_ns = now_ns + r->delay_ns, .sender = sender};
    for (;;) {
        socklen_t bytes = sizeof r->client;
        ssize_t count = sender == LS_ROLE_CLIENT
                            ? recvfrom(r->down, frame.data, sizeof frame.data, 0,
                                       (struct sockaddr *)&r->client, &bytes)
                            : recv(r->up, frame.data, sizeof frame.data, 0);
        if (count < 0)
            return;
        frame.bytes = (uint32_t)count;
        r->last[sender] = frame;
        r->bytes[sender] += frame.bytes;
        if (sender == LS_ROLE_CLIENT && r->kept_count < RELAY_KEPT)
            r->kept[r->kept_count++] = frame;
        if (!r->drop[sender])
            r->frames[r->end++ % RELAY_FRAMES] = frame;
        assert_true(r->end - r->begin < RELAY_FRAMES);
    }
}

/* Forwards due datagrams; loopback delivers before send() returns. */
static inline void relay_pump(relay *r, uint64_t now_ns)
{
    relay_take(r, LS_ROLE_CLIENT, now_ns);
    relay_take(r, LS_ROLE_SERVER, now_ns);
    for (; r->begin < r->end && r->frames[r->begin % RELAY_FRAMES].due_ns <= now_ns; r->begin++) {
        relay_frame *frame = &r->frames[r->begin % RELAY_FRAMES];
        if (r->shared && frame->sender == LS_ROLE_CLIENT)
            relay_send_signed(r, frame->data, frame->bytes - LS_CARRIER_MAC_BYTES);
        else
            relay_send(r, frame->sender, frame->data, frame->bytes);
    }
}

#endif
