/* The addresses behind a host's name. Private to proto/ and cli/. */
#ifndef LS_RESOLVE_H
#define LS_RESOLVE_H

#include <lockstep/address.h>

/* Asks the system's resolver, which may block, for at most `max` addresses of a host, the one to
 * prefer first, each with this port. `host` is a name or an address, an IPv6 one also with a zone
 * (fe80::1%eth0), without brackets.
 *   errors  LS_ERROR_IO with a text that names the host: it has none */
ls_status ls_resolve(const char *host, uint16_t port, ls_address *addresses, uint32_t max,
                     uint32_t *count, ls_error *error) LS_MUST_USE;
/* The one to use of these: the first IPv4 address that this machine has a way to, or the first of
 * all. A server that listens on IPv4 only has a name with an IPv6 address too, often: localhost. */
ls_status ls_resolve_one(const char *host, uint16_t port, ls_address *address,
                         ls_error *error) LS_MUST_USE;
/* True for an address as text, which needs no resolver. */
bool ls_resolve_numeric(const char *host, uint16_t port, ls_address *address) LS_MUST_USE;

#endif
