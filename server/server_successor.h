/* A server that hands its matches over to another process (server/room_handover.h), and one that is
 * about to take some over: what newcomers are told meanwhile. */
#ifndef LS_SERVER_SUCCESSOR_H
#define LS_SERVER_SUCCESSOR_H

#include <lockstep/remote.h>
#include <lockstep/server_config.h>

/* Admits no newcomers from now on. With `forwards`, newcomers are sent to the successor's remote,
 * and so are players of matches that are there already; otherwise the reason for their refusal
 * names it. Players may return to the matches that are still here. When no room is left, the server
 * is done, LS_SERVER_FORWARD_NS later if it forwards. NULL: it takes newcomers again. */
void ls_server_set_successor(ls_server *server, const ls_remote *successor, bool forwards);
/* Whether it has a successor, or was asked to stop. */
bool ls_server_is_draining(const ls_server *server);
/* Whether it was asked to stop, so that no successor can take its matches. */
bool ls_server_is_stopping(const ls_server *server);
/* While it is true, only clients with a seat here are let in, and others wait: a server that takes
 * matches over would take their players for new ones. */
void ls_server_set_awaiting(ls_server *server, bool is_awaiting);
/* Admits no newcomers, forwards none, and awaits no match: the server stops. */
void ls_server_close_doors(ls_server *server);

#endif
