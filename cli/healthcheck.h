/* Asks a running server whether it works, by the protocol of clients: for a container's health
 * check. */
#ifndef LS_HEALTHCHECK_H
#define LS_HEALTHCHECK_H

#include <lockstep/base.h>

#define LS_HEALTHCHECK_HOST_BYTES 46

/* Finds the address that this UDP port is bound to on this machine (or in this container);
 * "127.0.0.1" if it cannot be found. Returns `host`. */
const char *ls_healthcheck_find(uint16_t port, char host[LS_HEALTHCHECK_HOST_BYTES]);

/* Sends a HELLO for a simulation that does not exist, which the server refuses; no connection is
 * left behind, and the server keeps nothing. The answer comes from the server's loop, so a server
 * that hangs is not healthy; nor is one that answers that none of its matches continues.
 *   shape   host: name or address; waits two seconds at most
 *   errors  DIVERGED: no server answers, or it answers that it serves no match; IO, NOT_FOUND:
 *           cannot ask */
ls_status ls_healthcheck(const char *host, uint16_t port, ls_error *error) LS_MUST_USE;

#endif
