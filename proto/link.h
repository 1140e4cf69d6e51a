/* The seam between the step functions of server and client and whatever carries their packets: ENet
 * (proto/link_enet.h) or a network inside the process (proto/link_memory.h). A link is never
 * trusted: any packet may be hostile, and CONNECTED says only that packets can be sent. */
#ifndef LS_LINK_H
#define LS_LINK_H

#include "proto/packet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names one connection of one link: slot in the low 16 bits, a generation above, so that an id kept
 * past its DISCONNECTED names nothing. A client's link has the one slot 0. */
typedef uint32_t ls_peer;
#define LS_PEER_NONE      UINT32_MAX
#define LS_LINK_PEERS_MAX 4000

/* The slot, 0..peers_max-1: an index for the owner's own table of peers. */
static inline uint32_t ls_peer_slot(ls_peer peer)
{
    return peer & 0xffffu;
}

typedef enum ls_link_event_kind {
    LS_LINK_CONNECTED = 1,
    LS_LINK_DISCONNECTED, /* by the other side or by the carrier; for a client also: never reached
                           */
    LS_LINK_MESSAGE,
} ls_link_event_kind;

typedef struct ls_link_event {
    ls_link_event_kind kind;
    ls_peer peer;
    ls_packet packet; /* of a MESSAGE; lives until the next poll of this link */
} ls_link_event;

/* Counted, never fatal: what the carrier met and healed. */
typedef struct ls_link_stats {
    uint64_t receive_errors;  /* datagrams too long, refused, or a send that the socket refused */
    uint64_t packets_refused; /* arrived, but over the limits or on no channel; dropped */
    uint64_t sends_failed;    /* given up at once: queue full, peer half gone */
    uint64_t
        rounds_exhausted; /* poll answered false because of its budget, not for want of packets */
} ls_link_stats;

#define LS_ADDRESS_TEXT_BYTES 64

typedef struct ls_link ls_link;
typedef struct ls_link_vtable {
    ls_status (*send)(ls_link *link, ls_peer peer, const ls_packet *packet);
    bool (*poll)(ls_link *link, uint64_t now_ns, ls_link_event *event);
    void (*flush)(ls_link *link, uint64_t now_ns);
    void (*disconnect)(ls_link *link, ls_peer peer);
    bool (*wait)(ls_link *link, uint32_t timeout_ms);
    void (*address)(const ls_link *link, ls_peer peer, char text[LS_ADDRESS_TEXT_BYTES]);
    ls_link_stats (*stats)(const ls_link *link);
    void (*destroy)(ls_link *link);
} ls_link_vtable;

/* An implementation puts this first in its own struct. */
struct ls_link {
    const ls_link_vtable *vtable;
};

/* Queues one packet, which leaves at the next flush (or earlier).
 *   errors  LS_ERROR_NOT_FOUND: the peer is gone; LS_ERROR_LIMIT: the packet is empty or over
 *           LS_PACKET_BYTES_MAX (control: LS_CONTROL_BYTES_MAX), or the queue is full; asserts the
 *           channel
 *   owns    copies the bytes                                    thread  the link's own */
static inline LS_MUST_USE ls_status ls_link_send(ls_link *link, ls_peer peer,
                                                 const ls_packet *packet)
{
    return link->vtable->send(link, peer, packet);
}

/* Takes the next event; call until false in every loop. One round (up to the next false) is
 * bounded, so that a flood cannot hold the caller; what is left comes in the next round. unit
 * now_ns: monotonic nanoseconds, never falling */
static inline LS_MUST_USE bool ls_link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    return link->vtable->poll(link, now_ns, event);
}

/* Sends what is queued. Once per loop, after the last send. */
static inline void ls_link_flush(ls_link *link, uint64_t now_ns)
{
    link->vtable->flush(link, now_ns);
}

/* Ends a connection after what was sent on its control channel. The id names nothing from now on:
 * no DISCONNECTED follows. The slot returns when the other side knows or after a few seconds. An
 * unknown id is ignored. */
static inline void ls_link_disconnect(ls_link *link, ls_peer peer)
{
    link->vtable->disconnect(link, peer);
}

/* Sleeps until a packet is there, `timeout_ms` has passed or a signal came; true when there is
 * something to poll. A link without a socket answers at once. */
static inline bool ls_link_wait(ls_link *link, uint32_t timeout_ms)
{
    return link->vtable->wait(link, timeout_ms);
}

/* The other side's address for logs and cookies, as "192.0.2.1:40001"; "gone" for an unknown id. */
static inline void ls_link_address(const ls_link *link, ls_peer peer,
                                   char text[LS_ADDRESS_TEXT_BYTES])
{
    link->vtable->address(link, peer, text);
}

static inline ls_link_stats ls_link_get_stats(const ls_link *link)
{
    return link->vtable->stats(link);
}

/* Tells the peers once, without waiting for them, and frees the link. NULL is allowed. */
static inline void ls_link_destroy(ls_link *link)
{
    if (link)
        link->vtable->destroy(link);
}

#ifdef __cplusplus
}
#endif

#endif
