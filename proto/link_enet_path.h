/* A link over ENet and the addresses of its peers, which may move (proto/path.h). Private to
 * proto/. */
#ifndef LS_LINK_ENET_PATH_H
#define LS_LINK_ENET_PATH_H

#include "proto/enet_link.h"

/* Server: a datagram of this open connection came from another address. It is authentic, newer than
 * all before it, and `bytes` long: both addresses are asked, when it is time. */
void ls_enet_path_ask(ls_enet_link *self, uint32_t slot, const ls_address *from, size_t bytes);

/* A CHALLENGE at a client, which is answered in its place, or a RESPONSE at a server, which may
 * move its peer. False for one that is not authentic, repeated or of no question. */
bool ls_enet_path_receive(ls_enet_link *self, const ls_address *from, uint8_t data[LS_PATH_BYTES]);

/* Server: the next slot whose peer has moved, once; UINT32_MAX when there is none. */
uint32_t ls_enet_path_moved(ls_enet_link *self);

#endif
