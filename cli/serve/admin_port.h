/* The socket of `serve --admin` and the thread that answers it. Only root and the user of the
 * server may ask, but the lines may still be anything. */
#ifndef LS_ADMIN_PORT_H
#define LS_ADMIN_PORT_H

#include "cli/serve/admin_answer.h"

/* Further connections wait until one of these ends. */
#define LS_ADMIN_CONNECTIONS_MAX 8
/* The time for a line, and for the other side to take its answer. */
#define LS_ADMIN_TIMEOUT_S 30

typedef struct ls_admin_port ls_admin_port;

/* Creates the socket (mode 0600) and starts the thread. A socket that a dead server has left is
 * replaced.
 *   errors  USAGE: the path is too long, or a file that is no socket; IO: another server answers
 *           there, or the system refuses
 *   owns    ls_admin_port_close() by the caller; what the facts point to outlives it */
ls_status ls_admin_port_open(const char *path, const ls_admin_facts *facts, ls_admin_port **port,
                             ls_error *error) LS_MUST_USE;
/* Ends the thread and removes the socket. NULL is allowed. */
void ls_admin_port_close(ls_admin_port *port);

#endif
