/* The address of an HTTP port. */
#ifndef LS_HTTP_ADDRESS_H
#define LS_HTTP_ADDRESS_H

#include <lockstep/base.h>

#define LS_HTTP_ADDRESS_BYTES 64

typedef struct ls_http_address {
    char host[LS_HTTP_ADDRESS_BYTES]; /* without brackets */
    uint8_t bytes[16];                /* of the host; the first 4 for IPv4, then zeroes */
    uint16_t port;
    bool is_v6;
} ls_http_address;

/* Parses [ADDR:]PORT, the value of `option`. ADDR is an address of this machine in numbers, such as
 * 0.0.0.0 or [::1]; 127.0.0.1 without it.
 *   errors  LS_ERROR_USAGE: the text is no such address */
ls_status ls_http_address_parse(const char *option, const char *text, ls_http_address *address,
                                ls_error *error) LS_MUST_USE;
/* Prints ADDR:PORT of a port that was opened for `listen`, a text that ls_http_address_parse()
 * takes; its own port may be 0. */
void ls_http_address_print(const char *listen, uint16_t port, char text[LS_HTTP_ADDRESS_BYTES]);

bool ls_http_address_is_loopback(const ls_http_address *address);
/* Whether `host`, the header of a request and perhaps hostile, names the machine with the port that
 * is bound to the address: localhost, 127.0.0.1, [::1] or the address; any address in numbers if
 * the port is bound to all. A name that the sender's DNS server answers for is never one. */
bool ls_http_address_has_host(const ls_http_address *address, const char *host);

#endif
