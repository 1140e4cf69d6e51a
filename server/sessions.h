/* The table of sessions: who is connected, what they are sent, how they end. */
#ifndef LS_SESSIONS_H
#define LS_SESSIONS_H

#include "server/server_internal.h"

/* The session of a connection; NULL when there is none. */
ls_session *ls_sessions_find(ls_server *server, ls_peer peer);
/* A new connection takes its slot; ends at once when the slot is none of ours. */
void ls_sessions_open(ls_server *server, ls_peer peer, uint64_t now_ns);
/* CONFIRM has come: the session is a client of the match. False, and it is over, when the seat that
 * it takes over has gone to somebody else meanwhile. */
bool ls_sessions_activate(ls_server *server, ls_session *session, uint64_t now_ns) LS_MUST_USE;

/* Ends a session: its seat is left, its keys are wiped. `why` goes to the log. */
void ls_sessions_end(ls_server *server, ls_session *session, const char *why, uint64_t now_ns);
/* The same when the link itself has told it. */
void ls_sessions_forget(ls_server *server, ls_session *session, const char *why, uint64_t now_ns);
/* Tells an active session a last word, then ends it. */
void ls_sessions_dismiss(ls_server *server, ls_session *session, const ls_notice *notice,
                         uint64_t now_ns);
/* Dismisses with a reason that the other side's user reads; counted as a kick. */
void ls_sessions_kick(ls_server *server, ls_session *session, const char *reason, uint64_t now_ns);

/* Handshakes that take too long and sessions that are silent for too long end. */
void ls_sessions_expire(ls_server *server, uint64_t now_ns);

/* Sends an unsealed handshake message. */
void ls_sessions_send_bytes(ls_server *server, ls_session *session, const uint8_t *data,
                            size_t bytes);
/* Seals and sends. A session whose keys are used up ends: false, and it is gone. */
bool ls_sessions_send(ls_server *server, ls_session *session, const ls_plain *plain,
                      uint64_t now_ns);
/* Sends the running window of ticks; nothing when it has all. False as above. */
bool ls_sessions_send_window(ls_server *server, ls_session *session, uint64_t now_ns);
/* The highest input number that was taken from it. */
uint32_t ls_sessions_input_ack(const ls_server *server, const ls_session *session);

/* For logs: the seat, or -1. */
int ls_sessions_seat_number(const ls_session *session);

#endif
