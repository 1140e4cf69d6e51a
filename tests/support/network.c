/* The network inside the process: what happens to parcels under way, and its links' life. Draws are
 * made in the order of the flushes and posts, so equal calls give equal runs. */
#include "tests/support/link_memory_internal.h"

#include <string.h>

#define CHANCE_WHOLE        1000000u
#define RETRANSMIT_NS       (UINT64_C(50) * 1000000)
#define RETRANSMISSIONS_MAX 16
#define HEADER_BYTES        44u /* of IP, UDP and the carrier, which take their share of a rate */

const ls_address ls_network_server_address = {.host = {10, 255, 255, 255}, .port = {0x1e, 0x61}};

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

void ls_network_deliver(ls_network *network, ls_inbox *inbox, ls_parcel *parcel, uint64_t due_ns)
{
    if (!inbox || inbox->count >= LS_NETWORK_PACKETS_MAX) {
        ls_parcel_destroy(parcel);
        return;
    }
    parcel->due_ns = due_ns;
    parcel->order = network->order_next++;
    ls_inbox_push(inbox, parcel);
}

/* The line that a parcel travels on. */
typedef struct route {
    ls_memory_link *client;
    const ls_network_conditions *conditions;
    ls_inbox *inbox; /* NULL: no receiver */
    ls_role sender;
} route;

static void transmit_control(ls_network *network, const route *way, ls_parcel *parcel,
                             uint64_t now_ns)
{
    const ls_network_conditions *conditions = way->conditions;
    uint64_t round_trip_ns =
        way->client->conditions[0].delay_ns + way->client->conditions[1].delay_ns;
    uint64_t due_ns = now_ns + draw_delay(network, conditions);
    for (uint32_t i = 0; i < RETRANSMISSIONS_MAX; i++) {
        if (!draw_chance(network, conditions->loss) && !draw_chance(network, conditions->corrupt) &&
            !draw_chance(network, conditions->truncate))
            break;
        due_ns += RETRANSMIT_NS + round_trip_ns;
    }
    uint64_t *last_ns = &way->client->control_due_ns[way->sender];
    if (due_ns < *last_ns)
        due_ns = *last_ns;
    *last_ns = due_ns;
    ls_network_deliver(network, way->inbox, parcel, due_ns);
}

/* Each copy has its own damage and its own delay. */
static void transmit_copy(ls_network *network, const route *way, ls_parcel *parcel, uint64_t now_ns)
{
    if (draw_chance(network, way->conditions->corrupt)) {
        uint64_t bit = draw(network) % (parcel->bytes * 8);
        parcel->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    if (draw_chance(network, way->conditions->truncate))
        parcel->bytes = (uint32_t)(draw(network) % parcel->bytes);
    uint64_t due_ns = now_ns + draw_delay(network, way->conditions);
    if (parcel->bytes > 0)
        ls_network_deliver(network, way->inbox, parcel, due_ns);
    else
        ls_parcel_destroy(parcel);
}

/* When the line will have sent these bytes; UINT64_MAX: its queue is full. */
static uint64_t send_at_rate(const route *way, uint32_t bytes, uint64_t now_ns)
{
    uint64_t *free_ns = &way->client->free_ns[way->sender], rate = way->conditions->rate;
    if (!rate)
        return now_ns;
    if (*free_ns < now_ns)
        *free_ns = now_ns;
    if (*free_ns - now_ns > LS_NETWORK_QUEUE_NS)
        return UINT64_MAX;
    return *free_ns += (bytes + HEADER_BYTES) * UINT64_C(1000000000) / rate;
}

static void transmit_loose(ls_network *network, const route *way, ls_parcel *parcel,
                           uint64_t now_ns)
{
    bool is_lost = draw_chance(network, way->conditions->loss);
    now_ns = send_at_rate(way, parcel->bytes, now_ns);
    is_lost |= now_ns == UINT64_MAX;
    if (draw_chance(network, way->conditions->duplicate))
        transmit_copy(network, way, ls_parcel_clone(parcel), now_ns);
    if (is_lost)
        ls_parcel_destroy(parcel);
    else
        transmit_copy(network, way, parcel, now_ns);
}

ls_parcel *ls_network_transmit(ls_network *network, ls_role sender, ls_parcel *parcel,
                               uint64_t now_ns)
{
    ls_memory_link *client = network->links[parcel->client];
    bool is_there = client && client->role == LS_ROLE_CLIENT &&
                    memcmp(&client->address, &parcel->address, sizeof parcel->address) == 0;
    bool is_control = parcel->channel == LS_CHANNEL_CONTROL;
    /* Packets from an abandoned address, or on a cut line, are lost. */
    if (!is_there || (client->conditions[sender].cut && !is_control)) {
        ls_parcel_destroy(parcel);
        return NULL;
    }
    if (client->conditions[sender].cut)
        return parcel;
    ls_memory_link *receiver = sender == LS_ROLE_SERVER ? client : network->server;
    route way = {client, &client->conditions[sender], receiver ? &receiver->inbox : NULL, sender};
    if (is_control)
        transmit_control(network, &way, parcel, now_ns);
    else
        transmit_loose(network, &way, parcel, now_ns);
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

ls_network *ls_network_create(uint64_t seed, const ls_network_conditions *conditions)
{
    ls_network *network = ls_alloc(sizeof *network);
    network->random_state = seed;
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

/* Never one that was used before. */
ls_address ls_network_draw_address(ls_network *network)
{
    uint32_t number = network->address_next++;
    return (ls_address){
        .host = {10, (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number},
        .port = {0x9c, 0x40}};
}

static ls_memory_link *cast_client(ls_link *client)
{
    ls_memory_link *self = (ls_memory_link *)client;
    LS_ASSERT(self->role == LS_ROLE_CLIENT);
    return self;
}

void ls_network_set_direction(ls_link *client, ls_role sender,
                              const ls_network_conditions *conditions)
{
    cast_client(client)->conditions[sender] = *conditions;
}

void ls_network_set_conditions(ls_link *client, const ls_network_conditions *conditions)
{
    ls_network_set_direction(client, LS_ROLE_SERVER, conditions);
    ls_network_set_direction(client, LS_ROLE_CLIENT, conditions);
}

void ls_network_rebind(ls_link *client)
{
    ls_memory_link *self = cast_client(client);
    self->address = ls_network_draw_address(self->network);
}

ls_address ls_network_address(const ls_link *client)
{
    return cast_client((ls_link *)(uintptr_t)client)->address;
}

void ls_network_inject(ls_network *network, const ls_address *from, const uint8_t *data,
                       uint32_t bytes)
{
    ls_packet packet = {.bytes = bytes, .data = data};
    ls_parcel *parcel = ls_parcel_create(LS_PARCEL_DATAGRAM, &packet);
    parcel->address = *from;
    ls_network_deliver(network, network->server ? &network->server->inbox : NULL, parcel,
                       network->now_ns);
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
    ls_inbox_reset(&self->inbox);
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
        if (link && ls_inbox_next_ns(&link->inbox) < next_ns)
            next_ns = ls_inbox_next_ns(&link->inbox);
        if (link && link->slots[0].state == LS_MEMORY_CONNECTING &&
            link->connect_until_ns < next_ns)
            next_ns = link->connect_until_ns;
    }
    return next_ns;
}
