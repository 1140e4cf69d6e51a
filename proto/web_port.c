#include "proto/web_port.h"

#include "proto/web_message.h"
#include "proto/web_shared.h"

#include <string.h>

typedef struct message {
    struct message *next;
    uint32_t bytes;
    uint8_t data[];
} message;

typedef struct queue {
    message *first, **end;
    uint32_t bytes;
} queue;

typedef struct channel {
    uint64_t number; /* 0: the slot is free */
    void *user;
    ls_remote_key host;
    uint64_t opened_ns, progress_ns; /* progress: the last sending, or when nothing waited */
    bool is_connected, is_ending;
    ls_web_counter end; /* what the close of the channel counts as */
    uint32_t received;  /* bytes so far of the message that is being received */
    queue controls, others;
    uint8_t buffer[LS_WEB_MESSAGE_BYTES_MAX];
} channel;

struct ls_web_port {
    ls_web_shared *shared;
    uint32_t per_host;
    void (*arrived)(void *context);
    void *context;
    uint64_t number_next;
    uint32_t open_count;
    channel *channels;
};

ls_web_port *ls_web_port_create(ls_web_shared *shared, const ls_web_port_config *config)
{
    ls_web_port *port = ls_alloc(sizeof *port);
    *port = (ls_web_port){.shared = shared,
                          .per_host = config->channels_per_host,
                          .arrived = config->arrived,
                          .context = config->context,
                          .number_next = 1,
                          .channels = ls_alloc(shared->channels_max * sizeof *port->channels)};
    return port;
}

static void append(queue *to, message *added)
{
    if (!to->first)
        to->end = &to->first;
    added->next = NULL;
    *to->end = added;
    to->end = &added->next;
    to->bytes += added->bytes;
}

static void drop_first(queue *from)
{
    message *first = from->first;
    from->first = first->next;
    from->bytes -= first->bytes;
    ls_free(first);
}

static bool has_unsent(const channel *which)
{
    return which->controls.first || which->others.first;
}

static void drop_control(ls_web_port *port, uint32_t slot)
{
    drop_first(&port->channels[slot].controls);
    atomic_fetch_sub_explicit(&port->shared->controls[slot], 1, memory_order_relaxed);
}

static void drop_all(ls_web_port *port, uint32_t slot)
{
    while (port->channels[slot].controls.first)
        drop_control(port, slot);
    while (port->channels[slot].others.first)
        drop_first(&port->channels[slot].others);
}

void ls_web_port_destroy(ls_web_port *port)
{
    for (uint32_t slot = 0; slot < port->shared->channels_max; slot++)
        drop_all(port, slot);
    ls_free(port->channels);
    ls_free(port);
}

static uint32_t count_of(const ls_web_port *port, const ls_remote_key *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < port->shared->channels_max; i++)
        count += port->channels[i].number && ls_remote_key_is_same(&port->channels[i].host, host);
    return count;
}

/* Returns the bytes that must stay free in the ring, so that the CLOSED of each open channel always
 * has room. */
static uint32_t spare_of(const ls_web_port *port)
{
    return port->open_count * LS_WEB_RECORD_BYTES;
}

uint32_t ls_web_port_channels_max(const ls_web_port *port)
{
    return port->shared->channels_max;
}

static void count(ls_web_port *port, ls_web_counter which, uint64_t many)
{
    atomic_fetch_add_explicit(&port->shared->counts[which], many, memory_order_relaxed);
}

ls_web_counter ls_web_port_room(const ls_web_port *port, const ls_address *client)
{
    const ls_remote_key host = ls_address_host(client);
    if (port->per_host && count_of(port, &host) >= port->per_host)
        return LS_WEB_REFUSED_ADDRESS;
    return port->open_count < port->shared->channels_max ? LS_WEB_CHANNELS : LS_WEB_REFUSED_FULL;
}

void ls_web_port_count_refused(ls_web_port *port, ls_web_counter why)
{
    count(port, why, 1);
}

/* Adds the OPENED of a channel. False when the link has too many of them unread, or the ring has no
 * room. */
static bool add_opened(ls_web_port *port, const ls_web_record *record, const ls_address *client)
{
    _Atomic uint32_t *unread = &port->shared->opened_unread;
    if (atomic_load_explicit(unread, memory_order_relaxed) >= LS_WEB_OPENED_UNREAD_MAX ||
        !ls_web_ring_add(&port->shared->in, record, client, spare_of(port) + LS_WEB_RECORD_BYTES))
        return false;
    atomic_fetch_add_explicit(unread, 1, memory_order_relaxed);
    return true;
}

uint32_t ls_web_port_open(ls_web_port *port, const ls_address *client, void *user, uint64_t now_ns)
{
    uint32_t slot = 0;
    if (ls_web_port_room(port, client) != LS_WEB_CHANNELS)
        return LS_WEB_SLOT_NONE;
    while (port->channels[slot].number)
        slot++;
    const ls_web_record record = {.number = port->number_next,
                                  .slot = slot,
                                  .kind = LS_WEB_RECORD_OPENED,
                                  .bytes = sizeof *client};
    if (!add_opened(port, &record, client))
        return LS_WEB_SLOT_NONE;
    channel *opened = &port->channels[slot];
    opened->number = port->number_next++;
    opened->user = user;
    opened->host = ls_address_host(client);
    opened->opened_ns = opened->progress_ns = now_ns;
    opened->is_connected = opened->is_ending = false;
    opened->end = LS_WEB_CLOSED_CLIENT;
    opened->received = 0;
    port->open_count++;
    count(port, LS_WEB_CHANNELS, 1);
    count(port, LS_WEB_OPENED, 1);
    port->arrived(port->context);
    return slot;
}

void ls_web_port_close(ls_web_port *port, uint32_t slot)
{
    channel *closed = &port->channels[slot];
    const ls_web_record record = {
        .number = closed->number, .slot = slot, .kind = LS_WEB_RECORD_CLOSED};
    LS_ASSERT(closed->number);
    drop_all(port, slot);
    closed->number = 0;
    closed->user = NULL;
    port->open_count--;
    atomic_fetch_sub_explicit(&port->shared->counts[LS_WEB_CHANNELS], 1, memory_order_relaxed);
    count(port, closed->end, 1);
    LS_ASSERT(ls_web_ring_add(&port->shared->in, &record, NULL, spare_of(port)));
    port->arrived(port->context);
}

static ls_web_close refuse(ls_web_port *port, uint32_t slot, ls_web_close why)
{
    port->channels[slot].end = LS_WEB_CLOSED_MALFORMED;
    atomic_fetch_add_explicit(&port->shared->malformed, 1, memory_order_relaxed);
    return why;
}

/* A message without room is lost, as on a network. But the control channel must lose nothing, so a
 * channel with a lost control packet is closed. */
static ls_web_close forward(ls_web_port *port, uint32_t slot, uint64_t now_ns)
{
    ls_web_shared *shared = port->shared;
    channel *from = &port->channels[slot];
    const ls_web_record record = {.number = from->number,
                                  .slot = slot,
                                  .kind = LS_WEB_RECORD_MESSAGE,
                                  .arrived_ns = now_ns,
                                  .bytes = from->received};
    bool is_control = from->buffer[0] == LS_CHANNEL_CONTROL;
    uint32_t limit = from->is_connected ? LS_WEB_UNREAD_BYTES : LS_WEB_UNREAD_BYTES_WAITING;
    uint32_t charge = ls_web_unread_charge(record.bytes);
    bool has_room =
        atomic_load_explicit(&shared->unread[slot], memory_order_relaxed) + charge <= limit;
    if (has_room && ls_web_ring_add(&shared->in, &record, from->buffer, spare_of(port))) {
        atomic_fetch_add_explicit(&shared->unread[slot], charge, memory_order_relaxed);
        port->arrived(port->context);
        return LS_WEB_GO_ON;
    }
    atomic_fetch_add_explicit(&shared->unread_dropped, 1, memory_order_relaxed);
    if (!is_control)
        return LS_WEB_GO_ON;
    from->end = LS_WEB_CLOSED_BUSY;
    return LS_WEB_CLOSE_BUSY;
}

ls_web_close ls_web_port_receive(ls_web_port *port, uint32_t slot, const ls_web_part *part,
                                 uint64_t now_ns)
{
    channel *to = &port->channels[slot];
    if (part->is_first)
        to->received = 0;
    if (part->is_text)
        return refuse(port, slot, LS_WEB_CLOSE_TEXT);
    if (part->bytes > sizeof to->buffer - to->received)
        return refuse(port, slot, LS_WEB_CLOSE_LONG);
    if (part->bytes)
        memcpy(to->buffer + to->received, part->data, part->bytes);
    to->received += (uint32_t)part->bytes;
    count(port, LS_WEB_BYTES_RECEIVED, part->bytes);
    if (!part->is_last)
        return LS_WEB_GO_ON;
    if (ls_web_message_kind_of(to->buffer, to->received) == LS_WEB_MALFORMED)
        return refuse(port, slot, LS_WEB_CLOSE_MALFORMED);
    return to->is_ending ? LS_WEB_GO_ON : forward(port, slot, now_ns);
}

/* Queues a message that the link sends. Over the limit, drops the oldest messages that are not
 * control packets. */
static void enqueue(ls_web_port *port, const ls_web_record *record, bool is_control,
                    uint64_t now_ns)
{
    channel *to = &port->channels[record->slot];
    message *added = ls_alloc(sizeof *added + record->bytes);
    added->bytes = record->bytes;
    memcpy(added->data, ls_web_record_data(record), record->bytes);
    if (!has_unsent(to))
        to->progress_ns = now_ns;
    append(is_control ? &to->controls : &to->others, added);
    while (to->others.bytes > LS_WEB_UNSENT_BYTES_MAX) {
        drop_first(&to->others);
        atomic_fetch_add_explicit(&port->shared->unsent_dropped, 1, memory_order_relaxed);
    }
}

/* Whether the message counts in `controls`. */
static bool is_counted(const ls_web_record *record)
{
    return record->kind == LS_WEB_RECORD_CONNECTED ||
           (record->kind == LS_WEB_RECORD_MESSAGE &&
            ls_web_record_data(record)[0] == LS_CHANNEL_CONTROL);
}

static void take(ls_web_port *port, const ls_web_record *record, uint64_t now_ns)
{
    channel *to = &port->channels[record->slot];
    if (to->number != record->number || to->is_ending) {
        if (is_counted(record))
            atomic_fetch_sub_explicit(&port->shared->controls[record->slot], 1,
                                      memory_order_relaxed);
        return;
    }
    to->is_connected |= record->kind == LS_WEB_RECORD_CONNECTED;
    if (record->kind != LS_WEB_RECORD_END) {
        enqueue(port, record, is_counted(record), now_ns);
        return;
    }
    to->is_ending = true;
    while (to->others.first)
        drop_first(&to->others);
}

void ls_web_port_drain(ls_web_port *port, uint64_t now_ns, void (*ready)(void *user))
{
    const ls_web_record *record;
    while ((record = ls_web_ring_first(&port->shared->out)) != NULL) {
        channel *to = &port->channels[record->slot];
        take(port, record, now_ns);
        if (to->number == record->number)
            ready(to->user);
        ls_web_ring_drop(&port->shared->out);
    }
}

const uint8_t *ls_web_port_next(const ls_web_port *port, uint32_t slot, size_t *bytes)
{
    const channel *from = &port->channels[slot];
    const message *first = from->controls.first ? from->controls.first : from->others.first;
    *bytes = first ? first->bytes : 0;
    return first ? first->data : NULL;
}

void ls_web_port_sent(ls_web_port *port, uint32_t slot, uint64_t now_ns)
{
    channel *from = &port->channels[slot];
    size_t bytes;
    from->progress_ns = now_ns;
    (void)ls_web_port_next(port, slot, &bytes);
    count(port, LS_WEB_BYTES_SENT, bytes);
    if (from->controls.first)
        drop_control(port, slot);
    else
        drop_first(&from->others);
}

ls_web_close ls_web_port_check(ls_web_port *port, uint32_t slot, uint64_t now_ns)
{
    channel *which = &port->channels[slot];
    if (which->is_ending && !has_unsent(which)) {
        which->end = LS_WEB_CLOSED_DONE;
        return LS_WEB_CLOSE_DONE;
    }
    bool is_silent = !which->is_connected && now_ns - which->opened_ns >= LS_WEB_CONNECT_NS;
    bool is_stalled = has_unsent(which) && now_ns - which->progress_ns >= LS_WEB_STALL_NS;
    if (!is_silent && !is_stalled)
        return LS_WEB_GO_ON;
    which->end = is_stalled ? LS_WEB_CLOSED_STALLED : LS_WEB_CLOSED_SILENT;
    return LS_WEB_CLOSE_MALFORMED;
}
