/* The table of sessions: who is connected, what they are sent, how they end. */
#ifndef LS_SESSIONS_H
#define LS_SESSIONS_H

#include "server/server_state.h"

/* The session of a connection; NULL when there is none. */
ls_session *ls_sessions_find(ls_server *server, ls_peer peer);
/* A connection that was admitted takes its slot. False when the slot is none of ours. */
bool ls_sessions_open(ls_server *server, ls_peer peer, const ls_pending *pending,
                      uint64_t now_ns) LS_MUST_USE;
/* CONFIRM has come: the session is a client of its room. False, and it is over, when the seat that
 * it takes over has gone to somebody else meanwhile. */
bool ls_sessions_activate(ls_session *session, uint64_t now_ns) LS_MUST_USE;
/* Gives back the seat that was held for somebody. */
void ls_sessions_leave_seat(ls_room *room, const ls_entrant *entrant);

/* The match goes on, by the server's own will, behind the next tick. */
void ls_sessions_end_pause(ls_room *room);

/* Ends a session: its seat is left, its keys are wiped. `why` goes to the log. */
void ls_sessions_end(ls_session *session, const char *why, uint64_t now_ns);
/* The same when the link itself has told it. */
void ls_sessions_remove(ls_session *session, const char *why, uint64_t now_ns);
/* The client has said its last word: ends the session. A client that could not go on is counted. */
void ls_sessions_leave(ls_session *session, const ls_bye *bye, uint64_t now_ns);
/* Tells an active session a last word, then ends it. */
void ls_sessions_dismiss(ls_session *session, const ls_notice *notice, uint64_t now_ns);
/* Dismisses with a reason that the other side's user reads; counted as a kick. */
void ls_sessions_kick(ls_session *session, const char *reason, uint64_t now_ns);

/* Sessions that do not confirm in time, or are silent for too long, end. */
void ls_sessions_expire(ls_server *server, uint64_t now_ns);

/* Seals and sends. A session whose keys are used up ends: false, and it is gone. */
bool ls_sessions_send(ls_session *session, const ls_plain *plain, uint64_t now_ns);
/* Sends these ticks, with what stands in each such message. False as above. */
bool ls_sessions_send_ticks(ls_session *session, ls_ticks *ticks, uint64_t now_ns);
/* Sends the running window of ticks; nothing when it has all. False as above. */
bool ls_sessions_send_window(ls_session *session, uint64_t now_ns);

/* A state came so long before its tick's close (< 0: behind it). */
void ls_sessions_note_slack(ls_session *session, int64_t slack_ns, uint64_t now_ns);
/* The least in the last second or two, in microseconds; LS_SLACK_NONE: there was none. */
int32_t ls_sessions_slack(const ls_session *session, uint64_t now_ns);

/* For logs: the seat, or -1. */
int ls_sessions_seat_number(const ls_session *session);

#endif
