/* The address of a server in the form that players use: HOST:PORT#KEY. */
#ifndef LS_SERVER_ADDRESS_H
#define LS_SERVER_ADDRESS_H

#include <lockstep/identity.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_HOST_BYTES 254 /* a DNS name and the terminating zero */
/* The longest HOST:PORT#KEY with its terminating zero. */
#define LS_SERVER_ADDRESS_TEXT_BYTES (LS_HOST_BYTES + 10 + LS_PUBLIC_KEY_TEXT_BYTES)

/* The address of a server and, if known, its public key. */
typedef struct ls_server_address {
    char host[LS_HOST_BYTES]; /* name, IPv4, or IPv6 without brackets; in lower case */
    uint16_t port;
    bool has_key;
    ls_public_key key;
} ls_server_address;

/* Parses HOST, HOST:PORT, HOST:PORT#KEY, HOST#KEY or [IPV6]:PORT#KEY. The default port is
 * LS_PORT_DEFAULT.
 *   errors  LS_ERROR_USAGE with a text that names the wrong part */
LS_API ls_status ls_server_address_parse(const char *text, ls_server_address *address,
                                         ls_error *error) LS_MUST_USE;
/* Writes HOST:PORT, with #KEY if the address has a key. */
LS_API void ls_server_address_format(const ls_server_address *address,
                                     char text[LS_SERVER_ADDRESS_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
