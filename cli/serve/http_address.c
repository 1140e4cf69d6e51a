#include "cli/serve/http_address.h"

#include "cli/common/number.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define LOOPBACK  "127.0.0.1"
#define LOCALHOST "localhost"

static const uint8_t loopback_v6[16] = {[15] = 1};

/* Takes the host from `text` up to `end`, without brackets. */
static bool take_host(const char *text, const char *end, ls_http_address *address)
{
    bool has_brackets = text[0] == '[';
    if (has_brackets && (end - text < 2 || end[-1] != ']'))
        return false;
    size_t count = (size_t)(end - text) - (has_brackets ? 2 : 0);
    if (count >= sizeof address->host)
        return false;
    memcpy(address->host, text + has_brackets, count);
    address->host[count] = 0;
    address->is_v6 = has_brackets;
    memset(address->bytes, 0, sizeof address->bytes);
    return inet_pton(has_brackets ? AF_INET6 : AF_INET, address->host, address->bytes) == 1;
}

ls_status ls_http_address_parse(const char *option, const char *text, ls_http_address *address,
                                ls_error *error)
{
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    *address = (ls_http_address){.host = LOOPBACK, .bytes = {127, 0, 0, 1}};
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

bool ls_http_address_is_loopback(const ls_http_address *address)
{
    return address->is_v6 ? memcmp(address->bytes, loopback_v6, sizeof loopback_v6) == 0
                          : address->bytes[0] == 127;
}

static bool is_everywhere(const ls_http_address *address)
{
    static const uint8_t zeroes[16];
    return memcmp(address->bytes, zeroes, sizeof zeroes) == 0;
}

static bool is_same(const ls_http_address *a, const ls_http_address *b)
{
    return a->is_v6 == b->is_v6 && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool ls_http_address_has_host(const ls_http_address *address, const char *host)
{
    const char *bracket = host[0] == '[' ? strchr(host, ']') : NULL;
    const char *end = bracket ? bracket + 1 : host + strcspn(host, ":");
    const ls_http_address usual = {.bytes = {127, 0, 0, 1}};
    ls_http_address named = {.port = 0};
    uint64_t port;
    /* A tunnel or a container may have moved the port. */
    if (*end && (*end != ':' || !ls_parse_u64(end + 1, 0, UINT16_MAX, &port)))
        return false;
    if ((size_t)(end - host) == strlen(LOCALHOST) &&
        strncmp(host, LOCALHOST, strlen(LOCALHOST)) == 0)
        return true;
    if (!take_host(host, end, &named))
        return false;
    return is_everywhere(address) || is_same(&named, address) || is_same(&named, &usual) ||
           (named.is_v6 && ls_http_address_is_loopback(&named));
}
