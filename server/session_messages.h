/* Receives and answers the messages of a session. */
#ifndef LS_SESSION_MESSAGES_H
#define LS_SESSION_MESSAGES_H

#include "server/session.h"

/* Handles one sealed packet of hostile bytes. May end the session. */
void ls_session_messages_receive(ls_session *session, const ls_packet *packet, uint64_t now_ns);
/* Tells a client to load a snapshot, because it has ticks that the server never closed. */
void ls_session_messages_reload(ls_session *session, uint64_t now_ns);

#endif
