/* Opens links over ENet with their sockets, and reads their properties. */
#include "proto/host_name.h"
#include "proto/link_enet_gate.h"
#include "proto/link_enet_internal.h"
#include "proto/link_enet_post.h"
#include "proto/link_enet_versions.h"
#include "proto/platform_net.h"

#include <errno.h>
#include <string.h>

/* The most datagrams that one system call moves. */
enum { SERVER_BATCH = 64, CLIENT_BATCH = 8 };
/* The most handshake datagrams that a link keeps in one round. */
enum { SERVER_HANDSHAKES_MAX = 256, CLIENT_HANDSHAKES_MAX = 16 };
#define BUFFER_BYTES (4 << 20) /* requested from the system, in each direction */

/* An ENet host and its socket. */
typedef struct carrier_host {
    ENetHost *host;
    ls_enet_socket socket;
} carrier_host;

ls_link_enet_config ls_link_enet_config_default(void)
{
    return (ls_link_enet_config){
        .port = LS_PORT_DEFAULT, .peers_max = 64, .connections_per_host = 8, .filter = true};
}

static bool is_wildcard(const ls_address *address)
{
    static const uint8_t zeros[LS_ADDRESS_HOST_BYTES];
    return memcmp(address->host, zeros, sizeof zeros) == 0;
}

static ls_udp_family family_of(const ls_address *own)
{
    return ls_address_is_ipv4(own) ? LS_UDP_IPV4 : is_wildcard(own) ? LS_UDP_DUAL : LS_UDP_IPV6;
}

/* Opens a host over a socket of ENet's own. */
static ls_status open_plain(const ls_udp_config *config, uint32_t peers, carrier_host *opened,
                            ls_error *error)
{
    const ls_enet_link own = {0};
    const ls_remote bound = ls_address_to_remote(&config->own);
    const ENetAddress address = ls_enet_address(&own, &bound, 0);
    if (config->family != LS_UDP_IPV4)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "no IPv6: ENet uses its own sockets in this program, as it is linked "
                            "statically or was loaded before Lockstep");
    opened->host = enet_host_create(&address, peers, LS_CHANNEL_COUNT, 0, 0);
    return opened->host ? LS_OK : LS_ERROR_IO;
}

/* Opens a host over our socket, or over ENet's where ours has no effect. LS_ERROR_IO leaves the
 * cause in errno and sets no text. */
static ls_status open_host(const ls_udp_config *config, uint32_t peers, carrier_host *opened,
                           ls_error *error)
{
    ls_status status = ls_enet_check_versions(ENET_VERSION, enet_linked_version(), error);
    if (status)
        return status;
    bool is_effective = ls_enet_socket_is_effective();
    errno = 0;
    if (!is_effective)
        return open_plain(config, peers, opened, error);
    if (ls_udp_open(config, &opened->socket.udp) != LS_OK)
        return LS_ERROR_IO;
    ls_enet_socket_use(&opened->socket);
    opened->host = enet_host_create(NULL, peers, LS_CHANNEL_COUNT, 0, 0);
    ls_enet_socket_use(NULL);
    if (opened->host)
        return LS_OK;
    ls_udp_close(opened->socket.udp);
    errno = ENOMEM;
    return LS_ERROR_IO;
}

/* Sets buffers and filter of ENet's own socket. */
static void prepare_socket(ls_enet_link *self, bool has_filter)
{
    enet_socket_set_option(self->host->socket, ENET_SOCKOPT_RCVBUF, BUFFER_BYTES);
    enet_socket_set_option(self->host->socket, ENET_SOCKOPT_SNDBUF, BUFFER_BYTES);
    self->is_filtered = has_filter && ls_socket_filter((int)self->host->socket);
}

/* Creates a link, which then owns the host and its socket. */
static ls_link *create_link(ENetHost *host, const ls_enet_socket *socket, ls_role role,
                            const ls_link_enet_config *config)
{
    bool is_server = role == LS_ROLE_SERVER;
    ls_enet_link *self = ls_alloc(sizeof *self + config->peers_max * sizeof self->slots[0]);
    self->link.vtable = &ls_enet_vtable;
    self->role = role;
    self->host = host;
    self->socket = *socket;
    self->slot_count = config->peers_max;
    self->bell = ls_bell_open();
    ls_datagram_queue_init(&self->datagrams,
                           is_server ? SERVER_HANDSHAKES_MAX : CLIENT_HANDSHAKES_MAX);
    self->carriers = is_server ? ls_carriers_create(config->peers_max) : NULL;
    host->intercept = ls_enet_intercept;
    host->checksum = ls_enet_checksum;
    host->mtu = LS_ENET_MTU_BYTES;
    host->maximumPacketSize = 8192;
    host->maximumWaitingData = 262144;
    host->duplicatePeers = config->connections_per_host;
    if (!socket->udp)
        prepare_socket(self, config->filter);
    return &self->link;
}

static ls_status explain_listen(const ls_link_enet_config *config, ls_error *error)
{
    if (errno == EADDRINUSE)
        return ls_error_set(error, LS_ERROR_IO,
                            "port %u is taken: another program listens on it; stop that one or "
                            "choose another port",
                            config->port);
    if (errno == EAFNOSUPPORT)
        return ls_error_set(error, LS_ERROR_IO, "cannot listen on port %u: this machine has no %s",
                            config->port, config->address ? "IPv6" : "IPv4");
    return ls_error_set(error, LS_ERROR_IO, "cannot listen on port %u: %s", config->port,
                        errno ? ls_net_error_text(-errno) : "no memory or no socket");
}

ls_status ls_link_enet_listen(const ls_link_enet_config *config, ls_link **link, ls_error *error)
{
    ls_address own = LS_ADDRESS_IPV4(0, 0, 0, 0, config->port);
    if (config->peers_max < 1 || config->peers_max > LS_LINK_PEERS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u peers: must be 1 to %d", config->peers_max,
                            LS_LINK_PEERS_MAX);
    if (config->connections_per_host < 1)
        return ls_error_set(error, LS_ERROR_USAGE, "0 connections per host: must be 1 or more");
    if (config->address && !ls_resolve_numeric(config->address, config->port, &own))
        return ls_error_set(
            error, LS_ERROR_USAGE,
            "'%s' is not an IP address to listen on, such as 0.0.0.0 or ::", config->address);
    const ls_udp_config udp = {.family = family_of(&own),
                               .own = own,
                               .batch = SERVER_BATCH,
                               .buffer_bytes = BUFFER_BYTES,
                               .filter = config->filter};
    carrier_host opened = {0};
    ls_status status = open_host(&udp, config->peers_max, &opened, error);
    if (status == LS_ERROR_IO)
        return explain_listen(config, error);
    if (!status)
        *link = create_link(opened.host, &opened.socket, LS_ROLE_SERVER, config);
    return status;
}

/* Where a client's server may be, and this machine's address. */
typedef struct client_line {
    ls_address own;
    ls_address servers[LS_ENET_CANDIDATES_MAX];
    uint32_t count;
} client_line;

static ls_udp_family family_of_line(const client_line *line)
{
    if (line->count > 1)
        return LS_UDP_DUAL;
    return ls_address_is_ipv4(&line->servers[0]) ? LS_UDP_IPV4 : LS_UDP_IPV6;
}

/* Keeps the servers of one family. */
static void keep_family(client_line *line, bool is_ipv4)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < line->count; i++)
        if (ls_address_is_ipv4(&line->servers[i]) == is_ipv4)
            line->servers[kept++] = line->servers[i];
    line->count = kept;
}

/* The socket that proto/udp.c opens for a client has no filter, which would cost the kernel about
 * 0.15 us a datagram: proto/udp.c drops useless datagrams itself. ENet's own socket has a filter,
 * because an empty datagram ends ENet's receive loop. */
static ls_status open_line(client_line *line, carrier_host *opened, ls_error *error)
{
    if (line->count == 1 && ls_address_is_ipv4(&line->servers[0]) &&
        !ls_address_is_ipv4(&line->own))
        line->own = (ls_address)LS_ADDRESS_IPV4(0, 0, 0, 0, 0);
    const ls_udp_config udp = {.family = family_of_line(line),
                               .own = line->own,
                               .batch = CLIENT_BATCH,
                               .buffer_bytes = BUFFER_BYTES};
    return open_host(&udp, 1, opened, error);
}

static ls_status open_client(const ls_link_enet_client_config *config, client_line *line,
                             ls_link **link, ls_error *error)
{
    const ls_link_enet_config limits = {.peers_max = 1, .connections_per_host = 1, .filter = true};
    carrier_host opened = {0};
    ls_status status = open_line(line, &opened, error);
    if (status && line->count > 1) { /* this machine, or its ENet, has no IPv6 */
        keep_family(line, true);
        status = open_line(line, &opened, error);
    }
    if (status == LS_ERROR_IO)
        return ls_error_set(error, LS_ERROR_IO, "cannot open a socket%s%s: %s",
                            config->bind ? " at " : "", config->bind ? config->bind : "",
                            errno ? ls_net_error_text(-errno) : "no memory");
    if (status)
        return status;
    *link = create_link(opened.host, &opened.socket, LS_ROLE_CLIENT, &limits);
    ls_enet_link *self = ls_enet_link_of(*link);
    ls_enet_candidates_init(&self->candidates, line->servers, line->count);
    self->server = self->candidates.items[0];
    return LS_OK;
}

ls_status ls_link_enet_open_from(const ls_link_enet_client_config *config, ls_link **link,
                                 ls_error *error)
{
    client_line line = {0};
    if (config->bind && !ls_resolve_numeric(config->bind, 0, &line.own))
        return ls_error_set(error, LS_ERROR_USAGE, "'%s' is not an IP address to send from",
                            config->bind);
    ls_status status =
        ls_resolve_both(config->host, config->port, line.servers, &line.count, error);
    if (status)
        return status;
    bool is_ipv4 = ls_address_is_ipv4(&line.own);
    if (config->bind)
        keep_family(&line, is_ipv4);
    if (line.count == 0)
        return ls_error_set(
            error, LS_ERROR_USAGE, "'%s' is an %s address to send from, and '%s' has an %s address",
            config->bind, is_ipv4 ? "IPv4" : "IPv6", config->host, is_ipv4 ? "IPv6" : "IPv4");
    return open_client(config, &line, link, error);
}

ls_status ls_link_enet_open(const char *host, uint16_t port, ls_link **link, ls_error *error)
{
    const ls_link_enet_client_config config = {.host = host, .port = port};
    return ls_link_enet_open_from(&config, link, error);
}

uint16_t ls_link_enet_port(const ls_link *link)
{
    LS_ASSERT(link->vtable == &ls_enet_vtable);
    const ls_enet_link *self = ls_enet_link_of_const(link);
    if (self->socket.udp)
        return ls_udp_port(self->socket.udp);
    ENetAddress address = {0};
    LS_ASSERT(enet_socket_get_address(self->host->socket, &address) == 0);
    return address.port;
}

int ls_link_enet_descriptor(const ls_link *link)
{
    LS_ASSERT(link->vtable == &ls_enet_vtable);
    return (int)ls_enet_link_of_const(link)->host->socket;
}

ls_link_enet_buffers ls_link_enet_get_buffers(const ls_link *link)
{
    LS_ASSERT(link->vtable == &ls_enet_vtable);
    const ls_enet_link *self = ls_enet_link_of_const(link);
    ls_socket_buffers buffers = ls_socket_get_buffers((int)self->host->socket);
    return (ls_link_enet_buffers){.receive_bytes = buffers.receive_bytes,
                                  .send_bytes = buffers.send_bytes};
}
