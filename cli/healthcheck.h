/* Asks a running server whether it works, by the protocol of clients: for a container's health
 * check. */
#ifndef LS_HEALTHCHECK_H
#define LS_HEALTHCHECK_H

#include <lockstep/base.h>

#define LS_HEALTHCHECK_HOSTS_MAX  8
#define LS_HEALTHCHECK_HOST_BYTES 256 /* a name or an address, with its end */

typedef struct ls_healthcheck_hosts {
    uint32_t count;
    char names[LS_HEALTHCHECK_HOSTS_MAX][LS_HEALTHCHECK_HOST_BYTES];
} ls_healthcheck_hosts;

/* Finds the addresses that this UDP port is bound to on this machine (or in this container), the
 * first LS_HEALTHCHECK_HOSTS_MAX of them; "127.0.0.1" if there is none. A port belongs to one
 * address: at another address, or in the other family, another process may have it. */
void ls_healthcheck_find(uint16_t port, ls_healthcheck_hosts *hosts);

/* Sends a HELLO for a simulation that does not exist, which the server refuses; no connection is
 * left behind, and the server keeps nothing. The answer comes from the server's loop, so a server
 * that hangs is not healthy; nor is one that answers that none of its matches continues. Asks all
 * hosts at once; the first answer decides.
 *   shape   hosts: at least one; waits two seconds at most
 *   errors  DIVERGED: no server answers, or it answers that it serves no match; IO, NOT_FOUND:
 *           can ask none of them */
ls_status ls_healthcheck(const ls_healthcheck_hosts *hosts, uint16_t port,
                         ls_error *error) LS_MUST_USE;

#endif
