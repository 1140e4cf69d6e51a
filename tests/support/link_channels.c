/* The links of tests/support/channels.h. */
#include "tests/support/channels_internal.h"

#include <lockstep/entropy.h>

#include <stdio.h>
#include <string.h>

#define CONNECT_PATIENCE_NS (UINT64_C(5) * 1000000000)

static channel_link *cast(ls_link *link)
{
    return ls_channels_cast(link);
}

static const channel_link *cast_const(const ls_link *link)
{
    return (const channel_link *)link;
}

static ls_peer id_of(const channel_link *self, uint32_t index)
{
    return (uint32_t)self->slots[index].generation << 16 | index;
}

static slot *find_slot(channel_link *self, ls_peer peer)
{
    uint32_t index = ls_peer_slot(peer);
    bool is_open =
        index < self->slot_count && self->slots[index].is_open && id_of(self, index) == peer;
    return is_open ? &self->slots[index] : NULL;
}

static slot *slot_of_channel(channel_link *self, uint64_t number)
{
    for (uint32_t i = 0; i < self->slot_count; i++)
        if (self->slots[i].is_open && self->slots[i].channel == number)
            return &self->slots[i];
    return NULL;
}

static void open_slot(slot *opened, uint32_t connect_id, uint64_t number)
{
    opened->is_open = true;
    opened->connect_id = connect_id;
    opened->channel = number;
}

static void free_slot(channel_link *self, slot *closed)
{
    if (!closed->is_open)
        return;
    if (self->carriers)
        ls_carriers_remove(self->carriers, closed->connect_id);
    closed->is_open = false;
    closed->generation++;
}

static ls_link_event event_of(const channel_link *self, ls_link_event_kind kind, const slot *which)
{
    return (ls_link_event){.kind = kind,
                           .peer = id_of(self, (uint32_t)(which - self->slots)),
                           .connect_id = which->connect_id,
                           .remote = ls_channels_remote(which->channel)};
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    channel_link *self = cast(link);
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    const slot *to = find_slot(self, peer);
    if (packet->bytes == 0 || packet->bytes > LS_PACKET_BYTES_MAX)
        return LS_ERROR_LIMIT;
    if (!to)
        return LS_ERROR_NOT_FOUND;
    frame head = {.channel = to->channel,
                  .kind = FRAME_MESSAGE,
                  .lane = packet->channel,
                  .bytes = packet->bytes};
    if (ls_channels_send(self, &head, packet->data))
        return LS_OK;
    self->stats.sends_failed++;
    return LS_ERROR_LIMIT;
}

static void link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    channel_link *self = cast(link);
    LS_ASSERT(bytes >= 1 && bytes <= LS_MTU_BYTES && (data[0] & 0x40));
    LS_ASSERT((to == NULL) == (self->carriers == NULL));
    frame head = {.kind = FRAME_DATAGRAM, .bytes = bytes};
    if (!to && !self->channel)
        ls_channels_connect(self);
    if (to)
        memcpy(&head.channel, to->bytes, sizeof head.channel);
    else
        head.channel = self->channel;
    (void)ls_channels_send(self, &head, data);
}

/* A channel that is gone is a host of its own. */
static ls_remote_origin link_origin(const ls_link *link, const ls_remote *remote)
{
    uint64_t number;
    ls_remote_origin result = {0};
    memcpy(&number, remote->bytes, sizeof number);
    const channel *at = number ? ls_channels_find(cast_const(link)->channels, number) : NULL;
    if (at) {
        memcpy(result.host.bytes, at->origin.host, sizeof result.host.bytes);
        memcpy(result.network.bytes, at->origin.network, sizeof result.network.bytes);
        result.is_local = at->origin.is_local;
    } else {
        result.host.bytes[LS_REMOTE_KEY_BYTES - 1] = 0xff;
        memcpy(result.host.bytes, &number, sizeof number);
    }
    return result;
}

static void link_describe(const ls_link *link, const ls_remote *remote,
                          char text[LS_REMOTE_TEXT_BYTES])
{
    uint64_t number;
    memcpy(&number, remote->bytes, sizeof number);
    const channel *at = number ? ls_channels_find(cast_const(link)->channels, number) : NULL;
    snprintf(text, LS_REMOTE_TEXT_BYTES, "channel-%llu@%.*s", (unsigned long long)number,
             LS_REMOTE_KEY_BYTES, at ? at->origin.host : "");
}

static bool take_connect(channel_link *self, const frame *from, ls_link_event *event)
{
    const ls_remote remote = ls_channels_remote(from->channel);
    ls_carrier_entry *entry =
        ls_carriers_find_waiting(self->carriers, &remote, from->connect_id, self->now_ns);
    uint32_t index = 0;
    while (index < self->slot_count && self->slots[index].is_open)
        index++;
    if (!entry || from->bytes != sizeof entry->carrier.keys || index == self->slot_count ||
        memcmp(entry->carrier.keys, from->data, from->bytes) != 0) {
        self->stats.connects_refused++;
        return false;
    }
    ls_carriers_hold(self->carriers, entry, index);
    open_slot(&self->slots[index], from->connect_id, from->channel);
    (void)ls_channels_send(self, &(frame){.channel = from->channel, .kind = FRAME_WELCOME}, NULL);
    *event = event_of(self, LS_LINK_CONNECTED, &self->slots[index]);
    return true;
}

/* Moves a connection to the channel that shows its keys, because its client is there now. */
static bool take_move(channel_link *self, const frame *from, ls_link_event *event)
{
    ls_carrier_entry *entry = ls_carriers_find(self->carriers, from->connect_id);
    if (!entry || !entry->is_held || from->bytes != sizeof entry->carrier.keys ||
        memcmp(entry->carrier.keys, from->data, from->bytes) != 0) {
        self->stats.datagrams_refused++;
        return false;
    }
    self->slots[entry->slot].channel = from->channel;
    entry->remote = ls_channels_remote(from->channel);
    entry->host = link_origin(&self->link, &entry->remote).host;
    self->stats.peers_moved++;
    *event = event_of(self, LS_LINK_MOVED, &self->slots[entry->slot]);
    return true;
}

static bool take_close(channel_link *self, slot *closed, ls_link_event *event)
{
    if (!closed || !closed->is_open)
        return false;
    *event = event_of(self, LS_LINK_DISCONNECTED, closed);
    free_slot(self, closed);
    return true;
}

static bool take_message(channel_link *self, const slot *to, const frame *from,
                         ls_link_event *event)
{
    if (!to || !to->is_open) {
        self->stats.datagrams_refused++;
        return false;
    }
    *event = event_of(self, LS_LINK_MESSAGE, to);
    event->packet = (ls_packet){.channel = from->lane, .bytes = from->bytes, .data = from->data};
    return true;
}

static bool take_datagram(const frame *from, ls_link_event *event)
{
    *event = (ls_link_event){.kind = LS_LINK_DATAGRAM,
                             .peer = LS_PEER_NONE,
                             .remote = ls_channels_remote(from->channel),
                             .packet = {.bytes = from->bytes, .data = from->data}};
    return true;
}

static bool take_at_server(channel_link *self, const frame *from, ls_link_event *event)
{
    slot *of_channel = slot_of_channel(self, from->channel);
    switch (from->kind) {
    case FRAME_CONNECT:
        return take_connect(self, from, event);
    case FRAME_MOVE:
        return take_move(self, from, event);
    case FRAME_MESSAGE:
        return take_message(self, of_channel, from, event);
    case FRAME_CLOSE:
        return take_close(self, of_channel, event);
    case FRAME_DATAGRAM:
        return take_datagram(from, event);
    case FRAME_WELCOME:
    default:
        return false;
    }
}

static bool take_at_client(channel_link *self, const frame *from, ls_link_event *event)
{
    slot *own = &self->slots[0];
    if (from->kind == FRAME_DATAGRAM)
        return take_datagram(from, event);
    if (from->kind == FRAME_MESSAGE)
        return take_message(self, own, from, event);
    if (from->kind == FRAME_CLOSE)
        return take_close(self, own, event);
    if (from->kind != FRAME_WELCOME || !self->connect_until_ns)
        return false;
    self->connect_until_ns = 0;
    open_slot(own, self->carrier.connect_id, self->channel);
    *event = event_of(self, LS_LINK_CONNECTED, own);
    return true;
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    channel_link *self = cast(link);
    self->now_ns = now_ns;
    for (;;) {
        ls_free(self->delivered);
        self->delivered = ls_channels_take(self);
        if (!self->delivered)
            break;
        if (self->carriers ? take_at_server(self, self->delivered, event)
                           : take_at_client(self, self->delivered, event))
            return true;
    }
    if (!self->connect_until_ns || now_ns < self->connect_until_ns)
        return false;
    self->connect_until_ns = 0;
    *event = event_of(self, LS_LINK_DISCONNECTED, &self->slots[0]);
    self->slots[0].generation++;
    return true;
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    cast(link)->now_ns = now_ns;
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    channel_link *self = cast(link);
    slot *closed = find_slot(self, peer);
    if (!closed)
        return;
    (void)ls_channels_send(self, &(frame){.channel = closed->channel, .kind = FRAME_CLOSE}, NULL);
    free_slot(self, closed);
}

static ls_status link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                            uint64_t until_ns)
{
    channel_link *self = cast(link);
    LS_ASSERT(self->carriers);
    const ls_remote_key host = link_origin(link, remote).host;
    const ls_admission_request request = {carrier, *remote, host, until_ns};
    return ls_carriers_admit(self->carriers, &request, self->now_ns);
}

static uint32_t link_connections(const ls_link *link, const ls_remote_key *host)
{
    return ls_carriers_count_held(cast_const(link)->carriers, host);
}

static ls_status link_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    channel_link *self = cast(link);
    LS_ASSERT(!self->carriers && carrier->connect_id != 0);
    free_slot(self, &self->slots[0]);
    if (!self->channel)
        ls_channels_connect(self);
    self->carrier = *carrier;
    self->connect_until_ns = now_ns + CONNECT_PATIENCE_NS;
    ls_channels_show_keys(self, FRAME_CONNECT);
    return LS_OK;
}

static ls_remote link_remote(const ls_link *link, ls_peer peer)
{
    const slot *at = find_slot((channel_link *)(uintptr_t)link, peer);
    return at ? ls_channels_remote(at->channel) : (ls_remote){0};
}

static ls_link_stats link_stats(const ls_link *link)
{
    return cast_const(link)->stats;
}

static bool link_is_quiet(const ls_link *link)
{
    (void)link;
    return true;
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    (void)timeout_ms;
    return cast(link)->first != NULL;
}

static void link_wake(ls_link *link)
{
    (void)link; /* time is virtual */
}

static void link_destroy(ls_link *link)
{
    channel_link *self = cast(link);
    ls_channels *channels = self->channels;
    ls_channels_close(self);
    frame *left;
    while ((left = ls_channels_take(self)) != NULL)
        ls_free(left);
    ls_free(self->delivered);
    if (self->carriers) {
        ls_carriers_destroy(self->carriers);
        channels->server = NULL;
    }
    ls_wipe(&self->carrier, sizeof self->carrier);
    channels->link_count--;
    ls_free(self);
}

const ls_link_vtable ls_channels_vtable = {
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
