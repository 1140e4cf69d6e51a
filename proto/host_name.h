/* Resolves a host name to addresses. Private to proto/ and cli/. */
#ifndef LS_HOST_NAME_H
#define LS_HOST_NAME_H

#include <lockstep/address.h>

/* Asks the system's resolver, which may block, for at most `max` addresses of a host, the preferred
 * ones first, each with this port. `host` is a name or an address without brackets; an IPv6 address
 * may have a zone (fe80::1%eth0).
 *   errors  LS_ERROR_IO: the host has no address; the text names it */
ls_status ls_resolve(const char *host, uint16_t port, ls_address *addresses, uint32_t max,
                     uint32_t *count, ls_error *error) LS_MUST_USE;
/* Resolves a host to the address to use: the first IPv4 address that this machine has a route to,
 * otherwise the first address. Use it where one address is stored, as in a token or by a relay:
 * names such as localhost often also have an IPv6 address, where a server for IPv4 only does not
 * answer. */
ls_status ls_resolve_one(const char *host, uint16_t port, ls_address *address,
                         ls_error *error) LS_MUST_USE;
/* Writes the host's first IPv4 and first IPv6 address among those that this machine has a route to,
 * 1 or 2 in all, the preferred one first. With a route to none, writes only the first address
 * found.
 *   errors  as ls_resolve */
ls_status ls_resolve_both(const char *host, uint16_t port, ls_address both[2], uint32_t *count,
                          ls_error *error) LS_MUST_USE;
/* Parses an address in text form without the resolver; false for a name. */
bool ls_resolve_numeric(const char *host, uint16_t port, ls_address *address) LS_MUST_USE;

#endif
