/* The messages on a WebSocket (docs/protocol.md, The WebSocket carrier). Private to proto/. */
#ifndef LS_WEB_MESSAGE_H
#define LS_WEB_MESSAGE_H

#include <lockstep/packet.h>

enum { LS_WEB_CONNECT = 0x48 }; /* a request and its answer: this byte, then the connect id */
#define LS_WEB_CONNECT_BYTES 5
/* A packet has its channel in front of it. */
#define LS_WEB_MESSAGE_BYTES_MAX LS_MTU_BYTES
LS_STATIC_ASSERT(1 + LS_PACKET_BYTES_MAX <= LS_WEB_MESSAGE_BYTES_MAX, "a packet fits");

typedef enum ls_web_message_kind {
    LS_WEB_MALFORMED = 0,
    LS_WEB_DATAGRAM, /* a message of the handshake, as it is in a datagram */
    LS_WEB_CONNECTING,
    LS_WEB_PACKET,
} ls_web_message_kind;

/* Tells the kind of a message from its first byte and its length alone. */
ls_web_message_kind ls_web_message_kind_of(const uint8_t *data, size_t bytes);

/* Reads the connect id of a CONNECTING. */
uint32_t ls_web_connect_id(const uint8_t message[LS_WEB_CONNECT_BYTES]);

#endif
