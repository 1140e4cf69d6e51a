/* Links over ENet and UDP. ENet is only the carrier: connections, MTU, and the small reliable
 * control channel. The caller's clock drives ENet's clock.
 *
 * ENet receives only authentic datagrams, each one once: a CONNECT from an admitted address with
 * the right id, and datagrams of connections. The keys of the carrier authenticate them. */
#ifndef LS_LINK_ENET_H
#define LS_LINK_ENET_H

#include <lockstep/link.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_link_enet_config {
    const char *address;           /* IP address to bind; "::": both families; NULL: IPv4 */
    uint16_t port;                 /* 0: any free one */
    uint32_t peers_max;            /* 1..LS_LINK_PEERS_MAX */
    uint32_t connections_per_host; /* further connections from one address are not answered */
    /* Drop foreign datagrams in the kernel; without it the link drops them, at one system call
     * each. */
    bool filter;
} ls_link_enet_config;

/* All interfaces, LS_PORT_DEFAULT, 64 peers, 8 from one address, filter on. */
LS_API ls_link_enet_config ls_link_enet_config_default(void);

/* Opens a server's socket.
 *   errors  LS_ERROR_IO with a text that names port and cause ("port 7777 is taken: ...");
 *           LS_ERROR_USAGE: a malformed address, or a peer count out of range
 *   owns    the caller destroys *link with ls_link_destroy()
 *   thread  one thread per link; all links of a process must be given the same clock */
LS_API ls_status ls_link_enet_listen(const ls_link_enet_config *config, ls_link **link,
                                     ls_error *error) LS_MUST_USE;

typedef struct ls_link_enet_client_config {
    const char *host; /* the server's IP address, or its name */
    uint16_t port;
    const char *bind; /* this machine's IP address to send from; NULL: the system chooses */
} ls_link_enet_client_config;

/* Opens a client's socket for one server. Datagrams can be posted at once, and only datagrams from
 * that server are received. If its name has addresses of both families, the first that the resolver
 * returns is tried first, and every repeated HELLO goes to both; the one that sends an ACCEPT is
 * used. ls_link_connect() then connects; DISCONNECTED follows without an answer within 5 to 8 s.
 * Resolves the name first, which may block.
 *   errors  LS_ERROR_USAGE: `bind` is not an IP address, or of the other family; LS_ERROR_IO: the
 *           name has no address, the socket failed, or `bind` is not an address of this machine.
 *           *link is then unchanged
 *   owns    the caller destroys *link with ls_link_destroy() */
LS_API ls_status ls_link_enet_open_from(const ls_link_enet_client_config *config, ls_link **link,
                                        ls_error *error) LS_MUST_USE;
/* Like ls_link_enet_open_from(), from the address that the system chooses.
 *   errors  LS_ERROR_IO as ls_link_enet_open_from() */
LS_API ls_status ls_link_enet_open(const char *host, uint16_t port, ls_link **link,
                                   ls_error *error) LS_MUST_USE;

/* The port that the link's socket is bound to. The link must be one that this header opened. */
LS_API uint16_t ls_link_enet_port(const ls_link *link);

/* The link's socket, to wait for many links at once (poll, epoll): readable when ls_link_poll() has
 * something. `link` must come from this header. */
LS_API int ls_link_enet_descriptor(const ls_link *link);

/* The sizes of the socket buffers that the system granted; the link requests 4 MiB for each. */
typedef struct ls_link_enet_buffers {
    uint32_t receive_bytes;
    uint32_t send_bytes;
} ls_link_enet_buffers;
LS_API ls_link_enet_buffers ls_link_enet_get_buffers(const ls_link *link);

#ifdef __cplusplus
}
#endif

#endif
