/* What the sources of the link over ENet share; the one door through which enet.h enters. Private
 * to proto/. */
#ifndef LS_LINK_ENET_INTERNAL_H
#define LS_LINK_ENET_INTERNAL_H

#include "proto/carriers.h"
#include "proto/enet_gate.h"
#include "proto/mailbox.h"
#include "proto/socket.h"
#include <lockstep/link_enet.h>

#include <enet/enet.h>
#include <stdatomic.h>

#define LS_ENET_NS_IN_MS UINT64_C(1000000)

/* What the owner knows of the ENet peer in the same slot. */
enum { LS_ENET_CLOSED = 0, LS_ENET_CONNECTING, LS_ENET_OPEN, LS_ENET_CLOSING };
typedef struct ls_enet_slot {
    uint16_t generation;
    uint8_t state;
    uint32_t connect_id; /* ENet's own is gone when it tells of the end */
    uint64_t closing_until_ns;
    uint64_t commands_since_ns; /* the second that `commands` are counted in */
    uint32_t commands;
} ls_enet_slot;

typedef struct ls_enet_kept ls_enet_kept;

typedef struct ls_enet_link {
    ls_link link;
    ls_role role;
    ENetHost *host;
    ENetPacket *delivered; /* what the last event views */
    ls_link_stats stats;
    bool has_more;           /* the last round ended by its budget */
    bool is_unsent;          /* something was queued since the last flush */
    bool is_filtered;        /* the kernel drops what ends ENet's pass early */
    bool is_drained;         /* the last pass has left nothing in the socket */
    uint32_t work;           /* done in this round */
    uint32_t datagrams_seen; /* of host->totalReceivedPackets */
    uint32_t commands_seen;  /* since the work was counted last; without those that make an event */
    uint64_t now_ns, sweep_ns;
    int wake;
    atomic_bool is_rung; /* since the last wait */
    ls_mailbox mailbox;
    ls_carriers *carriers;          /* of a server */
    ls_carrier carrier;             /* of a client; connect_id 0: none */
    ENetAddress server;             /* of a client */
    ls_enet_kept *kept, *kept_last; /* events that come before ENet's next; NULL: none */
    /* Of the datagram that passed the gate last, for the checksum. */
    const ls_carrier *connecting;
    uint8_t expected[4];
    uint32_t peer, command_count;
    uint32_t slot_count;
    ls_enet_slot slots[];
} ls_enet_link;

extern const ls_link_vtable ls_enet_vtable;

/* Before every call of ENet that may send or receive. Its clock is process-global, which is why all
 * links of a process must be given one clock. */
void ls_enet_enter(ls_enet_link *self, uint64_t now_ns);
/* Before a link is freed. */
void ls_enet_leave(void);

ls_address ls_enet_address(const ENetAddress *from);

/* From a connect id to what ENet keeps and copies to the wire as it is, and back: there it is
 * little endian on every machine. */
uint32_t ls_enet_id(uint32_t connect_id);

/* Whether a program that was compiled for one ENet may run on the other.
 *   errors  LS_ERROR_INCOMPATIBLE, naming both and what to install */
ls_status ls_enet_check_versions(ENetVersion compiled, ENetVersion loaded, ls_error *error);

/* Numbers of the control channel from the oldest that is not acknowledged, sent or not, to the
 * newest. */
uint32_t ls_enet_control_span(ENetPeer *peer);
/* Gives a peer that enet_host_connect returned the id that it connects with, before anything is
 * sent; false when its CONNECT is not found. */
bool ls_enet_set_connect_id(ENetPeer *peer, uint32_t connect_id);

/* How far this side's control channel goes beyond its oldest command that is not acknowledged. */
static inline uint32_t ls_enet_queue_max(ls_role sender)
{
    return sender == LS_ROLE_CLIENT ? LS_LINK_CLIENT_QUEUE_MAX : LS_LINK_QUEUE_MAX;
}

/* For a peer that is about to connect: what is lost of that is repeated after a tenth of a second.
 */
void ls_enet_repeat_soon(ENetPeer *peer);

/* An event that is told after those kept already. A RECEIVE owns its packet. */
void ls_enet_keep(ls_enet_link *self, const ENetEvent *event);
/* Takes over what a peer has received and ENet has not told. */
void ls_enet_keep_messages(ls_enet_link *self, ENetPeer *peer);
bool ls_enet_take_kept(ls_enet_link *self, ENetEvent *event);
void ls_enet_forget_kept(ls_enet_link *self);

/* ENet's callbacks, of the link entered last: the gate, which takes a datagram away with 1, and
 * SipHash-2-4 by connection and direction over everything, with the connect id in the checksum's
 * place. */
int ENET_CALLBACK ls_enet_intercept(ENetHost *host, ENetEvent *event);
enet_uint32 ENET_CALLBACK ls_enet_checksum(const ENetBuffer *buffers, size_t count);

/* Takes over the host. */
ls_link *ls_enet_link_create(ENetHost *host, ls_role role, const ls_link_enet_config *config);

#endif
