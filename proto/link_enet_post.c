#include "proto/link_enet_post.h"

#include "proto/handshake_internal.h"

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

/* Posts a datagram to the server. The first HELLO goes to the server's last known address, a
 * repeated one to all candidates. Other datagrams go to the candidates that have answered, or to
 * the last known address if none has. */
static void post_to_server(ls_enet_link *self, const uint8_t *data, uint32_t bytes)
{
    ls_enet_candidates *candidates = &self->candidates;
    bool is_hello = data[0] == LS_HANDSHAKE_HELLO, is_sent = false;
    candidates->hellos += is_hello;
    for (uint32_t i = 0; i < candidates->count; i++) {
        bool is_wanted = is_hello ? candidates->hellos > 1 : candidates->has_answered[i];
        if (is_hello && ls_remote_is_same(&candidates->items[i], &self->server))
            is_wanted = true;
        if (is_wanted)
            ls_enet_post(self, &candidates->items[i], data, bytes);
        is_sent |= is_wanted;
    }
    if (!is_sent)
        ls_enet_post(self, &self->server, data, bytes);
}

void ls_enet_link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    ls_enet_link *self = ls_enet_link_of(link);
    LS_ASSERT(bytes >= 1 && bytes <= LS_MTU_BYTES && (data[0] & 0x40));
    LS_ASSERT((to == NULL) == (self->role == LS_ROLE_CLIENT));
    if (to)
        ls_enet_post(self, to, data, bytes);
    else
        post_to_server(self, data, bytes);
}
