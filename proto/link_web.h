/* A server's link with WebSocket connections. It knows no socket: an HTTP server of another thread
 * gives it messages and takes messages from it (proto/web_port.h). Two rings join the threads, so
 * the thread of the link never waits. Private to proto/ and the program. */
#ifndef LS_LINK_WEB_H
#define LS_LINK_WEB_H

#include "proto/web_port.h"
#include <lockstep/link.h>

/* Channels beyond the connections: handshakes, and visitors that never speak. */
#define LS_WEB_WAITING_MAX 256

typedef struct ls_link_web_config {
    uint32_t peers_max; /* 1..LS_LINK_PEERS_MAX connections */
    ls_web_port_config port;
} ls_link_web_config;

/* Creates a link without channels. It cannot be waited for alone (include/lockstep/link.h).
 *   owns  ls_link_destroy() by the caller, when its port is not in use any more */
ls_link *ls_link_web_create(const ls_link_web_config *config) LS_MUST_USE;

/* Whether a remote belongs to a link of this kind: such remotes never have a port, while remotes of
 * an ENet link always have one. */
bool ls_link_web_has(const ls_remote *remote);
/* The address of the client at a remote. For a remote of this link, the address has no port, and is
 * zeros when the channel is gone. Any other remote belongs to a link over IP, and is itself the
 * address. `link` may be NULL: all remotes then belong to links over IP. */
ls_address ls_link_web_address(const ls_link *link, const ls_remote *remote);

/* thread  any */
void ls_link_web_counts(const ls_link *link, uint64_t counts[LS_WEB_COUNTERS]);

/* The side of the HTTP server. `wake` is called by the thread of the link when there is something
 * to send; NULL: call nothing any more. */
ls_web_port *ls_link_web_port(ls_link *link);
void ls_link_web_on_output(ls_link *link, void (*wake)(void *context), void *context);

#endif
