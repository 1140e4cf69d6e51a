/* What a client says once it has keys, and what it is answered at once. */
#ifndef LS_SESSION_MESSAGES_H
#define LS_SESSION_MESSAGES_H

#include "server/session.h"

/* One sealed packet, from hostile bytes. It may end the session. */
void ls_session_messages_receive(ls_session *session, const ls_packet *packet, uint64_t now_ns);
/* New roots are there: takes up the reports that were held for them. False when the verdict ended
 * the session; as all below. */
bool ls_session_messages_check_held(ls_session *session, uint64_t now_ns);
/* Announces the verdict over a session, once, when it is ripe, and does what the room's policy
 * says.
 */
bool ls_session_messages_check_verdict(ls_session *session, uint64_t now_ns);
/* A new snapshot is there: answers who waited for it. */
bool ls_session_messages_serve_snapshot(ls_session *session, uint64_t now_ns);
/* Tells a client to load a snapshot, since its ticks are not ours. */
void ls_session_messages_reload(ls_session *session, uint64_t now_ns);

#endif
