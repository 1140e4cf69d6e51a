/* Receives the messages of a session and answers them. */
#ifndef LS_SESSION_MESSAGES_H
#define LS_SESSION_MESSAGES_H

#include "server/session.h"

/* One sealed packet, from hostile bytes. It may end the session. */
void ls_session_messages_receive(ls_session *session, const ls_packet *packet, uint64_t now_ns);
/* Checks held reports against new roots. False when the verdict ended the session; so do all
 * below. */
bool ls_session_messages_check_held(ls_session *session, uint64_t now_ns);
/* Announces a session's verdict once, when it falls, and applies the room's desync policy. */
bool ls_session_messages_check_verdict(ls_session *session, uint64_t now_ns);
/* Answers a request that waited for a snapshot. */
bool ls_session_messages_serve_snapshot(ls_session *session, uint64_t now_ns);
/* Tells a client to load a snapshot, because it has ticks that the server does not know. */
void ls_session_messages_reload(ls_session *session, uint64_t now_ns);

#endif
