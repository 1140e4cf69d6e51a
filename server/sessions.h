/* The table of sessions: opens them, sends to them, ends them. */
#ifndef LS_SESSIONS_H
#define LS_SESSIONS_H

#include "server/server_state.h"

/* The session of a connection; NULL when there is none. */
ls_session *ls_sessions_find(ls_server *server, ls_peer peer);
/* An admitted connection takes its slot. False: the slot is not the server's. */
bool ls_sessions_open(ls_server *server, ls_peer peer, const ls_pending *pending,
                      uint64_t now_ns) LS_MUST_USE;
/* CONFIRM has come: the session is a client of its room. False, and the session has ended: another
 * client has its seat meanwhile. */
bool ls_sessions_activate(ls_session *session, uint64_t now_ns) LS_MUST_USE;
/* Releases the seat that an entrant holds. */
void ls_sessions_leave_seat(ls_room *room, const ls_entrant *entrant);

/* The server resumes the match after the next tick. */
void ls_sessions_end_pause(ls_room *room);

/* Ends a session: releases its seat, wipes its keys, logs `why`. */
void ls_sessions_end(ls_session *session, const char *why, uint64_t now_ns);
/* The same, after the link has reported the end of the connection. */
void ls_sessions_remove(ls_session *session, const char *why, uint64_t now_ns);
/* The client has said BYE: ends the session. A failure of the client is counted. */
void ls_sessions_leave(ls_session *session, const ls_bye *bye, uint64_t now_ns);
/* Sends a last notice to an active session, then ends it. */
void ls_sessions_dismiss(ls_session *session, const ls_notice *notice, uint64_t now_ns);
/* Dismisses with a reason that the client's user reads; counted as a kick. */
void ls_sessions_kick(ls_session *session, const char *reason, uint64_t now_ns);

/* Ends sessions that do not confirm in time or are silent for too long. */
void ls_sessions_expire(ls_server *server, uint64_t now_ns);

/* Seals and sends. False: the keys are used up and the session has ended. */
bool ls_sessions_send(ls_session *session, const ls_plain *plain, uint64_t now_ns);
/* Sends these ticks, and fills in the fields of this session. False as above. */
bool ls_sessions_send_ticks(ls_session *session, ls_ticks *ticks, uint64_t now_ns);
/* Sends the running window of ticks; nothing when the client has all. False as above. */
bool ls_sessions_send_window(ls_session *session, uint64_t now_ns);

/* A state arrived `slack_ns` before its tick closed; negative: after it. */
void ls_sessions_note_slack(ls_session *session, int64_t slack_ns, uint64_t now_ns);
/* The least of the last one to two seconds, in microseconds; LS_SLACK_NONE: none. */
int32_t ls_sessions_slack(const ls_session *session, uint64_t now_ns);

/* For logs: the seat, or -1. */
int ls_sessions_seat_number(const ls_session *session);

#endif
