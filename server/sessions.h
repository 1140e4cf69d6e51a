/* The table of sessions: opens them, sends to them, ends them. */
#ifndef LS_SESSIONS_H
#define LS_SESSIONS_H

#include "proto/notice.h"
#include "server/server_state.h"

/* Returns the session of a connection; NULL: none. */
ls_server_session *ls_sessions_find(ls_server *server, ls_peer peer);
/* Opens a session for an admitted connection. False when its slot is not one of the server's. */
bool ls_sessions_open(ls_server *server, ls_peer peer, const ls_pending *pending,
                      uint64_t now_ns) LS_MUST_USE;
/* Whether the client of a connect token is in a session other than `except`, which may be NULL. A
 * client without a token ("") never is. */
bool ls_sessions_have_client(const ls_server *server, const char *client,
                             const ls_server_session *except);
/* Called at CONFIRM: makes the session a client of its room. False, and the session has ended, when
 * its client is banned or is connected already, when another client has its seat, or when the match
 * moves away. */
bool ls_sessions_activate(ls_server_session *session, uint64_t now_ns) LS_MUST_USE;
/* Releases the seat that an entrant has reserved or taken. */
void ls_sessions_leave_seat(ls_room *room, const ls_entrant *entrant);

/* Ends a pause: the next tick resumes the match. */
void ls_sessions_end_pause(ls_room *room);

/* Counts and logs that the client's world differs. Called at most once for each session. */
void ls_sessions_note_desync(ls_server_session *session);
/* Counts and logs that what differs in a diverged client's world is not sought, and why. */
void ls_sessions_note_unexplained(ls_server_session *session, const char *why);
/* Ends a session: disconnects its client, then removes it. */
void ls_sessions_end(ls_server_session *session, const char *why, uint64_t now_ns);
/* Removes a session: logs `why` as `leave` or `handshake_failed`, releases its seat, wipes its
 * keys. Every end of a session comes here, mostly by ls_sessions_end(). Call ls_sessions_remove()
 * directly only if the connection is gone: the link reported its end, or another connection has its
 * slot. */
void ls_sessions_remove(ls_server_session *session, const char *why, uint64_t now_ns);
/* Called for a BYE: ends the session. Counts a failure that the client reports. */
void ls_sessions_leave(ls_server_session *session, const ls_bye *bye, uint64_t now_ns);
/* Sends a last notice to an active session, then ends it. */
void ls_sessions_dismiss(ls_server_session *session, const ls_notice *notice, uint64_t now_ns);
/* Dismisses with a reason for the client's user; counted as a kick. */
void ls_sessions_kick(ls_server_session *session, const char *reason, uint64_t now_ns);

/* Moves the timeouts of all sessions by a time in which the server could not receive. */
void ls_sessions_extend(ls_server *server, uint64_t time_ns);
/* Ends sessions that have not confirmed in time or have been silent for too long. */
void ls_sessions_expire(ls_server *server, uint64_t now_ns);

/* Seals and sends a message. False when the keys have reached their packet limit; the session has
 * then ended. */
bool ls_sessions_send(ls_server_session *session, const ls_plain *plain, uint64_t now_ns);
/* Encodes and sends a notice. False as for ls_sessions_send(). */
bool ls_sessions_notify(ls_server_session *session, const ls_notice *notice, uint64_t now_ns);
/* Sends ticks, with the fields of this session filled in. False as for ls_sessions_send(). */
bool ls_sessions_send_ticks(ls_server_session *session, ls_ticks *ticks, uint64_t now_ns);
/* Sends the window of the newest ticks; nothing when the client has all. False as for
 * ls_sessions_send(). */
bool ls_sessions_send_window(ls_server_session *session, uint64_t now_ns);

/* The seat for log lines; -1: a spectator. */
int ls_sessions_seat_number(const ls_server_session *session);

#endif
