/* The state that the two threads of a link over WebSockets share. Private to proto/. */
#ifndef LS_WEB_SHARED_H
#define LS_WEB_SHARED_H

#include "proto/web_counter.h"
#include "proto/web_ring.h"
#include <lockstep/packet.h>
#include <lockstep/session_limits.h>

/* Limits of unread records in the ring to the link: bytes of the messages of a channel with a
 * connection, bytes of the messages of a channel without one, and the number of OPENED records. The
 * ring has room for all of them at once, so a flood on one channel takes no room of another. A
 * channel without a connection needs little, because a handshake sends one message at a time. */
#define LS_WEB_UNREAD_BYTES         40960u
#define LS_WEB_UNREAD_BYTES_WAITING 5120u
#define LS_WEB_OPENED_UNREAD_MAX    1024u
/* A short message is charged as this many bytes: a round of the link takes messages, not bytes. */
#define LS_WEB_UNREAD_BYTES_MIN 640u
LS_STATIC_ASSERT(LS_WEB_UNREAD_BYTES >=
                     LS_LINK_CLIENT_QUEUE_MAX * (2 * LS_WEB_RECORD_BYTES + LS_PACKET_BYTES_MAX),
                 "control packets that a client may send without an answer fit");

/* The counters are accessed relaxed, because the rings publish the records. */
typedef struct ls_web_shared {
    ls_web_ring in, out; /* to the link, to the port */
    uint32_t channels_max;
    _Atomic uint32_t *unread;       /* by slot: what its messages in `in` are charged */
    _Atomic uint32_t *controls;     /* by slot: control packets that are not in the socket yet */
    _Atomic uint32_t opened_unread; /* OPENED records in `in` */
    _Atomic uint64_t counts[LS_WEB_COUNTERS];
    /* For the link's statistics. */
    _Atomic uint64_t malformed, unread_dropped, unsent_dropped;
} ls_web_shared;

static inline uint32_t ls_web_unread_charge(uint32_t message_bytes)
{
    uint32_t size = ls_web_record_size(message_bytes);
    return size < LS_WEB_UNREAD_BYTES_MIN ? LS_WEB_UNREAD_BYTES_MIN : size;
}

#endif
