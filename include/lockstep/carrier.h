/* The id and the keys of a connection, which both sides have from the handshake before they
 * connect. */
#ifndef LS_CARRIER_H
#define LS_CARRIER_H

#include <lockstep/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handshake gives an ls_carrier to the links of both sides. The carrier (ENet) uses the id for
 * the new connection and authenticates its headers with the keys, one key for each direction. */
#define LS_CARRIER_KEY_BYTES 16
/* The abilities of a side beyond those of the first version 3, as bits; a connection has the
 * abilities that both sides have. Unknown bits are ignored (docs/protocol.md, Capabilities). */
enum {
    LS_CAPABILITY_MOVE = 1,   /* the client answers a question that the server sends to its new
                                 address */
    LS_CAPABILITY_SAY = 2,    /* the client shows texts of the server to its user */
    LS_CAPABILITY_FOLLOW = 4, /* the client follows its match to another address of the server */
    LS_CAPABILITY_REPORT = 8, /* the client says what it measures, for the server's metrics */
    LS_LINK_CAPABILITIES = LS_CAPABILITY_MOVE, /* the abilities that a link has */
};
/* The abilities of the clients and servers of this version. */
#define LS_SESSION_CAPABILITIES                                                                    \
    (LS_LINK_CAPABILITIES | LS_CAPABILITY_SAY | LS_CAPABILITY_FOLLOW | LS_CAPABILITY_REPORT)
typedef struct ls_carrier {
    uint32_t connect_id;                   /* not 0 */
    uint32_t capabilities;                 /* that both sides have */
    uint8_t keys[2][LS_CARRIER_KEY_BYTES]; /* by sending role (ls_role) */
} ls_carrier;

#ifdef __cplusplus
}
#endif

#endif
