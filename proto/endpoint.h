/* The system's form of an address. Private to proto/. */
#ifndef LS_ENDPOINT_H
#define LS_ENDPOINT_H

#include <lockstep/address.h>

#include <netinet/in.h>
#include <sys/socket.h>

typedef union ls_endpoint {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
} ls_endpoint;

/* For a socket of this family: AF_INET, which only a mapped address has a form for, or AF_INET6. A
 * link-local address means something only together with its interface, whose index an ls_address
 * has in the place of zeros: bytes 4 to 7. */
void ls_endpoint_from_address(const ls_address *address, int family, ls_endpoint *endpoint);
socklen_t ls_endpoint_bytes(int family);
ls_address ls_endpoint_address(const ls_endpoint *endpoint);

#endif
