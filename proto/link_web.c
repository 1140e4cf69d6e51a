/* The remote of a channel is its slot and its number, so that no other channel ever has the same
 * one. Everything else about it is in the slot. */
#include "proto/link_web.h"

#include "proto/carriers.h"
#include "proto/web_message.h"
#include "proto/web_shared.h"
#include <lockstep/bytes.h>

#include <stdio.h>
#include <string.h>

/* Records that one round may take. A flood blocks the caller for one round at most. */
#define ROUND_BUDGET 2048
/* Size of the ring to the port: a part that all channels share, and a part for each channel. */
#define OUT_BYTES         (256u << 10)
#define OUT_BYTES_OF_PEER 8192u
/* Room in the ring to the port that messages leave for the CONNECTED and the END of each channel.
 */
#define OUT_SPARE_OF_CHANNEL (3 * LS_WEB_RECORD_BYTES)
#define SWEEP_NS             (LS_SECOND_NS / 10)

enum { CLOSED = 0, OPEN, CONNECTED, ENDING };

typedef struct slot {
    uint64_t number;
    uint16_t generation;
    uint8_t state;
    bool is_end_unsent; /* there was no room for the END record; each flush tries again */
    uint32_t connect_id;
    ls_address client;
} slot;

typedef struct web_link {
    ls_link link;
    ls_web_shared shared;
    ls_web_port *port;
    ls_carriers *carriers;
    void (*wake)(void *context);
    void *context;
    const ls_web_record *delivered; /* the last event points into it; the next poll drops it */
    bool is_unsent, has_ends_unsent;
    uint32_t work;
    uint64_t now_ns, sweep_ns;
    ls_link_stats stats;
    slot slots[];
} web_link;

static web_link *web_of(ls_link *link)
{
    return (web_link *)(void *)link;
}

static const web_link *web_of_const(const ls_link *link)
{
    return (const web_link *)(const void *)link;
}

static ls_remote remote_of(uint64_t number, uint32_t index)
{
    ls_remote remote = {0};
    ls_writer writer;
    ls_writer_init(&writer, remote.bytes, sizeof remote.bytes);
    ls_write_u64(&writer, number);
    ls_write_u32(&writer, index);
    return remote;
}

bool ls_link_web_has(const ls_remote *remote)
{
    const ls_address address = ls_address_of_remote(remote);
    return ls_address_port(&address) == 0;
}

/* Returns the slot of a remote; channels_max: the channel is gone. */
static uint32_t find_remote(const web_link *self, const ls_remote *remote)
{
    ls_reader reader;
    ls_reader_init(&reader, remote->bytes, sizeof remote->bytes);
    uint64_t number = ls_read_u64(&reader);
    uint32_t index = ls_read_u32(&reader);
    bool is_there = index < self->shared.channels_max && number != 0 &&
                    self->slots[index].state != CLOSED && self->slots[index].number == number;
    return is_there ? index : self->shared.channels_max;
}

static ls_peer peer_of(const web_link *self, uint32_t index)
{
    return (uint32_t)self->slots[index].generation << 16 | index;
}

/* Returns the slot of a connection; channels_max: the id is stale. */
static uint32_t find_peer(const web_link *self, ls_peer peer)
{
    uint32_t index = ls_peer_slot(peer);
    bool is_there = index < self->shared.channels_max && self->slots[index].state == CONNECTED &&
                    peer_of(self, index) == peer;
    return is_there ? index : self->shared.channels_max;
}

static bool put(web_link *self, uint32_t index, ls_web_record_kind kind, const void *data,
                uint32_t bytes)
{
    bool is_data = kind == LS_WEB_RECORD_MESSAGE;
    const ls_web_record record = {
        .number = self->slots[index].number, .slot = index, .kind = kind, .bytes = bytes};
    if (!ls_web_ring_add(&self->shared.out, &record, data,
                         is_data ? self->shared.channels_max * OUT_SPARE_OF_CHANNEL : 0))
        return false;
    self->is_unsent = true;
    return true;
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    web_link *self = web_of(link);
    uint32_t index = find_peer(self, peer);
    uint8_t message[1 + LS_PACKET_BYTES_MAX];
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    if (packet->bytes < LS_SEAL_BYTES || packet->bytes > LS_PACKET_BYTES_MAX)
        return LS_ERROR_LIMIT;
    if (index == self->shared.channels_max)
        return LS_ERROR_NOT_FOUND;
    message[0] = packet->channel;
    memcpy(message + 1, packet->data, packet->bytes);
    _Atomic uint32_t *controls = &self->shared.controls[index];
    bool is_control = packet->channel == LS_CHANNEL_CONTROL;
    bool is_full =
        is_control && atomic_load_explicit(controls, memory_order_relaxed) >= LS_LINK_QUEUE_MAX;
    /* Counted before it is put into the ring, because the port may take it, and count it down, at
     * once. */
    if (is_control && !is_full)
        atomic_fetch_add_explicit(controls, 1, memory_order_relaxed);
    if (!is_full && put(self, index, LS_WEB_RECORD_MESSAGE, message, 1 + packet->bytes))
        return LS_OK;
    if (is_control && !is_full)
        atomic_fetch_sub_explicit(controls, 1, memory_order_relaxed);
    self->stats.sends_failed++;
    return LS_ERROR_LIMIT;
}

static void link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    web_link *self = web_of(link);
    uint32_t index = find_remote(self, to);
    LS_ASSERT(bytes >= 1 && bytes <= LS_MTU_BYTES && (data[0] & 0x40));
    if (index < self->shared.channels_max && self->slots[index].state == OPEN &&
        !put(self, index, LS_WEB_RECORD_MESSAGE, data, bytes))
        self->stats.sends_failed++;
}

static ls_remote_origin link_origin(const ls_link *link, const ls_remote *remote)
{
    const web_link *self = web_of_const(link);
    uint32_t index = find_remote(self, remote);
    if (index < self->shared.channels_max)
        return ls_address_origin(&self->slots[index].client);
    ls_remote_origin gone = {0};
    memcpy(gone.host.bytes, remote->bytes, sizeof gone.host.bytes);
    gone.network = gone.host;
    return gone;
}

ls_address ls_link_web_address(const ls_link *link, const ls_remote *remote)
{
    if (!link || !ls_link_web_has(remote))
        return ls_address_of_remote(remote);
    const web_link *self = web_of_const(link);
    uint32_t index = find_remote(self, remote);
    return index < self->shared.channels_max ? self->slots[index].client : (ls_address){0};
}

void ls_link_web_counts(const ls_link *link, uint64_t counts[LS_WEB_COUNTERS])
{
    const ls_web_shared *shared = &web_of_const(link)->shared;
    for (uint32_t i = 0; i < LS_WEB_COUNTERS; i++)
        counts[i] = atomic_load_explicit(&shared->counts[i], memory_order_relaxed);
}

static void link_describe(const ls_link *link, const ls_remote *remote,
                          char text[LS_REMOTE_TEXT_BYTES])
{
    const web_link *self = web_of_const(link);
    uint32_t index = find_remote(self, remote);
    if (index == self->shared.channels_max) {
        snprintf(text, LS_REMOTE_TEXT_BYTES, "web-gone");
        return;
    }
    char host[LS_ADDRESS_TEXT_BYTES];
    ls_address_format_host(&self->slots[index].client, host);
    snprintf(text, LS_REMOTE_TEXT_BYTES, "web-%llu@%.40s",
             (unsigned long long)self->slots[index].number, host);
}

static ls_status link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                            uint64_t until_ns)
{
    web_link *self = web_of(link);
    const ls_admission_request request = {carrier, *remote, link_origin(link, remote).host,
                                          until_ns};
    return ls_carriers_admit(self->carriers, &request, self->now_ns);
}

static uint32_t link_connections(const ls_link *link, const ls_remote_key *host)
{
    return ls_carriers_count_held(web_of_const(link)->carriers, host);
}

static ls_status link_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    (void)link;
    (void)now_ns;
    (void)carrier;
    return LS_ERROR_IO; /* a server's link never connects */
}

static ls_remote link_remote(const ls_link *link, ls_peer peer)
{
    const web_link *self = web_of_const(link);
    uint32_t index = find_peer(self, peer);
    return index < self->shared.channels_max ? remote_of(self->slots[index].number, index)
                                             : (ls_remote){0};
}

static void free_slot(web_link *self, uint32_t index)
{
    slot *which = &self->slots[index];
    if (which->connect_id)
        ls_carriers_remove(self->carriers, which->connect_id);
    *which = (slot){.generation = (uint16_t)(which->generation + (which->state == CONNECTED))};
}

static bool take_connecting(web_link *self, const ls_web_record *record, ls_link_event *event)
{
    slot *which = &self->slots[record->slot];
    const ls_remote remote = remote_of(record->number, record->slot);
    const uint8_t *message = ls_web_record_data(record);
    ls_carrier_entry *entry =
        ls_carriers_find_waiting(self->carriers, &remote, ls_web_connect_id(message), self->now_ns);
    _Atomic uint32_t *controls = &self->shared.controls[record->slot];
    if (which->state != OPEN || !entry) {
        self->stats.connects_refused++;
        return false;
    }
    atomic_fetch_add_explicit(controls, 1, memory_order_relaxed);
    if (!put(self, record->slot, LS_WEB_RECORD_CONNECTED, message, record->bytes)) {
        atomic_fetch_sub_explicit(controls, 1, memory_order_relaxed);
        self->stats.connects_refused++;
        return false;
    }
    ls_carriers_hold(self->carriers, entry, record->slot);
    which->state = CONNECTED;
    which->connect_id = entry->carrier.connect_id;
    *event = (ls_link_event){.kind = LS_LINK_CONNECTED,
                             .peer = peer_of(self, record->slot),
                             .connect_id = which->connect_id};
    return true;
}

static bool take_message(web_link *self, const ls_web_record *record, ls_link_event *event)
{
    const slot *which = &self->slots[record->slot];
    const uint8_t *data = ls_web_record_data(record);
    atomic_fetch_sub_explicit(&self->shared.unread[record->slot],
                              ls_web_unread_charge(record->bytes), memory_order_relaxed);
    switch (ls_web_message_kind_of(data, record->bytes)) {
    case LS_WEB_CONNECTING:
        return take_connecting(self, record, event);
    case LS_WEB_DATAGRAM:
        *event = (ls_link_event){.kind = LS_LINK_DATAGRAM,
                                 .peer = LS_PEER_NONE,
                                 .arrived_ns = record->arrived_ns,
                                 .remote = remote_of(record->number, record->slot),
                                 .packet = {.bytes = record->bytes, .data = data}};
        self->stats.datagrams_refused += which->state != OPEN;
        self->stats.refused[LS_LINK_STRANGER] += which->state != OPEN;
        return which->state == OPEN;
    case LS_WEB_PACKET:
        *event = (ls_link_event){
            .kind = LS_LINK_MESSAGE,
            .peer = peer_of(self, record->slot),
            .arrived_ns = record->arrived_ns,
            .packet = {.channel = data[0], .bytes = record->bytes - 1, .data = data + 1}};
        self->stats.packets_refused += which->state == OPEN;
        return which->state == CONNECTED;
    case LS_WEB_MALFORMED:
    default:
        LS_ASSERT(false); /* the port forwards none */
        return false;
    }
}

/* Handles a record; false when the owner need not know of it. */
static bool take_record(web_link *self, const ls_web_record *record, ls_link_event *event)
{
    slot *which = &self->slots[record->slot];
    bool was_connected = which->state == CONNECTED;
    switch ((ls_web_record_kind)record->kind) {
    case LS_WEB_RECORD_OPENED:
        which->state = OPEN;
        which->number = record->number;
        atomic_fetch_sub_explicit(&self->shared.opened_unread, 1, memory_order_relaxed);
        memcpy(&which->client, ls_web_record_data(record), sizeof which->client);
        return false;
    case LS_WEB_RECORD_CLOSED:
        *event = (ls_link_event){.kind = LS_LINK_DISCONNECTED, .peer = peer_of(self, record->slot)};
        free_slot(self, record->slot);
        return was_connected;
    case LS_WEB_RECORD_MESSAGE:
        return take_message(self, record, event);
    case LS_WEB_RECORD_SKIP:
    case LS_WEB_RECORD_CONNECTED:
    case LS_WEB_RECORD_END:
    default:
        LS_ASSERT(false);
        return false;
    }
}

static void begin_round(web_link *self, uint64_t now_ns)
{
    self->now_ns = now_ns;
    if (now_ns < self->sweep_ns)
        return;
    self->sweep_ns = now_ns + SWEEP_NS;
    ls_carriers_expire(self->carriers, now_ns);
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    web_link *self = web_of(link);
    if (self->work == 0)
        begin_round(self, now_ns);
    for (bool is_told = false; !is_told; self->work++) {
        if (self->delivered)
            ls_web_ring_drop(&self->shared.in);
        self->delivered = NULL;
        const ls_web_record *record = ls_web_ring_first(&self->shared.in);
        if (!record || self->work == ROUND_BUDGET) {
            self->stats.rounds_exhausted += record != NULL;
            self->work = 0;
            return false;
        }
        self->delivered = record;
        is_told = take_record(self, record, event);
    }
    return true;
}

static void put_ends(web_link *self)
{
    self->has_ends_unsent = false;
    for (uint32_t i = 0; i < self->shared.channels_max; i++)
        if (self->slots[i].is_end_unsent) {
            self->slots[i].is_end_unsent = !put(self, i, LS_WEB_RECORD_END, NULL, 0);
            self->has_ends_unsent |= self->slots[i].is_end_unsent;
        }
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    web_link *self = web_of(link);
    (void)now_ns;
    if (self->has_ends_unsent)
        put_ends(self);
    if (self->is_unsent && self->wake)
        self->wake(self->context);
    self->is_unsent = false;
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    web_link *self = web_of(link);
    uint32_t index = find_peer(self, peer);
    if (index == self->shared.channels_max)
        return;
    slot *which = &self->slots[index];
    which->state = ENDING;
    which->generation++; /* the id is stale from now on */
    which->is_end_unsent = !put(self, index, LS_WEB_RECORD_END, NULL, 0);
    self->has_ends_unsent |= which->is_end_unsent;
}

static bool link_is_quiet(const ls_link *link)
{
    const web_link *self = web_of_const(link);
    for (uint32_t i = 0; i < self->shared.channels_max; i++)
        if (self->slots[i].state == ENDING)
            return false;
    return true;
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    (void)timeout_ms; /* there is no socket: the owner is told of arrivals */
    return ls_web_ring_first(&web_of(link)->shared.in) != NULL;
}

static void link_wake(ls_link *link)
{
    (void)link;
}

static ls_link_stats link_stats(const ls_link *link)
{
    const web_link *self = web_of_const(link);
    ls_link_stats stats = self->stats;
    stats.packets_refused += atomic_load_explicit(&self->shared.malformed, memory_order_relaxed);
    stats.receive_errors +=
        atomic_load_explicit(&self->shared.unread_dropped, memory_order_relaxed);
    stats.sends_failed += atomic_load_explicit(&self->shared.unsent_dropped, memory_order_relaxed);
    return stats;
}

static void link_destroy(ls_link *link)
{
    web_link *self = web_of(link);
    ls_web_port_destroy(self->port);
    ls_carriers_destroy(self->carriers);
    ls_web_ring_reset(&self->shared.in);
    ls_web_ring_reset(&self->shared.out);
    ls_free(self->shared.unread);
    ls_free(self->shared.controls);
    ls_free(self);
}

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

/* Returns the size of the ring to the link: the unread messages of all channels, the OPENED and
 * CLOSED records of channels that opened, the CLOSED of each that is open, the record being read,
 * and what is left empty at the end of the ring. */
static uint32_t in_bytes(uint32_t peers_max)
{
    uint32_t longest = ls_web_record_size(LS_WEB_MESSAGE_BYTES_MAX);
    return peers_max * LS_WEB_UNREAD_BYTES + LS_WEB_WAITING_MAX * LS_WEB_UNREAD_BYTES_WAITING +
           LS_WEB_OPENED_UNREAD_MAX *
               (ls_web_record_size(sizeof(ls_address)) + LS_WEB_RECORD_BYTES) +
           (peers_max + LS_WEB_WAITING_MAX) * LS_WEB_RECORD_BYTES + 2 * longest;
}

ls_link *ls_link_web_create(const ls_link_web_config *config)
{
    uint32_t channels_max = config->peers_max + LS_WEB_WAITING_MAX;
    LS_ASSERT(config->peers_max >= 1 && config->peers_max <= LS_LINK_PEERS_MAX);
    web_link *self = ls_alloc(sizeof *self + channels_max * sizeof self->slots[0]);
    self->link.vtable = &vtable;
    self->carriers = ls_carriers_create(channels_max);
    ls_web_shared *shared = &self->shared;
    shared->channels_max = channels_max;
    shared->unread = ls_alloc(channels_max * sizeof *shared->unread);
    shared->controls = ls_alloc(channels_max * sizeof *shared->controls);
    ls_web_ring_init(&shared->in, in_bytes(config->peers_max));
    ls_web_ring_init(&shared->out, OUT_BYTES + channels_max * OUT_BYTES_OF_PEER);
    self->port = ls_web_port_create(shared, &config->port);
    return &self->link;
}

ls_web_port *ls_link_web_port(ls_link *link)
{
    return web_of(link)->port;
}

void ls_link_web_on_output(ls_link *link, void (*wake)(void *context), void *context)
{
    web_link *self = web_of(link);
    self->wake = wake;
    self->context = context;
}
