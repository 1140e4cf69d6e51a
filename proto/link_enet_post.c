#include "proto/link_enet_post.h"

#include <string.h>

ls_address ls_enet_address(const ENetAddress *from)
{
    ls_address address = {.port = {(uint8_t)(from->port >> 8), (uint8_t)from->port}};
    memcpy(address.host, &from->host, sizeof address.host);
    return address;
}

ENetAddress ls_enet_to(const ls_address *address)
{
    ENetAddress to = {.port = (enet_uint16)(address->port[0] << 8 | address->port[1])};
    memcpy(&to.host, address->host, sizeof address->host);
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
