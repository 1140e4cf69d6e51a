/* Sending datagrams past ENet on the host's socket, and ENet's form of an address. Private to
 * proto/. */
#ifndef LS_LINK_ENET_POST_H
#define LS_LINK_ENET_POST_H

#include "proto/enet_link.h"

ls_address ls_enet_address(const ENetAddress *from);
ENetAddress ls_enet_to(const ls_address *address);
bool ls_enet_is_same(const ENetAddress *a, const ENetAddress *b);

/* At once; one that cannot be sent counts as lost on the way. */
void ls_enet_post(ls_enet_link *self, const ENetAddress *to, const uint8_t *data, uint32_t bytes);

#endif
