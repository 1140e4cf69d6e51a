/* The seam between the step functions of server and client and the carrier of their packets: ENet
 * (include/lockstep/link_enet.h) or, in tests, a network inside the process. It carries two things:
 *   - datagrams, which belong to no connection: the handshake. Any host may send one;
 *   - packets of a connection. There is one only after the handshake: the server admits an address,
 *     the client connects with the id and the keys that the handshake gave both, and the link drops
 *     every other attempt before the carrier sees it.
 * A link is never trusted: any byte may be hostile, and CONNECTED says only that packets can be
 * sent. */
#ifndef LS_LINK_H
#define LS_LINK_H

#include <lockstep/carrier.h>
#include <lockstep/limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names one connection of one link: slot in the low 16 bits, a generation above, so that an id is
 * stale after its DISCONNECTED. A client's link has the one slot 0. */
typedef uint32_t ls_peer;
#define LS_PEER_NONE UINT32_MAX

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
    LS_LINK_DATAGRAM,
} ls_link_event_kind;

typedef struct ls_link_event {
    ls_link_event_kind kind;
    ls_peer peer;        /* not of a DATAGRAM */
    uint32_t connect_id; /* of a CONNECTED: which carrier it is */
    ls_address address;  /* of a DATAGRAM: its sender */
    ls_packet packet;    /* of a MESSAGE or DATAGRAM (no channel); lives until the next poll */
} ls_link_event;

/* Counters of troubles that the carrier survived. */
typedef struct ls_link_stats {
    uint64_t receive_errors;  /* datagrams too long, refused, or a send that the socket refused */
    uint64_t packets_refused; /* arrived, but over the limits or on no channel; dropped */
    uint64_t sends_failed;    /* given up at once: queue full, peer half gone */
    uint64_t
        rounds_exhausted; /* poll answered false because of its budget, not for want of packets */
    uint64_t datagrams_refused;  /* no handshake message, no known connection, or not authentic */
    uint64_t datagrams_repeated; /* of the refused: authentic, and received before */
    uint64_t connects_refused;   /* attempts to connect without an admission */
} ls_link_stats;

typedef struct ls_link ls_link;
typedef struct ls_link_vtable {
    ls_status (*send)(ls_link *link, ls_peer peer, const ls_packet *packet);
    bool (*poll)(ls_link *link, uint64_t now_ns, ls_link_event *event);
    void (*flush)(ls_link *link, uint64_t now_ns);
    void (*disconnect)(ls_link *link, ls_peer peer);
    bool (*is_quiet)(const ls_link *link);
    bool (*wait)(ls_link *link, uint32_t timeout_ms);
    void (*wake)(ls_link *link);
    void (*post)(ls_link *link, const ls_address *to, const uint8_t *data, uint32_t bytes);
    ls_status (*admit)(ls_link *link, const ls_address *address, const ls_carrier *carrier,
                       uint64_t until_ns);
    uint32_t (*connections)(const ls_link *link, const ls_address *address);
    ls_status (*connect)(ls_link *link, uint64_t now_ns, const ls_carrier *carrier);
    void (*address)(const ls_link *link, ls_peer peer, ls_address *address);
    ls_link_stats (*stats)(const ls_link *link);
    void (*destroy)(ls_link *link);
} ls_link_vtable;

/* An implementation puts this first in its own struct. */
struct ls_link {
    const ls_link_vtable *vtable;
};

/* Queues one packet, which leaves at the next flush (or earlier).
 *   errors  LS_ERROR_NOT_FOUND: the peer is gone; LS_ERROR_LIMIT: the packet is empty or over
 *           LS_PACKET_BYTES_MAX, over ENet also shorter than LS_SEAL_BYTES (no sealed packet is),
 *           or the queue is full; asserts the channel
 *   owns    copies the bytes
 *   thread  the link's own */
LS_API ls_status ls_link_send(ls_link *link, ls_peer peer, const ls_packet *packet) LS_MUST_USE;

/* Takes the next event; call until false in every loop. One round (up to the next false) is
 * bounded, so that a flood cannot hold the caller; the rest comes in the next round.
 *   unit    now_ns: monotonic nanoseconds, never falling */
LS_API bool ls_link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event) LS_MUST_USE;

/* Sends queued packets. Once per loop, after the last send. */
LS_API void ls_link_flush(ls_link *link, uint64_t now_ns);

/* Ends a connection after the packets sent on its control channel. The id is stale from now on: no
 * DISCONNECTED follows. The slot returns when the other side knows or after a few seconds. An
 * unknown id is ignored. */
LS_API void ls_link_disconnect(ls_link *link, ls_peer peer);

/* False while a connection that this side has ended waits for the other side to have its last
 * words: go on with poll and flush for that, a second or two, before the link is destroyed. */
LS_API bool ls_link_is_quiet(const ls_link *link);

/* Sends one datagram outside of any connection, at once. A datagram that cannot be sent counts as
 * lost on the way.
 *   shape   1..LS_MTU_BYTES bytes, bit 6 of the first set (no packet of a connection has it); `to`
 *           is NULL at a client: its datagrams go to its server */
LS_API void ls_link_post(ls_link *link, const ls_address *to, const uint8_t *data, uint32_t bytes);

/* Server: lets one connection with this carrier in from this address until `until_ns`; then
 * CONNECTED comes with the id. The keys hold as long as the connection.
 * The same admission again, while it waits, only moves its end.
 *   errors  LS_ERROR_LIMIT: LS_LINK_ADMISSIONS_MAX are waiting, or the id is in use
 *   owns    copies the carrier; wipes it when it is not needed any more */
LS_API ls_status ls_link_admit(ls_link *link, const ls_address *address, const ls_carrier *carrier,
                               uint64_t until_ns) LS_MUST_USE;

/* Server: connections that have a slot now, including those that are ending; with an address only
 * those of its host, on any port. */
LS_API uint32_t ls_link_connections(const ls_link *link, const ls_address *address);

/* Client: begins to connect; CONNECTED or DISCONNECTED follows. An earlier connection is dropped
 * silently: a session is resumed that way.
 *   errors  LS_ERROR_IO: the carrier cannot */
LS_API ls_status ls_link_connect(ls_link *link, uint64_t now_ns,
                                 const ls_carrier *carrier) LS_MUST_USE;

/* Ends a wait that is under way or the next one; thread: any. */
LS_API void ls_link_wake(ls_link *link);

/* Sleeps until a packet, a signal or ls_link_wake() comes or `timeout_ms` has passed; true when
 * there is something to poll. A link without a socket answers at once. */
LS_API bool ls_link_wait(ls_link *link, uint32_t timeout_ms);

/* The other side's address; zeros for an unknown id. */
LS_API void ls_link_address(const ls_link *link, ls_peer peer, ls_address *address);

LS_API ls_link_stats ls_link_get_stats(const ls_link *link);

/* Tells the peers once, without waiting for them, and frees the link. NULL is allowed. */
LS_API void ls_link_destroy(ls_link *link);

#ifdef __cplusplus
}
#endif

#endif
