#include "cli/serve/http_address.h"

#include "cli/common/number.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define LOOPBACK "127.0.0.1"

/* Copies the host of `text`, which ends before `colon`, without brackets. */
static bool take_host(const char *text, const char *colon, ls_http_address *address)
{
    uint8_t bytes[16];
    bool has_brackets = text[0] == '[';
    if (has_brackets && (colon - text < 2 || colon[-1] != ']'))
        return false;
    size_t count = (size_t)(colon - text) - (has_brackets ? 2 : 0);
    if (count >= sizeof address->host)
        return false;
    memcpy(address->host, text + has_brackets, count);
    address->host[count] = 0;
    address->is_v6 = has_brackets;
    return inet_pton(has_brackets ? AF_INET6 : AF_INET, address->host, bytes) == 1;
}

ls_status ls_http_address_parse(const char *option, const char *text, ls_http_address *address,
                                ls_error *error)
{
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    *address = (ls_http_address){.host = LOOPBACK};
    bool is_good = ls_parse_u64(colon ? colon + 1 : text, 0, UINT16_MAX, &port) &&
                   (!colon || take_host(text, colon, address));
    address->port = (uint16_t)port;
    if (is_good)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s takes PORT or ADDR:PORT with an address in numbers, such as 9100, "
                        "0.0.0.0:9100 or [::1]:9100, not '%.256s'",
                        option, text);
}

void ls_http_address_print(const char *listen, uint16_t port, char text[LS_HTTP_ADDRESS_BYTES])
{
    const char *colon = strrchr(listen, ':');
    snprintf(text, LS_HTTP_ADDRESS_BYTES, "%.*s:%u",
             colon ? (int)(colon - listen) : (int)strlen(LOOPBACK), colon ? listen : LOOPBACK,
             (unsigned)port);
}
