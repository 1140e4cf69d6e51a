/* Asks a running server whether it lives, the way a player would: for a container's health check.
 */
#ifndef LS_HEALTHCHECK_H
#define LS_HEALTHCHECK_H

#include "core/base.h"

/* Connects and leaves again. The answer comes from the loop that closes the ticks, so a server that
 * hangs is not healthy. A server without a free place answers nobody and counts as unhealthy too.
 *   shape   host: name or address; waits two seconds at most
 *   errors  DIVERGED: nobody answers; IO, NOT_FOUND: cannot ask */
ls_status ls_healthcheck(const char *host, uint16_t port, ls_error *error) LS_MUST_USE;

#endif
