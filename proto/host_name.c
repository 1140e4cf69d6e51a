#include "proto/host_name.h"

#include "proto/endpoint.h"
#include "proto/platform_socket.h"

#include <string.h>

enum { CANDIDATES_MAX = 16 };

static bool is_listed(const ls_address *addresses, uint32_t count, const ls_address *address)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&addresses[i], address, sizeof *address) == 0)
            return true;
    return false;
}

static uint32_t collect(const struct addrinfo *found, uint16_t port, ls_address *addresses,
                        uint32_t max)
{
    uint32_t count = 0;
    for (; found && count < max; found = found->ai_next) {
        ls_endpoint endpoint;
        if (found->ai_addrlen != (size_t)ls_endpoint_bytes(found->ai_family))
            continue;
        memcpy(&endpoint, found->ai_addr, found->ai_addrlen);
        ls_address address = ls_endpoint_address(&endpoint);
        address.port[0] = (uint8_t)(port >> 8);
        address.port[1] = (uint8_t)port;
        if (!is_listed(addresses, count, &address))
            addresses[count++] = address;
    }
    return count;
}

ls_status ls_resolve(const char *host, uint16_t port, ls_address *addresses, uint32_t max,
                     uint32_t *count, ls_error *error)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    ls_net_begin();
    int code = getaddrinfo(host, NULL, &hints, &found);
    *count = code ? 0 : collect(found, port, addresses, max);
    if (found)
        freeaddrinfo(found);
    if (*count)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_IO,
                        "no address found for '%s' (%s): is the name right, and does this machine "
                        "find others? An address like 192.0.2.1 or 2001:db8::1 needs no name",
                        host, code ? gai_strerror(code) : "neither IPv4 nor IPv6");
}

bool ls_resolve_numeric(const char *host, uint16_t port, ls_address *address)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *found;
    ls_net_begin();
    if (getaddrinfo(host, NULL, &hints, &found))
        return false;
    uint32_t count = collect(found, port, address, 1);
    freeaddrinfo(found);
    return count == 1;
}

ls_status ls_resolve_one(const char *host, uint16_t port, ls_address *address, ls_error *error)
{
    ls_address found[CANDIDATES_MAX];
    uint32_t count;
    ls_status status = ls_resolve(host, port, found, CANDIDATES_MAX, &count, error);
    if (status)
        return status;
    *address = found[0];
    for (uint32_t i = 0; i < count; i++)
        if (ls_address_is_ipv4(&found[i]) && ls_socket_has_route(&found[i])) {
            *address = found[i];
            break;
        }
    return LS_OK;
}

ls_status ls_resolve_both(const char *host, uint16_t port, ls_address both[2], uint32_t *count,
                          ls_error *error)
{
    ls_address found[CANDIDATES_MAX];
    uint32_t found_count, taken = 0;
    ls_status status = ls_resolve(host, port, found, CANDIDATES_MAX, &found_count, error);
    *count = 0;
    if (status)
        return status;
    for (uint32_t i = 0; i < found_count && taken < 2; i++) {
        bool is_other = taken == 0 || ls_address_is_ipv4(&both[0]) != ls_address_is_ipv4(&found[i]);
        if (is_other && ls_socket_has_route(&found[i]))
            both[taken++] = found[i];
    }
    if (taken == 0)
        both[taken++] = found[0];
    *count = taken;
    return LS_OK;
}
