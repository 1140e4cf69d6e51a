/* Unsequenced packets bypass ENet. ENet would copy each one three times, allocate three blocks of
 * memory for it, and walk over all peers to find it again; and it would neither repeat nor
 * acknowledge it. The datagram is the one that ENet would send for this packet alone. Private to
 * proto/. */
#ifndef LS_LINK_ENET_DIRECT_H
#define LS_LINK_ENET_DIRECT_H

#include "proto/enet_link.h"

/* Call when the connection in this slot opens, with its carrier. */
void ls_enet_begin_direct(ls_enet_link *self, uint32_t slot, ls_enet_line line);

/* Sends a packet on LS_CHANNEL_TICKS to the open connection in `slot`; the link has a socket of its
 * own. The next flush sends it at the latest.
 *   errors  LS_ERROR_LIMIT: the carrier has sent LS_CARRIER_DATAGRAMS_MAX datagrams */
ls_status ls_enet_send_direct(ls_enet_link *self, uint32_t slot,
                              const ls_packet *packet) LS_MUST_USE;

/* Takes the unsequenced packets out of the authentic datagram in host->receivedData, and keeps them
 * for ls_enet_take_direct(). True when nothing of the datagram is left for ENet. */
bool ls_enet_receive_direct(ls_enet_link *self, const ls_enet_datagram *datagram);
/* Returns the next packet; its data is valid until ENet receives again. False when there is none.
 */
bool ls_enet_take_direct(ls_enet_link *self, ls_link_event *event);

static inline bool ls_enet_has_direct(const ls_enet_link *self)
{
    return self->inbox.next != self->inbox.end;
}

#endif
