/* The interface between the step functions of server and client and the carrier of their packets.
 * The carrier is ENet (include/lockstep/link_enet.h) or, in tests, an in-process network.
 *   - A datagram belongs to no connection: the handshake. Any host may send one.
 *   - A packet belongs to a connection, which needs a handshake: the server admits a remote, the
 *     client connects with the id and the keys of the handshake. The link drops all other attempts.
 * Never trust a link: any byte may be hostile. CONNECTED only means that packets can be sent. */
#ifndef LS_LINK_H
#define LS_LINK_H

#include <lockstep/carrier.h>
#include <lockstep/limits.h>
#include <lockstep/link_stats.h>
#include <lockstep/remote.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The id of a connection of one link: the slot in the low 16 bits, a generation above. The id is
 * stale after its DISCONNECTED. A client's link has only slot 0. */
typedef uint32_t ls_peer;
#define LS_PEER_NONE UINT32_MAX

/* The slot, 0..peers_max-1: an index for the caller's own table of peers. */
static inline uint32_t ls_peer_slot(ls_peer peer)
{
    return peer & 0xffffu;
}

typedef enum ls_link_event_kind {
    LS_LINK_CONNECTED = 1,
    LS_LINK_DISCONNECTED, /* a client also gets it when the server does not answer */
    LS_LINK_MESSAGE,
    LS_LINK_DATAGRAM,
    LS_LINK_MOVED, /* server: a client is at another remote, which it has proved */
} ls_link_event_kind;

typedef struct ls_link_event {
    ls_link_event_kind kind;
    ls_peer peer;        /* not set in a DATAGRAM */
    uint64_t arrived_ns; /* when it reached this machine, or the time of the poll if the link cannot
                            tell */
    uint32_t connect_id; /* CONNECTED: the connect_id of its carrier */
    ls_remote remote;    /* DATAGRAM: its sender; MOVED: where the client is now */
    ls_packet packet;    /* MESSAGE or DATAGRAM (without channel); valid until the next poll */
} ls_link_event;

typedef struct ls_link ls_link;
typedef struct ls_link_vtable {
    ls_status (*send)(ls_link *link, ls_peer peer, const ls_packet *packet);
    bool (*poll)(ls_link *link, uint64_t now_ns, ls_link_event *event);
    void (*flush)(ls_link *link, uint64_t now_ns);
    void (*disconnect)(ls_link *link, ls_peer peer);
    bool (*is_quiet)(const ls_link *link);
    bool (*wait)(ls_link *link, uint32_t timeout_ms);
    void (*wake)(ls_link *link);
    void (*post)(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes);
    ls_status (*admit)(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                       uint64_t until_ns);
    uint32_t (*connections)(const ls_link *link, const ls_remote_key *host);
    ls_status (*connect)(ls_link *link, uint64_t now_ns, const ls_carrier *carrier);
    ls_remote (*remote)(const ls_link *link, ls_peer peer);
    ls_remote_origin (*origin)(const ls_link *link, const ls_remote *remote);
    void (*describe)(const ls_link *link, const ls_remote *remote, char text[LS_REMOTE_TEXT_BYTES]);
    ls_link_stats (*stats)(const ls_link *link);
    void (*destroy)(ls_link *link);
    ls_status (*redirect)(ls_link *link, const ls_remote *to); /* NULL: the link cannot */
} ls_link_vtable;

/* The first member of the struct of an implementation, whose functions cast `link` to it. */
struct ls_link {
    const ls_link_vtable *vtable;
};

/* Queues one packet; the next flush sends it, or an earlier call.
 *   errors  LS_ERROR_NOT_FOUND: the peer is gone; LS_ERROR_LIMIT: the queue is full, or the packet
 *           is empty, over LS_PACKET_BYTES_MAX, or over ENet shorter than LS_SEAL_BYTES (no sealed
 *           packet is); asserts the channel
 *   owns    copies the bytes
 *   thread  the thread of the link */
LS_API ls_status ls_link_send(ls_link *link, ls_peer peer, const ls_packet *packet) LS_MUST_USE;

/* Takes the next event. Call it until it returns false: a round is bounded, also in a flood.
 *   unit    now_ns: monotonic nanoseconds, never falling */
LS_API bool ls_link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event) LS_MUST_USE;

/* Sends queued packets. Call it once per loop, after the last send. */
LS_API void ls_link_flush(ls_link *link, uint64_t now_ns);

/* Ends a connection after the packets sent on its control channel. The id is stale at once, and no
 * DISCONNECTED follows. The slot becomes free when the other side confirms, or after a few seconds.
 * Ignores an unknown id. */
LS_API void ls_link_disconnect(ls_link *link, ls_peer peer);

/* False while a connection that this side ended still waits for acknowledgements. Before the link
 * is destroyed, poll and flush for a second or two until this is true. */
LS_API bool ls_link_is_quiet(const ls_link *link);

/* Sends one datagram outside of any connection, at once; one that cannot be sent is lost.
 *   shape   1..LS_MTU_BYTES bytes, bit 6 of the first byte set (no packet of a connection has it);
 *           `to` is NULL at a client: its datagrams go to its server */
LS_API void ls_link_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes);

/* Server: admits one connection with this carrier from this remote until `until_ns`. CONNECTED then
 * has its id. The keys are valid as long as the connection. Repeating only changes `until_ns`.
 *   errors  LS_ERROR_LIMIT: LS_LINK_ADMISSIONS_MAX admissions wait, or the id is in use
 *   owns    copies the carrier, and wipes the copy when it is no longer needed */
LS_API ls_status ls_link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                               uint64_t until_ns) LS_MUST_USE;

/* Server: the number of connections that have a slot now, including those that are ending; with a
 * host, only those of that host. */
LS_API uint32_t ls_link_connections(const ls_link *link, const ls_remote_key *host);

/* Client: starts to connect; CONNECTED or DISCONNECTED follows. An earlier connection is dropped
 * without an event: that is how a session is resumed.
 *   errors  LS_ERROR_IO: the carrier failed */
LS_API ls_status ls_link_connect(ls_link *link, uint64_t now_ns,
                                 const ls_carrier *carrier) LS_MUST_USE;

/* Ends the current or the next ls_link_wait(). Any thread. */
LS_API void ls_link_wake(ls_link *link);

/* Sleeps until a packet, a signal or ls_link_wake() arrives, or `timeout_ms` has passed. True when
 * there is something to poll. A link without a socket returns at once. */
LS_API bool ls_link_wait(ls_link *link, uint32_t timeout_ms);

/* The remote of a connection; zeros for an unknown id. */
LS_API ls_remote ls_link_remote(const ls_link *link, ls_peer peer);

LS_API ls_link_stats ls_link_get_stats(const ls_link *link);

/* Sends the peers one notice without waiting for them, and frees the link. NULL is allowed. */
LS_API void ls_link_destroy(ls_link *link);

#ifdef __cplusplus
}
#endif

#endif
