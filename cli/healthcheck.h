/* Asks a running server whether it lives, the way a player would: for a container's health check.
 */
#ifndef LS_HEALTHCHECK_H
#define LS_HEALTHCHECK_H

#include <lockstep/base.h>

#define LS_HEALTHCHECK_HOST_BYTES 16

/* The IPv4 address that this UDP port is bound to on this machine (or in this container);
 * "127.0.0.1" where that cannot be found out. Returns `host`. */
const char *ls_healthcheck_find(uint16_t port, char host[LS_HEALTHCHECK_HOST_BYTES]);

/* Sends a HELLO for a simulation that does not exist, which the server refuses; no connection is
 * left behind, and the server keeps nothing. The answer comes from the server's loop, so a server
 * that hangs is not healthy; nor is one that says that none of its matches goes on.
 *   shape   host: name or address; waits two seconds at most
 *   errors  DIVERGED: no server answers, or it says so; IO, NOT_FOUND: cannot ask */
ls_status ls_healthcheck(const char *host, uint16_t port, ls_error *error) LS_MUST_USE;

#endif
