/* The address of a server for players: HOST:PORT#KEY. */
#ifndef LS_SERVER_ADDRESS_H
#define LS_SERVER_ADDRESS_H

#include <lockstep/identity.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_HOST_BYTES 254 /* a DNS name and the end */
/* The longest HOST:PORT#KEY with its end. */
#define LS_SERVER_ADDRESS_TEXT_BYTES (LS_HOST_BYTES + 10 + LS_PUBLIC_KEY_TEXT_BYTES)

/* The address of a server and, if known, its key. */
typedef struct ls_server_address {
    char host[LS_HOST_BYTES]; /* name, IPv4, or IPv6 without its brackets; letters lowered */
    uint16_t port;
    bool has_key;
    ls_public_key key;
} ls_server_address;

/* Reads HOST, HOST:PORT, HOST:PORT#KEY, HOST#KEY or [IPV6]:PORT#KEY; without a port it is
 * LS_PORT_DEFAULT.
 *   errors  LS_ERROR_USAGE with a text that names the wrong part */
LS_API ls_status ls_server_address_parse(const char *text, ls_server_address *address,
                                         ls_error *error) LS_MUST_USE;
/* Writes HOST:PORT, and #KEY when it has one. */
LS_API void ls_server_address_format(const ls_server_address *address,
                                     char text[LS_SERVER_ADDRESS_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
