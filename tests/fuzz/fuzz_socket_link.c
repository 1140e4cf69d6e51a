/* Arbitrary messages of a server at the link of a client in a browser, between openings, closes and
 * the client's own calls: only messages of a right form reach the client, and events come in an
 * order that it can rely on. */
#include "proto/web_message.h"
#include "web/socket_link.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { STEPS_MAX = 1024, CONNECT_ID = 7 };

typedef struct client {
    ls_link *link;
    ls_peer peer; /* LS_PEER_NONE: not connected */
    bool is_connecting;
} client;

static void check_event(client *self, const ls_link_event *event)
{
    switch (event->kind) {
    case LS_LINK_CONNECTED:
        LS_ASSERT(self->is_connecting && event->connect_id == CONNECT_ID);
        self->is_connecting = false;
        self->peer = event->peer;
        break;
    case LS_LINK_DISCONNECTED:
        LS_ASSERT(self->is_connecting || (self->peer == event->peer && self->peer != LS_PEER_NONE));
        self->is_connecting = false;
        self->peer = LS_PEER_NONE;
        break;
    case LS_LINK_MESSAGE:
        LS_ASSERT(self->peer == event->peer && self->peer != LS_PEER_NONE);
        LS_ASSERT(event->packet.channel < LS_CHANNEL_COUNT);
        LS_ASSERT(event->packet.bytes >= LS_SEAL_BYTES &&
                  event->packet.bytes <= LS_PACKET_BYTES_MAX);
        break;
    case LS_LINK_DATAGRAM:
        LS_ASSERT(self->peer == LS_PEER_NONE && !self->is_connecting);
        LS_ASSERT(event->packet.bytes >= 1 && (event->packet.data[0] & 0x40));
        break;
    case LS_LINK_MOVED:
    default:
        LS_ASSERT(false);
    }
}

static void poll_all(client *self, uint64_t now_ns)
{
    ls_link_event event;
    while (ls_link_poll(self->link, now_ns, &event))
        check_event(self, &event);
}

/* The page may send only messages of a right form. */
static void take_all(client *self)
{
    ls_packet message;
    while (ls_socket_link_next(self->link, &message))
        LS_ASSERT(ls_web_message_kind_of(message.data, message.bytes) != LS_WEB_MALFORMED);
}

static void send(client *self)
{
    static const uint8_t packet[LS_SEAL_BYTES];
    ls_status status =
        ls_link_send(self->link, self->peer, &(ls_packet){.bytes = sizeof packet, .data = packet});
    LS_ASSERT(status != LS_OK || self->peer != LS_PEER_NONE);
}

static void post(client *self)
{
    static const uint8_t hello[2] = {0x41};
    ls_link_post(self->link, NULL, hello, sizeof hello);
    if (ls_socket_link_take_wish(self->link)) { /* an earlier connection is dropped */
        self->is_connecting = false;
        self->peer = LS_PEER_NONE;
    }
}

static void act(client *self, uint8_t action, uint64_t now_ns)
{
    static const ls_carrier carrier = {.connect_id = CONNECT_ID};
    switch (action) {
    case 0:
        ls_socket_link_opened(self->link);
        break;
    case 1:
        ls_socket_link_closed(self->link);
        break;
    case 2:
        self->is_connecting |= ls_link_connect(self->link, now_ns, &carrier) == LS_OK;
        break;
    case 3:
        post(self);
        break;
    case 4:
        send(self);
        break;
    case 5:
        if (self->peer != LS_PEER_NONE)
            ls_link_disconnect(self->link, self->peer);
        self->peer = ls_socket_link_is_ended(self->link) ? LS_PEER_NONE : self->peer;
        break;
    case 6:
        take_all(self);
        break;
    default:
        poll_all(self, now_ns);
        break;
    }
}

/* A byte below 8 is a call; 8 lets a second pass; any other begins a message, after two bytes of
 * its length. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    client self = {ls_socket_link_create(), LS_PEER_NONE, false};
    uint64_t now_ns = 1;
    (void)ls_socket_link_take_wish(self.link);
    for (uint32_t i = 0; i < STEPS_MAX && bytes; i++) {
        uint8_t action = *data++;
        bytes--;
        if (action < 8) {
            act(&self, action, now_ns);
        } else if (action == 8) {
            now_ns += LS_SECOND_NS;
        } else if (bytes >= 2) {
            size_t count = data[0] | (size_t)data[1] << 8;
            count = count < bytes - 2 ? count : bytes - 2;
            (void)ls_socket_link_receive(
                self.link, &(ls_packet){.bytes = (uint32_t)count, .data = data + 2}, now_ns);
            data += 2 + count;
            bytes -= 2 + count;
        }
    }
    poll_all(&self, now_ns);
    ls_link_destroy(self.link);
    return 0;
}
