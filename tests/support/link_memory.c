/* The links of the in-process network. network.c holds the packets in flight between them. */
#include "tests/support/link_memory_path.h"

#include <string.h>

#define CONNECT_PATIENCE_NS (UINT64_C(5000) * 1000000)

static ls_memory_link *cast(ls_link *link)
{
    return (ls_memory_link *)link;
}

static ls_peer id_of(const ls_memory_link *self, uint32_t slot)
{
    return (uint32_t)self->slots[slot].generation << 16 | slot;
}

static ls_memory_slot *find_slot(ls_memory_link *self, ls_peer peer)
{
    uint32_t slot = ls_peer_slot(peer);
    if (slot >= self->slot_count || id_of(self, slot) != peer ||
        self->slots[slot].state != LS_MEMORY_OPEN)
        return NULL;
    return &self->slots[slot];
}

/* Returns the slot of the parcel's connection; NULL if the connection never existed or is
 * closed. */
static ls_memory_slot *find_connection(ls_memory_link *self, const ls_parcel *parcel)
{
    ls_memory_slot *slot = self->slots;
    if (self->role == LS_ROLE_SERVER) {
        const ls_carrier_entry *entry = ls_carriers_find(self->carriers, parcel->connect_id);
        if (!entry || !entry->is_held)
            return NULL;
        slot = &self->slots[entry->slot];
    }
    bool is_ours = slot->state != LS_MEMORY_CLOSED && slot->connect_id == parcel->connect_id;
    return is_ours ? slot : NULL;
}

static void close_slot(ls_memory_link *self, ls_memory_slot *slot)
{
    if (self->role == LS_ROLE_SERVER)
        ls_carriers_remove(self->carriers, slot->connect_id);
    slot->state = LS_MEMORY_CLOSED;
    slot->generation++;
}

static void outbox_push(ls_memory_link *self, ls_parcel *parcel)
{
    parcel->next = NULL;
    *self->outbox_end = parcel;
    self->outbox_end = &parcel->next;
}

/* Sends a parcel of a connection. */
static void push(ls_memory_link *self, const ls_memory_slot *slot, ls_parcel *parcel)
{
    parcel->connect_id = slot->connect_id;
    parcel->address = slot->address;
    parcel->client = slot->client;
    outbox_push(self, parcel);
}

/* Returns the inbox at the other end of the connection; NULL if there is none. */
static const ls_delay_queue *receiver_of(const ls_memory_link *self, const ls_memory_slot *slot)
{
    const ls_memory_link *receiver =
        self->role == LS_ROLE_SERVER ? self->network->links[slot->client] : self->network->server;
    return receiver ? &receiver->inbox : NULL;
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    ls_memory_link *self = cast(link);
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    bool is_control = packet->channel == LS_CHANNEL_CONTROL;
    if (packet->bytes == 0 || packet->bytes > LS_PACKET_BYTES_MAX)
        return LS_ERROR_LIMIT;
    const ls_memory_slot *slot = find_slot(self, peer);
    if (!slot)
        return LS_ERROR_NOT_FOUND;
    const ls_delay_queue *receiver = receiver_of(self, slot);
    if (is_control && receiver && receiver->count >= LS_NETWORK_PACKETS_MAX / 2) {
        self->stats.sends_failed++;
        return LS_ERROR_LIMIT;
    }
    push(self, slot, ls_parcel_create(LS_PARCEL_MESSAGE, packet));
    return LS_OK;
}

/* Sets the address of a parcel: on a client its own, on a server that of the slot, where the server
 * believes the client to be. False for a server's control parcel when the client has moved: it
 * waits until the server knows the new address. */
static bool address(ls_memory_link *self, ls_parcel *parcel)
{
    if (self->role == LS_ROLE_CLIENT) {
        parcel->address = self->address;
        parcel->counter = ++self->sent;
        return true;
    }
    const ls_memory_slot *slot = find_connection(self, parcel);
    const ls_memory_link *client = self->network->links[parcel->client];
    if (!slot)
        return true;
    parcel->address = slot->address;
    return parcel->channel != LS_CHANNEL_CONTROL || !client ||
           memcmp(&client->address, &parcel->address, sizeof parcel->address) == 0;
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    ls_memory_link *self = cast(link);
    ls_network *network = self->network;
    now_ns = ls_network_present(network, now_ns);
    if (now_ns > network->now_ns)
        network->now_ns = now_ns;
    ls_parcel *next = self->outbox;
    self->outbox = NULL;
    self->outbox_end = &self->outbox;
    while (next) {
        ls_parcel *parcel = next;
        next = parcel->next;
        if (address(self, parcel))
            parcel = ls_network_transmit(network, self->role, parcel, now_ns);
        if (parcel)
            outbox_push(self, parcel); /* retransmitted until the line is up again */
    }
}

static uint32_t find_free_slot(const ls_memory_link *self)
{
    uint32_t slot = 0;
    while (slot < self->slot_count && self->slots[slot].state != LS_MEMORY_CLOSED)
        slot++;
    return slot;
}

/* Answers a CONNECT. Without an admission or a free slot the client gets no answer, as with the
 * ENet link. */
static bool take_connect(ls_memory_link *self, const ls_parcel *parcel, uint64_t now_ns,
                         ls_link_event *event)
{
    const ls_remote from = ls_address_to_remote(&parcel->address);
    ls_carrier_entry *entry =
        self->role == LS_ROLE_SERVER
            ? ls_carriers_find_waiting(self->carriers, &from, parcel->connect_id, now_ns)
            : NULL;
    uint32_t index = find_free_slot(self);
    if (!entry || memcmp(entry->carrier.keys, parcel->data, sizeof entry->carrier.keys) != 0) {
        self->stats.connects_refused++;
        return false;
    }
    if (index == self->slot_count)
        return false;
    ls_memory_slot *slot = &self->slots[index];
    ls_carriers_hold(self->carriers, entry, index);
    slot->state = LS_MEMORY_OPEN;
    slot->connect_id = parcel->connect_id;
    slot->address = parcel->address;
    slot->client = parcel->client;
    slot->counter = parcel->counter;
    push(self, slot, ls_parcel_create(LS_PARCEL_WELCOME, NULL));
    *event = (ls_link_event){
        .kind = LS_LINK_CONNECTED, .peer = id_of(self, index), .connect_id = slot->connect_id};
    return true;
}

static bool take_welcome(ls_memory_link *self, ls_memory_slot *slot, ls_link_event *event)
{
    if (slot->state != LS_MEMORY_CONNECTING)
        return false;
    slot->state = LS_MEMORY_OPEN;
    *event = (ls_link_event){
        .kind = LS_LINK_CONNECTED, .peer = id_of(self, 0), .connect_id = slot->connect_id};
    return true;
}

static bool take_end(ls_memory_link *self, ls_memory_slot *slot, ls_link_event *event)
{
    *event = (ls_link_event){.kind = LS_LINK_DISCONNECTED,
                             .peer = id_of(self, (uint32_t)(slot - self->slots))};
    close_slot(self, slot);
    return true;
}

static bool take_message(ls_memory_link *self, const ls_memory_slot *slot, const ls_parcel *parcel,
                         ls_link_event *event)
{
    if (slot->state != LS_MEMORY_OPEN)
        return false;
    *event = (ls_link_event){
        .kind = LS_LINK_MESSAGE,
        .peer = id_of(self, (uint32_t)(slot - self->slots)),
        .packet = {.channel = parcel->channel, .bytes = parcel->bytes, .data = parcel->data}};
    return true;
}

static bool take_response(ls_memory_link *self, ls_memory_slot *slot, const ls_parcel *parcel,
                          uint64_t now_ns, ls_link_event *event)
{
    if (!ls_memory_path_answer(self, slot, parcel, now_ns))
        return false;
    *event = (ls_link_event){.kind = LS_LINK_MOVED,
                             .peer = id_of(self, (uint32_t)(slot - self->slots)),
                             .remote = ls_address_to_remote(&slot->address)};
    return true;
}

static bool take_challenge(ls_memory_link *self, const ls_memory_slot *slot,
                           const ls_parcel *parcel)
{
    const ls_packet packet = {
        .channel = LS_CHANNEL_TICKS, .bytes = parcel->bytes, .data = parcel->data};
    push(self, slot, ls_parcel_create(LS_PARCEL_RESPONSE, &packet));
    return false;
}

/* Delivers a datagram. A client accepts datagrams from its server only. On a client's parcel,
 * `address` is the client's own. */
static bool take_datagram(ls_memory_link *self, const ls_parcel *parcel, ls_link_event *event)
{
    if (parcel->bytes == 0 || parcel->bytes > LS_MTU_BYTES || !(parcel->data[0] & 0x40)) {
        self->stats.datagrams_refused++;
        return false;
    }
    *event = (ls_link_event){.kind = LS_LINK_DATAGRAM,
                             .peer = LS_PEER_NONE,
                             .remote = ls_address_to_remote(&parcel->address),
                             .packet = {.bytes = parcel->bytes, .data = parcel->data}};
    if (self->role == LS_ROLE_CLIENT)
        event->remote = ls_address_to_remote(&ls_network_server_address);
    return true;
}

static bool take(ls_memory_link *self, const ls_parcel *parcel, uint64_t now_ns,
                 ls_link_event *event)
{
    switch (parcel->kind) {
    case LS_PARCEL_CONNECT:
        return take_connect(self, parcel, now_ns, event);
    case LS_PARCEL_DATAGRAM:
        return take_datagram(self, parcel, event);
    default:
        break;
    }
    ls_memory_slot *slot = find_connection(self, parcel);
    if (!slot) {
        self->stats.datagrams_refused++;
        return false;
    }
    if (self->role == LS_ROLE_SERVER && parcel->kind == LS_PARCEL_RESPONSE)
        return take_response(self, slot, parcel, now_ns, event);
    if (self->role == LS_ROLE_SERVER && !ls_memory_path_may_come(self, slot, parcel)) {
        self->stats.datagrams_refused++;
        return false;
    }
    if (self->role == LS_ROLE_SERVER)
        ls_memory_path_note(self, slot, parcel, now_ns);
    if (parcel->kind == LS_PARCEL_CHALLENGE)
        return take_challenge(self, slot, parcel);
    if (parcel->kind == LS_PARCEL_WELCOME)
        return take_welcome(self, slot, event);
    if (parcel->kind == LS_PARCEL_END)
        return take_end(self, slot, event);
    return take_message(self, slot, parcel, event);
}

/* True for a packet to an address that the client has left; control packets are repeated until they
 * arrive, so they are never lost. */
static bool is_astray(const ls_memory_link *self, const ls_parcel *parcel)
{
    return self->role == LS_ROLE_CLIENT && parcel->channel != LS_CHANNEL_CONTROL &&
           memcmp(&parcel->address, &self->address, sizeof self->address) != 0;
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    ls_memory_link *self = cast(link);
    ls_parcel_destroy(self->delivered);
    self->delivered = NULL;
    self->polled_ns = now_ns;
    now_ns = ls_network_present(self->network, now_ns);
    link_flush(link, now_ns);
    ls_parcel *parcel;
    while ((parcel = (ls_parcel *)ls_delay_queue_take(&self->inbox, now_ns)) != NULL) {
        if (!is_astray(self, parcel) && take(self, parcel, now_ns, event)) {
            self->delivered = parcel;
            event->arrived_ns = self->polled_ns - (now_ns - parcel->delayed.due_ns);
            return true;
        }
        ls_parcel_destroy(parcel);
        link_flush(link, now_ns);
    }
    bool is_over = self->slots[0].state == LS_MEMORY_CONNECTING && now_ns >= self->connect_until_ns;
    return is_over && take_end(self, &self->slots[0], event);
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    ls_memory_link *self = cast(link);
    ls_memory_slot *slot = find_slot(self, peer);
    if (!slot)
        return;
    push(self, slot, ls_parcel_create(LS_PARCEL_END, NULL));
    close_slot(self, slot);
}

static void link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    ls_memory_link *self = cast(link);
    LS_ASSERT(bytes >= 1 && bytes <= LS_MTU_BYTES && (data[0] & 0x40));
    LS_ASSERT((to == NULL) == (self->role == LS_ROLE_CLIENT));
    const ls_address address = to ? ls_address_of_remote(to) : self->address;
    const ls_memory_link *client = to ? ls_network_find_client(self->network, &address) : self;
    if (!client) {
        self->network->stray.datagrams++;
        self->network->stray.bytes += bytes;
        return;
    }
    ls_packet packet = {.bytes = bytes, .data = data};
    ls_parcel *parcel = ls_parcel_create(LS_PARCEL_DATAGRAM, &packet);
    parcel->address = client->address;
    parcel->client = client->index;
    parcel = ls_network_transmit(self->network, self->role, parcel, self->network->now_ns);
    LS_ASSERT(!parcel);
}

static ls_remote_origin link_origin(const ls_link *link, const ls_remote *remote)
{
    (void)link;
    const ls_address address = ls_address_of_remote(remote);
    return ls_address_origin(&address);
}

static void link_describe(const ls_link *link, const ls_remote *remote,
                          char text[LS_REMOTE_TEXT_BYTES])
{
    (void)link;
    const ls_address address = ls_address_of_remote(remote);
    ls_address_format(&address, text);
}

static ls_status link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                            uint64_t until_ns)
{
    ls_memory_link *self = cast(link);
    LS_ASSERT(self->role == LS_ROLE_SERVER);
    uint64_t now_ns = self->network->now_ns;
    if (self->network->clock_ns)
        until_ns = now_ns + (until_ns > self->polled_ns ? until_ns - self->polled_ns : 0);
    const ls_remote_key host = link_origin(link, remote).host;
    const ls_admission_request request = {carrier, *remote, host, until_ns};
    return ls_carriers_admit(self->carriers, &request, now_ns);
}

static uint32_t link_connections(const ls_link *link, const ls_remote_key *host)
{
    const ls_memory_link *self = (const ls_memory_link *)link;
    LS_ASSERT(self->role == LS_ROLE_SERVER);
    return ls_carriers_count_held(self->carriers, host);
}

static ls_status link_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    ls_memory_link *self = cast(link);
    LS_ASSERT(self->role == LS_ROLE_CLIENT && carrier->connect_id != 0);
    ls_memory_slot *slot = &self->slots[0];
    if (slot->state != LS_MEMORY_CLOSED)
        close_slot(self, slot);
    slot->state = LS_MEMORY_CONNECTING;
    slot->connect_id = carrier->connect_id;
    slot->address = self->address;
    slot->client = self->index;
    ls_packet keys = {
        .channel = LS_CHANNEL_CONTROL, .bytes = sizeof carrier->keys, .data = &carrier->keys[0][0]};
    push(self, slot, ls_parcel_create(LS_PARCEL_CONNECT, &keys));
    self->connect_until_ns = ls_network_present(self->network, now_ns) + CONNECT_PATIENCE_NS;
    link_flush(link, now_ns);
    return LS_OK;
}

static void link_wake(ls_link *link)
{
    (void)link; /* no sleep: time is virtual */
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    (void)timeout_ms;
    const ls_memory_link *self = cast(link);
    return ls_delay_queue_next_ns(&self->inbox) <= self->network->now_ns;
}

static ls_remote link_remote(const ls_link *link, ls_peer peer)
{
    ls_memory_link *self = cast((ls_link *)(uintptr_t)link);
    const ls_memory_slot *slot = find_slot(self, peer);
    if (!slot)
        return (ls_remote){0};
    return ls_address_to_remote(self->role == LS_ROLE_SERVER ? &slot->address
                                                             : &ls_network_server_address);
}

static ls_link_stats link_stats(const ls_link *link)
{
    return ((const ls_memory_link *)link)->stats;
}

/* Always true: the network delivers packets in flight even after the link is destroyed. */
static bool link_is_quiet(const ls_link *link)
{
    (void)link;
    return true;
}

static void link_destroy(ls_link *link)
{
    ls_memory_link *self = cast(link);
    for (uint32_t slot = 0; slot < self->slot_count; slot++)
        if (self->slots[slot].state == LS_MEMORY_OPEN)
            link_disconnect(link, id_of(self, slot));
    link_flush(link, self->network->now_ns);
    ls_network_kill(link);
}

const ls_link_vtable ls_memory_vtable = {
    .send = link_send,
    .poll = link_poll,
    .flush = link_flush,
    .disconnect = link_disconnect,
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
    .is_quiet = link_is_quiet,
    .destroy = link_destroy,
};

static ls_memory_link *create_link(ls_network *network, ls_role role, uint32_t slot_count)
{
    uint32_t index = 0;
    while (index < LS_NETWORK_LINKS_MAX && network->links[index])
        index++;
    LS_ASSERT(index < LS_NETWORK_LINKS_MAX);
    ls_memory_link *self = ls_alloc(sizeof *self + slot_count * sizeof self->slots[0]);
    self->link.vtable = &ls_memory_vtable;
    self->network = network;
    self->role = role;
    self->index = index;
    self->outbox_end = &self->outbox;
    self->slot_count = slot_count;
    network->links[index] = self;
    network->link_count++;
    return self;
}

ls_link *ls_network_listen(ls_network *network, uint32_t peers_max)
{
    LS_ASSERT(!network->server && peers_max >= 1 && peers_max <= LS_LINK_PEERS_MAX);
    network->server = create_link(network, LS_ROLE_SERVER, peers_max);
    network->server->carriers = ls_carriers_create(peers_max);
    return &network->server->link;
}

ls_link *ls_network_open(ls_network *network)
{
    ls_memory_link *self = create_link(network, LS_ROLE_CLIENT, 1);
    uint64_t number = network->address_next;
    self->address = ls_network_draw_address(network);
    for (uint32_t role = 0; role < LS_COUNT_OF(self->lines); role++) {
        ls_impairment_init(&self->lines[role], &network->conditions, network->seed, number,
                           role == LS_ROLE_SERVER);
        self->lines[role].header_bytes += LS_NETWORK_CARRIER_BYTES;
    }
    return &self->link;
}
