/* The addresses of a link's datagrams, and sending past ENet. ENet knows no address where the link
 * has a socket of its own (proto/enet_socket.h): each connection has one number there. Private to
 * proto/. */
#ifndef LS_LINK_ENET_POST_H
#define LS_LINK_ENET_POST_H

#include "proto/enet_link.h"

static inline bool ls_enet_is_same(const ls_address *a, const ls_address *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The sender of the datagram that ENet received last. */
ls_address ls_enet_sender(const ls_enet_link *self);
/* Where the other side of an open slot is. */
const ls_address *ls_enet_peer_address(const ls_enet_link *self, uint32_t slot);
/* The address that ENet is told for a connection whose other side is there. */
ENetAddress ls_enet_address(const ls_enet_link *self, const ls_address *address,
                            uint32_t connect_id);

/* Leaves at the next flush, or earlier; one that cannot be sent counts as lost on the way. */
void ls_enet_post(ls_enet_link *self, const ls_address *to, const uint8_t *data, uint32_t bytes);

#endif
