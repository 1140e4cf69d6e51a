/* The address of an HTTP port. */
#ifndef LS_HTTP_ADDRESS_H
#define LS_HTTP_ADDRESS_H

#include <lockstep/base.h>

#define LS_HTTP_ADDRESS_BYTES 64

typedef struct ls_http_address {
    char host[LS_HTTP_ADDRESS_BYTES]; /* without brackets */
    uint16_t port;
    bool is_v6;
} ls_http_address;

/* Parses [ADDR:]PORT, the value of `option`. ADDR is an address of this machine in numbers, such as
 * 0.0.0.0 or [::1]; 127.0.0.1 without it. errors  LS_ERROR_USAGE: the text is none */
ls_status ls_http_address_parse(const char *option, const char *text, ls_http_address *address,
                                ls_error *error) LS_MUST_USE;
/* Prints ADDR:PORT of a port that was opened for `listen`, a text that ls_http_address_parse()
 * takes; its own port may be 0. */
void ls_http_address_print(const char *listen, uint16_t port, char text[LS_HTTP_ADDRESS_BYTES]);

#endif
