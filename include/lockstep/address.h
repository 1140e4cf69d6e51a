/* The address of a datagram. */
#ifndef LS_ADDRESS_H
#define LS_ADDRESS_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sender of a datagram. Equal addresses have equal bytes: compare and hash the struct as
 * bytes. */
typedef struct ls_address {
    uint8_t host[4]; /* IPv4, most significant byte first; any value in an in-process network */
    uint8_t port[2];
} ls_address;
#if !defined(__cplusplus)
_Static_assert(sizeof(ls_address) == 6, "no padding: it is compared and hashed as bytes");
#endif

#define LS_ADDRESS_TEXT_BYTES 64
/* Writes the address as text, e.g. "192.0.2.1:40001". */
LS_API void ls_address_format(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
