/* The state of a link over ENet, which its sources share. Private to proto/. */
#ifndef LS_ENET_LINK_H
#define LS_ENET_LINK_H

#include "proto/carriers.h"
#include "proto/datagram_queue.h"
#include "proto/enet_gate.h"
#include "proto/enet_library.h"
#include "proto/enet_socket.h"
#include "proto/link_enet_candidates.h"
#include "proto/platform_socket.h"
#include <lockstep/link.h>

#include <stdatomic.h>

#define LS_ENET_NS_IN_MS UINT64_C(1000000)

/* The parts of a carrier that the link needs for each datagram; all NULL: the link has no such
 * carrier. */
typedef struct ls_enet_line {
    const ls_carrier *carrier;
    ls_carrier_counters *counters;
    const ls_remote *remote;
} ls_enet_line;

/* The link's own state of the ENet peer in the same slot. */
enum { LS_ENET_CLOSED = 0, LS_ENET_CONNECTING, LS_ENET_OPEN, LS_ENET_CLOSING };
typedef struct ls_enet_slot {
    uint16_t generation;
    uint8_t state;
    bool has_moved;      /* the peer's address changed, and the owner was not told yet */
    uint32_t connect_id; /* kept here: ENet's own copy is already zero at the DISCONNECT event */
    ls_enet_line line;   /* of the carrier connect_id, from the CONNECT event on */
    uint16_t header;     /* ENet's header of datagrams to this peer without a time */
    uint16_t group;      /* the number of the last packet that bypassed ENet */
    uint8_t session;     /* ENet's session number in the datagrams from this peer */
    uint64_t closing_until_ns;  /* CLOSING: when the slot is freed at the latest */
    uint64_t arrived_ns;        /* the newest arrival of a datagram; 0: unknown */
    uint64_t commands_since_ns; /* start of the second in which `commands` are counted */
    uint32_t commands;
} ls_enet_slot;

typedef struct ls_enet_kept ls_enet_kept;

/* Packets that bypassed ENet and wait for the owner (proto/link_enet_direct.h). */
typedef struct ls_enet_inbox {
    uint8_t *bytes;
    uint32_t capacity, end; /* bytes of the storage; bytes in use */
    uint32_t next;          /* offset of the packet to report next; equal to `end`: none */
} ls_enet_inbox;

typedef struct ls_enet_link {
    ls_link link;
    ls_role role;
    ENetHost *host;
    ls_enet_socket socket;
    ENetPacket *delivered; /* the packet that the last event points into; the next poll frees it */
    ls_link_stats stats;
    bool has_more;               /* the last round ended because its budget was used */
    bool is_unsent;              /* something was queued since the last flush */
    bool is_filtered;            /* the kernel drops datagrams that would end ENet's pass early */
    bool is_drained;             /* the last pass has emptied the socket */
    bool has_moves;              /* some slot has has_moved set */
    uint32_t work;               /* work of this round, see ROUND_BUDGET in link_enet.c */
    uint32_t datagrams_seen;     /* the socket's count of datagrams when work was counted last */
    uint32_t commands_seen;      /* not yet counted as work; without SEND_UNSEQUENCED */
    uint64_t now_ns, sweep_ns;   /* the owner's clock; when the next sweep is due */
    int bell;                    /* ends a wait of the owner; negative: none */
    atomic_bool is_wake_pending; /* the bell has rung since the last wait */
    ls_datagram_queue datagrams;
    ls_enet_inbox inbox;
    ls_carriers *carriers;          /* server only */
    ls_carrier carrier;             /* client only; connect_id 0: none */
    ls_carrier_counters counters;   /* the counters of `carrier` */
    ls_remote server;               /* client only */
    ls_enet_candidates candidates;  /* client only: where the server may be */
    ls_enet_kept *kept, *kept_last; /* events to report before ENet's next ones */
    enet_uint32 expected; /* the checksum field of the datagram that passed the gate last */
    uint8_t outgoing[LS_DATAGRAM_BYTES_MAX]; /* the datagram that ENet is about to send */
    uint32_t slot_count;
    ls_enet_slot slots[];
} ls_enet_link;

/* Returns the state of a link over ENet: the link is its first member. */
static inline ls_enet_link *ls_enet_link_of(ls_link *link)
{
    return (ls_enet_link *)(void *)link;
}

static inline const ls_enet_link *ls_enet_link_of_const(const ls_link *link)
{
    return (const ls_enet_link *)(const void *)link;
}

static inline ls_peer ls_enet_peer_id(const ls_enet_link *self, uint32_t slot)
{
    return (uint32_t)self->slots[slot].generation << 16 | slot;
}

#endif
