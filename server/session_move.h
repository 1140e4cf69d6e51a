/* Handles a client that changes its address within a session. */
#ifndef LS_SESSION_MOVE_H
#define LS_SESSION_MOVE_H

#include "server/session.h"

/* Called when the link has proved that the session's client is at another address: the limits of
 * that address apply from now on. May end the session. */
void ls_session_move(ls_session *session, const ls_address *address, uint64_t now_ns);

#endif
