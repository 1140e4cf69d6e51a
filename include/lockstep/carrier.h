/* The other end of a link before there is a connection: the address of a datagram, and the id and
 * keys that a handshake gives both carriers. */
#ifndef LS_CARRIER_H
#define LS_CARRIER_H

#include <lockstep/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a datagram comes from. Equal addresses have equal bytes: compare and hash the struct. */
typedef struct ls_address {
    uint8_t host[4]; /* IPv4, most significant first; in a network inside the process anything */
    uint8_t port[2];
} ls_address;
#if !defined(__cplusplus)
_Static_assert(sizeof(ls_address) == 6, "no padding: it is compared and hashed as bytes");
#endif

#define LS_ADDRESS_TEXT_BYTES 64
/* As "192.0.2.1:40001". */
LS_API void ls_address_format(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES]);

/* The result of a handshake for both carriers. The id names the connection before it exists; the
 * keys authenticate the carrier's own headers, one for each direction. */
#define LS_CARRIER_KEY_BYTES 16
typedef struct ls_carrier {
    uint32_t connect_id;                   /* not 0 */
    uint8_t keys[2][LS_CARRIER_KEY_BYTES]; /* by the role that sends */
} ls_carrier;

#ifdef __cplusplus
}
#endif

#endif
