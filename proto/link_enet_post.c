#include "proto/link_enet_post.h"

#include <string.h>

enum { IPV4_AT = 12 }; /* offset of the IPv4 address in a mapped address */

ls_remote ls_enet_sender(const ls_enet_link *self)
{
    const ENetAddress *from = &self->host->receivedAddress;
    if (self->socket.udp)
        return ls_address_to_remote(&self->socket.from);
    ls_address address = LS_ADDRESS_IPV4(0, 0, 0, 0, from->port);
    memcpy(address.host + IPV4_AT, &from->host, sizeof from->host);
    return ls_address_to_remote(&address);
}

const ls_remote *ls_enet_peer_remote(const ls_enet_link *self, uint32_t slot)
{
    if (self->role == LS_ROLE_CLIENT)
        return &self->server;
    const ls_carrier_entry *entry = ls_carriers_find(self->carriers, self->slots[slot].connect_id);
    LS_ASSERT(entry);
    return &entry->remote;
}

static ENetAddress enet_ipv4(const ls_remote *remote)
{
    const ls_address address = ls_address_of_remote(remote);
    ENetAddress to = {.port = ls_address_port(&address)};
    memcpy(&to.host, address.host + IPV4_AT, sizeof to.host);
    return to;
}

ENetAddress ls_enet_address(const ls_enet_link *self, const ls_remote *remote, uint32_t connect_id)
{
    return self->socket.udp ? (ENetAddress){.host = connect_id, .port = 1} : enet_ipv4(remote);
}

ls_remote_key ls_enet_host(const ls_remote *remote)
{
    const ls_address address = ls_address_of_remote(remote);
    return ls_address_host(&address);
}

ls_remote_origin ls_enet_origin(const ls_link *link, const ls_remote *remote)
{
    (void)link;
    const ls_address address = ls_address_of_remote(remote);
    return ls_address_origin(&address);
}

void ls_enet_describe(const ls_link *link, const ls_remote *remote, char text[LS_REMOTE_TEXT_BYTES])
{
    (void)link;
    const ls_address address = ls_address_of_remote(remote);
    ls_address_format(&address, text);
}

void ls_enet_post(ls_enet_link *self, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    if (self->socket.udp) {
        const ls_address receiver = ls_address_of_remote(to);
        ls_udp_send(self->socket.udp, &receiver, data, bytes);
        return;
    }
    const ENetAddress address = enet_ipv4(to);
    ENetBuffer buffer = {.data = (void *)(uintptr_t)data, .dataLength = bytes};
    if (enet_socket_send(self->host->socket, &address, &buffer, 1) != (int)bytes)
        self->stats.sends_failed++;
}
