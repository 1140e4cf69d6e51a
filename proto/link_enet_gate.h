/* The gate of a link over ENet: decides which datagrams ENet sees, and authenticates them. Private
 * to proto/. */
#ifndef LS_LINK_ENET_GATE_H
#define LS_LINK_ENET_GATE_H

#include "proto/enet_link.h"

/* Call before every call of ENet that may send or receive: sets the link that ENet's callbacks use,
 * and ENet's clock. That clock is global in the process, so all links of a process must use one
 * clock. */
void ls_enet_enter(ls_enet_link *self, uint64_t now_ns);
/* Call before a link is freed: the callbacks then have no link. */
void ls_enet_leave(void);

/* Converts a connect id to ENet's stored form and back. ENet copies the stored form to the wire as
 * it is, so it must be little-endian on every machine. */
uint32_t ls_enet_id(uint32_t connect_id);

/* Returns the carrier of the connection with this id (in ENet's stored form). On a client, id 0
 * stands for its CONNECT. */
ls_enet_line ls_enet_find_line(ls_enet_link *self, enet_uint32 stored_id);

/* Returns how far a sender's newest reliable command may be ahead of its oldest unacknowledged
 * one. */
static inline uint32_t ls_enet_queue_max(ls_role sender)
{
    return sender == LS_ROLE_CLIENT ? LS_LINK_CLIENT_QUEUE_MAX : LS_LINK_QUEUE_MAX;
}

/* Makes a peer that is about to connect repeat lost datagrams after a tenth of a second. */
void ls_enet_repeat_soon(ENetPeer *peer);

/* ENet's callbacks, for the link that was entered last. The intercept callback is the gate: it
 * authenticates a received datagram, and returns 1 to hide from ENet a datagram that is refused or
 * that the link handles itself. The checksum callback signs a sent datagram and puts its counter in
 * the place of the checksum (proto/carrier_mac.h).
 *
 * Both depend on ENet 1.3.17 and 1.3.18: these send host->buffers as the checksum callback leaves
 * them, and read host->receivedDataLength after the intercept callback. */
int ENET_CALLBACK ls_enet_intercept(ENetHost *host, ENetEvent *event);
enet_uint32 ENET_CALLBACK ls_enet_checksum(const ENetBuffer *buffers, size_t count);

#endif
