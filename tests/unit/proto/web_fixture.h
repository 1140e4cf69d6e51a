/* A link over WebSockets, without a socket: the test is the HTTP server. */
#ifndef WEB_FIXTURE_H
#define WEB_FIXTURE_H

#include "test.h"

#include "proto/link_web.h"
#include "proto/web_message.h"
#include "tests/support/remotes.h"
#include <lockstep/bytes.h>

typedef struct fixture {
    ls_link *link;
    ls_web_port *port;
    uint32_t arrivals, wakes, ready; /* calls */
} fixture;

static const ls_address home = LS_ADDRESS_IPV4(192, 0, 2, 1, 0);

static inline void encode_connect(uint32_t connect_id, uint8_t message[LS_WEB_CONNECT_BYTES])
{
    ls_writer writer;
    ls_writer_init(&writer, message, LS_WEB_CONNECT_BYTES);
    ls_write_u8(&writer, LS_WEB_CONNECT);
    ls_write_u32(&writer, connect_id);
}

static inline void count(void *context)
{
    ++*(uint32_t *)context;
}

static inline void start(fixture *f, uint32_t per_host)
{
    *f = (fixture){0};
    f->link = ls_link_web_create(&(ls_link_web_config){
        .peers_max = 4,
        .port = {.channels_per_host = per_host, .arrived = count, .context = &f->arrivals}});
    f->port = ls_link_web_port(f->link);
    ls_link_web_on_output(f->link, count, &f->wakes);
}

static inline uint32_t open_at(fixture *f, const ls_address *client, uint64_t now_ns)
{
    uint32_t slot = ls_web_port_open(f->port, client, &f->ready, now_ns);
    assert_int_not_equal(slot, LS_WEB_SLOT_NONE);
    return slot;
}

static inline ls_web_close receive(fixture *f, uint32_t slot, const void *data, size_t bytes)
{
    const ls_web_part part = {.data = data, .bytes = bytes, .is_first = true, .is_last = true};
    return ls_web_port_receive(f->port, slot, &part, 0);
}

static inline ls_link_event next(fixture *f, ls_link_event_kind kind)
{
    ls_link_event event = {0};
    assert_true(ls_link_poll(f->link, 1, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static inline void quiet(fixture *f)
{
    ls_link_event event;
    assert_false(ls_link_poll(f->link, 1, &event));
}

/* Returns the remote of a channel, as its first message has it. */
static inline ls_remote greet(fixture *f, uint32_t slot)
{
    const uint8_t hello[8] = {0x41};
    assert_int_equal(receive(f, slot, hello, sizeof hello), LS_WEB_GO_ON);
    return next(f, LS_LINK_DATAGRAM).remote;
}

static inline ls_carrier carrier_of(uint32_t id)
{
    return (ls_carrier){.connect_id = id};
}

/* Takes the next message that the link sends on a channel. */
static inline size_t take(fixture *f, uint32_t slot, uint8_t *to)
{
    size_t bytes;
    ls_link_flush(f->link, 1);
    ls_web_port_drain(f->port, 1, count);
    const uint8_t *message = ls_web_port_next(f->port, slot, &bytes);
    if (!message)
        return 0;
    memcpy(to, message, bytes);
    ls_web_port_sent(f->port, slot, 1);
    return bytes;
}

static inline ls_peer connect_with(fixture *f, uint32_t slot, uint32_t id)
{
    uint8_t message[LS_WEB_CONNECT_BYTES], answer[LS_WEB_MESSAGE_BYTES_MAX];
    const ls_remote remote = greet(f, slot);
    const ls_carrier carrier = carrier_of(id);
    assert_ok(ls_link_admit(f->link, &remote, &carrier, S));
    encode_connect(id, message);
    assert_int_equal(receive(f, slot, message, sizeof message), LS_WEB_GO_ON);
    ls_link_event event = next(f, LS_LINK_CONNECTED);
    assert_int_equal(event.connect_id, id);
    assert_int_equal(take(f, slot, answer), sizeof message);
    assert_memory_equal(answer, message, sizeof message);
    return event.peer;
}

static inline ls_status send_on(fixture *f, ls_peer peer, uint8_t channel, uint8_t mark)
{
    uint8_t data[LS_PACKET_BYTES_MAX];
    memset(data, mark, sizeof data);
    const ls_packet packet = {.channel = channel, .bytes = sizeof data, .data = data};
    return ls_link_send(f->link, peer, &packet);
}

#endif
