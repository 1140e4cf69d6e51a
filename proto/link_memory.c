/* Everything under way is a parcel in its receiver's inbox (proto/parcel.h). Draws are made in the
 * order of the flushes, so equal calls give equal runs. */
#include "proto/link_memory.h"

#include "proto/parcel.h"

#include <stdio.h>
#include <string.h>

#define CHANCE_WHOLE        1000000u
#define RETRANSMIT_NS       (UINT64_C(50) * 1000000)
#define RETRANSMISSIONS_MAX 16

typedef struct memory_slot {
    ls_line *line; /* NULL: free */
    uint16_t generation;
} memory_slot;

typedef struct memory_link {
    ls_link link;
    ls_network *network;
    ls_role role;
    ls_parcel *outbox, **outbox_end; /* sent, not flushed */
    ls_inbox inbox;
    ls_parcel *delivered;
    ls_link_stats stats;
    ls_line *line; /* of a client */
    uint32_t slot_count;
    memory_slot slots[]; /* a client has one: its line while connected */
} memory_link;

struct ls_network {
    uint64_t random_state;
    uint64_t order_next;
    uint64_t now_ns;
    uint32_t line_next;
    uint32_t link_count;
    ls_network_conditions conditions;
    memory_link *server;
    memory_link *links[LS_NETWORK_LINKS_MAX];
};

static uint64_t draw(ls_network *network)
{
    uint64_t z = network->random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool draw_chance(ls_network *network, uint32_t chance)
{
    return chance > 0 && draw(network) % CHANCE_WHOLE < chance;
}

static uint64_t draw_delay(ls_network *network, const ls_network_conditions *conditions)
{
    uint64_t delay = conditions->delay_ns;
    if (conditions->jitter_ns)
        delay += draw(network) % (conditions->jitter_ns + 1);
    if (draw_chance(network, conditions->reorder))
        delay += conditions->reorder_delay_ns;
    return delay;
}

/* Puts a parcel under way; without a receiver it is lost. */
static void deliver_at(ls_network *network, ls_role receiver, ls_parcel *parcel, uint64_t due_ns)
{
    ls_inbox *inbox = parcel->line->inboxes[receiver];
    if (!inbox || inbox->count >= LS_NETWORK_PACKETS_MAX) {
        ls_parcel_destroy(parcel);
        return;
    }
    parcel->due_ns = due_ns;
    parcel->order = network->order_next++;
    ls_inbox_push(inbox, parcel);
}

static void transmit_control(ls_network *network, ls_role receiver, ls_parcel *parcel,
                             uint64_t now_ns)
{
    ls_line *line = parcel->line;
    uint64_t due_ns = now_ns + draw_delay(network, &line->conditions);
    for (uint32_t i = 0; i < RETRANSMISSIONS_MAX; i++) {
        if (!draw_chance(network, line->conditions.loss))
            break;
        due_ns += RETRANSMIT_NS + 2 * line->conditions.delay_ns;
    }
    if (due_ns < line->control_due_ns[receiver])
        due_ns = line->control_due_ns[receiver];
    line->control_due_ns[receiver] = due_ns;
    deliver_at(network, receiver, parcel, due_ns);
}

static void transmit_loose(ls_network *network, ls_role receiver, ls_parcel *parcel,
                           uint64_t now_ns)
{
    const ls_network_conditions *conditions = &parcel->line->conditions;
    bool is_lost = draw_chance(network, conditions->loss);
    if (draw_chance(network, conditions->duplicate)) {
        ls_packet packet = {parcel->channel, parcel->bytes, parcel->data};
        deliver_at(network, receiver, ls_parcel_create(parcel->line, parcel->kind, &packet),
                   now_ns + draw_delay(network, conditions));
    }
    if (is_lost)
        ls_parcel_destroy(parcel);
    else
        deliver_at(network, receiver, parcel, now_ns + draw_delay(network, conditions));
}

static memory_link *cast(ls_link *link)
{
    return (memory_link *)link;
}

static ls_peer id_of(const memory_link *self, uint32_t slot)
{
    return (uint32_t)self->slots[slot].generation << 16 | slot;
}

static ls_line *find_line(const memory_link *self, ls_peer peer)
{
    uint32_t slot = ls_peer_slot(peer);
    if (slot >= self->slot_count || id_of(self, slot) != peer)
        return NULL;
    return self->slots[slot].line;
}

static void open_slot(memory_link *self, uint32_t slot, ls_line *line)
{
    self->slots[slot].line = line;
    line->references++;
    if (self->role == LS_ROLE_SERVER) {
        line->has_slot = true;
        line->slot = slot;
    }
}

static void close_slot(memory_link *self, uint32_t slot)
{
    ls_line *line = self->slots[slot].line;
    if (self->role == LS_ROLE_SERVER)
        line->has_slot = false;
    self->slots[slot].line = NULL;
    self->slots[slot].generation++;
    ls_line_release(line);
}

static void outbox_push(memory_link *self, ls_parcel *parcel)
{
    parcel->next = NULL;
    *self->outbox_end = parcel;
    self->outbox_end = &parcel->next;
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    memory_link *self = cast(link);
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    bool is_control = packet->channel == LS_CHANNEL_CONTROL;
    if (packet->bytes == 0 ||
        packet->bytes > (is_control ? LS_CONTROL_BYTES_MAX : LS_PACKET_BYTES_MAX))
        return LS_ERROR_LIMIT;
    ls_line *line = find_line(self, peer);
    if (!line)
        return LS_ERROR_NOT_FOUND;
    const ls_inbox *receiver = line->inboxes[1 - self->role];
    if (is_control && receiver && receiver->count >= LS_NETWORK_PACKETS_MAX / 2) {
        self->stats.sends_failed++;
        return LS_ERROR_LIMIT;
    }
    outbox_push(self, ls_parcel_create(line, LS_PARCEL_MESSAGE, packet));
    return LS_OK;
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    memory_link *self = cast(link);
    ls_network *network = self->network;
    if (now_ns > network->now_ns)
        network->now_ns = now_ns;
    ls_parcel *next = self->outbox;
    self->outbox = NULL;
    self->outbox_end = &self->outbox;
    while (next) {
        ls_parcel *parcel = next;
        next = parcel->next;
        ls_role receiver = self->role == LS_ROLE_SERVER ? LS_ROLE_CLIENT : LS_ROLE_SERVER;
        bool is_control = parcel->channel == LS_CHANNEL_CONTROL;
        if (parcel->line->conditions.cut && is_control)
            outbox_push(self, parcel); /* retransmitted until the line is whole again */
        else if (parcel->line->conditions.cut)
            ls_parcel_destroy(parcel);
        else if (is_control)
            transmit_control(network, receiver, parcel, now_ns);
        else
            transmit_loose(network, receiver, parcel, now_ns);
    }
}

static bool take_connect(memory_link *self, const ls_parcel *parcel, ls_link_event *event)
{
    uint32_t slot = 0;
    while (slot < self->slot_count && self->slots[slot].line)
        slot++;
    bool is_full = slot == self->slot_count;
    outbox_push(self,
                ls_parcel_create(parcel->line, is_full ? LS_PARCEL_END : LS_PARCEL_WELCOME, NULL));
    if (is_full)
        return false;
    open_slot(self, slot, parcel->line);
    *event = (ls_link_event){.kind = LS_LINK_CONNECTED, .peer = id_of(self, slot)};
    return true;
}

static bool take_welcome(memory_link *self, const ls_parcel *parcel, ls_link_event *event)
{
    open_slot(self, 0, parcel->line);
    *event = (ls_link_event){.kind = LS_LINK_CONNECTED, .peer = id_of(self, 0)};
    return true;
}

/* The receiver's slot of a line; false when it has none (any more). */
static bool find_slot(const memory_link *self, const ls_line *line, uint32_t *slot)
{
    *slot = self->role == LS_ROLE_SERVER ? line->slot : 0;
    if (self->role == LS_ROLE_SERVER)
        return line->has_slot;
    return self->slots[0].line == line;
}

static bool take_end(memory_link *self, const ls_parcel *parcel, ls_link_event *event)
{
    uint32_t slot;
    bool is_open = find_slot(self, parcel->line, &slot);
    *event = (ls_link_event){.kind = LS_LINK_DISCONNECTED, .peer = id_of(self, slot)};
    if (is_open)
        close_slot(self, slot);
    else if (self->role == LS_ROLE_SERVER || self->slots[0].generation > 0)
        return false; /* ended here already */
    else
        self->slots[0].generation++; /* a client that was never let in */
    return true;
}

static bool take_message(memory_link *self, ls_parcel *parcel, ls_link_event *event)
{
    uint32_t slot;
    if (!find_slot(self, parcel->line, &slot))
        return false;
    *event = (ls_link_event){
        .kind = LS_LINK_MESSAGE,
        .peer = id_of(self, slot),
        .packet = {.channel = parcel->channel, .bytes = parcel->bytes, .data = parcel->data}};
    return true;
}

static bool take(memory_link *self, ls_parcel *parcel, ls_link_event *event)
{
    switch (parcel->kind) {
    case LS_PARCEL_CONNECT:
        return take_connect(self, parcel, event);
    case LS_PARCEL_WELCOME:
        return take_welcome(self, parcel, event);
    case LS_PARCEL_END:
        return take_end(self, parcel, event);
    case LS_PARCEL_MESSAGE:
    default:
        return take_message(self, parcel, event);
    }
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    memory_link *self = cast(link);
    ls_parcel_destroy(self->delivered);
    self->delivered = NULL;
    link_flush(link, now_ns);
    while (ls_inbox_next_ns(&self->inbox) <= now_ns) {
        ls_parcel *parcel = ls_inbox_pop(&self->inbox);
        if (take(self, parcel, event)) {
            self->delivered = parcel;
            return true;
        }
        ls_parcel_destroy(parcel);
        link_flush(link, now_ns);
    }
    return false;
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    memory_link *self = cast(link);
    ls_line *line = find_line(self, peer);
    if (!line)
        return;
    outbox_push(self, ls_parcel_create(line, LS_PARCEL_END, NULL));
    close_slot(self, ls_peer_slot(peer));
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    (void)timeout_ms;
    const memory_link *self = cast(link);
    return ls_inbox_next_ns(&self->inbox) <= self->network->now_ns;
}

static void link_address(const ls_link *link, ls_peer peer, char text[LS_ADDRESS_TEXT_BYTES])
{
    const memory_link *self = (const memory_link *)link;
    const ls_line *line = find_line(self, peer);
    if (!line)
        snprintf(text, LS_ADDRESS_TEXT_BYTES, "gone");
    else if (self->role == LS_ROLE_CLIENT)
        snprintf(text, LS_ADDRESS_TEXT_BYTES, "memory:server");
    else
        snprintf(text, LS_ADDRESS_TEXT_BYTES, "memory:%u", line->number);
}

static ls_link_stats link_stats(const ls_link *link)
{
    return ((const memory_link *)link)->stats;
}

/* Leaves the line without its end here. */
static void leave_line(memory_link *self)
{
    if (self->role == LS_ROLE_CLIENT) {
        self->line->inboxes[LS_ROLE_CLIENT] = NULL;
        ls_line_release(self->line);
        return;
    }
    self->network->server = NULL;
    for (uint32_t i = 0; i < LS_NETWORK_LINKS_MAX; i++)
        if (self->network->links[i] && self->network->links[i]->role == LS_ROLE_CLIENT)
            self->network->links[i]->line->inboxes[LS_ROLE_SERVER] = NULL;
}

void ls_network_kill(ls_link *link)
{
    memory_link *self = cast(link);
    ls_network *network = self->network;
    ls_parcel_destroy(self->delivered);
    for (ls_parcel *next = self->outbox; next;) {
        ls_parcel *parcel = next;
        next = parcel->next;
        ls_parcel_destroy(parcel);
    }
    ls_inbox_reset(&self->inbox);
    for (uint32_t slot = 0; slot < self->slot_count; slot++)
        if (self->slots[slot].line)
            close_slot(self, slot);
    leave_line(self);
    for (uint32_t i = 0; i < LS_NETWORK_LINKS_MAX; i++)
        if (network->links[i] == self)
            network->links[i] = NULL;
    network->link_count--;
    ls_free(self);
}

static void link_destroy(ls_link *link)
{
    memory_link *self = cast(link);
    for (uint32_t slot = 0; slot < self->slot_count; slot++)
        if (self->slots[slot].line)
            link_disconnect(link, id_of(self, slot));
    link_flush(link, self->network->now_ns);
    ls_network_kill(link);
}

static const ls_link_vtable memory_vtable = {
    .send = link_send,
    .poll = link_poll,
    .flush = link_flush,
    .disconnect = link_disconnect,
    .wait = link_wait,
    .address = link_address,
    .stats = link_stats,
    .destroy = link_destroy,
};

static memory_link *create_link(ls_network *network, ls_role role, uint32_t slot_count)
{
    memory_link *self = ls_alloc(sizeof *self + slot_count * sizeof self->slots[0]);
    self->link.vtable = &memory_vtable;
    self->network = network;
    self->role = role;
    self->outbox_end = &self->outbox;
    self->slot_count = slot_count;
    uint32_t at = 0;
    while (at < LS_NETWORK_LINKS_MAX && network->links[at])
        at++;
    LS_ASSERT(at < LS_NETWORK_LINKS_MAX);
    network->links[at] = self;
    network->link_count++;
    return self;
}

ls_network *ls_network_create(uint64_t seed, const ls_network_conditions *conditions)
{
    ls_network *network = ls_alloc(sizeof *network);
    network->random_state = seed;
    network->conditions = *conditions;
    return network;
}

void ls_network_destroy(ls_network *network)
{
    LS_ASSERT(network->link_count == 0);
    ls_free(network);
}

ls_link *ls_network_listen(ls_network *network, uint32_t peers_max)
{
    LS_ASSERT(!network->server && peers_max >= 1 && peers_max <= LS_LINK_PEERS_MAX);
    network->server = create_link(network, LS_ROLE_SERVER, peers_max);
    return &network->server->link;
}

ls_link *ls_network_connect(ls_network *network, uint64_t now_ns)
{
    memory_link *self = create_link(network, LS_ROLE_CLIENT, 1);
    self->line = ls_alloc(sizeof(ls_line));
    self->line->inboxes[LS_ROLE_CLIENT] = &self->inbox;
    self->line->conditions = network->conditions;
    self->line->number = network->line_next++;
    self->line->references = 1;
    if (network->server) {
        self->line->inboxes[LS_ROLE_SERVER] = &network->server->inbox;
        outbox_push(self, ls_parcel_create(self->line, LS_PARCEL_CONNECT, NULL));
        link_flush(&self->link, now_ns);
    } else {
        transmit_control(network, LS_ROLE_CLIENT, ls_parcel_create(self->line, LS_PARCEL_END, NULL),
                         now_ns + network->conditions.delay_ns);
    }
    return &self->link;
}

void ls_network_set_conditions(ls_link *client, const ls_network_conditions *conditions)
{
    LS_ASSERT(client->vtable == &memory_vtable && cast(client)->role == LS_ROLE_CLIENT);
    cast(client)->line->conditions = *conditions;
}

uint64_t ls_network_next_ns(const ls_network *network)
{
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < LS_NETWORK_LINKS_MAX; i++) {
        const memory_link *link = network->links[i];
        if (link && ls_inbox_next_ns(&link->inbox) < next_ns)
            next_ns = ls_inbox_next_ns(&link->inbox);
    }
    return next_ns;
}
