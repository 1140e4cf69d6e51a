/* The socket of a server process and the addresses at which players reach it. */
#ifndef LS_SERVICE_NETWORK_H
#define LS_SERVICE_NETWORK_H

#include "cli/serve/service_options.h"
#include <lockstep/address.h>
#include <lockstep/link.h>

/* The links of a server process. */
typedef struct ls_service_links {
    ls_link *enet;
    ls_link *web; /* NULL: no players by WebSocket */
    ls_link *all; /* of both; owns them */
} ls_service_links;

/* Opens the socket for this many connections of all links.
 *   errors  those of ls_link_enet_listen(), with the option
 *   owns    ls_link_destroy() of `all` by the caller */
ls_status ls_service_network_listen(const ls_service_options *options, uint32_t peers_max,
                                    ls_service_links *links, ls_error *error) LS_MUST_USE;

/* Returns the address that the server binds; NULL when it listens on all interfaces. */
const char *ls_service_network_host(const ls_service_options *options);

typedef struct ls_service_addresses {
    ls_address list[LS_TOKEN_ADDRESSES_MAX];
    uint32_t count;
} ls_service_addresses;

/* Finds the addresses that a connect token may name for a server on this port.
 *   errors  USAGE: an option is no address; those of ls_resolve_one() */
ls_status ls_service_network_find(const ls_service_options *options, uint16_t port,
                                  ls_service_addresses *addresses, ls_error *error) LS_MUST_USE;

#endif
