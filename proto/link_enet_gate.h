/* The gate of a link over ENet: which datagrams ENet sees, and what authenticates them. Private to
 * proto/. */
#ifndef LS_LINK_ENET_GATE_H
#define LS_LINK_ENET_GATE_H

#include "proto/enet_link.h"

/* Before every call of ENet that may send or receive. Its clock is process-global, which is why all
 * links of a process must be given one clock. */
void ls_enet_enter(ls_enet_link *self, uint64_t now_ns);
/* Before a link is freed. */
void ls_enet_leave(void);

/* Converts a connect id to ENet's stored form and back. ENet copies that form to the wire, where it
 * must be little-endian on every machine. */
uint32_t ls_enet_id(uint32_t connect_id);

/* How far the newest reliable command of a sender may be ahead of its oldest unacknowledged one. */
static inline uint32_t ls_enet_queue_max(ls_role sender)
{
    return sender == LS_ROLE_CLIENT ? LS_LINK_CLIENT_QUEUE_MAX : LS_LINK_QUEUE_MAX;
}

/* For a peer that is about to connect: lost datagrams are repeated after a tenth of a second. */
void ls_enet_repeat_soon(ENetPeer *peer);

/* ENet's callbacks, for the link entered last: the gate, which authenticates a received datagram
 * and takes a refused one away with 1, and the checksum, in whose place a sent datagram has its
 * counter (proto/carrier_mac.h). ENet 1.3.17 and 1.3.18 send host->buffers as the checksum callback
 * leaves them, and read host->receivedDataLength after the intercept callback. */
int ENET_CALLBACK ls_enet_intercept(ENetHost *host, ENetEvent *event);
enet_uint32 ENET_CALLBACK ls_enet_checksum(const ENetBuffer *buffers, size_t count);

#endif
