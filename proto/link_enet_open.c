/* Opens the sockets of links over ENet, and reads their properties. */
#include "proto/link_enet_internal.h"
#include "proto/link_enet_versions.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

ls_link_enet_config ls_link_enet_config_default(void)
{
    return (ls_link_enet_config){
        .port = LS_PORT_DEFAULT, .peers_max = 64, .peers_per_address = 8, .filter = true};
}

ls_status ls_link_enet_listen(const ls_link_enet_config *config, ls_link **link, ls_error *error)
{
    ENetAddress address = {.host = ENET_HOST_ANY, .port = config->port};
    struct in_addr parsed;
    ls_status status = ls_enet_check_versions(ENET_VERSION, enet_linked_version(), error);
    if (status)
        return status;
    if (config->peers_max < 1 || config->peers_max > LS_LINK_PEERS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u peers: possible are 1 to %d",
                            config->peers_max, LS_LINK_PEERS_MAX);
    if (config->peers_per_address < 1)
        return ls_error_set(error, LS_ERROR_USAGE, "at least one peer per address is needed");
    if (config->address) {
        if (inet_pton(AF_INET, config->address, &parsed) != 1)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "'%s' is not an IPv4 address to listen on, as 0.0.0.0 is",
                                config->address);
        address.host = parsed.s_addr;
    }
    errno = 0;
    ENetHost *host = enet_host_create(&address, config->peers_max, LS_CHANNEL_COUNT, 0, 0);
    if (!host && errno == EADDRINUSE)
        return ls_error_set(error, LS_ERROR_IO,
                            "port %u is taken: another program listens on it; stop that one or "
                            "choose another port",
                            config->port);
    if (!host)
        return ls_error_set(error, LS_ERROR_IO, "cannot listen on port %u: %s", config->port,
                            errno ? strerror(errno) : "no memory or no socket");
    *link = ls_enet_link_create(host, LS_ROLE_SERVER, config);
    return LS_OK;
}

ls_status ls_link_enet_open_from(const ls_link_enet_client_config *config, ls_link **link,
                                 ls_error *error)
{
    ENetAddress address = {.port = config->port};
    ENetAddress own = {.host = ENET_HOST_ANY}; /* bound at once: the port is known */
    struct in_addr parsed;
    ls_status status = ls_enet_check_versions(ENET_VERSION, enet_linked_version(), error);
    if (status)
        return status;
    if (config->bind) {
        if (inet_pton(AF_INET, config->bind, &parsed) != 1)
            return ls_error_set(error, LS_ERROR_USAGE, "'%s' is not an IPv4 address to send from",
                                config->bind);
        own.host = parsed.s_addr;
    }
    if (enet_address_set_host(&address, config->host) != 0)
        return ls_error_set(error, LS_ERROR_IO,
                            "no IPv4 address found for '%s': is the name right, and does this "
                            "machine find others? An address like 192.0.2.1 needs no name",
                            config->host);
    errno = 0;
    ENetHost *host = enet_host_create(&own, 1, LS_CHANNEL_COUNT, 0, 0);
    if (!host)
        return ls_error_set(error, LS_ERROR_IO, "cannot open a socket%s%s: %s",
                            config->bind ? " at " : "", config->bind ? config->bind : "",
                            errno ? strerror(errno) : "no memory");
    const ls_link_enet_config limits = {.peers_max = 1, .peers_per_address = 1, .filter = true};
    *link = ls_enet_link_create(host, LS_ROLE_CLIENT, &limits);
    ((ls_enet_link *)*link)->server = address;
    return LS_OK;
}

ls_status ls_link_enet_open(const char *host, uint16_t port, ls_link **link, ls_error *error)
{
    const ls_link_enet_client_config config = {.host = host, .port = port};
    return ls_link_enet_open_from(&config, link, error);
}

uint16_t ls_link_enet_port(const ls_link *link)
{
    LS_ASSERT(link->vtable == &ls_enet_vtable);
    ENetAddress address = {0};
    LS_ASSERT(enet_socket_get_address(((const ls_enet_link *)link)->host->socket, &address) == 0);
    return address.port;
}

int ls_link_enet_descriptor(const ls_link *link)
{
    LS_ASSERT(link->vtable == &ls_enet_vtable);
    return ((const ls_enet_link *)link)->host->socket;
}

ls_link_enet_buffers ls_link_enet_get_buffers(const ls_link *link)
{
    LS_ASSERT(link->vtable == &ls_enet_vtable);
    ENetSocket socket = ((const ls_enet_link *)link)->host->socket;
    return (ls_link_enet_buffers){.receive_bytes = ls_socket_buffer_bytes(socket, SO_RCVBUF),
                                  .send_bytes = ls_socket_buffer_bytes(socket, SO_SNDBUF)};
}
