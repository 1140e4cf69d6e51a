/* The state of a link over ENet, which its sources share. Private to proto/. */
#ifndef LS_ENET_LINK_H
#define LS_ENET_LINK_H

#include "proto/carriers.h"
#include "proto/datagram_queue.h"
#include "proto/enet_gate.h"
#include "proto/enet_library.h"
#include "proto/enet_socket.h"
#include "proto/socket.h"
#include <lockstep/link.h>

#include <stdatomic.h>

#define LS_ENET_NS_IN_MS UINT64_C(1000000)

/* The link's own state of the ENet peer in the same slot. */
enum { LS_ENET_CLOSED = 0, LS_ENET_CONNECTING, LS_ENET_OPEN, LS_ENET_CLOSING };
typedef struct ls_enet_slot {
    uint16_t generation;
    uint8_t state;
    bool has_moved;      /* the owner is not told yet */
    uint32_t connect_id; /* ENet's own is zero at the DISCONNECT event */
    uint64_t closing_until_ns;
    uint64_t commands_since_ns; /* the second that `commands` are counted in */
    uint32_t commands;
} ls_enet_slot;

typedef struct ls_enet_kept ls_enet_kept;

typedef struct ls_enet_link {
    ls_link link;
    ls_role role;
    ENetHost *host;
    ls_enet_socket socket;
    ENetPacket *delivered; /* the packet that the last event views */
    ls_link_stats stats;
    bool has_more;           /* the last round ended by its budget */
    bool is_unsent;          /* something was queued since the last flush */
    bool is_filtered;        /* the kernel drops datagrams that end ENet's pass early */
    bool is_drained;         /* the last pass has emptied the socket */
    bool has_moves;          /* some slot has moved */
    uint32_t work;           /* done in this round */
    uint32_t datagrams_seen; /* of those that the socket gave */
    uint32_t commands_seen;  /* since the last count of work; without those that make an event */
    uint64_t now_ns, sweep_ns;
    int wake;
    atomic_bool is_rung; /* since the last wait */
    ls_datagram_queue datagrams;
    ls_carriers *carriers;          /* of a server */
    ls_carrier carrier;             /* of a client; connect_id 0: none */
    ls_carrier_counters counters;   /* of that carrier */
    ls_address server;              /* of a client */
    ls_enet_kept *kept, *kept_last; /* events that come before ENet's next; NULL: none */
    enet_uint32 expected;           /* the checksum that ENet reads in what passed the gate last */
    uint8_t outgoing[LS_DATAGRAM_BYTES_MAX]; /* the datagram that ENet is about to send */
    uint32_t slot_count;
    ls_enet_slot slots[];
} ls_enet_link;

static inline ls_peer ls_enet_peer_id(const ls_enet_link *self, uint32_t slot)
{
    return (uint32_t)self->slots[slot].generation << 16 | slot;
}

#endif
