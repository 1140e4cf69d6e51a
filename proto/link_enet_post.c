#include "proto/link_enet_post.h"

#include <string.h>

enum { IPV4_AT = 12 }; /* in a mapped address */

ls_address ls_enet_address(const ENetAddress *from)
{
    ls_address address = LS_ADDRESS_IPV4(0, 0, 0, 0, from->port);
    memcpy(address.host + IPV4_AT, &from->host, sizeof from->host);
    return address;
}

ENetAddress ls_enet_to(const ls_address *address)
{
    ENetAddress to = {.port = ls_address_port(address)};
    memcpy(&to.host, address->host + IPV4_AT, sizeof to.host);
    return to;
}

bool ls_enet_is_same(const ENetAddress *a, const ENetAddress *b)
{
    return a->host == b->host && a->port == b->port;
}

void ls_enet_post(ls_enet_link *self, const ENetAddress *to, const uint8_t *data, uint32_t bytes)
{
    ENetBuffer buffer = {.data = (void *)(uintptr_t)data, .dataLength = bytes};
    if (enet_socket_send(self->host->socket, to, &buffer, 1) != (int)bytes)
        self->stats.sends_failed++;
}
