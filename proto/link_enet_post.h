/* Addresses of a link's datagrams, and sending without ENet. The remotes of this link are
 * addresses, and only these functions read them. Where the link has its own socket
 * (proto/enet_socket.h), ENet knows no addresses: it knows each connection by a number. Private to
 * proto/. */
#ifndef LS_LINK_ENET_POST_H
#define LS_LINK_ENET_POST_H

#include "proto/enet_link.h"
#include <lockstep/address.h>

/* Returns the sender of the datagram that ENet received last. */
ls_remote ls_enet_sender(const ls_enet_link *self);
/* Returns the remote of an open slot. */
const ls_remote *ls_enet_peer_remote(const ls_enet_link *self, uint32_t slot);
/* Returns the address that ENet is given for a connection to `remote`. */
ENetAddress ls_enet_address(const ls_enet_link *self, const ls_remote *remote, uint32_t connect_id);

/* Returns the host that an address belongs to. */
ls_remote_key ls_enet_host(const ls_remote *remote);
/* The functions `origin` and `describe` of the link's table. */
ls_remote_origin ls_enet_origin(const ls_link *link, const ls_remote *remote);
void ls_enet_describe(const ls_link *link, const ls_remote *remote,
                      char text[LS_REMOTE_TEXT_BYTES]);

/* Queues a datagram, which leaves at the next flush at the latest; one that cannot be sent counts
 * as lost on the network. */
void ls_enet_post(ls_enet_link *self, const ls_remote *to, const uint8_t *data, uint32_t bytes);
/* The function `post` of the link's table. */
void ls_enet_link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes);

#endif
