/* Receives the messages of a session and answers them. */
#ifndef LS_SESSION_MESSAGES_H
#define LS_SESSION_MESSAGES_H

#include "server/session.h"

/* One sealed packet, from hostile bytes. It may end the session. */
void ls_session_messages_receive(ls_session *session, const ls_packet *packet, uint64_t now_ns);
/* Tells a client to load a snapshot, because it has ticks that the server does not know. */
void ls_session_messages_reload(ls_session *session, uint64_t now_ns);

#endif
