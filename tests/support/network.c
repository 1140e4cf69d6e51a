/* The in-process network: parcels in flight, and the creation and destruction of its links. */
#include "tests/support/link_memory_internal.h"

#include <string.h>

#define RETRANSMIT_NS       (UINT64_C(50) * 1000000)
#define RETRANSMISSIONS_MAX 16

const ls_address ls_network_server_address = LS_ADDRESS_IPV4(10, 255, 255, 255, 7777);

void ls_network_deliver(ls_delay_queue *inbox, ls_parcel *parcel, uint64_t due_ns)
{
    if (inbox && inbox->count < LS_NETWORK_PACKETS_MAX)
        ls_delay_queue_push(inbox, &parcel->delayed, due_ns);
    else
        ls_parcel_destroy(parcel);
}

/* Returns the arrival time of a control packet, which is retransmitted until it arrives. */
static uint64_t repeat_control(ls_memory_link *client, ls_role sender, uint32_t bytes,
                               uint64_t now_ns)
{
    uint64_t round_trip_ns =
        client->lines[0].conditions.delay_ns + client->lines[1].conditions.delay_ns;
    uint64_t due_ns = now_ns;
    for (uint32_t i = 0; i < RETRANSMISSIONS_MAX; i++) {
        ls_impairment_fate fate = ls_impairment_next(&client->lines[sender], bytes, now_ns);
        if (fate.copies && !fate.is_corrupted && !fate.is_truncated)
            return due_ns + fate.due_ns[0] - now_ns;
        due_ns += RETRANSMIT_NS + round_trip_ns;
    }
    return due_ns;
}

static void transmit_control(ls_memory_link *client, ls_role sender, ls_delay_queue *inbox,
                             ls_parcel *parcel, uint64_t now_ns)
{
    uint64_t due_ns = repeat_control(client, sender, parcel->bytes, now_ns);
    uint64_t *last_ns = &client->control_due_ns[sender];
    if (due_ns < *last_ns)
        due_ns = *last_ns;
    *last_ns = due_ns;
    ls_network_deliver(inbox, parcel, due_ns);
}

static void transmit_loose(ls_memory_link *client, ls_role sender, ls_delay_queue *inbox,
                           ls_parcel *parcel, uint64_t now_ns)
{
    ls_impairment_fate fate = ls_impairment_next(&client->lines[sender], parcel->bytes, now_ns);
    parcel->bytes = fate.bytes;
    ls_impairment_damage(&fate, parcel->data);
    for (uint32_t i = 0; i < fate.copies && fate.bytes > 0; i++)
        ls_network_deliver(inbox, ls_parcel_clone(parcel), fate.due_ns[i]);
    ls_parcel_destroy(parcel);
}

ls_parcel *ls_network_transmit(ls_network *network, ls_role sender, ls_parcel *parcel,
                               uint64_t now_ns)
{
    ls_memory_link *client = network->links[parcel->client];
    bool is_there = client && client->role == LS_ROLE_CLIENT &&
                    memcmp(&client->address, &parcel->address, sizeof parcel->address) == 0;
    bool is_control = parcel->channel == LS_CHANNEL_CONTROL;
    bool is_cut = is_there && client->lines[sender].conditions.loss == LS_PROBABILITY_ONE;
    if (is_cut && is_control)
        return parcel;
    /* Packets from an abandoned address, or on a cut line, are lost. */
    if (!is_there || is_cut) {
        ls_parcel_destroy(parcel);
        return NULL;
    }
    ls_memory_link *receiver = sender == LS_ROLE_SERVER ? client : network->server;
    ls_delay_queue *inbox = receiver ? &receiver->inbox : NULL;
    if (is_control)
        transmit_control(client, sender, inbox, parcel, now_ns);
    else
        transmit_loose(client, sender, inbox, parcel, now_ns);
    return NULL;
}

ls_memory_link *ls_network_find_client(ls_network *network, const ls_address *address)
{
    for (uint32_t i = 0; i < LS_NETWORK_LINKS_MAX; i++) {
        ls_memory_link *link = network->links[i];
        if (link && link->role == LS_ROLE_CLIENT &&
            memcmp(&link->address, address, sizeof *address) == 0)
            return link;
    }
    return NULL;
}

ls_network *ls_network_create(uint64_t seed, const ls_impairment_conditions *conditions)
{
    ls_network *network = ls_alloc(sizeof *network);
    network->seed = seed;
    network->conditions = *conditions;
    return network;
}

void ls_network_use_clock(ls_network *network, const uint64_t *now_ns)
{
    network->clock_ns = now_ns;
}

uint64_t ls_network_present(const ls_network *network, uint64_t now_ns)
{
    return network->clock_ns ? *network->clock_ns : now_ns;
}

void ls_network_destroy(ls_network *network)
{
    LS_ASSERT(network->link_count == 0);
    ls_free(network);
}

/* Draws an address that was never used. */
ls_address ls_network_draw_address(ls_network *network)
{
    uint32_t number = network->address_next++;
    return (ls_address)LS_ADDRESS_IPV4(10, (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                                       (uint8_t)number, 40000);
}

static ls_memory_link *cast_client(ls_link *client)
{
    ls_memory_link *self = (ls_memory_link *)client;
    LS_ASSERT(self->role == LS_ROLE_CLIENT);
    return self;
}

void ls_network_set_direction(ls_link *client, ls_role sender,
                              const ls_impairment_conditions *conditions)
{
    ls_impairment_change(&cast_client(client)->lines[sender], conditions);
}

void ls_network_set_conditions(ls_link *client, const ls_impairment_conditions *conditions)
{
    ls_network_set_direction(client, LS_ROLE_SERVER, conditions);
    ls_network_set_direction(client, LS_ROLE_CLIENT, conditions);
}

void ls_network_share(ls_link *client)
{
    ls_memory_link *self = cast_client(client);
    for (uint32_t role = 0; role < LS_COUNT_OF(self->lines); role++)
        ls_impairment_share(&self->lines[role], &self->network->shared_free_ns[role]);
}

void ls_network_rebind(ls_link *client)
{
    ls_memory_link *self = cast_client(client);
    self->address = ls_network_draw_address(self->network);
}

void ls_network_move(ls_link *client, const uint8_t host[4])
{
    ls_memory_link *self = cast_client(client);
    memcpy(self->address.port, self->address.host + 14, sizeof self->address.port);
    memcpy(self->address.host + 12, host, 4);
}

ls_address ls_network_address(const ls_link *client)
{
    return cast_client((ls_link *)(uintptr_t)client)->address;
}

ls_remote ls_network_remote(const ls_link *client)
{
    const ls_address address = ls_network_address(client);
    return ls_address_to_remote(&address);
}

void ls_network_inject(ls_network *network, const ls_address *from, const uint8_t *data,
                       uint32_t bytes)
{
    ls_packet packet = {.bytes = bytes, .data = data};
    ls_parcel *parcel = ls_parcel_create(LS_PARCEL_DATAGRAM, &packet);
    parcel->address = *from;
    ls_network_deliver(network->server ? &network->server->inbox : NULL, parcel, network->now_ns);
}

void ls_network_put(ls_link *client, const ls_network_injection *injection)
{
    ls_memory_link *self = cast_client(client), *server = self->network->server;
    bool is_down = injection->receiver == LS_ROLE_CLIENT, is_datagram = injection->is_datagram;
    ls_delay_queue *inbox = is_down ? &self->inbox : server ? &server->inbox : NULL;
    ls_parcel *parcel =
        ls_parcel_create(is_datagram ? LS_PARCEL_DATAGRAM : LS_PARCEL_MESSAGE, &injection->packet);
    parcel->address = is_down || !is_datagram ? self->address : injection->from;
    parcel->client = self->index;
    parcel->connect_id = self->slots[0].connect_id;
    uint64_t now_ns = ls_network_present(self->network, self->network->now_ns);
    ls_network_deliver(inbox, parcel, now_ns + injection->delay_ns);
}

ls_network_stray ls_network_get_stray(const ls_network *network)
{
    return network->stray;
}

void ls_network_kill(ls_link *link)
{
    ls_memory_link *self = (ls_memory_link *)link;
    ls_network *network = self->network;
    ls_parcel_destroy(self->delivered);
    for (ls_parcel *next = self->outbox; next;) {
        ls_parcel *parcel = next;
        next = parcel->next;
        ls_parcel_destroy(parcel);
    }
    ls_delay_queue_reset(&self->inbox);
    if (self->carriers)
        ls_carriers_destroy(self->carriers);
    if (network->server == self)
        network->server = NULL;
    network->links[self->index] = NULL;
    network->link_count--;
    ls_free(self);
}

uint64_t ls_network_next_ns(const ls_network *network)
{
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < LS_NETWORK_LINKS_MAX; i++) {
        const ls_memory_link *link = network->links[i];
        if (link && ls_delay_queue_next_ns(&link->inbox) < next_ns)
            next_ns = ls_delay_queue_next_ns(&link->inbox);
        if (link && link->slots[0].state == LS_MEMORY_CONNECTING &&
            link->connect_until_ns < next_ns)
            next_ns = link->connect_until_ns;
    }
    return next_ns;
}
