/* The client's side of a handshake, controlled datagram by datagram, for tests of admission. */
#ifndef LS_RAW_CLIENT_H
#define LS_RAW_CLIENT_H

#include "puppet.h"

#include "tests/support/test.h"

typedef struct raw_client {
    ls_link *link;
    ls_address address;
    ls_handshake_client handshake;
    uint8_t hello[LS_HELLO_BYTES], auth[LS_AUTH_BYTES];
    bool has_auth;
    uint32_t answers, answer_bytes; /* answers to the AUTH */
    uint8_t answer[LS_MTU_BYTES];
} raw_client;

/* Creates a client with a built HELLO; sends nothing. */
static inline raw_client *raw_create(arena *room, const ls_handshake_client_config *config)
{
    raw_client *self = ls_alloc(sizeof *self);
    ls_writer writer;
    ls_handshake_client_init(&self->handshake, config);
    self->link = ls_network_open(room->network);
    self->address = ls_network_address(self->link);
    ls_writer_init(&writer, self->hello, sizeof self->hello);
    ls_handshake_client_hello(&self->handshake, &writer);
    assert_int_equal(writer.count, LS_HELLO_BYTES);
    return self;
}

static inline void raw_destroy(raw_client *self)
{
    ls_handshake_client_reset(&self->handshake);
    ls_network_kill(self->link);
    ls_free(self);
}

static inline void raw_hear(raw_client *self, const ls_packet *packet)
{
    ls_handshake_message message = {.data = packet->data, .bytes = packet->bytes};
    ls_writer writer;
    if (self->has_auth) {
        self->answers++;
        self->answer_bytes = packet->bytes;
        memcpy(self->answer, packet->data, packet->bytes);
    } else if (ls_handshake_client_cookie(&self->handshake, &message, 1700000000, NULL) == LS_OK) {
        ls_writer_init(&writer, self->auth, sizeof self->auth);
        ls_handshake_client_auth(&self->handshake, 0, &writer);
        assert_int_equal(writer.count, LS_AUTH_BYTES);
        self->has_auth = true;
    }
}

static inline void raw_run(raw_client *self, arena *room, uint64_t duration_ns)
{
    ls_link_event event;
    arena_run(room, duration_ns);
    while (ls_link_poll(self->link, room->now_ns, &event))
        if (event.kind == LS_LINK_DATAGRAM)
            raw_hear(self, &event.packet);
}

/* Sends HELLO, receives the COOKIE and builds the AUTH. */
static inline void raw_get_cookie(raw_client *self, arena *room)
{
    ls_link_post(self->link, NULL, self->hello, LS_HELLO_BYTES);
    for (uint32_t i = 0; i < 50 && !self->has_auth; i++)
        raw_run(self, room, UINT64_C(1000000));
    assert_true(self->has_auth);
}

#endif
