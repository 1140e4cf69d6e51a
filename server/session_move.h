/* Handles a client that is at another remote within a session, such as another address. */
#ifndef LS_SESSION_MOVE_H
#define LS_SESSION_MOVE_H

#include "server/server_session.h"
#include "server/server_state.h"

/* Called when the link has proved that the session's client is at another remote: the limits of the
 * new host apply from now on. A spectator that finds no connection left there is ended only if it
 * is still there after LS_LINK_PATH_NS: until then an answer from its former address may bring it
 * back. */
void ls_session_move(ls_server_session *session, const ls_remote *remote, uint64_t now_ns);
/* Ends the spectators that have stayed with a host that has no connection left for them. */
void ls_session_move_expire(ls_server *server, uint64_t now_ns);

#endif
