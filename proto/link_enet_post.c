#include "proto/link_enet_post.h"

#include <string.h>

enum { IPV4_AT = 12 }; /* offset of the IPv4 address in a mapped address */

ls_address ls_enet_sender(const ls_enet_link *self)
{
    const ENetAddress *from = &self->host->receivedAddress;
    if (self->socket.udp)
        return self->socket.from;
    ls_address address = LS_ADDRESS_IPV4(0, 0, 0, 0, from->port);
    memcpy(address.host + IPV4_AT, &from->host, sizeof from->host);
    return address;
}

const ls_address *ls_enet_peer_address(const ls_enet_link *self, uint32_t slot)
{
    if (self->role == LS_ROLE_CLIENT)
        return &self->server;
    const ls_carrier_entry *entry = ls_carriers_find(self->carriers, self->slots[slot].connect_id);
    LS_ASSERT(entry);
    return &entry->address;
}

static ENetAddress enet_ipv4(const ls_address *address)
{
    ENetAddress to = {.port = ls_address_port(address)};
    memcpy(&to.host, address->host + IPV4_AT, sizeof to.host);
    return to;
}

ENetAddress ls_enet_address(const ls_enet_link *self, const ls_address *address,
                            uint32_t connect_id)
{
    return self->socket.udp ? (ENetAddress){.host = connect_id, .port = 1} : enet_ipv4(address);
}

void ls_enet_post(ls_enet_link *self, const ls_address *to, const uint8_t *data, uint32_t bytes)
{
    if (self->socket.udp) {
        ls_udp_send(self->socket.udp, to, data, bytes);
        return;
    }
    const ENetAddress address = enet_ipv4(to);
    ENetBuffer buffer = {.data = (void *)(uintptr_t)data, .dataLength = bytes};
    if (enet_socket_send(self->host->socket, &address, &buffer, 1) != (int)bytes)
        self->stats.sends_failed++;
}
