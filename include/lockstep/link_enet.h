/* Links over ENet and UDP. ENet is used as a carrier only: connection, MTU, the small reliable
 * control channel. Its clock is driven by the caller's; its traps are handled inside.
 *
 * ENet receives only datagrams of links of this kind: a CONNECT of an admitted address with the
 * right id, and datagrams of connections; each is authenticated with the carrier's keys and taken
 * once. */
#ifndef LS_LINK_ENET_H
#define LS_LINK_ENET_H

#include <lockstep/link.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_link_enet_config {
    const char *address;        /* IPv4 address to bind; NULL: all interfaces */
    uint16_t port;              /* 0: any free one */
    uint32_t peers_max;         /* 1..LS_LINK_PEERS_MAX */
    uint32_t peers_per_address; /* more connections from one address go unanswered */
    bool filter; /* drop datagrams in the kernel that cannot be ours; without it they are dropped
                    here, at the price of a system call each */
} ls_link_enet_config;

/* All interfaces, LS_PORT_DEFAULT, 64 peers, 8 of one address, filter on. */
LS_API ls_link_enet_config ls_link_enet_config_default(void);

/* Opens a server's socket.
 *   errors  LS_ERROR_IO with a text that names port and cause ("port 7777 is taken: ...");
 *           LS_ERROR_USAGE for an address that is none or a peer count out of range
 *   owns    the caller destroys *link with ls_link_destroy
 *   thread  one thread per link; several links of one process must be given the same clock */
LS_API ls_status ls_link_enet_listen(const ls_link_enet_config *config, ls_link **link,
                                     ls_error *error) LS_MUST_USE;

typedef struct ls_link_enet_client_config {
    const char *host; /* of the server: an IPv4 address, or a name that has one */
    uint16_t port;
    const char *bind; /* IPv4 address of this machine to send from; NULL: the system chooses */
} ls_link_enet_client_config;

/* Opens a client's socket towards one server: datagrams can be posted at once, and only datagrams
 * from that address are taken. ls_link_connect then connects; DISCONNECTED follows when there is no
 * answer within some 5 to 8 s. Resolves the name first, which may block. *link is unchanged when it
 * fails.
 *   errors  LS_ERROR_USAGE: `bind` is no IPv4 address; LS_ERROR_IO: the name has none, no socket,
 *           or `bind` is not an address of this machine
 *   owns    as above */
LS_API ls_status ls_link_enet_open_from(const ls_link_enet_client_config *config, ls_link **link,
                                        ls_error *error) LS_MUST_USE;
/* The same, from the address that the system chooses. */
LS_API ls_status ls_link_enet_open(const char *host, uint16_t port, ls_link **link,
                                   ls_error *error) LS_MUST_USE;

/* The port that the link's socket is bound to; the link must be one of this file's. */
LS_API uint16_t ls_link_enet_port(const ls_link *link);

/* Reads back the granted sizes of the socket buffers, 4 MiB requested for each. */
typedef struct ls_link_enet_buffers {
    uint32_t receive_bytes;
    uint32_t send_bytes;
} ls_link_enet_buffers;
LS_API ls_link_enet_buffers ls_link_enet_get_buffers(const ls_link *link);

#ifdef __cplusplus
}
#endif

#endif
