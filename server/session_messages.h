/* Receives and answers the messages of a session. */
#ifndef LS_SESSION_MESSAGES_H
#define LS_SESSION_MESSAGES_H

#include "server/server_session.h"

/* Handles one sealed packet of hostile bytes. May end the session. */
void ls_session_messages_receive(ls_server_session *session, const ls_packet *packet,
                                 uint64_t now_ns);

#endif
