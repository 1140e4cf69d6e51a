#include "proto/endpoint.h"

#include <string.h>

enum { IPV4_AT = 12 };

static void to_ipv4(const ls_address *address, struct sockaddr_in *end)
{
    *end = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(ls_address_port(address))};
    memcpy(&end->sin_addr, address->host + IPV4_AT, sizeof end->sin_addr);
}

static void to_ipv6(const ls_address *address, struct sockaddr_in6 *end)
{
    *end = (struct sockaddr_in6){.sin6_family = AF_INET6,
                                 .sin6_port = htons(ls_address_port(address))};
    ls_address plain = *address;
    end->sin6_scope_id = ls_address_zone(address);
    ls_address_set_zone(&plain, 0);
    memcpy(&end->sin6_addr, plain.host, sizeof end->sin6_addr);
}

void ls_endpoint_from_address(const ls_address *address, int family, ls_endpoint *endpoint)
{
    if (family == AF_INET)
        to_ipv4(address, &endpoint->ipv4);
    else
        to_ipv6(address, &endpoint->ipv6);
}

socklen_t ls_endpoint_bytes(int family)
{
    return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

ls_address ls_endpoint_address(const ls_endpoint *endpoint)
{
    if (endpoint->any.sa_family == AF_INET) {
        ls_address address = LS_ADDRESS_IPV4(0, 0, 0, 0, ntohs(endpoint->ipv4.sin_port));
        memcpy(address.host + IPV4_AT, &endpoint->ipv4.sin_addr, sizeof endpoint->ipv4.sin_addr);
        return address;
    }
    const struct sockaddr_in6 *end = &endpoint->ipv6;
    uint16_t port = ntohs(end->sin6_port);
    ls_address address = {.port = {(uint8_t)(port >> 8), (uint8_t)port}};
    memcpy(address.host, &end->sin6_addr, sizeof address.host);
    ls_address_set_zone(&address, end->sin6_scope_id);
    return address;
}
