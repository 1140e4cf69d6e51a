/* Addresses of a link's datagrams, and sending without ENet. Where the link has its own socket
 * (proto/enet_socket.h), ENet knows no addresses: it knows each connection by a number. Private to
 * proto/. */
#ifndef LS_LINK_ENET_POST_H
#define LS_LINK_ENET_POST_H

#include "proto/enet_link.h"

static inline bool ls_enet_is_same(const ls_address *a, const ls_address *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Returns the sender of the datagram that ENet received last. */
ls_address ls_enet_sender(const ls_enet_link *self);
/* Returns the address of the other side of an open slot. */
const ls_address *ls_enet_peer_address(const ls_enet_link *self, uint32_t slot);
/* Returns the address that ENet is given for a connection to `address`. */
ENetAddress ls_enet_address(const ls_enet_link *self, const ls_address *address,
                            uint32_t connect_id);

/* Queues a datagram, which leaves at the next flush at the latest; one that cannot be sent counts
 * as lost on the network. */
void ls_enet_post(ls_enet_link *self, const ls_address *to, const uint8_t *data, uint32_t bytes);

#endif
