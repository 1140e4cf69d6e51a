/* Finds the numeric address of a server: tokens hold addresses, not names. */
#ifndef LS_HOST_H
#define LS_HOST_H

#include <lockstep/address.h>
#include <lockstep/carrier.h>
#include <lockstep/server_address.h>

/* Finds the address of a host, and the port: over IPv4 where its name has both. Asks the system's
 * resolver, which may block.
 *   errors  LS_ERROR_IO: the host has none */
ls_status ls_host_find(const ls_server_address *server, ls_address *address,
                       ls_error *error) LS_MUST_USE;

#endif
