#include "web/socket_link.h"

#include "proto/web_message.h"
#include <lockstep/bytes.h>
#include <lockstep/link_remote.h>

#include <stdio.h>
#include <string.h>

typedef struct queued {
    uint64_t arrived_ns;
    uint32_t bytes;
    uint8_t data[LS_WEB_MESSAGE_BYTES_MAX];
} queued;

typedef struct queue {
    uint32_t first, count;
    queued messages[LS_SOCKET_LINK_QUEUE];
} queue;

/* The state of the present WebSocket. */
typedef enum socket_state { SOCKET_CLOSED, SOCKET_OPENING, SOCKET_OPEN } socket_state;
typedef enum session_state {
    SESSION_NONE,
    SESSION_CONNECTING,
    SESSION_CONNECTED,
    SESSION_ENDED
} session_state;

typedef struct socket_link {
    ls_link link;
    socket_state socket;
    session_state session;
    bool is_wished;       /* the page has not yet heard that a WebSocket is needed */
    bool is_disconnected; /* the event is due when the messages that came before are taken */
    bool is_delivered;    /* the first message of `in` is the one of the last event */
    uint16_t generation;
    uint32_t connect_id;
    uint64_t connect_until_ns;
    ls_link_stats stats;
    queue in, out;
} socket_link;

static socket_link *socket_of(ls_link *link)
{
    return (socket_link *)(void *)link;
}

static const socket_link *socket_of_const(const ls_link *link)
{
    return (const socket_link *)(const void *)link;
}

static ls_peer peer_of(const socket_link *self)
{
    return (uint32_t)self->generation << 16;
}

static queued *push(queue *to)
{
    if (to->count == LS_SOCKET_LINK_QUEUE)
        return NULL;
    return &to->messages[(to->first + to->count++) % LS_SOCKET_LINK_QUEUE];
}

static void pop(queue *from)
{
    from->first = (from->first + 1) % LS_SOCKET_LINK_QUEUE;
    from->count--;
}

/* A message to send has up to two parts: the channel of a packet, and its bytes. */
static bool put(socket_link *self, const uint8_t *channel, const uint8_t *data, uint32_t bytes)
{
    uint32_t head = channel ? 1 : 0;
    LS_ASSERT(head + bytes <= LS_WEB_MESSAGE_BYTES_MAX);
    queued *message = push(&self->out);
    if (!message)
        return false;
    if (channel)
        message->data[0] = *channel;
    memcpy(message->data + head, data, bytes);
    message->bytes = head + bytes;
    return true;
}

static void want_socket(socket_link *self)
{
    self->socket = SOCKET_OPENING;
    self->session = SESSION_NONE;
    self->is_wished = true;
    self->is_disconnected = false;
    self->out.count = 0;
}

static void lose(socket_link *self)
{
    self->is_disconnected |=
        self->session == SESSION_CONNECTING || self->session == SESSION_CONNECTED;
    self->socket = SOCKET_CLOSED;
    self->out.count = 0;
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    socket_link *self = socket_of(link);
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    if (packet->bytes < LS_SEAL_BYTES || packet->bytes > LS_PACKET_BYTES_MAX)
        return LS_ERROR_LIMIT;
    if (self->session != SESSION_CONNECTED || peer != peer_of(self))
        return LS_ERROR_NOT_FOUND;
    if (put(self, &packet->channel, packet->data, packet->bytes))
        return LS_OK;
    self->stats.sends_failed++;
    return LS_ERROR_LIMIT;
}

/* A server takes one handshake on a WebSocket, so the handshake of a resumed session needs another
 * WebSocket. */
static void link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    socket_link *self = socket_of(link);
    LS_ASSERT(!to && bytes >= 1 && bytes <= LS_MTU_BYTES);
    if (self->session != SESSION_NONE || self->socket == SOCKET_CLOSED)
        want_socket(self);
    if (!put(self, NULL, data, bytes))
        self->stats.sends_failed++;
}

static ls_status link_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    socket_link *self = socket_of(link);
    uint8_t message[LS_WEB_CONNECT_BYTES];
    ls_writer writer;
    if (self->socket != SOCKET_OPEN || self->session != SESSION_NONE)
        return LS_ERROR_IO;
    ls_writer_init(&writer, message, sizeof message);
    ls_write_u8(&writer, LS_WEB_CONNECT);
    ls_write_u32(&writer, carrier->connect_id);
    if (!put(self, NULL, message, sizeof message))
        return LS_ERROR_IO;
    self->session = SESSION_CONNECTING;
    self->generation++;
    self->connect_id = carrier->connect_id;
    self->connect_until_ns = now_ns + LS_SOCKET_LINK_CONNECT_NS;
    return LS_OK;
}

/* Gives the event of a message; false when the client need not know of it. */
static bool take(socket_link *self, const queued *message, ls_link_event *event)
{
    const uint8_t *data = message->data;
    *event = (ls_link_event){.peer = peer_of(self), .arrived_ns = message->arrived_ns};
    switch (ls_web_message_kind_of(data, message->bytes)) {
    case LS_WEB_CONNECTING:
        if (self->session != SESSION_CONNECTING || ls_web_connect_id(data) != self->connect_id)
            return false;
        self->session = SESSION_CONNECTED;
        event->kind = LS_LINK_CONNECTED;
        event->connect_id = self->connect_id;
        return true;
    case LS_WEB_DATAGRAM:
        event->kind = LS_LINK_DATAGRAM;
        event->packet = (ls_packet){.bytes = message->bytes, .data = data};
        return self->session == SESSION_NONE;
    case LS_WEB_PACKET:
        event->kind = LS_LINK_MESSAGE;
        event->packet =
            (ls_packet){.channel = data[0], .bytes = message->bytes - 1, .data = data + 1};
        return self->session == SESSION_CONNECTED;
    case LS_WEB_MALFORMED:
    default:
        self->stats.packets_refused++;
        return false;
    }
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    socket_link *self = socket_of(link);
    for (;;) {
        if (self->is_delivered)
            pop(&self->in);
        self->is_delivered = self->in.count > 0;
        if (!self->is_delivered)
            break;
        if (take(self, &self->in.messages[self->in.first], event))
            return true;
    }
    bool is_late = self->session == SESSION_CONNECTING && now_ns >= self->connect_until_ns;
    if (!self->is_disconnected && !is_late)
        return false;
    self->is_disconnected = false;
    self->session = is_late ? SESSION_ENDED : SESSION_NONE;
    *event = (ls_link_event){.kind = LS_LINK_DISCONNECTED, .peer = peer_of(self)};
    return true;
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    (void)link; /* the page takes what there is after each step */
    (void)now_ns;
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    socket_link *self = socket_of(link);
    if (self->session != SESSION_CONNECTED || peer != peer_of(self))
        return;
    self->session = SESSION_ENDED;
    self->is_disconnected = false;
}

static bool link_is_quiet(const ls_link *link)
{
    return socket_of_const(link)->out.count == 0;
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    (void)timeout_ms;
    return socket_of(link)->in.count > 0;
}

static void link_wake(ls_link *link)
{
    (void)link;
}

static ls_status link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                            uint64_t until_ns)
{
    (void)link;
    (void)remote;
    (void)carrier;
    (void)until_ns;
    return LS_ERROR_LIMIT; /* a client's link admits none */
}

static uint32_t link_connections(const ls_link *link, const ls_remote_key *host)
{
    (void)host;
    return socket_of_const(link)->session == SESSION_CONNECTED;
}

static ls_remote link_remote(const ls_link *link, ls_peer peer)
{
    (void)link;
    (void)peer;
    return (ls_remote){0};
}

static ls_remote_origin link_origin(const ls_link *link, const ls_remote *remote)
{
    (void)link;
    (void)remote;
    return (ls_remote_origin){0};
}

static void link_describe(const ls_link *link, const ls_remote *remote,
                          char text[LS_REMOTE_TEXT_BYTES])
{
    (void)link;
    (void)remote;
    snprintf(text, LS_REMOTE_TEXT_BYTES, "server");
}

static ls_link_stats link_stats(const ls_link *link)
{
    return socket_of_const(link)->stats;
}

static void link_destroy(ls_link *link)
{
    ls_free(socket_of(link));
}

/* Without `redirect`: addresses that a server names are for UDP. */
static const ls_link_vtable vtable = {
    .send = link_send,
    .poll = link_poll,
    .flush = link_flush,
    .disconnect = link_disconnect,
    .is_quiet = link_is_quiet,
    .wait = link_wait,
    .wake = link_wake,
    .post = link_post,
    .admit = link_admit,
    .connections = link_connections,
    .connect = link_connect,
    .remote = link_remote,
    .origin = link_origin,
    .describe = link_describe,
    .stats = link_stats,
    .destroy = link_destroy,
};

ls_link *ls_socket_link_create(void)
{
    socket_link *self = ls_alloc(sizeof *self);
    self->link.vtable = &vtable;
    want_socket(self);
    return &self->link;
}

bool ls_socket_link_take_wish(ls_link *link)
{
    bool is_wished = socket_of(link)->is_wished;
    socket_of(link)->is_wished = false;
    return is_wished;
}

void ls_socket_link_opened(ls_link *link)
{
    socket_of(link)->socket = SOCKET_OPEN;
}

void ls_socket_link_closed(ls_link *link)
{
    lose(socket_of(link));
}

bool ls_socket_link_is_ended(const ls_link *link)
{
    return socket_of_const(link)->session == SESSION_ENDED;
}

bool ls_socket_link_receive(ls_link *link, const ls_packet *message, uint64_t now_ns)
{
    socket_link *self = socket_of(link);
    if (message->bytes == 0 || message->bytes > LS_WEB_MESSAGE_BYTES_MAX) {
        self->stats.packets_refused++;
        return true;
    }
    queued *to = push(&self->in);
    if (!to) {
        lose(self);
        return false;
    }
    to->arrived_ns = now_ns;
    to->bytes = message->bytes;
    memcpy(to->data, message->data, message->bytes);
    return true;
}

bool ls_socket_link_next(ls_link *link, ls_packet *message)
{
    socket_link *self = socket_of(link);
    if (self->socket != SOCKET_OPEN || self->out.count == 0)
        return false;
    const queued *first = &self->out.messages[self->out.first];
    *message = (ls_packet){.bytes = first->bytes, .data = first->data};
    pop(&self->out);
    return true;
}
