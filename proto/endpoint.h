/* Converts addresses to and from the operating system's socket addresses. Private to proto/. */
#ifndef LS_ENDPOINT_H
#define LS_ENDPOINT_H

#include "proto/platform_net.h"
#include <lockstep/address.h>

typedef union ls_endpoint {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
} ls_endpoint;

/* Converts an address for a socket of `family`: AF_INET6, or AF_INET for a mapped IPv4 address. A
 * link-local address needs the index of its interface; an ls_address stores the index in bytes 4 to
 * 7, which are otherwise zero. */
void ls_endpoint_from_address(const ls_address *address, int family, ls_endpoint *endpoint);
socklen_t ls_endpoint_bytes(int family);
ls_address ls_endpoint_address(const ls_endpoint *endpoint);

#endif
