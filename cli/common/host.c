#include "cli/common/host.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

ls_status ls_host_find(const ls_server_address *server, ls_address *address, ls_error *error)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}, *found;
    int code = getaddrinfo(server->host, NULL, &hints, &found);
    if (code)
        return ls_error_set(error, LS_ERROR_IO, "cannot find an IPv4 address of %s: %s",
                            server->host, gai_strerror(code));
    struct sockaddr_in socket_address;
    memcpy(&socket_address, found->ai_addr, sizeof socket_address);
    freeaddrinfo(found);
    *address = (ls_address)LS_ADDRESS_IPV4(0, 0, 0, 0, server->port);
    memcpy(address->host + 12, &socket_address.sin_addr, sizeof socket_address.sin_addr);
    return LS_OK;
}
